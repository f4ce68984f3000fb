"""``python -m janus_synth.bench``."""

from janus_synth.bench.cli import main

if __name__ == "__main__":
    main()
