"""Plays every script on a real llama.cpp through the proxy: on three APIs, streamed and plain.

usage: play.py TOOLMEND SCRATCH [UPSTREAM]

Each script that means calls must arrive as just those calls, and each one that does not as text. UPSTREAM is a vLLM
that has the model.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import time

import model
import xllamacpp

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]}


def serve(path, context=8192, threads=1):
    """A real llama.cpp, in this process."""
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.use_jinja = True
    params.verbosity = -1
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    return xllamacpp.Server(params)


def post(address, path, body):
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    response = connection.getresponse()
    return response.status, response.read().decode()


class Proxy:
    """The proxy in front of it, as a user starts it."""

    def __init__(self, binary, upstream):
        command = [binary, "proxy", "--upstream", upstream, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.port = None
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line.replace(upstream, ""))
            if found:
                self.port = int(found.group(1))
                break
        if self.port is None:
            sys.exit("the proxy does not say where it listens")
        # It finds out in the background what the server can do.
        time.sleep(0.5)

    def post(self, path, body):
        return post(f"127.0.0.1:{self.port}", path, body)

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


def events(text):
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]


def chat_request(script, tokens):
    tool = {"type": "function", "function": {"name": "find_ferry", "parameters": SCHEMA}}
    return {"messages": [{"role": "user", "content": script}], "tools": [tool], "max_tokens": tokens}


def chat_reply(text, is_stream):
    if not is_stream:
        choice = json.loads(text)["choices"][0]
        calls = choice["message"].get("tool_calls") or []
        calls = [(call["function"]["name"], call["function"]["arguments"]) for call in calls]
        return choice["message"].get("content") or "", calls, choice["finish_reason"]
    said, calls, finish = "", {}, None
    for event in events(text):
        for choice in event.get("choices", []):
            said += choice["delta"].get("content") or ""
            for call in choice["delta"].get("tool_calls") or []:
                own = calls.setdefault(call["index"], ["", ""])
                own[0] += call["function"].get("name") or ""
                own[1] += call["function"].get("arguments") or ""
            finish = choice.get("finish_reason") or finish
    return said, [tuple(call) for call in calls.values()], finish


def responses_request(script, tokens):
    tool = {"type": "function", "name": "find_ferry", "parameters": SCHEMA}
    return {"input": script, "tools": [tool], "max_output_tokens": tokens}


def responses_reply(text, is_stream):
    ends = ("response.completed", "response.incomplete")
    if is_stream:
        whole = next(event["response"] for event in events(text) if event.get("type") in ends)
    else:
        whole = json.loads(text)
    messages = [item for item in whole["output"] if item["type"] == "message"]
    said = "".join(part.get("text", "") for item in messages for part in item["content"])
    calls = [item for item in whole["output"] if item["type"] == "function_call"]
    return said, [(call["name"], call["arguments"]) for call in calls], whole["status"]


def messages_request(script, tokens):
    tool = {"name": "find_ferry", "input_schema": SCHEMA}
    return {"messages": [{"role": "user", "content": script}], "tools": [tool], "max_tokens": tokens}


def messages_reply(text, is_stream):
    if not is_stream:
        whole = json.loads(text)
        said = "".join(block.get("text", "") for block in whole["content"])
        calls = [block for block in whole["content"] if block["type"] == "tool_use"]
        return said, [(call["name"], json.dumps(call["input"])) for call in calls], whole["stop_reason"]
    said, calls, finish = "", [], None
    for event in events(text):
        if event["type"] == "content_block_start" and event["content_block"]["type"] == "tool_use":
            calls.append([event["content_block"]["name"], ""])
        elif event["type"] == "content_block_delta":
            said += event["delta"].get("text", "")
            if "partial_json" in event["delta"]:
                calls[-1][1] += event["delta"]["partial_json"]
        elif event["type"] == "message_delta":
            finish = event["delta"]["stop_reason"]
    return said, [tuple(call) for call in calls], finish


APIS = {
    "chat": ("/v1/chat/completions", chat_request, chat_reply),
    "responses": ("/v1/responses", responses_request, responses_reply),
    "messages": ("/v1/messages", messages_request, messages_reply),
}


def is_wanted(calls, wanted):
    """Whether these are the calls. A list stands for how a value starts and ends."""
    if [name for name, _ in calls] != ["find_ferry"] * len(wanted):
        return False
    for (_, arguments), want in zip(calls, wanted):
        port = json.loads(arguments).get("port")
        if isinstance(want["port"], list):
            start, end = want["port"]
            if not (port.startswith(start) and port.endswith(end)):
                return False
        elif json.loads(arguments) != want:
            return False
    return True


def wanted_calls(script, server, cell):
    """The calls that must arrive. What a server keeps to itself, nobody behind it can mend."""
    for start, calls in script.get(server, {}).items():
        if cell.startswith(start):
            return calls
    return script["calls"]


def play(proxy, server, script, api, is_stream):
    path, request, reply = APIS[api]
    cell = f"{api} {'streamed' if is_stream else 'plain'}"
    wanted = wanted_calls(script, server, cell)
    body = request(f"Please <|script:{script['name']}|> now.", script.get("tokens", 160))
    body |= {"model": "replay", "temperature": 0, "stream": is_stream}
    status, text = proxy.post(path, body)
    try:
        said, calls, finish = reply(text, is_stream)
        right = status == 200 and is_wanted(calls, wanted)
        # What means no call leaves every word as it was said.
        right = right and (bool(script["calls"] or wanted) or said == script["says"])
        right = right and (not calls or finish in ("tool_calls", "tool_use", "completed"))
    except (KeyError, ValueError, StopIteration, IndexError) as error:
        right, said, calls, finish = False, repr(error), text[-400:], status
    if not right:
        print(f"WRONG {script['name']} {cell}: {said!r} {calls} {finish}")
    return right


def examine(binary, upstream):
    """What `toolmend doctor` says of the server: without a mark, its model writes a call as text."""
    run = subprocess.run([binary, "doctor", upstream, "--json"], capture_output=True, text=True, timeout=60)
    found = {check["check"]: (check["health"], check["told"]) for check in map(json.loads, run.stdout.splitlines())}
    told = "stand in the content as lmstudio_request"
    wanted = {"calls": ("mended", told), "calls, streamed": ("mended", told)}
    right = run.returncode == 0 and found["server"][1].startswith("llama.cpp") and wanted.items() <= found.items()
    if not right:
        print(f"WRONG doctor: {run.stdout}{run.stderr}")
    return right


def demands(upstream):
    """Whether llama.cpp still takes the name of a tool for no choice at all, and the word for one: a model
    that must call cannot end with text alone. What the proxy asks for rests on it."""
    address = upstream.removeprefix("http://")
    right = True
    for api, choice, may_end in (
        ("chat", {"type": "function", "function": {"name": "find_ferry"}}, True),
        ("chat", "required", False),
        ("responses", {"type": "function", "name": "find_ferry"}, True),
        ("responses", "required", False),
        ("messages", {"type": "tool", "name": "find_ferry"}, False),
    ):
        path, request, reply = APIS[api]
        body = request("Please <|script:text|> now.", 60) | {"model": "replay", "temperature": 0}
        status, text = post(address, path, body | {"tool_choice": choice})
        said = reply(text, False)[0]
        # A model that may not end goes on, here with the same words.
        if status != 200 or (said.count("that is all.") == 1) != may_end:
            print(f"WRONG {api} with {choice}: {said!r}")
            right = False
    return right


def play_all(binary, server, upstream, scripts):
    proxy = Proxy(binary, upstream)
    try:
        return [
            play(proxy, server, script, api, is_stream)
            for script in scripts
            if "calls" in script
            for api in APIS
            for is_stream in (True, False)
        ]
    finally:
        proxy.stop()


def main():
    binary, scratch, *others = sys.argv[1:]
    with open(os.path.join(HERE, "scripts.json")) as file:
        scripts = json.load(file)
    if others:
        [upstream] = others
        server, results = upstream, play_all(binary, "vllm", upstream, scripts)
    else:
        with open(os.path.join(HERE, "template.jinja")) as file:
            template = file.read()
        path = os.path.join(scratch, "replay.gguf")
        model.build(path, {script["name"]: script["says"] for script in scripts}, template)
        llama = serve(path)
        server, upstream = f"llama.cpp {xllamacpp.__version__}", llama.listening_address
        results = play_all(binary, "llama.cpp", upstream, scripts)
        results += [examine(binary, upstream), demands(upstream)]
    print(f"{server}: {sum(results)} of {len(results)} turns and examinations right")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
