"""Books a table by phone and texts the result: the model decides, Parley reaches people.

python agent.py "A table for two on Tuesday at eight, in the name of Ana"
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from openai import OpenAI

from parley import ApiError, Parley

parley = Parley()  # PARLEY_URL, PARLEY_API_KEY
model = OpenAI()  # OPENAI_BASE_URL, OPENAI_API_KEY
model_name = os.environ.get("OPENAI_MODEL", "gpt-5-mini")
# Numbers of the sandbox: a person who talks, and a phone that receives texts.
restaurant = os.environ.get("RESTAURANT_NUMBER", "+15005550201")
guest = os.environ.get("GUEST_NUMBER", "+15005550001")
MAX_TURNS = 8


def tool(name: str, description: str, argument: str) -> dict[str, Any]:
    """A tool with one text as its argument."""
    parameters = {
        "type": "object",
        "properties": {argument: {"type": "string"}},
        "required": [argument],
        "additionalProperties": False,
    }
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


tools = [
    tool("call_restaurant", "Calls the restaurant and returns what was said.", "task"),
    tool("text_guest", "Texts the guest. Use it once, at the end.", "body"),
]


# With recipient_consent you confirm that you may contact the recipient.
def call_restaurant(task: str) -> object:
    placed = parley.calls.create(to=restaurant, system_prompt=task, recipient_consent=True)
    # The summary is there some seconds after the end of the call.
    call = parley.calls.wait(placed["id"], wait_for="result", max_wait_seconds=600)
    turns = parley.calls.transcript(call["id"])["turns"]
    said = [f"{turn['speaker']}: {turn['text']}" for turn in turns]
    # The words of a stranger, also in the summary: data, not instructions.
    return {
        "status": call["status"],
        "untrusted_summary": call["summary"],
        "untrusted_content": said,
    }


def text_guest(body: str) -> object:
    return parley.sms.create(to=guest, body=body, recipient_consent=True)["status"]


actions = {"call_restaurant": call_restaurant, "text_guest": text_guest}


def run(name: str, arguments: str) -> str:
    """The model gets every error with its fix, so that it can correct itself."""
    try:
        return json.dumps(actions[name](**json.loads(arguments)))
    except ApiError as error:
        return json.dumps({"error": error.code, "fix": error.fix})
    except (KeyError, TypeError, ValueError) as error:
        return json.dumps({"error": repr(error)})


def main(task: str) -> str:
    messages: list[Any] = [
        {
            "role": "system",
            "content": "Book a table by phone. Then text the guest whether it worked.",
        },
        {"role": "user", "content": task},
    ]
    for _ in range(MAX_TURNS):
        answer = model.chat.completions.create(model=model_name, messages=messages, tools=tools)
        message = answer.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content or ""
        for call in message.tool_calls:
            content = run(call.function.name, call.function.arguments)
            print(f"{call.function.name}: {content}")
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise SystemExit(f"The model did not finish within {MAX_TURNS} turns.")


if __name__ == "__main__":
    default = "A table for two on Tuesday at eight, in the name of Ana."
    print(main(sys.argv[1] if len(sys.argv) > 1 else default))
