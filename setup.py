"""Compile the kernels: every module of ``src/janus_synth/kernels`` that imports cython becomes an extension.

``JANUS_KERNEL_CHECKS=1`` compiles them with bounds checks, which is slower and meant for tests. Where no C compiler
is installed, the one in the ``ziglang`` package is used.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

KERNELS = Path("src/janus_synth/kernels")
SHARED = "janus_synth.kernels._cyutility"
CHECKS = os.environ.get("JANUS_KERNEL_CHECKS", "0") == "1"
C_FILES = Path("build/cython-checked" if CHECKS else "build/cython")
WORKERS = os.cpu_count() or 1
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKS,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "infer_types": True,
    "embedsignature": True,
}
# Floating point stays strict: kernels compute with infinities, and fused operations would round otherwise.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O2", "-g0", "-ffp-contract=off"]


def kernel_extensions():
    """One extension per module that imports cython, and one for what Cython adds to all of them."""
    modules = [
        path for path in sorted(KERNELS.glob("*.py")) if re.search(r"^import cython$", path.read_text("utf-8"), re.M)
    ]
    sources = {f"janus_synth.kernels.{path.stem}": path for path in modules} | {SHARED: KERNELS / "_cyutility.c"}
    return [Extension(name, [path.as_posix()], extra_compile_args=FLAGS) for name, path in sources.items()]


def is_outdated(folder):
    """Whether C files were made before this file last changed."""
    return any(path.stat().st_mtime < Path(__file__).stat().st_mtime for path in folder.rglob("*.c"))


def find_compiler():
    """The command of a C compiler, or None; on Windows setuptools looks for one itself."""
    if sys.platform == "win32":
        return "cl"
    known = (os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang")
    return next((command for command in known if command and shutil.which(shlex.split(command)[0])), None)


def use_zig():
    """Compile and link with the C compiler of the ``ziglang`` package, for any processor of this kind."""
    command = f"{shlex.quote(sys.executable)} -m ziglang cc -mcpu=baseline"
    os.environ["CC"] = command
    os.environ["LDSHARED"] = f"{command} -shared"


def is_gcc(command):
    """Whether a command is GCC itself: others, clang under its name too, refuse some of its options."""
    if command is None or sys.platform == "win32":
        return False
    told = subprocess.run([*shlex.split(command), "--version"], capture_output=True, text=True, check=False)
    return "Free Software Foundation" in told.stdout


def need_headers():
    """Exit with one line if the headers of Python are missing."""
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        package = "python3-devel" if shutil.which("dnf") or shutil.which("yum") else "python3-dev"
        sys.exit(f"Compiling janus-synth needs Python.h, which is not installed: install the package {package}.")


def main():
    """Compile what has changed, and package it."""
    from Cython.Build import cythonize

    need_headers()
    compiler = find_compiler()
    if compiler is None:
        use_zig()
    elif sys.platform != "win32":
        os.environ["CC"] = compiler
    extensions = cythonize(
        kernel_extensions(),
        build_dir=str(C_FILES),
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=SHARED,
        force=is_outdated(C_FILES),
        nthreads=WORKERS,
    )
    if not is_gcc(compiler):  # a module may ask for options in a `# distutils:` comment
        for extension in extensions:
            extension.extra_compile_args = FLAGS
    setup(
        ext_modules=extensions,
        options={"build_ext": {"parallel": WORKERS}},
        setup_requires=["ziglang"] if compiler is None else [],
    )


if __name__ == "__main__":
    main()
