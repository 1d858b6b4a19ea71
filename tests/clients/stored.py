"""The wire cases as these tests use them: a stream, and what each client must hear.

A case is a Markdown file with fenced blocks (see CONTRIBUTING.md). `input` is the stream; `heard` is
what a client makes of it behind the proxy: `text "…"`, `call NAME {json}`, and a last line
`finish calls | stop | length | error`. A line `or` stands between two readings that are both right.
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APIS = ("chat", "messages", "responses", "ollama")
FENCE = re.compile(r"^(`{3,})(\w+)(.*)$")
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\", "0": b"\0"}


class Case:
    def __init__(self, path):
        self.path = path
        self.name = f"{path.parent.name}/{path.stem}"
        self.api = path.parent.name
        self.blocks = read_blocks(path.read_text(encoding="utf-8"))

    @property
    def is_stream(self):
        return "input" in self.blocks and "mender" not in self.blocks

    @property
    def stream(self):
        options, text = self.blocks["input"]
        data = unescape(text) if "escapes" in options else text.encode()
        return data if "unended" in options else data + b"\n"

    @property
    def heard(self):
        return self.blocks["heard"][1] if "heard" in self.blocks else None

    def set_heard(self, text):
        """Writes the block behind the others, or in its place."""
        page = self.path.read_text(encoding="utf-8")
        page = re.sub(r"```heard\n.*?\n```\n", "", page, flags=re.S)
        self.path.write_text(f"{page}```heard\n{text}\n```\n", encoding="utf-8")


def read_blocks(page):
    blocks, fence, name, options, lines = {}, None, None, None, []
    for line in page.split("\n"):
        if fence is None:
            if opened := FENCE.match(line):
                fence, name, options, lines = opened[1], opened[2], opened[3].split(), []
        elif line == fence:
            blocks[name], fence = (options, "\n".join(lines)), None
        else:
            lines.append(line)
    return blocks


def unescape(text):
    out, rest = b"", text
    while rest:
        head, mark, rest = rest.partition("\\")
        out += head.encode()
        if not mark:
            break
        if rest.startswith("x"):
            out, rest = out + bytes([int(rest[1:3], 16)]), rest[3:]
        elif rest.startswith("u{"):
            digits, _, rest = rest[2:].partition("}")
            out += chr(int(digits, 16)).encode()
        else:
            out, rest = out + ESCAPES[rest[0]], rest[1:]
    return out


def cases():
    for api in APIS:
        for path in sorted((ROOT / "cases/wire" / api).glob("*.md")):
            case = Case(path)
            if case.is_stream:
                yield case


def plain(value):
    """Node does not tell 1.0 from 1, so this does not either."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def shown(heard):
    """What a client heard, as the block says it."""
    lines = []
    if heard["finish"] != "error":
        if heard.get("text"):
            lines.append("text " + json.dumps(heard["text"], ensure_ascii=False))
        for call in heard.get("calls", ()):
            arguments = json.dumps(plain(call["arguments"]), ensure_ascii=False, sort_keys=True)
            lines.append(f"call {call['name']} {arguments}")
    return "\n".join([*lines, f"finish {heard['finish']}"])
