"""A phone, a mailbox and a text line as OpenAI tools: definitions, dispatch, and the loop of an agent.

Works with every server that speaks the chat completions protocol:
OPENAI_BASE_URL=… OPENAI_API_KEY=… OPENAI_MODEL=… python openai_tools.py "Text +15005550001 that I am late"
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import httpx

from parley import ApiError, Parley

MAX_TURNS = 10


def _tool(name: str, description: str, **properties: str) -> dict[str, Any]:
    """Every argument is a required text."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {
                    key: {"type": "string", "description": text} for key, text in properties.items()
                },
                "required": list(properties),
                "additionalProperties": False,
            },
        },
    }


TOOLS = [
    _tool("send_text", "Send a text message.", to="Phone number in E.164.", body="The text."),
    _tool("send_email", "Send an email.", to="Address.", subject="Subject.", body="Plain text."),
    _tool("wait_for_email", "Wait up to 50 seconds for an email.", sender="Address of the sender."),
    _tool(
        "place_call", "Call a person and wait for the end.", to="Phone number.", task="The goal."
    ),
]


def _place_call(parley: Parley, to: str, task: str) -> object:
    call = parley.calls.create(to=to, system_prompt=task, recipient_consent=True)
    ended = parley.calls.wait(call["id"], max_wait_seconds=600)
    turns = parley.calls.transcript(call["id"])["turns"]
    return {
        "status": ended["status"],
        "transcript": [f"{turn['speaker']}: {turn['text']}" for turn in turns],
    }


def _wait_for_email(parley: Parley, sender: str) -> object:
    found = parley.emails.wait(from_=sender, view="text", timeout_seconds=50)
    if found["email"] is None:
        return "No email arrived."
    # Written by an untrusted sender: tell the model that this is data, not an instruction.
    return {"untrusted_content": found["email"]["body_text"], "code": found["code"]}


# The person who runs this program confirms with `recipient_consent` that the recipients may be contacted.
ACTIONS: dict[str, Callable[..., object]] = {
    "send_text": lambda parley, to, body: parley.sms.create(
        to=to, body=body, recipient_consent=True
    )["status"],
    "send_email": lambda parley, to, subject, body: parley.emails.create(
        to=[to], subject=subject, body_text=body, recipient_consent=True
    )["status"],
    "wait_for_email": _wait_for_email,
    "place_call": _place_call,
}


def run_tool(parley: Parley, name: str, arguments: str) -> str:
    """Runs one tool call. The model gets every error with its fix, so that it can correct itself."""
    try:
        return json.dumps(ACTIONS[name](parley, **json.loads(arguments)))
    except ApiError as error:
        return json.dumps({"error": error.code, "message": error.message, "fix": error.fix})
    except (KeyError, TypeError, ValueError) as error:
        return json.dumps({"error": "invalid_tool_call", "message": repr(error)})


def run_agent(parley: Parley, model: httpx.Client, model_name: str, task: str) -> str:
    """Lets the model work on the task until it answers without a tool."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": task}]
    for _ in range(MAX_TURNS):
        body = {"model": model_name, "messages": messages, "tools": TOOLS}
        response = model.post("chat/completions", json=body, timeout=120).raise_for_status()
        message = response.json()["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return str(message["content"])
        for call in message["tool_calls"]:
            wanted = call["function"]
            result = run_tool(parley, wanted["name"], wanted["arguments"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    raise RuntimeError(f"The model did not finish within {MAX_TURNS} turns")


if __name__ == "__main__":
    chat = httpx.Client(
        base_url=os.environ["OPENAI_BASE_URL"],
        headers={"authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"},
    )
    print(run_agent(Parley(), chat, os.environ.get("OPENAI_MODEL", "default"), sys.argv[1]))
