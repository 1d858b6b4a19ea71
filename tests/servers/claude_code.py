"""Claude Code: Messages, commands by `Bash`."""

import os

CALL = '{"name": "Bash", "arguments": {"command": "$$"}}'
# How models that are used with it write a call where the server does not make one out.
TEXT = (
    'Let me run it.\n<function_calls>\n<invoke name="Bash">\n<parameter name="command">$$</parameter>\n'
    "</invoke>\n</function_calls>"
)


def find(node):
    return os.path.join(node, "node_modules/@anthropic-ai/claude-code-linux-x64/claude")


def configure(home, port):
    quiet = ["DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING"]
    return {name: "1" for name in [*quiet, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "IS_SANDBOX"]} | {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_MODEL": "replay",
        "ANTHROPIC_SMALL_FAST_MODEL": "replay",
    }


def arguments(prompt):
    shape = ["--output-format", "stream-json", "--verbose", "--no-session-persistence"]
    # With all of its tools, the prompt is five times as long.
    tools = ["--tools", "Bash,Edit,Read,Write", "--disable-slash-commands", "--dangerously-skip-permissions"]
    return ["--print", prompt, *shape, *tools]


def read(lines):
    """What it ran, and what it said."""
    turns = [block for line in lines if line["type"] == "assistant" for block in line["message"]["content"]]
    ran = [block["input"]["command"] for block in turns if block["type"] == "tool_use"]
    return ran, [line["result"] for line in lines if line["type"] == "result" and "result" in line]
