"""Codex: Responses, commands by `exec_command`."""

import glob
import os

CALL = '{"name": "exec_command", "arguments": {"cmd": "$$"}}'
# How models that are used with it write a call where the server does not make one out.
TEXT = "I run it now.\n```json\n" + CALL + "\n```"


def find(node):
    [binary] = glob.glob(os.path.join(node, "node_modules/@openai/codex-*/vendor/*/bin/codex"))
    return binary


def configure(home, port):
    os.makedirs(os.path.join(home, ".codex"), exist_ok=True)
    with open(os.path.join(home, ".codex", "config.toml"), "w") as file:
        file.write(
            'model = "replay"\nmodel_provider = "local"\napproval_policy = "never"\n'
            'sandbox_mode = "danger-full-access"\n[model_providers.local]\nname = "local"\n'
            f'base_url = "http://127.0.0.1:{port}/v1"\nenv_key = "REPLAY_KEY"\nwire_api = "responses"\n'
        )
    return {"REPLAY_KEY": "none"}


def arguments(prompt):
    return ["exec", "--skip-git-repo-check", "--json", prompt]


def read(lines):
    """What it ran, and what it said."""
    items = [line["item"] for line in lines if line["type"] == "item.completed"]
    ran = [item["command"] for item in items if item["type"] == "command_execution"]
    return ran, [item["text"] for item in items if item["type"] == "agent_message"]
