"""Answers JSON lines with the calls that forge's guardrails make of each turn.

The lines are those of baml.py. The middleware is driven as its guide for foreign loops says; what it rescues is then read by
the model of the tool's parameters, which is where forge leaves the types to.
"""

import json
import sys

from forge.core.workflow import TextResponse, ToolCall, ToolSpec
from forge.guardrails import Guardrails


def typed(call, tools):
    """The arguments by the types of the tool, or as they are where those do not fit."""
    for tool in tools:
        function = tool["function"]
        if function["name"] == call.tool:
            try:
                spec = ToolSpec.from_json_schema(call.tool, "", function.get("parameters") or {})
                known = spec.parameters.model_validate(call.args).model_dump(exclude_unset=True)
                return {**call.args, **known}
            except Exception:
                break
    return call.args


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def answer(ask):
    names = [tool["function"]["name"] for tool in ask["tools"]]
    guardrails = Guardrails(tool_names=names, terminal_tool=frozenset())
    declared = [ToolCall(tool=call["name"], args=parsed(call["arguments"])) for call in ask["declared"]]
    result = guardrails.check(declared or TextResponse(content=ask["content"]))
    if result.action != "execute":
        return {"tool_calls": [], "text": ask["content"]}
    calls = [{"name": call.tool, "arguments": typed(call, ask["tools"])} for call in result.tool_calls]
    return {"tool_calls": calls, "text": None}


for line in sys.stdin:
    ask = json.loads(line)
    try:
        out = answer(ask)
    except Exception:  # Whatever goes wrong counts as no call.
        out = {"tool_calls": [], "text": ask["content"]}
    sys.stdout.write(json.dumps(out) + "\n")
    sys.stdout.flush()
