"""Lists of several pages, waits and the event stream."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest
from conftest import ScriptedServer, reply

from parley import ApiError, Parley
from parley.records import Call, Wait

Scripted = Callable[..., ScriptedServer]


def test_iterating_a_list_returns_the_items_of_all_pages(parley: Parley) -> None:
    for index in range(5):
        parley.contacts.create(name=f"Walk {index}", email=f"walk-{index}@example.com")
    expected = [f"Walk {index}" for index in (4, 3, 2, 1, 0)]
    page = parley.contacts.list(q="walk-", limit=2)
    assert [contact["name"] for contact in page] == expected
    assert [contact["name"] for contact in page.items] == expected[:2]
    assert [len(each.items) for each in page.pages()] == [2, 2, 1]
    second = page.next_page()
    assert second is not None
    assert [contact["name"] for contact in second] == expected[2:]
    resumed = parley.contacts.list(q="walk-", limit=2, cursor=page.next_cursor or "")
    assert [contact["name"] for contact in resumed] == expected[2:]


def test_pages_are_read_when_they_are_needed(parley: Parley) -> None:
    names = [c["name"] for c in itertools.islice(parley.contacts.list(q="walk-", limit=2), 3)]
    assert names == ["Walk 4", "Walk 3", "Walk 2"]


def test_a_wait_asks_in_requests_shorter_than_a_minute(scripted: Scripted) -> None:
    states = [
        reply(200, {"id": "c1", "status": s}) for s in ("ringing", "in_progress", "completed")
    ]
    server = scripted(*states)
    seen: list[str] = []

    def look(call: Call) -> None:
        seen.append(call["status"])

    assert server.client().calls.wait("c1", on_poll=look)["status"] == "completed"
    assert seen == ["ringing", "in_progress"]
    assert {request.path for request in server.requests} == {"/v1/calls/c1?wait_seconds=25"}


def test_u12_a_call_is_waited_for_until_its_summary_is_there(scripted: Scripted) -> None:
    server = scripted(
        reply(200, {"id": "c1", "status": "completed", "result_status": "pending"}),
        reply(
            200, {"id": "c1", "status": "completed", "result_status": "ready", "summary": "Booked."}
        ),
    )
    assert server.client().calls.wait("c1", wait_for="result")["summary"] == "Booked."
    assert {request.path for request in server.requests} == {
        "/v1/calls/c1?wait_seconds=25&wait_for=result"
    }


def test_a_call_in_progress_is_returned_when_the_time_is_up(scripted: Scripted) -> None:
    server = scripted(reply(200, {"id": "c1", "status": "in_progress"}))
    call = server.client().calls.wait("c1", max_wait_seconds=0.001)
    assert call["status"] == "in_progress"
    assert server.requests[0].path == "/v1/calls/c1?wait_seconds=1"


def test_a_stored_wait_is_created_once_and_read_until_it_is_over(scripted: Scripted) -> None:
    states = ("pending", "pending", "resolved")
    server = scripted(*[reply(200, {"id": "w1", "status": state}) for state in states])
    seen: list[str] = []

    def look(wait: Wait) -> None:
        seen.append(wait["status"])

    client = server.client()
    assert client.waits.until(any_of=[{"kind": "email"}], on_poll=look)["status"] == "resolved"
    assert seen == ["pending"]
    read = "/v1/waits/w1?wait_seconds=25"
    assert [request.path for request in server.requests] == ["/v1/waits", read, read]


def test_the_stream_delivers_events_of_the_server(parley: Parley) -> None:
    opened: list[None] = []

    def receive_when_open() -> None:
        opened.append(None)
        parley.sandbox_emails.receive(from_="stream@example.com", subject="S", body_text="T")

    for event in parley.events.stream(on_open=receive_when_open):
        if event["type"] == "email.received":
            assert event["data"]["from_address"] == "stream@example.com"
            break
    assert opened == [None]


def message(id_: str) -> bytes:
    return f': comment\nid: {id_}\ndata: {{"id": "{id_}",\ndata: "type": "call.busy"}}\n\n'.encode()


def send_events(*ids: str) -> Callable[[BaseHTTPRequestHandler], None]:
    """Sends events and closes the connection."""

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(b"".join(message(id_) for id_ in ids))
        # An event without its last line was not delivered.
        handler.wfile.write(b'data: {"id": "part')
        handler.close_connection = True

    return respond


def test_a_broken_stream_continues_after_the_last_event(scripted: Scripted) -> None:
    newest = reply(200, {"items": [{"id": "e0"}], "next_cursor": None})
    server = scripted(newest, send_events("e1", "e2"), send_events("e3"))
    events = itertools.islice(server.client().events.stream(), 3)
    assert [event["id"] for event in events] == ["e1", "e2", "e3"]
    assert [r.headers.get("last-event-id") for r in server.requests] == [None, "e0", "e2"]


def test_a_stream_ends_with_an_error_that_a_retry_cannot_fix(scripted: Scripted) -> None:
    server = scripted(reply(401, {"code": "unauthenticated"}))
    with pytest.raises(ApiError, match="unauthenticated"):
        next(iter(server.client().events.stream()))
