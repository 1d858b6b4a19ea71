"""Plays cases to the Python clients: `drive.py URL CASE…`, and a line of JSON for each client and case."""

import asyncio
import json
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

import anthropic
import httpx
import ollama
import openai
from langchain_openai import ChatOpenAI
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

URL = sys.argv[1]
WAIT = 10
SCHEMAS = {
    "find_route": {
        "type": "object",
        "properties": {"to": {"type": "string"}, "stops": {"type": "number"}},
    },
    "read_sensor": {"type": "object", "properties": {"room": {"type": "string"}}},
}
CHAT_TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": schema}}
    for name, schema in SCHEMAS.items()
]
MESSAGES = [{"role": "user", "content": "Go on."}]
FINISH = {
    "tool_calls": "calls",
    "tool_call": "calls",
    "tool_use": "calls",
    "end_turn": "stop",
    "max_tokens": "length",
}
# What a client raises when the server said in the words of its API that something went wrong.
API_ERRORS = (openai.APIError, anthropic.APIError, ollama.ResponseError, ModelAPIError)
# These are API errors by name, and mean that the client could not read the stream.
UNREADABLE = (
    openai.APIResponseValidationError,
    anthropic.APIResponseValidationError,
    openai.APIConnectionError,
    anthropic.APIConnectionError,
)

openai_client = openai.OpenAI(base_url=f"{URL}/v1", api_key="none", max_retries=0, timeout=WAIT)
anthropic_client = anthropic.Anthropic(base_url=URL, api_key="none", max_retries=0, timeout=WAIT)
ollama_client = ollama.Client(host=URL, timeout=WAIT)


class Said(Exception):
    """The API said that something went wrong, in an event and not as what a client raises."""


def read(arguments):
    return json.loads(arguments) if isinstance(arguments, str) else arguments


def call(id, name, arguments):
    return {"id": id, "name": name, "arguments": read(arguments)}


def heard(finish, calls, text=""):
    return {"finish": FINISH.get(finish, finish), "calls": calls, "text": text or ""}


def openai_raw(model):
    """The loop that most people write."""
    finish, calls, text = None, {}, ""
    asked = {"model": model, "messages": MESSAGES, "tools": CHAT_TOOLS}
    for chunk in openai_client.chat.completions.create(**asked, stream=True):
        for choice in chunk.choices:
            if choice.index != 0:
                continue
            finish = choice.finish_reason or finish
            text += choice.delta.content or ""
            for part in choice.delta.tool_calls or []:
                own = calls.setdefault(part.index, {"id": "", "name": "", "arguments": ""})
                own["id"] += part.id or ""
                own["name"] += part.function.name or ""
                own["arguments"] += part.function.arguments or ""
    return heard(finish, [call(**own) for own in calls.values()], text)


def openai_stream(model):
    asked = {"model": model, "messages": MESSAGES, "tools": CHAT_TOOLS}
    with openai_client.chat.completions.stream(**asked) as stream:
        for _ in stream:
            pass
        try:
            choice = stream.get_final_completion().choices[0]
        except openai.LengthFinishReasonError as cut:
            choice = cut.completion.choices[0]
    calls = choice.message.tool_calls or []
    calls = [call(one.id, one.function.name, one.function.arguments) for one in calls]
    return heard(choice.finish_reason, calls, choice.message.content)


def langchain(model):
    chat = ChatOpenAI(
        model=model,
        base_url=f"{URL}/v1",
        api_key="none",
        max_retries=0,
        timeout=WAIT,
        use_responses_api=False,
    )
    turn = None
    for part in chat.bind_tools(CHAT_TOOLS).stream("Go on."):
        turn = part if turn is None else turn + part
    if turn.invalid_tool_calls:
        raise ValueError("invalid calls")
    calls = [call(one["id"], one["name"], one["args"]) for one in turn.tool_calls]
    return heard(turn.response_metadata.get("finish_reason"), calls, turn.content)


