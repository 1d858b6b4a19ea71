"""Answers JSON lines with the calls that toolrails makes of each turn.

The lines are those of baml.py. Its pipeline runs as in its proxy, over a server that gives the recorded turn. There is no
model to write the arguments anew, so that a call that it cannot coerce comes back as it is.
"""

import asyncio
import json
import logging
import sys

from toolrails import pipeline

logging.disable(logging.CRITICAL)


class Recorded:
    """The server: what it said."""

    def __init__(self, ask):
        calls = [{"id": f"call_{at}", "type": "function", "function": call} for at, call in enumerate(ask["declared"])]
        message = {"role": "assistant", "content": ask["content"] or None, "tool_calls": calls}
        self.reply = {"choices": [{"message": message, "finish_reason": "tool_calls"}]}

    async def chat_openai(self, body):
        return self.reply

    async def constrained_object(self, *_):
        return None


def answer(ask):
    body = {"model": "recorded", "messages": [], "tools": ask["tools"]}
    reply = asyncio.run(pipeline.handle(body, Recorded(ask)))
    message = reply["choices"][0]["message"]
    return {"tool_calls": [call["function"] for call in message["tool_calls"] or []], "text": message["content"]}


for line in sys.stdin:
    ask = json.loads(line)
    try:
        out = answer(ask)
    except Exception:  # It fails open.
        out = {"tool_calls": ask["declared"], "text": ask["content"]}
    sys.stdout.write(json.dumps(out) + "\n")
    sys.stdout.flush()
