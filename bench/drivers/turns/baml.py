"""Answers JSON lines with the calls that BAML's parser makes of each turn.

A line in: {"tools", "content", "declared": [{"name", "arguments"}]}, a line out: {"tool_calls", "text": null}. BAML has no tool
calls of its own: as its guide says, each tool is a class, and what is read is a list of a union of them. A call is
`{"name": ..., "arguments": {...}}` here, which is how the dialects that it is asked about write one. Arguments of a declared
call are read as the class of the tool's arguments.
"""

import json
import re
import sys
import types

import baml_py
from baml_py import BamlCtxManager, BamlRuntime

baml_py.baml_py.set_log_level("OFF")

HEAD = """
client<llm> Nobody {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}
"""
SCALARS = {"string": "string", "integer": "int", "number": "float", "boolean": "bool", "null": "null"}
# A corpus may bring new tools with every line.
RUNTIMES_MAX = 64


def function(name, answer):
    return f'function {name}(text: string) -> {answer} {{\n  client Nobody\n  prompt #"{{{{ text }}}}"#\n}}\n'


class Source:
    """The tools as BAML classes."""

    def __init__(self, tools):
        self.classes = []
        self.keys = {}
        self.readers = {}
        calls, functions = [], []
        for at, tool in enumerate(tools):
            name = tool["function"]["name"]
            arguments = self.type_of(tool["function"].get("parameters") or {"type": "object"})
            calls.append(self.add([f"name {json.dumps(name)}", f"arguments {arguments}"]))
            self.readers[name] = f"Arguments{at}"
            functions.append(function(f"Arguments{at}", arguments))
        functions.append(function("Calls", f"({' | '.join(calls)})[]"))
        self.text = HEAD + "\n".join(self.classes) + "\n".join(functions)

    def add(self, members):
        name = f"T{len(self.classes)}"
        body = "\n".join(f"  {member}" for member in members)
        self.classes.append(f"class {name} {{\n{body}\n}}\n")
        return name

    def type_of(self, schema):
        if not isinstance(schema, dict):
            return "string"
        if isinstance(schema.get("enum"), list) and all(isinstance(v, str) for v in schema["enum"]):
            return "(" + " | ".join(json.dumps(value) for value in schema["enum"]) + ")"
        for union in ("anyOf", "oneOf"):
            if isinstance(schema.get(union), list):
                return "(" + " | ".join(self.type_of(each) for each in schema[union]) + ")"
        kind = schema.get("type")
        if isinstance(kind, list):
            return "(" + " | ".join(self.type_of({**schema, "type": each}) for each in kind) + ")"
        if kind == "array":
            return self.type_of(schema.get("items") or {"type": "string"}) + "[]"
        if kind == "object" or "properties" in schema:
            return self.class_of(schema)
        return SCALARS.get(kind, "string")

    def class_of(self, schema):
        properties = schema.get("properties") or {}
        if not properties:
            return "map<string, string>"
        required = schema.get("required") or []
        members = []
        for key, value in properties.items():
            member = self.type_of(value) + ("" if key in required else "?")
            # Names of members are words in BAML; what is none gets an alias.
            if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", key):
                members.append(f"{key} {member}")
            else:
                alias = f"alias{len(self.keys)}"
                self.keys[alias] = key
                members.append(f"{alias} {member} @alias({json.dumps(key)})")
        return self.add(members)


class Plain:
    """Stands for any class that was read: its members as they are."""

    @staticmethod
    def model_validate(members):
        return members


class Shape(types.ModuleType):
    """Stands for the modules that BAML would generate."""

    def __getattr__(self, name):
        return Plain


SHAPE = Shape("shape")
RUNTIMES = {}


def runtime(tools):
    key = json.dumps(tools)
    if key not in RUNTIMES:
        if len(RUNTIMES) >= RUNTIMES_MAX:
            RUNTIMES.clear()
        source = Source(tools)
        made = BamlRuntime.from_files("baml_src", {"main.baml": source.text}, {})
        RUNTIMES[key] = (made, source)
    return RUNTIMES[key]


def plain(value, keys):
    if isinstance(value, dict):
        return {keys.get(key, key): plain(item, keys) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [plain(item, keys) for item in value]
    return value


def read(reader, source, name, text):
    """What it makes of a text; None where it finds nothing that fits."""
    context = BamlCtxManager(reader).get()
    try:
        value = reader.parse_llm_response(name, text, SHAPE, SHAPE, SHAPE, False, context, None, None, {})
    except Exception:
        return None
    return plain(value, source.keys)


def answer(ask):
    reader, source = runtime(ask["tools"])
    calls = []
    for call in ask["declared"]:
        if call["name"] in source.readers:
            arguments = read(reader, source, source.readers[call["name"]], call["arguments"])
            if arguments is not None:
                calls.append({"name": call["name"], "arguments": arguments})
    if ask["content"]:
        calls += read(reader, source, "Calls", ask["content"]) or []
    return calls


for line in sys.stdin:
    try:
        calls = answer(json.loads(line))
    except Exception:  # A schema that no class can be made of.
        calls = []
    sys.stdout.write(json.dumps({"tool_calls": calls, "text": None}) + "\n")
    sys.stdout.flush()
