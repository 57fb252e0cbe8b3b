"""Streams events, and resumes after the last one when the connection breaks."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import cast

import httpx

from parley._request import RequestOptions
from parley._transport import AsyncTransport, Transport
from parley.errors import ApiError, ParleyConnectionError, ParleyError, ParleyTimeoutError
from parley.events import AnyEvent

_PATH = "/v1/events/stream"
_BEFORE_ALL = "00000000-0000-0000-0000-000000000000"
# The server sends a comment at least every half a minute, so a longer silence is a dead connection.
_SILENCE_SECONDS = 60.0


@dataclass
class _Parser:
    """Collects the lines of server-sent events. Other fields and comments only keep the stream open."""

    last_id: str
    _id: str | None = None
    _data: list[str] = field(default_factory=list)

    def feed(self, line: str) -> AnyEvent | None:
        """Returns an event when its last line was read."""
        if line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif line.startswith("id:"):
            self._id = line[3:].removeprefix(" ")
        if line != "" or not self._data:
            return None
        event = cast(AnyEvent, json.loads("\n".join(self._data)))
        self._data = []
        return event

    def delivered(self) -> None:
        """The caller has the last event, so a reconnect continues after it."""
        self.last_id = self._id or self.last_id
        self._id = None


def _options(options: RequestOptions | None, last_id: str) -> RequestOptions:
    chosen: RequestOptions = options or {}
    headers = {"accept": "text/event-stream", "last-event-id": last_id}
    return {
        **chosen,
        "timeout_seconds": _SILENCE_SECONDS,
        "headers": {**headers, **chosen.get("headers", {})},
    }


def _is_passing(error: Exception) -> bool:
    if isinstance(error, ApiError):
        return error.status >= 500
    return isinstance(error, (ParleyConnectionError, ParleyTimeoutError, httpx.TransportError))


def _delay_seconds(failures: int) -> float:
    return float(min(10, 0.25 * 2**failures))


def follow_events(
    transport: Transport,
    last_event_id: str | None,
    on_open: Callable[[], None] | None,
    options: RequestOptions | None,
) -> Iterator[AnyEvent]:
    """Ends only when the caller stops, or with an error that a retry cannot fix."""
    parser: _Parser | None = None if last_event_id is None else _Parser(last_event_id)
    failures = 0
    while True:
        try:
            if parser is None:
                # Known before the first event, so that a connection that breaks earlier loses none.
                page = transport.json("GET", "/v1/events", query={"limit": 1}, options=options)
                parser = _Parser(page["items"][0]["id"] if page["items"] else _BEFORE_ALL)
            parser = _Parser(parser.last_id)
            response = transport.send(
                "GET", _PATH, is_stream=True, options=_options(options, parser.last_id)
            )
            try:
                if on_open is not None:
                    on_open()
                for line in response.iter_lines():
                    event = parser.feed(line)
                    if event is not None:
                        failures = 0
                        yield event
                        parser.delivered()
            finally:
                response.close()
        except (ParleyError, httpx.TransportError) as error:
            if not _is_passing(error):
                raise
        time.sleep(_delay_seconds(failures))
        failures += 1


async def follow_events_async(
    transport: AsyncTransport,
    last_event_id: str | None,
    on_open: Callable[[], None] | None,
    options: RequestOptions | None,
) -> AsyncIterator[AnyEvent]:
    """Ends only when the caller stops, or with an error that a retry cannot fix."""
    parser: _Parser | None = None if last_event_id is None else _Parser(last_event_id)
    failures = 0
    while True:
        try:
            if parser is None:
                # Known before the first event, so that a connection that breaks earlier loses none.
                page = await transport.json(
                    "GET", "/v1/events", query={"limit": 1}, options=options
                )
                parser = _Parser(page["items"][0]["id"] if page["items"] else _BEFORE_ALL)
            parser = _Parser(parser.last_id)
            response = await transport.send(
                "GET", _PATH, is_stream=True, options=_options(options, parser.last_id)
            )
            try:
                if on_open is not None:
                    on_open()
                async for line in response.aiter_lines():
                    event = parser.feed(line)
                    if event is not None:
                        failures = 0
                        yield event
                        parser.delivered()
            finally:
                await response.aclose()
        except (ParleyError, httpx.TransportError) as error:
            if not _is_passing(error):
                raise
        await asyncio.sleep(_delay_seconds(failures))
        failures += 1