def pydantic_ai(model):
    async def go():
        client = openai.AsyncOpenAI(
            base_url=f"{URL}/v1", api_key="none", max_retries=0, timeout=WAIT
        )
        chat = OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client))
        tools = [
            ToolDefinition(name=name, parameters_json_schema=schema)
            for name, schema in SCHEMAS.items()
        ]
        asked = [ModelRequest(parts=[UserPromptPart("Go on.")])]
        parameters = ModelRequestParameters(function_tools=tools)
        async with chat.request_stream(asked, None, parameters) as stream:
            async for _ in stream:
                pass
            turn = stream.get()
        calls = [
            call(part.tool_call_id, part.tool_name, part.args)
            for part in turn.parts
            if part.part_kind == "tool-call"
        ]
        text = "".join(part.content for part in turn.parts if part.part_kind == "text")
        return heard(turn.finish_reason, calls, text)

    return asyncio.run(go())


def openai_responses(model):
    tools = [
        {"type": "function", "name": name, "parameters": schema, "strict": False}
        for name, schema in SCHEMAS.items()
    ]
    finish = None
    with openai_client.responses.stream(model=model, input="Go on.", tools=tools) as stream:
        for event in stream:
            if event.type in ("response.failed", "error"):
                raise Said(event.type)
            if event.type in ("response.completed", "response.incomplete"):
                finish, turn = event.type, event.response
        if finish == "response.completed":
            turn = stream.get_final_response()
    if finish is None:
        raise ValueError("no end")
    calls = [
        call(item.call_id, item.name, item.arguments)
        for item in turn.output
        if item.type == "function_call"
    ]
    done = "calls" if calls else "stop"
    return heard(done if finish == "response.completed" else "length", calls, turn.output_text)


def anthropic_stream(model):
    tools = [{"name": name, "input_schema": schema} for name, schema in SCHEMAS.items()]
    asked = {"model": model, "max_tokens": 99, "messages": MESSAGES, "tools": tools}
    with anthropic_client.messages.stream(**asked) as stream:
        turn = stream.get_final_message()
    calls = [call(one.id, one.name, one.input) for one in turn.content if one.type == "tool_use"]
    text = "".join(one.text for one in turn.content if one.type == "text")
    return heard(turn.stop_reason, calls, text)


def ollama_chat(model):
    calls, text, last = [], "", None
    asked = {"model": model, "messages": MESSAGES, "tools": CHAT_TOOLS}
    for part in ollama_client.chat(**asked, stream=True):
        text += part.message.content or ""
        for one in part.message.tool_calls or []:
            calls.append(call(None, one.function.name, dict(one.function.arguments)))
        last = part
    if not last or not last.done:
        raise ValueError("no end")
    is_calls = last.done_reason == "stop" and calls
    return heard("calls" if is_calls else last.done_reason, calls, text)


CLIENTS = {
    "chat": {
        "openai (Python)": openai_raw,
        "openai .stream() (Python)": openai_stream,
        "langchain": langchain,
        "pydantic-ai": pydantic_ai,
    },
    "responses": {"openai responses (Python)": openai_responses},
    "messages": {"anthropic (Python)": anthropic_stream},
    "ollama": {"ollama (Python)": ollama_chat},
}


def play(run, model):
    try:
        return run(model)
    except UNREADABLE as error:
        return {"finish": f"crash {type(error).__name__}: {str(error)[:120]}"}
    except (*API_ERRORS, Said):
        return {"finish": "error"}
    except (Exception, httpx.TimeoutException) as error:
        return {"finish": f"crash {type(error).__name__}: {str(error)[:120]}"}


for model in sys.argv[2:]:
    for name, run in CLIENTS[model.split("/")[0]].items():
        told = {"case": model, "client": name, **play(run, model)}
        print(json.dumps(told, default=str, separators=(",", ":")), flush=True)
