"""What can go wrong in a command, to a message on standard error and an exit code.

0 done · 1 it failed · 2 it was called wrongly · 130 it was interrupted
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from janus_synth.cli.plugins import find_plugin, plugin_names
from janus_synth.cli.show import complain
from janus_synth.errors import JanusError

FAILED, INTERRUPTED = 1, 130
EXPECTED = (JanusError, ValueError, OSError)


class HelpfulGroup(TyperGroup):
    """Commands of one kind; their name alone is a call for help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Ask for help where nothing else is asked."""
        return super().parse_args(ctx, args if args or ctx.resilient_parsing else ["--help"])


class GuardedGroup(HelpfulGroup):
    """Commands whose errors are told in a few words, or with ``--debug`` in full; other packages may add some."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Our commands, then those of other packages."""
        ours = super().list_commands(ctx)
        return [*ours, *(name for name in plugin_names() if name not in ours)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of ours, otherwise one of another package."""
        return super().get_command(ctx, cmd_name) or find_plugin(cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take ``--debug`` wherever it stands, and ``janus`` alone as a call for help."""
        return super().parse_args(ctx, args if ctx.resilient_parsing else _debug_first(args))

    def invoke(self, ctx: Any) -> Any:
        """Run a command and turn what it raises into an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # here, where a reader that went away is no error
            return result
        except KeyboardInterrupt:
            complain("interrupted", "no half-written file is left.")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader, such as head, has seen enough
            _silence_stdout()
            raise typer.Exit(0) from None
        except Exception as error:
            if hasattr(error, "exit_code") or isinstance(error, typer.Abort):
                raise  # typer's own: usage errors and planned exits
            _tell(error, debug=bool(ctx.params.get("debug")))
            raise typer.Exit(FAILED) from None


def _debug_first(args: list[str]) -> list[str]:
    before = args[: args.index("--")] if "--" in args else args
    if "--debug" not in before:
        return args
    rest = [arg for arg in before if arg != "--debug"] + args[len(before) :]
    return ["--debug", *rest] if rest else ["--help"]


def _tell(error: Exception, *, debug: bool) -> None:
    if debug:
        sys.stderr.write("".join(traceback.format_exception(error)))
    message = _message(error)
    if isinstance(error, EXPECTED):
        complain("error", message)
    else:
        hint = "" if debug else " Run the command again with --debug, and report what it shows."
        complain("unexpected error", f"{type(error).__name__}: {message}.{hint}")


def _message(error: Exception) -> str:
    """What to tell: our own errors in their own lines, which may point at a place in a rule, others in one."""
    if isinstance(error, JanusError) and str(error):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}." if error.filename else f"{error.strerror}."
    return " ".join(str(error).split()) or type(error).__name__


def _silence_stdout() -> None:
    """Let the flush at exit go nowhere; it would complain once more."""
    with contextlib.suppress(OSError, ValueError):  # there may be no real file behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
