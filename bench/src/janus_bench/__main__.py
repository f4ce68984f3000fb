"""``python -m janus_bench``."""

from janus_bench.cli import main

if __name__ == "__main__":
    main()
