# Made by `npm run generate`; edits are lost.
"""The operations on `agents`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from parley._page import AsyncList, Page
from parley._request import RequestOptions, UNSET, Unset, segment
from parley._transport import AsyncTransport, Transport
from parley.records import Agent


class AgentsResource:
    """Agents that handle calls and texts on your numbers."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        name: str,
        system_prompt: str | Unset | None = UNSET,
        first_message: str | Unset | None = UNSET,
        language: str | Unset = UNSET,
        voice: str | Unset | None = UNSET,
        llm_model: str | Unset | None = UNSET,
        tools: Sequence[Literal["end_call", "send_digits", "send_sms", "do_not_contact"]] | Unset = UNSET,
        max_duration_seconds: int | Unset = UNSET,
        ai_disclosure: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Agent:
        """Add an agent.

        Args:
            language: A BCP 47 language tag. Default: en.
            tools: The actions the agent may take by itself during a call.
            max_duration_seconds: Maximum length of a call of this agent. Default: 600.
            ai_disclosure: Whether each call starts with the sentence that the speaker is an AI.
                Default: true.
        """
        result: Agent = self._transport.json(
            "POST",
            "/v1/agents",
            body={
                "name": name,
                "system_prompt": system_prompt,
                "first_message": first_message,
                "language": language,
                "voice": voice,
                "llm_model": llm_model,
                "tools": tools,
                "max_duration_seconds": max_duration_seconds,
                "ai_disclosure": ai_disclosure,
            },
            options=options,
        )
        return result

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Page[Agent]:
        """List agents, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return Page.first(
            self._transport,
            "/v1/agents",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    def get(
        self,
        agent_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Agent:
        """Read one agent."""
        result: Agent = self._transport.json(
            "GET",
            f"/v1/agents/{segment(agent_id)}",
            options=options,
        )
        return result

    def update(
        self,
        agent_id: str,
        *,
        name: str | Unset = UNSET,
        system_prompt: str | Unset | None = UNSET,
        first_message: str | Unset | None = UNSET,
        language: str | Unset = UNSET,
        voice: str | Unset | None = UNSET,
        llm_model: str | Unset | None = UNSET,
        tools: Sequence[Literal["end_call", "send_digits", "send_sms", "do_not_contact"]] | Unset = UNSET,
        max_duration_seconds: int | Unset = UNSET,
        ai_disclosure: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Agent:
        """Change an agent.

        Args:
            language: A BCP 47 language tag such as en or pt-BR.
            tools: The actions the agent may take by itself during a call.
            max_duration_seconds: Maximum length of a call of this agent.
            ai_disclosure: Whether each call starts with the sentence that the speaker is an AI.
        """
        result: Agent = self._transport.json(
            "PATCH",
            f"/v1/agents/{segment(agent_id)}",
            body={
                "name": name,
                "system_prompt": system_prompt,
                "first_message": first_message,
                "language": language,
                "voice": voice,
                "llm_model": llm_model,
                "tools": tools,
                "max_duration_seconds": max_duration_seconds,
                "ai_disclosure": ai_disclosure,
            },
            options=options,
        )
        return result

    def delete(
        self,
        agent_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Remove an agent.

        Numbers that use the agent are detached from it.
        """
        self._transport.json(
            "DELETE",
            f"/v1/agents/{segment(agent_id)}",
            options=options,
        )


class AsyncAgentsResource:
    """Agents that handle calls and texts on your numbers."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        system_prompt: str | Unset | None = UNSET,
        first_message: str | Unset | None = UNSET,
        language: str | Unset = UNSET,
        voice: str | Unset | None = UNSET,
        llm_model: str | Unset | None = UNSET,
        tools: Sequence[Literal["end_call", "send_digits", "send_sms", "do_not_contact"]] | Unset = UNSET,
        max_duration_seconds: int | Unset = UNSET,
        ai_disclosure: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Agent:
        """Add an agent.

        Args:
            language: A BCP 47 language tag. Default: en.
            tools: The actions the agent may take by itself during a call.
            max_duration_seconds: Maximum length of a call of this agent. Default: 600.
            ai_disclosure: Whether each call starts with the sentence that the speaker is an AI.
                Default: true.
        """
        result: Agent = await self._transport.json(
            "POST",
            "/v1/agents",
            body={
                "name": name,
                "system_prompt": system_prompt,
                "first_message": first_message,
                "language": language,
                "voice": voice,
                "llm_model": llm_model,
                "tools": tools,
                "max_duration_seconds": max_duration_seconds,
                "ai_disclosure": ai_disclosure,
            },
            options=options,
        )
        return result

    def list(
        self,
        *,
        cursor: str | Unset = UNSET,
        limit: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> AsyncList[Agent]:
        """List agents, newest first.

        Args:
            cursor: next_cursor of the previous page; leave out for the newest page.
            limit: Maximum number of items per page.
        """
        return AsyncList(
            self._transport,
            "/v1/agents",
            query={
                "cursor": cursor,
                "limit": limit,
            },
            options=options,
        )

    async def get(
        self,
        agent_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Agent:
        """Read one agent."""
        result: Agent = await self._transport.json(
            "GET",
            f"/v1/agents/{segment(agent_id)}",
            options=options,
        )
        return result

    async def update(
        self,
        agent_id: str,
        *,
        name: str | Unset = UNSET,
        system_prompt: str | Unset | None = UNSET,
        first_message: str | Unset | None = UNSET,
        language: str | Unset = UNSET,
        voice: str | Unset | None = UNSET,
        llm_model: str | Unset | None = UNSET,
        tools: Sequence[Literal["end_call", "send_digits", "send_sms", "do_not_contact"]] | Unset = UNSET,
        max_duration_seconds: int | Unset = UNSET,
        ai_disclosure: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Agent:
        """Change an agent.

        Args:
            language: A BCP 47 language tag such as en or pt-BR.
            tools: The actions the agent may take by itself during a call.
            max_duration_seconds: Maximum length of a call of this agent.
            ai_disclosure: Whether each call starts with the sentence that the speaker is an AI.
        """
        result: Agent = await self._transport.json(
            "PATCH",
            f"/v1/agents/{segment(agent_id)}",
            body={
                "name": name,
                "system_prompt": system_prompt,
                "first_message": first_message,
                "language": language,
                "voice": voice,
                "llm_model": llm_model,
                "tools": tools,
                "max_duration_seconds": max_duration_seconds,
                "ai_disclosure": ai_disclosure,
            },
            options=options,
        )
        return result

    async def delete(
        self,
        agent_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> None:
        """Remove an agent.

        Numbers that use the agent are detached from it.
        """
        await self._transport.json(
            "DELETE",
            f"/v1/agents/{segment(agent_id)}",
            options=options,
        )
