"""The examples with the real server, a stand-in for the model, and the real LangChain and OpenAI packages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import httpx
import openai
import pytest
from conftest import Reply, ScriptedServer, reply
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_tools import parley_tools
from openai_tools import TOOLS, run_agent, run_tool

from parley import Parley

Scripted = Callable[..., ScriptedServer]


def completion(content: str | None, *calls: tuple[str, dict[str, str]]) -> Reply:
    """A response of the chat completions protocol."""
    tool_calls = [
        {
            "id": f"call_{index}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for index, (name, arguments) in enumerate(calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if tool_calls:
        message["tool_calls"] = tool_calls
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return reply(200, body)


def test_an_agent_with_openai_tools_reaches_people(parley: Parley, scripted: Scripted) -> None:
    calling = ("place_call", {"to": "+15005550202", "task": "Book a table."})
    texting = ("send_text", {"to": "+15005550001", "body": "The line is busy."})
    model = scripted(
        completion(None, calling, ("send_text", {"to": "nonsense", "body": "x"})),
        completion(None, texting),
        completion("Done."),
    )
    answer = run_agent(parley, httpx.Client(base_url=model.url), "m", "Book a table")
    assert answer == "Done."
    assert parley.sms.list(to="+15005550001").items[0]["body"] == "The line is busy."
    sent = json.loads(model.requests[2].body)["messages"]
    results = [json.loads(each["content"]) for each in sent if each["role"] == "tool"]
    assert results[0]["status"] == "busy"
    assert results[1]["error"] == "validation_failed" and results[1]["fix"]
    assert results[2] in ("queued", "sent", "delivered")


def test_the_openai_package_accepts_the_definitions(parley: Parley, scripted: Scripted) -> None:
    email = {"to": "delivered@sandbox.test", "subject": "Hello", "body": "Hi"}
    server = scripted(completion(None, ("send_email", email)))
    client = openai.OpenAI(base_url=server.url, api_key="k", max_retries=0)
    answer = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "Hi"}], tools=cast(Any, TOOLS)
    )
    [call] = answer.choices[0].message.tool_calls or []
    assert call.type == "function"
    assert run_tool(parley, call.function.name, call.function.arguments) == '"sent"'
    assert json.loads(server.requests[0].body)["tools"] == TOOLS


def test_a_wrong_tool_call_is_answered_with_an_error(parley: Parley) -> None:
    for name, arguments in (("unknown", "{}"), ("send_text", "{"), ("send_text", "{}")):
        assert json.loads(run_tool(parley, name, arguments))["error"] == "invalid_tool_call"


def test_langchain_makes_tools_of_the_functions(parley: Parley) -> None:
    functions = parley_tools(parley)
    schemas = [convert_to_openai_tool(function)["function"] for function in functions]
    assert [schema["name"] for schema in schemas] == [each.__name__ for each in functions]
    for schema in schemas:
        assert all(
            field.get("description") for field in schema["parameters"]["properties"].values()
        )
    tools = {
        each.__name__: StructuredTool.from_function(each, parse_docstring=True)
        for each in functions
    }
    sent = tools["send_email"].invoke(
        {"to": "delivered@sandbox.test", "subject": "Hello", "body": "Hi"}
    )
    assert sent == "sent"
    assert tools["send_text"].invoke({"to": "+15005550001", "body": "Hello"})
    called = tools["place_call"].invoke({"to": "+15005550202", "task": "Book a table."})
    assert called == {"status": "busy", "untrusted_content": []}
    code = tools["wait_for_code"].invoke({"sender": "no@example.com", "timeout_seconds": 1})
    assert code == "No code arrived."


def test_the_quick_starts_run_as_they_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parents[1]
    guide = (folder / "../../docs/guides/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)[:2]
    blocks += re.findall(
        r"```python\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.DOTALL
    )[:1]
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block, "quick start", "exec"), {})
    output = capsys.readouterr().out
    assert "sent\n" in output and "agent " in output and "person " in output
