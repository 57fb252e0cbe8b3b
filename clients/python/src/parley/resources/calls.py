# Made by `npm run generate`; edits are lost.
"""The operations on `calls`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from parley._extras import AsyncCallExtras, CallExtras
from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import Call, CallLlm, CallStatistics, CallTimelineEntry, CallTranscript, Location


class CallsResource(CallExtras):
    """Phone calls."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        to: str,
        recipient_consent: Literal[True],
        from_: str | Unset | None = UNSET,
        agent_id: str | Unset | None = UNSET,
        system_prompt: str | Unset | None = UNSET,
        first_message: str | Unset | None = UNSET,
        language: str | Unset | None = UNSET,
        voice: str | Unset | None = UNSET,
        llm: CallLlm | Unset | None = UNSET,
        ring_timeout_seconds: int | Unset | None = UNSET,
        max_duration_seconds: int | Unset | None = UNSET,
        record: bool | Unset | None = UNSET,
        ai_disclosure: bool | Unset | None = UNSET,
        conversation_id: str | Unset | None = UNSET,
        metadata: Mapping[str, Any] | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Call:
        """Place a call.

        Responds once the call is queued. Follow the call with GET
        /v1/calls/{call_id}?wait_seconds=55 or with the call.* events. recipient_consent must be
        true: you confirm that the recipient agreed to be called.

        Args:
            to: A phone number with its country code, such as +1 415 555 0123; stored as E.164.
            recipient_consent: You confirm that you may lawfully contact the recipient. Must be
                true.
            from_: One of your active voice numbers. Default: chosen for you.
            agent_id: The agent that speaks. Fields of this request override those of the agent.
            language: A BCP 47 language tag. Default: that of the agent, else en.
            llm: Your own language model, for this call only.
            ring_timeout_seconds: Default: 30.
            max_duration_seconds: Default: that of the agent, else 600.
            record: Whether to store a stereo recording. Default: false.
            ai_disclosure: Whether the call starts with the sentence that the speaker is an AI.
                Default: that of the agent, else true.
        """
        result: Call = self._transport.json(
            "POST",
            "/v1/calls",
            body={
                "to": to,
                "recipient_consent": recipient_consent,
                "from": from_,
                "agent_id": agent_id,
                "system_prompt": system_prompt,
                "first_message": first_message,
                "language": language,
                "voice": voice,
                "llm": llm,
                "ring_timeout_seconds": ring_timeout_seconds,
                "max_duration_seconds": max_duration_seconds,
                "record": record,
                "ai_disclosure": ai_disclosure,
                "conversation_id": conversation_id,
                "metadata": metadata,
            },
            is_idempotent=True,
            options=options,
        )
        return result

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        status: Literal["queued", "dialing", "ringing", "in_progress", "completed", "failed", "busy", "no_answer", "canceled"] | Unset = UNSET,
        to: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[Call]:
        """List calls, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            status: Only calls in this status.
            to: Only calls to this number; write + as %2B.
        """
        return Page.first(
            self._transport,
            "/v1/calls",
            query={
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "to": to,
            },
            options=options,
        )

    def stats(
        self,
        *,
        days: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> CallStatistics:
        """Count calls by status.

        Args:
            days: Only calls created within this number of days.
        """
        result: CallStatistics = self._transport.json(
            "GET",
            "/v1/calls/stats",
            query={
                "days": days,
            },
            options=options,
        )
        return result

    def get(
        self,
        call_id: str,
        *,
        wait_seconds: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Call:
        """Read one call, or wait until it ends.

        With wait_seconds the response is sent when the call has ended or the time is up.

        Args:
            wait_seconds: Maximum time to wait for the end of the call.
        """
        result: Call = self._transport.json(
            "GET",
            f"/v1/calls/{segment(call_id)}",
            query={
                "wait_seconds": wait_seconds,
            },
            options=options,
        )
        return result

    def cancel(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Call:
        """Cancel a call or hang it up.

        A call that is not answered yet is canceled. An answered call is hung up and ends as
        completed with end_reason api_hangup.
        """
        result: Call = self._transport.json(
            "POST",
            f"/v1/calls/{segment(call_id)}/cancel",
            options=options,
        )
        return result

    def transcript(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> CallTranscript:
        """Read the transcript of a call."""
        result: CallTranscript = self._transport.json(
            "GET",
            f"/v1/calls/{segment(call_id)}/transcript",
            options=options,
        )
        return result

    def events(
        self,
        call_id: str,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[CallTimelineEntry]:
        """Read the timeline of a call, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            f"/v1/calls/{segment(call_id)}/events",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def recording(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Location:
        """Download the recording.

        Redirects to a temporary link to a stereo WAV file: the other party on the left channel,
        your agent on the right.
        """
        result: Location = self._transport.json(
            "GET",
            f"/v1/calls/{segment(call_id)}/recording",
            options=options,
        )
        return result


class AsyncCallsResource(AsyncCallExtras):
    """Phone calls."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        to: str,
        recipient_consent: Literal[True],
        from_: str | Unset | None = UNSET,
        agent_id: str | Unset | None = UNSET,
        system_prompt: str | Unset | None = UNSET,
        first_message: str | Unset | None = UNSET,
        language: str | Unset | None = UNSET,
        voice: str | Unset | None = UNSET,
        llm: CallLlm | Unset | None = UNSET,
        ring_timeout_seconds: int | Unset | None = UNSET,
        max_duration_seconds: int | Unset | None = UNSET,
        record: bool | Unset | None = UNSET,
        ai_disclosure: bool | Unset | None = UNSET,
        conversation_id: str | Unset | None = UNSET,
        metadata: Mapping[str, Any] | Unset | None = UNSET,
        options: RequestOptions | None = None,
    ) -> Call:
        """Place a call.

        Responds once the call is queued. Follow the call with GET
        /v1/calls/{call_id}?wait_seconds=55 or with the call.* events. recipient_consent must be
        true: you confirm that the recipient agreed to be called.

        Args:
            to: A phone number with its country code, such as +1 415 555 0123; stored as E.164.
            recipient_consent: You confirm that you may lawfully contact the recipient. Must be
                true.
            from_: One of your active voice numbers. Default: chosen for you.
            agent_id: The agent that speaks. Fields of this request override those of the agent.
            language: A BCP 47 language tag. Default: that of the agent, else en.
            llm: Your own language model, for this call only.
            ring_timeout_seconds: Default: 30.
            max_duration_seconds: Default: that of the agent, else 600.
            record: Whether to store a stereo recording. Default: false.
            ai_disclosure: Whether the call starts with the sentence that the speaker is an AI.
                Default: that of the agent, else true.
        """
        result: Call = await self._transport.json(
            "POST",
            "/v1/calls",
            body={
                "to": to,
                "recipient_consent": recipient_consent,
                "from": from_,
                "agent_id": agent_id,
                "system_prompt": system_prompt,
                "first_message": first_message,
                "language": language,
                "voice": voice,
                "llm": llm,
                "ring_timeout_seconds": ring_timeout_seconds,
                "max_duration_seconds": max_duration_seconds,
                "record": record,
                "ai_disclosure": ai_disclosure,
                "conversation_id": conversation_id,
                "metadata": metadata,
            },
            is_idempotent=True,
            options=options,
        )
        return result

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        status: Literal["queued", "dialing", "ringing", "in_progress", "completed", "failed", "busy", "no_answer", "canceled"] | Unset = UNSET,
        to: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[Call]:
        """List calls, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
            status: Only calls in this status.
            to: Only calls to this number; write + as %2B.
        """
        return AsyncList(
            self._transport,
            "/v1/calls",
            query={
                "cursor": cursor,
                "limit": limit,
                "status": status,
                "to": to,
            },
            options=options,
        )

    async def stats(
        self,
        *,
        days: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> CallStatistics:
        """Count calls by status.

        Args:
            days: Only calls created within this number of days.
        """
        result: CallStatistics = await self._transport.json(
            "GET",
            "/v1/calls/stats",
            query={
                "days": days,
            },
            options=options,
        )
        return result

    async def get(
        self,
        call_id: str,
        *,
        wait_seconds: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Call:
        """Read one call, or wait until it ends.

        With wait_seconds the response is sent when the call has ended or the time is up.

        Args:
            wait_seconds: Maximum time to wait for the end of the call.
        """
        result: Call = await self._transport.json(
            "GET",
            f"/v1/calls/{segment(call_id)}",
            query={
                "wait_seconds": wait_seconds,
            },
            options=options,
        )
        return result

    async def cancel(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Call:
        """Cancel a call or hang it up.

        A call that is not answered yet is canceled. An answered call is hung up and ends as
        completed with end_reason api_hangup.
        """
        result: Call = await self._transport.json(
            "POST",
            f"/v1/calls/{segment(call_id)}/cancel",
            options=options,
        )
        return result

    async def transcript(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> CallTranscript:
        """Read the transcript of a call."""
        result: CallTranscript = await self._transport.json(
            "GET",
            f"/v1/calls/{segment(call_id)}/transcript",
            options=options,
        )
        return result

    def events(
        self,
        call_id: str,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[CallTimelineEntry]:
        """Read the timeline of a call, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            f"/v1/calls/{segment(call_id)}/events",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def recording(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Location:
        """Download the recording.

        Redirects to a temporary link to a stereo WAV file: the other party on the left channel,
        your agent on the right.
        """
        result: Location = await self._transport.json(
            "GET",
            f"/v1/calls/{segment(call_id)}/recording",
            options=options,
        )
        return result
