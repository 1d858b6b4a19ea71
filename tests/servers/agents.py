"""Runs a real Codex on a real llama.cpp through the proxy, as a user would: its calls run, and nothing else does.

usage: agents.py TOOLMEND NODE_FOLDER SCRATCH [SCENARIO…]
"""

import glob
import json
import os
import subprocess
import sys

import model
import play

CONTEXT = 131072
# What Codex must have run, and how it must end.
SCENARIOS = {
    "right": (["echo sailed-right"], "All of it is done now."),
    "text": (["echo sailed-text"], "All of it is done now."),
    "quoted": ([], "I leave it at that."),
    "storm": (None, "(toolmend: `exec_command` came again and again"),
}
# A storm is broken at the fifth call.
STORM_RUNS_MAX = 5


def configure(home, port):
    """A home with nothing in it but where the model is."""
    os.makedirs(os.path.join(home, ".codex"), exist_ok=True)
    os.makedirs(os.path.join(home, "work"), exist_ok=True)
    with open(os.path.join(home, ".codex", "config.toml"), "w") as file:
        file.write(
            'model = "replay"\nmodel_provider = "local"\napproval_policy = "never"\n'
            'sandbox_mode = "danger-full-access"\n[model_providers.local]\nname = "local"\n'
            f'base_url = "http://127.0.0.1:{port}/v1"\nenv_key = "REPLAY_KEY"\nwire_api = "responses"\n'
        )


def run(codex, home, scenario):
    environment = {"PATH": "/usr/bin:/bin", "HOME": home, "REPLAY_KEY": "none", "TERM": "dumb"}
    command = [codex, "exec", "--skip-git-repo-check", "--json", f"Please <|script:{scenario}|> now."]
    work = os.path.join(home, "work")
    done = subprocess.run(
        command, cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )
    items = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    items = [item["item"] for item in items if item["type"] == "item.completed"]
    ran = [item["command"] for item in items if item["type"] == "command_execution"]
    said = [item["text"] for item in items if item["type"] == "agent_message"]
    return ran, said[-1] if said else "", done


def is_right(scenario, ran, said):
    wanted, end = SCENARIOS[scenario]
    if end not in said:
        return False
    if wanted is None:
        return 0 < len(ran) <= STORM_RUNS_MAX
    return len(ran) == len(wanted) and all(want in own for want, own in zip(wanted, ran))


def main():
    binary, node, scratch = sys.argv[1:4]
    [codex] = glob.glob(os.path.join(node, "node_modules/@openai/codex-*/vendor/*/bin/codex"))
    with open(os.path.join(play.HERE, "agent_scripts.json")) as file:
        scripts = json.load(file)
    with open(os.path.join(play.HERE, "template.jinja")) as file:
        template = file.read()
    model.CONTEXT = CONTEXT
    path = os.path.join(scratch, "agents.gguf")
    model.build(path, {script["name"]: script["says"] for script in scripts}, template)
    server = play.serve(path, CONTEXT, threads=2)
    proxy = play.Proxy(binary, server.listening_address)
    home = os.path.join(scratch, "home")
    configure(home, proxy.port)
    results = []
    try:
        for scenario in sys.argv[4:] or SCENARIOS:
            ran, said, done = run(codex, home, scenario)
            results.append(is_right(scenario, ran, said))
            if not results[-1]:
                print(f"WRONG {scenario}: ran {ran}, said {said!r}\n{done.stdout[-2000:]}{done.stderr[-1000:]}")
    finally:
        proxy.stop()
    print(f"Codex: {sum(results)} of {len(results)} scenarios right")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
