"""Run ``python -m janus_synth.interfaces.cli`` like ``janus``."""

from janus_synth.interfaces.cli import main

if __name__ == "__main__":
    main()
