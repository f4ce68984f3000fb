"""Entry points of the group ``janus_synth.commands`` in; commands of ``janus`` out.

A command of another package is loaded only when it runs, so that ``janus --help`` and our own commands neither wait for
other packages nor fail with them.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

import typer
from typer.core import TyperCommand

from janus_synth.errors import PluginError

GROUP = "janus_synth.commands"
"""Entry points of this group are typer applications or functions, under the name of their command."""
PACKAGES = {"bench": "janus-bench"}
"""Known commands of other packages, by the package to install."""


def plugin_names() -> list[str]:
    """List the commands that installed packages add."""
    return sorted({entry.name for entry in entry_points(group=GROUP)})


def find_plugin(name: str) -> TyperCommand | None:
    """Find a command of an installed package, or a hint to install the package that has it; otherwise None."""
    for entry in entry_points(group=GROUP, name=name):
        return PluginCommand(entry)
    return AbsentCommand(name, PACKAGES[name]) if name in PACKAGES else None


class ForwardingCommand(TyperCommand):
    """Passes on all arguments that follow its name, ``--help`` included."""

    def __init__(self, name: str, *, help: str) -> None:
        super().__init__(
            name,
            callback=lambda: None,
            help=help,
            add_help_option=False,
            rich_markup_mode=None,
            context_settings={
                "allow_extra_args": True,
                "ignore_unknown_options": True,
                "allow_interspersed_args": False,
            },
        )


class PluginCommand(ForwardingCommand):
    """A command of another package; ``janus --help`` shows that package's summary."""

    def __init__(self, entry: EntryPoint) -> None:
        super().__init__(entry.name, help=_summary(entry))
        self.entry = entry

    def loaded(self) -> Any:
        """Load the command, for completion; None where that fails."""
        try:
            return _load(self.entry)
        except PluginError:
            return None

    def invoke(self, ctx: Any) -> None:
        """Load the command and run it; its exit code is ours."""
        command = _load(self.entry)
        code = command.main(args=list(ctx.args), prog_name=f"janus {self.name}", standalone_mode=False)
        if isinstance(code, int) and code:
            raise typer.Exit(code)


class AbsentCommand(ForwardingCommand):
    """A command of a package that is not installed."""

    def __init__(self, name: str, package: str) -> None:
        super().__init__(name, help=f"Install {package} to use it.")
        self.package = package

    def invoke(self, ctx: Any) -> None:
        """Raise an error that says how to install it."""
        raise PluginError(
            f"janus {self.name} comes with another package. Install it with: pip install {self.package}",
            command=str(self.name),
            package=self.package,
        )


def _load(entry: EntryPoint) -> Any:
    """Load an entry point as a command; any failure is reported as the other package's."""
    package = entry.dist.name if entry.dist else entry.module
    try:
        return _command(entry.name, entry.load())
    except Exception as error:
        raise PluginError(
            f"janus {entry.name} cannot be loaded from {package}: {type(error).__name__}: {error}. "
            f"Install {package} again, or uninstall it.",
            command=entry.name,
            package=package,
        ) from error


def _command(name: str, loaded: Any) -> Any:
    """Turn a typer application or a function into a command."""
    if isinstance(loaded, typer.Typer):
        return typer.main.get_command(loaded)
    if not callable(loaded):
        raise TypeError(f"{loaded!r} is neither a typer application nor a function")
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name)(loaded)
    return typer.main.get_command(app)


def _summary(entry: EntryPoint) -> str:
    """Summary of the package, from its metadata."""
    return str(entry.dist.metadata["Summary"] or "") if entry.dist else ""
