"""Clients of the server that the caller started, and servers on loopback that the tests control."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from parley import Parley

REQUESTS: list[tuple[str, str]] = []
"""Method and path of every request to the real server."""


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Writes one line per test for the process that started pytest."""
    target = os.environ.get("TEST_REPORT_FILE")
    if target is None or not (report.when == "call" or report.outcome != "passed"):
        return
    with open(target, "a", encoding="utf-8") as file:
        line = {
            "name": report.nodeid,
            "outcome": report.outcome,
            "text": report.longreprtext,
        }
        file.write(json.dumps(line) + "\n")


def client_of(api_key: str) -> Parley:
    """A client that notes its requests."""

    def note(request: httpx.Request) -> None:
        REQUESTS.append((request.method, request.url.path))

    return Parley(api_key=api_key, http_client=httpx.Client(event_hooks={"request": [note]}))


@pytest.fixture(scope="session")
def operator() -> Parley:
    """Uses the shared key of the server."""
    return client_of(os.environ["TEST_OPERATOR_KEY"])


@pytest.fixture(scope="session")
def person() -> Parley:
    """Uses the operator key of the server, for what only people do."""
    return client_of(os.environ["TEST_PERSON_KEY"])


@pytest.fixture(scope="module")
def parley(operator: Parley) -> Parley:
    """Uses a key of the owner of a new organization."""
    organization = operator.organizations.create(name="Of the Python tests")
    owner = operator.organizations.add_member(
        organization["id"], email=f"{organization['id']}@example.com", name="Ana", role="owner"
    )
    key = operator.organizations.create_api_key(
        organization["id"], user_id=owner["user_id"], name="Of the Python tests"
    )
    return client_of(key["key"])


@dataclass
class Received:
    """One request to a server of a test."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Reply = Callable[[BaseHTTPRequestHandler], None]


def reply(status: int, body: object = None, headers: dict[str, str] | None = None) -> Reply:
    """Responds with JSON."""

    def respond(handler: BaseHTTPRequestHandler) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return respond


def cut(handler: BaseHTTPRequestHandler) -> None:
    """Closes the connection without a response."""
    handler.close_connection = True


@dataclass
class ScriptedServer:
    """Sends the replies in order, repeats the last one, and stores the requests."""

    replies: list[Reply]
    url: str = ""
    requests: list[Received] = field(default_factory=list)
    arrived: threading.Condition = field(default_factory=threading.Condition)

    def client(self, **options: Any) -> Parley:
        """A client of this server."""
        return Parley(base_url=self.url, api_key="key", **options)

    def wait_for(self, count: int) -> list[Received]:
        """Waits until this many requests have arrived."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.requests) >= count, timeout=30)
        return self.requests


@pytest.fixture
def scripted() -> Iterator[Callable[..., ScriptedServer]]:
    """Starts scripted servers, and stops them after the test."""
    servers: list[ThreadingHTTPServer] = []

    def start(*replies: Reply) -> ScriptedServer:
        script = ScriptedServer(list(replies))

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with script.arrived:
                    index = min(len(script.requests), len(script.replies) - 1)
                    script.requests.append(Received(self.command, self.path, headers, body))
                    script.arrived.notify_all()
                script.replies[index](self)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_any

            def log_message(self, format: str, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        script.url = f"http://127.0.0.1:{server.server_address[1]}"
        return script

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
