"""Requests in; those of this page's own browser session out, everything else refused before any handler runs.

A page of another site must not reach the studio, although it runs on this computer. So the Host must be ours (against
DNS rebinding), the Origin must be ours (against forged requests), and the browser must hold the session cookie, which
it gets from the address with the token that the command prints.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS = ("GET", "HEAD")
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Sent with every response: the page runs its own script only, is never framed, and nothing is cached."""
REPORT_HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'unsafe-inline'",
            "style-src 'unsafe-inline'",
            "img-src data:",
            "sandbox allow-scripts allow-downloads",
        )
    ),
    "Cross-Origin-Opener-Policy": "unsafe-none",
}
"""Sent with a report, which has its style and script in itself: it runs in an opaque origin, so that nothing in it can
speak to the studio."""


class Guard:
    """Middleware that refuses requests of other sites and of browsers without the session cookie.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str
        Secret of the first address.
    hosts : iterable of str
        Values of the Host header that are ours, with the port.
    """

    def __init__(self, app: ASGIApp, *, token: str, hosts: Iterable[str]) -> None:
        self.app, self.token, self.hosts = app, token, frozenset(hosts)
        self.session = secrets.token_urlsafe(32)
        self.cookie = "janus_studio_" + secrets.token_hex(4)  # cookies of all ports of a host share their names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            refusal = self.refuse(scope)
            await (refusal or self.app)(scope, receive, _with_headers(send))

    def refuse(self, scope: Scope) -> Response | None:
        """Response to a request that must not reach the application; None if it may."""
        given = _headers(scope)
        host = given.get("host", [])
        if len(host) != 1 or host[0].lower() not in self.hosts:
            return PlainTextResponse("This address is not the studio's. Use the one that the command printed.\n", 421)
        if not self._is_same_origin(scope["method"], host[0].lower(), given):
            return PlainTextResponse("Requests of other pages are refused.\n", 403)
        offered = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and scope["method"] == "GET" and _equal(offered, self.token):
            return self._start_session()
        if not self._has_session(given.get("cookie", [])):
            message = "Open the address that the command printed: it holds a token, which this browser has not shown.\n"
            return PlainTextResponse(message, 403)
        return None

    def _is_same_origin(self, method: str, host: str, given: dict[str, list[str]]) -> bool:
        origins, sites = given.get("origin", []), given.get("sec-fetch-site", [])
        if any(origin.lower() != f"http://{host}" for origin in origins):
            return False
        if any(site not in ("same-origin", "none") for site in sites):
            return False
        return bool(origins) or method in SAFE_METHODS

    def _start_session(self) -> Response:
        """Give the browser the cookie, and remove the token from its address bar."""
        response = RedirectResponse("/", 303)
        response.set_cookie(self.cookie, self.session, httponly=True, samesite="strict", path="/")
        return response

    def _has_session(self, cookies: list[str]) -> bool:
        for text in cookies:
            try:
                found = SimpleCookie(text).get(self.cookie)
            except CookieError:
                continue
            if found is not None and _equal(found.value, self.session):
                return True
        return False


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _equal(given: str, secret: str) -> bool:
    """Compare in a time that does not depend on where the two differ."""
    return hmac.compare_digest(given.encode(), secret.encode())


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = message.get("headers", [])
            names = {name for name, _ in given}
            own = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*given, *(one for one in own if one[0] not in names)]}
        await send(message)

    return sending
