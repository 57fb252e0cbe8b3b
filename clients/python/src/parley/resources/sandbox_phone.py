# Made by `npm run generate`; edits are lost.
"""The operations on `sandbox_phone`."""

from __future__ import annotations

from collections.abc import Sequence

from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import SandboxCallStep, SandboxInboundCallAnswer, SandboxPhoneCall, SandboxPhoneCalls, SandboxPhoneSound


class SandboxPhoneResource:
    """A phone to try the service with: it rings when an agent calls your own number."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def call_in(
        self,
        *,
        from_: str,
        to: str,
        script: Sequence[SandboxCallStep] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> SandboxInboundCallAnswer:
        """Call one of your numbers.

        A simulated person calls, and the agent of the number answers.

        Args:
            from_: The caller. With +15005550210 you are the caller, at the sandbox phone.
            to: One of your numbers.
            script: What the simulated caller does, step by step. Default: have a conversation.
        """
        result: SandboxInboundCallAnswer = self._transport.json(
            "POST",
            "/v1/sandbox/inbound-calls",
            body={
                "from": from_,
                "to": to,
                "script": script,
            },
            options=options,
        )
        return result

    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCalls:
        """List the calls at the phone, oldest first.

        Calls to +15005550210 that are ringing or in progress in this process. The event stream
        reports changes as `sandbox.phone_changed` and speech as `call.said`.
        """
        result: SandboxPhoneCalls = self._transport.json(
            "GET",
            "/v1/sandbox/phone/calls",
            options=options,
        )
        return result

    def answer(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCall:
        """Answer a ringing call."""
        result: SandboxPhoneCall = self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/answer",
            options=options,
        )
        return result

    def decline(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCall:
        """Decline a ringing call."""
        result: SandboxPhoneCall = self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/decline",
            options=options,
        )
        return result

    def say(
        self,
        call_id: str,
        *,
        text: str,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCall:
        """Speak a text on the call.

        Responds when the text is queued. Texts are spoken in the order of the requests.
        """
        result: SandboxPhoneCall = self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/say",
            body={
                "text": text,
            },
            options=options,
        )
        return result

    def press(
        self,
        call_id: str,
        *,
        digits: str,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCall:
        """Press keys on the phone."""
        result: SandboxPhoneCall = self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/press",
            body={
                "digits": digits,
            },
            options=options,
        )
        return result

    def hang_up(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCall:
        """Hang up a call at the phone."""
        result: SandboxPhoneCall = self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/hang_up",
            options=options,
        )
        return result

    def open_sound(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneSound:
        """Get a URL for a microphone and a loudspeaker.

        A WebSocket URL for this call. It can be used once, within a minute. Both directions are
        binary messages of 16-bit little-endian samples, one channel, 8000 samples a second.
        """
        result: SandboxPhoneSound = self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/sound",
            options=options,
        )
        return result


class AsyncSandboxPhoneResource:
    """A phone to try the service with: it rings when an agent calls your own number."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def call_in(
        self,
        *,
        from_: str,
        to: str,
        script: Sequence[SandboxCallStep] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> SandboxInboundCallAnswer:
        """Call one of your numbers.

        A simulated person calls, and the agent of the number answers.

        Args:
            from_: The caller. With +15005550210 you are the caller, at the sandbox phone.
            to: One of your numbers.
            script: What the simulated caller does, step by step. Default: have a conversation.
        """
        result: SandboxInboundCallAnswer = await self._transport.json(
            "POST",
            "/v1/sandbox/inbound-calls",
            body={
                "from": from_,
                "to": to,
                "script": script,
            },
            options=options,
        )
        return result

    async def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCalls:
        """List the calls at the phone, oldest first.

        Calls to +15005550210 that are ringing or in progress in this process. The event stream
        reports changes as `sandbox.phone_changed` and speech as `call.said`.
        """
        result: SandboxPhoneCalls = await self._transport.json(
            "GET",
            "/v1/sandbox/phone/calls",
            options=options,
        )
        return result

    async def answer(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCall:
        """Answer a ringing call."""
        result: SandboxPhoneCall = await self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/answer",
            options=options,
        )
        return result

    async def decline(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCall:
        """Decline a ringing call."""
        result: SandboxPhoneCall = await self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/decline",
            options=options,
        )
        return result

    async def say(
        self,
        call_id: str,
        *,
        text: str,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCall:
        """Speak a text on the call.

        Responds when the text is queued. Texts are spoken in the order of the requests.
        """
        result: SandboxPhoneCall = await self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/say",
            body={
                "text": text,
            },
            options=options,
        )
        return result

    async def press(
        self,
        call_id: str,
        *,
        digits: str,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCall:
        """Press keys on the phone."""
        result: SandboxPhoneCall = await self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/press",
            body={
                "digits": digits,
            },
            options=options,
        )
        return result

    async def hang_up(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneCall:
        """Hang up a call at the phone."""
        result: SandboxPhoneCall = await self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/hang_up",
            options=options,
        )
        return result

    async def open_sound(
        self,
        call_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> SandboxPhoneSound:
        """Get a URL for a microphone and a loudspeaker.

        A WebSocket URL for this call. It can be used once, within a minute. Both directions are
        binary messages of 16-bit little-endian samples, one channel, 8000 samples a second.
        """
        result: SandboxPhoneSound = await self._transport.json(
            "POST",
            f"/v1/sandbox/phone/calls/{segment(call_id)}/sound",
            options=options,
        )
        return result
