"""``python -m janus_synth`` is the command ``janus``."""

from janus_synth.cli import main

if __name__ == "__main__":
    main()
