"""A phone, a mailbox and a text line as LangChain tools.

LangChain takes plain functions: `create_agent(model, tools=parley_tools(Parley()))` or
`model.bind_tools(parley_tools(Parley()))`. Types and docstrings become the schema that the model sees, so this
file needs only the client.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parley import Parley


def parley_tools(parley: Parley) -> list[Callable[..., Any]]:
    """The tools of one client. Whoever runs the agent confirms that recipients may be contacted."""

    def send_text(to: str, body: str) -> str:
        """Send a text message and return its status.

        Args:
            to: Phone number in E.164, such as +14155550123.
            body: The text.
        """
        return parley.sms.create(to=to, body=body, recipient_consent=True)["status"]

    def send_email(to: str, subject: str, body: str) -> str:
        """Send an email and return its status.

        Args:
            to: Address of the recipient.
            subject: One line.
            body: Plain text.
        """
        sent = parley.emails.create(
            to=[to], subject=subject, body_text=body, recipient_consent=True
        )
        return sent["status"]

    def wait_for_code(sender: str, timeout_seconds: int = 50) -> str:
        """Wait for an email with a verification code and return the code.

        Args:
            sender: Address that sends the code.
            timeout_seconds: At most 55.
        """
        found = parley.emails.wait(from_=sender, timeout_seconds=timeout_seconds)
        return found["code"] or "No code arrived."

    def place_call(to: str, task: str) -> dict[str, Any]:
        """Call a person, wait for the end, and return the status and what was said.

        Args:
            to: Phone number in E.164.
            task: What the voice agent should reach, with all details it needs.
        """
        call = parley.calls.create(to=to, system_prompt=task, recipient_consent=True)
        ended = parley.calls.wait(call["id"], max_wait_seconds=600)
        turns = parley.calls.transcript(call["id"])["turns"]
        said = [f"{turn['speaker']}: {turn['text']}" for turn in turns]
        return {"status": ended["status"], "untrusted_content": said}

    return [send_text, send_email, wait_for_code, place_call]
