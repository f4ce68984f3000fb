"""``python -m janus_synth`` is the command ``janus``."""

from janus_synth.interfaces.cli import main

if __name__ == "__main__":
    main()
