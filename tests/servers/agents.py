"""Runs real agents on a real llama.cpp through the proxy, as a user would: their calls run, and nothing else does.

usage: agents.py TOOLMEND NODE_FOLDER SCRATCH AGENT… [-- SCENARIO…]
"""

import json
import os
import subprocess
import sys
import time
from pydoc_data.topics import topics

import claude_code
import codex
import model
import opencode
import play

CONTEXT = 131072
SECONDS_MAX = 600
AGENTS = {"codex": codex, "claude_code": claude_code, "opencode": opencode}
DONE = "All of it is done now."
# What an agent must have run, and how it must end; `None` where it runs so often that it is a storm.
SCENARIOS = {
    "right": (["echo sailed-right"], DONE),
    "text": (["echo sailed-text"], DONE),
    # The model stops in the middle of its call, and goes on when it is asked to.
    "cut": (["to the harbour"], DONE),
    # It never comes to the end of its call.
    "half": ([], ""),
    "quoted": ([], "I leave it at that."),
    "storm": (None, "came again and again"),
}
# A storm is broken at the fifth call.
STORM_RUNS_MAX = 5


def written(agent, script):
    """What the model says to this agent."""
    start, rest = agent.CALL.split("$$")
    parts = {"$CALL": agent.CALL, "$TEXT": agent.TEXT, "$START": start + "$$", "$REST": rest}
    says = script["says"]
    for name, part in parts.items():
        says = says.replace(name, part)
    return says.replace("$$", script.get("command", ""))


def build(agent, scratch):
    with open(os.path.join(play.HERE, "agent_scripts.json")) as file:
        scripts = json.load(file)
    with open(os.path.join(play.HERE, "template.jinja")) as file:
        template = file.read()
    model.CONTEXT = CONTEXT
    path = os.path.join(scratch, f"{agent.__name__}.gguf")
    says = {script["name"]: written(agent, script) for script in scripts}
    # Prompts of agents are pages of technical English.
    model.build(path, says, template, text="\n".join(topics.values()))
    return path


def run(agent, binary, home, environment, scenario):
    command = [binary, *agent.arguments(f"Please <|script:{scenario}|> now.")]
    work = os.path.join(home, "work")
    done = subprocess.run(
        command, cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS_MAX
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    ran, said = agent.read(lines)
    return ran, said[-1] if said else "", done


def is_right(scenario, ran, said):
    wanted, end = SCENARIOS[scenario]
    if end not in said:
        return False
    if wanted is None:
        return 0 < len(ran) <= STORM_RUNS_MAX
    return len(ran) == len(wanted) and all(want in own for want, own in zip(wanted, ran))


def examine(name, toolmend, node, scratch, scenarios):
    """Whether an agent does right in each scenario."""
    agent = AGENTS[name]
    server = play.serve(build(agent, scratch), CONTEXT, threads=2)
    proxy = play.Proxy(toolmend, server.listening_address)
    # A home with nothing in it but where the model is.
    home = os.path.join(scratch, f"home-{name}")
    os.makedirs(os.path.join(home, "work"), exist_ok=True)
    environment = {"PATH": "/usr/bin:/bin", "HOME": home, "TERM": "dumb"} | agent.configure(home, proxy.port)
    results = []
    try:
        for scenario in scenarios:
            started = time.monotonic()
            ran, said, done = run(agent, agent.find(node), home, environment, scenario)
            results.append(is_right(scenario, ran, said))
            print(f"{name} {scenario}: {time.monotonic() - started:.0f} s")
            if not results[-1]:
                print(f"WRONG {name} {scenario}: ran {ran}, said {said!r}\n{done.stdout[-2000:]}{done.stderr[-1000:]}")
    finally:
        proxy.stop()
    print(f"{name}: {sum(results)} of {len(results)} scenarios right")
    return all(results)


def main():
    toolmend, node, scratch, *names = sys.argv[1:]
    scenarios = list(SCENARIOS)
    if "--" in names:
        names, scenarios = names[: names.index("--")], names[names.index("--") + 1 :]
    results = [examine(name, toolmend, node, scratch, scenarios) for name in names]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
