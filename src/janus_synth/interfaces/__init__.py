"""Ways to reach JANUS without writing Python; each reads its input, makes one public call and shows the result."""
