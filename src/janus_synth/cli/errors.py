"""Exceptions of a command in; a message on standard error and an exit code out.

0 success · 1 failure · 2 wrong usage · 130 interrupted; ``janus check`` has codes of its own
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import traceback
from collections.abc import Iterable
from typing import Any

import typer
from typer.core import TyperGroup

from janus_synth.cli.output import print_message
from janus_synth.cli.plugins import PluginCommand, find_plugin, plugin_names
from janus_synth.cli.project import find_project, project_defaults
from janus_synth.cli.shell_terms import in_shell_terms
from janus_synth.errors import JanusError, UndecidedError

FAILED, USAGE, UNDECIDED, INTERRUPTED = 1, 2, 3, 130
EXIT_CODE = "janus_synth.exit_code"
"""Key of a context's ``meta``: the exit code of errors, for commands where 1 means something else."""
EXPECTED = (JanusError, ValueError, OSError)


class HelpfulGroup(TyperGroup):
    """A group of commands; its name alone prints the help, and flags are shown without a type."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _show_flags_without_type(command.get_params(ctx))
        return command

    def get_params(self, ctx: Any) -> list[Any]:
        """List the options of the group itself."""
        params = super().get_params(ctx)
        _show_flags_without_type(params)
        return params

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Print the help where no argument is given."""
        return super().parse_args(ctx, args if args or ctx.resilient_parsing else ["--help"])


class GuardedGroup(HelpfulGroup):
    """All commands: errors become short messages, with ``--debug`` tracebacks; other packages may add commands."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List our commands, then those of other packages."""
        ours = super().list_commands(ctx)
        return [*ours, *(name for name in plugin_names() if name not in ours)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find one of our commands, otherwise one of another package."""
        return super().get_command(ctx, cmd_name) or find_plugin(cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Accept ``--debug`` and ``--project`` before or after the command."""
        return super().parse_args(ctx, args if ctx.resilient_parsing else _shared_first(args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the arguments name; to complete a line, load those of other packages as well."""
        name, command, rest = super().resolve_command(ctx, args)
        if ctx.resilient_parsing and isinstance(command, PluginCommand):
            command = command.loaded() or command
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run a command and turn exceptions into exit codes."""
        try:
            self._read_project(ctx)
            result = super().invoke(ctx)
            sys.stdout.flush()  # here, where a closed pipe is not an error
            return result
        except KeyboardInterrupt:
            print_message("interrupted", "no half-written file is left.")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader, such as head, has closed the pipe
            _silence_stdout()
            raise typer.Exit(0) from None
        except Exception as error:
            if hasattr(error, "exit_code") or isinstance(error, typer.Abort):
                _add_hint(error)
                raise  # typer's own: usage errors and planned exits
            _print_error(error, debug=bool(ctx.params.get("debug")))
            raise typer.Exit(_exit_code(error, ctx)) from None

    def _read_project(self, ctx: Any) -> None:
        """Take defaults of options from the project file, where there is one."""
        path = find_project(ctx.params.get("project"))
        if path is not None and "--help" not in ctx.args:  # help works whatever the file holds
            ctx.default_map = project_defaults(path, self.commands)


def _add_hint(error: Exception) -> None:
    """Say how conditions are given, where they stand without an option."""
    command = getattr(getattr(error, "ctx", None), "command", None)
    options = {option for param in getattr(command, "params", ()) for option in param.opts}
    message = str(getattr(error, "message", ""))
    if "--where" in options and message.startswith("Got unexpected extra argument"):
        error.message = f"{message}. A condition needs its option: --where 'age >= 18'."  # type: ignore[attr-defined]


def _exit_code(error: Exception, ctx: Any) -> int:
    """Exit code of an error; commands that give 1 another meaning have one of their own, also for no answer."""
    if EXIT_CODE in ctx.meta and isinstance(error, UndecidedError):
        return UNDECIDED
    return int(ctx.meta.get(EXIT_CODE, FAILED))


def _show_flags_without_type(params: Iterable[Any]) -> None:
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""


def _shared_first(args: list[str]) -> list[str]:
    """Move the options of all commands before the command."""
    before = args[: args.index("--")] if "--" in args else args
    shared, rest = [], []
    words = iter(before)
    for word in words:
        if word == "--debug" or word.startswith("--project="):
            shared.append(word)
        elif word == "--project":
            shared += [word, *itertools.islice(words, 1)]
        else:
            rest.append(word)
    rest += args[len(before) :]
    return [*shared, *rest] if rest else ["--help"]


def _print_error(error: Exception, *, debug: bool) -> None:
    if debug:
        sys.stderr.write("".join(traceback.format_exception(error)))
    message = _message(error)
    if isinstance(error, EXPECTED):
        print_message("error", message)
    else:
        hint = "" if debug else " Run the command again with --debug, and report what it shows."
        print_message("unexpected error", f"{type(error).__name__}: {message}.{hint}")


def _message(error: Exception) -> str:
    """Our own errors keep their lines, which may point at a place in a rule; others are joined into one line."""
    if isinstance(error, JanusError) and str(error):
        return in_shell_terms(str(error))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}." if error.filename else f"{error.strerror}."
    return in_shell_terms(" ".join(str(error).split())) or type(error).__name__


def _silence_stdout() -> None:
    """Discard the flush at exit, which would fail again."""
    with contextlib.suppress(OSError, ValueError):  # standard output may not be a real file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
