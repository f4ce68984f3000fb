"""A project, an address and a token in; a running server out, until it is interrupted."""

from __future__ import annotations

import contextlib
import ipaddress
import secrets
import shutil
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from janus_synth.errors import require_extra
from janus_synth.studio.lock import locked
from janus_synth.studio.project import Project

if TYPE_CHECKING:
    import uvicorn

    from janus_synth.studio.app import Studio

LEAST_TOKEN = 16
FIRST_WORD = "Studio"


def serve(
    folder: str | Path,
    *,
    table: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the studio of a project until it is interrupted.

    Parameters
    ----------
    folder : path
        Folder of the project; it is made if there is none.
    table : path, optional
        Table to start with, if the project has none.
    host : str
        Address to listen on. Other addresses than those of this computer need a ``token``.
    port : int
        Port; 0 takes a free one.
    token : str, optional
        Secret of the first address; a random one by default.
    browser : bool
        Open the address in a browser.
    say : callable
        Prints the address.
    """
    check_host(host, token)
    for library in ("starlette", "uvicorn"):
        require_extra(library, "studio", purpose="janus studio")
    from janus_synth.studio.app import Studio

    with contextlib.closing(listen(host, port)) as listener:
        page = f"http://{_bracket_host(host)}:{listener.getsockname()[1]}/"
        with locked(folder, page):
            studio = Studio(Project(folder))
            if table is not None and studio.project.state.data is None:
                read_table(studio, table)
            secret = token or secrets.token_urlsafe(24)
            server = make_server(studio, listener, host=host, token=secret)
            address = f"{page}?token={secret}"
            say(f"{FIRST_WORD} of {studio.project.folder}: {address}")
            if browser:
                threading.Timer(0.3, webbrowser.open, (address,)).start()
            try:
                with contextlib.suppress(KeyboardInterrupt):
                    server.run(sockets=[listener])
            finally:
                studio.jobs.close()


def check_host(host: str, token: str | None) -> None:
    """Raise ValueError unless an address is one of this computer, or a token of some length is given.

    Examples
    --------
    >>> check_host("127.0.0.1", None)
    >>> check_host("192.168.1.5", None)
    Traceback (most recent call last):
    ...
    ValueError: 192.168.1.5 can be reached from other computers. Give a --token of at least 16 characters.
    """
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError as error:
        raise ValueError(f"{host} is not an address. Write one such as 127.0.0.1.") from error
    if address.is_unspecified:
        raise ValueError(f"{host} means all addresses of this computer. Name the one that browsers will use.")
    if not address.is_loopback and len(token or "") < LEAST_TOKEN:
        message = f"{host} can be reached from other computers. Give a --token of at least {LEAST_TOKEN} characters."
        raise ValueError(message)


def listen(host: str, port: int) -> socket.socket:
    """Socket that listens on one address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(f"cannot listen on {host}, port {port}: {error.strerror}. Use another --port.") from error
    return listener


def make_server(studio: Studio, listener: socket.socket, *, host: str, token: str) -> uvicorn.Server:
    """Server of a studio on a socket; requests are not logged, because the first one holds the token."""
    import uvicorn

    from janus_synth.studio.app import build_app

    port = listener.getsockname()[1]
    names = {_bracket_host(host)} | ({"127.0.0.1", "localhost", "[::1]"} if _is_loopback(host) else set())
    app = build_app(studio, token=token, hosts={f"{name}:{port}" for name in names})
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=2,
    )
    return uvicorn.Server(config)


def read_table(studio: Studio, table: Path) -> None:
    """Start to read a table that the command names; the original stays as it is."""
    from janus_synth.studio.limits import suffix_of

    suffix = suffix_of(table.name)
    if not table.is_file():
        raise FileNotFoundError(f"there is no file {table}. Check the name.")
    handle, part = tempfile.mkstemp(prefix=".upload-", suffix=".part", dir=studio.project.folder)
    with open(handle, "wb") as target, table.open("rb") as source:
        shutil.copyfileobj(source, target)
    studio.read(Path(part), suffix, table.name)


def _is_loopback(host: str) -> bool:
    return host == "localhost" or ipaddress.ip_address(host).is_loopback


def _bracket_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
