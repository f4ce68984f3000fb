"""Loops over arrays, compiled when the package is built. Import the file you need."""
