"""Run ``python -m janus_synth.cli`` like ``janus``."""

from janus_synth.cli import main

if __name__ == "__main__":
    main()
