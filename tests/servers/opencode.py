"""opencode: Chat Completions, commands by `bash`."""

import json
import os

CALL = '{"name": "bash", "arguments": {"command": "$$"}}'
# How models that are used with it write a call where the server does not make one out.
TEXT = "Running it.\n<function=bash>\n<parameter=command>\n$$\n</parameter>\n</function>\n</tool_call>"


def find(node):
    return os.path.join(node, "node_modules/opencode-linux-x64/bin/opencode")


def configure(home, port):
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "local",
        "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "none"},
        "models": {"replay": {"name": "replay", "tool_call": True, "limit": {"context": 131072, "output": 4096}}},
    }
    path = os.path.join(home, "opencode.json")
    with open(path, "w") as file:
        json.dump({"provider": {"local": provider}, "share": "disabled", "autoupdate": False}, file)
    return {"OPENCODE_CONFIG": path, "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}


def arguments(prompt):
    return ["run", "--model", "local/replay", "--format", "json", "--auto", prompt]


def read(lines):
    """What it ran, and what it said."""
    parts = [line["part"] for line in lines if "part" in line]
    ran = [part["state"]["input"]["command"] for part in parts if part["type"] == "tool"]
    return ran, [part["text"] for part in parts if part["type"] == "text"]
