"""Who may speak to the studio: only the browser that was given the token, from the studio's own page."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("starlette")

from janus_synth.studio.guard import Guard

PATHS = (
    *("/", "/assets/studio.js", "/api/state", "/api/data", "/api/model", "/api/rows/1.csv", "/nowhere"),
    *("/api/compare/1", "/api/compare/1.html", "/api/effect", "/api/plant", "/api/plant.html", "/api/plant.csv"),
)


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_shown_without_the_cookie(fitted, path):
    found = fitted.client.get(path, Cookie=None)
    assert found.status == 403
    assert b"token" in found.body


@pytest.mark.parametrize("cookie", ["", "x=1", "janus_studio_00000000=guess", ";;;=", "a" * 3000])
def test_other_cookies_do_not_help(fitted, cookie):
    assert fitted.client.get("/api/state", Cookie=cookie).status == 403


def test_a_cookie_with_another_value_does_not_help(fitted):
    name = fitted.client.cookie.split("=")[0]
    assert fitted.client.get("/api/state", Cookie=f"{name}=guess").status == 403
    assert fitted.client.get("/api/state").status == 200


@pytest.mark.parametrize("query", ["", "?token=", "?token=guess", "?token=%00", "?token=%ff%fe", "?Token=x&token=y"])
def test_a_wrong_token_gives_no_cookie(fitted, query):
    found = fitted.client.get(f"/{query}", Cookie=None)
    assert found.status == 403
    assert "set-cookie" not in found.headers


def test_the_token_works_on_the_first_address_only(fitted):
    token = fitted.token.replace(" ", "+")
    assert fitted.client.get(f"/api/state?token={token}", Cookie=None).status == 403
    assert fitted.client.ask("POST", f"/?token={token}", b"", Cookie=None).status == 403


def test_the_first_address_gives_a_strict_cookie_and_drops_the_token(fitted):
    found = fitted.client.get(f"/?token={fitted.token.replace(' ', '+')}", Cookie=None)
    assert (found.status, found.headers["location"]) == (303, "/")
    cookie = found.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert fitted.token.lower() not in cookie


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:{port}", "127.0.0.1:{port}.evil.example", ""]
)
def test_another_host_is_refused_even_with_the_cookie(fitted, host):
    """A name of another site that points at this computer (DNS rebinding)."""
    host = host.format(port=fitted.client.port)
    assert fitted.client.get("/api/state", Host=host).status in (400, 421)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_the_names_of_this_computer_are_ours(fitted, name):
    host = f"{name}:{fitted.client.port}"
    assert fitted.client.get("/api/state", Host=host, Origin=f"http://{host}").status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", None]
)
@pytest.mark.parametrize("path", ["/api/demo", "/api/fit", "/api/sample", "/api/rules", "/api/cancel"])
def test_a_change_needs_our_own_origin(fitted, origin, path):
    origin = origin and origin.format(port=fitted.client.port)
    assert fitted.client.ask("POST", path, b"{}", Origin=origin).status == 403


def test_an_origin_of_another_name_of_this_computer_is_not_ours(fitted):
    assert fitted.client.get("/api/state", Origin=f"http://localhost:{fitted.client.port}").status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_that_other_sites_cause_are_refused(fitted, site):
    assert fitted.client.get("/api/state", Origin=None, Sec_Fetch_Site=site).status == 403


def test_reading_needs_no_origin_because_browsers_send_none(fitted):
    assert fitted.client.get("/api/state", Origin=None, Sec_Fetch_Site="same-origin").status == 200


@pytest.mark.parametrize("path", ["/", "/nowhere", "/api/state", "/assets/studio.css"])
@pytest.mark.parametrize("cookie", [True, False])
def test_every_response_forbids_foreign_scripts_and_frames(fitted, path, cookie):
    found = fitted.client.get(path) if cookie else fitted.client.get(path, Cookie=None)
    policy = found.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["cache-control"] == "no-store"


def test_two_host_headers_are_refused():
    async def fine(scope, receive, send):
        raise AssertionError("a refused request reached the application")

    sent = []

    async def send(message):
        sent.append(message)

    guard = Guard(fine, token="t" * 20, hosts=["here:1"])
    headers = [(b"host", b"here:1"), (b"host", b"evil:1"), (b"cookie", f"{guard.cookie}={guard.session}".encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
    asyncio.run(guard(scope, None, send))
    assert sent[0]["status"] == 421


def test_two_studios_have_different_sessions():
    one, other = (Guard(None, token="t" * 20, hosts=()) for _ in range(2))
    assert one.session != other.session
    assert one.cookie != other.cookie
    assert len(one.session) >= 32
