"""Plays the wire cases through the proxy to real clients, and compares with what the cases say.

    run.py [--update] [--direct] [--node-driver FILE] TOOLMEND [CASE…]

`--direct` leaves the proxy out, to see what clients make of the streams themselves. `--update`
writes the `heard` blocks where all clients agree. `--node-driver` is the copy of `drive.mjs` that
stands beside its `node_modules`.
"""

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import server
import stored

HERE = Path(__file__).resolve().parent
# Ways beside the usual one in which some cases are played.
WAYS = {
    "healthy_call": ("bytes", "one", "gzip"),
    "healthy_llama_cpp": ("bytes",),
    "stream_ends_inside_an_event": ("abort",),
    "stream_ends_after_text": ("abort",),
    "stream_ends_early": ("abort",),
}
# What is not played, and why.
NOT_PLAYED = {
    "chat/healthy_two_choices": "clients that asked for one choice join two",
    "responses/healthy_unknown_events": "openai for Node throws at events that it does not know",
}


def models(names):
    for case in stored.cases():
        if case.name in NOT_PLAYED:
            continue
        if names and not any(name in case.name for name in names):
            continue
        yield case, case.name
        for way in WAYS.get(case.path.stem, ()):
            yield case, f"{case.name}@{way}"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def start_proxy(toolmend, upstream):
    port = free_port()
    # What the wire does is looked at alone: nothing is asked again.
    environment = {**os.environ, "TOOLMEND_ASK__MAX_ASKS": "0"}
    arguments = ["--listen", f"127.0.0.1:{port}", "--admin", "127.0.0.1:0"]
    proxy = subprocess.Popen(
        [toolmend, "proxy", "--upstream", upstream, *arguments],
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return proxy, f"http://127.0.0.1:{port}"
        time.sleep(0.05)
    proxy.kill()
    raise SystemExit("the proxy does not listen")


async def drive(arguments, environment):
    """Runs one driver, and returns what it told."""
    driver = await asyncio.create_subprocess_exec(
        *arguments, env=environment, stdout=asyncio.subprocess.PIPE, limit=1 << 24
    )
    told = []
    async for line in driver.stdout:
        # Clients print warnings of their own.
        if line.startswith(b'{"case":'):
            told.append(json.loads(line))
    if await driver.wait() != 0:
        raise SystemExit(f"{arguments[:2]} failed")
    return told


def faults(case, told):
    """What is wrong with what one client heard."""
    found = []
    heard = stored.shown(told)
    if case.heard is None:
        found.append(f"the case has no block `heard`; heard:\n{indented(heard)}")
    elif heard not in case.heard.split("\nor\n"):
        found.append(f"heard:\n{indented(heard)}\nmust hear:\n{indented(case.heard)}")
    ids = [call["id"] for call in told.get("calls", ()) if call["id"] is not None]
    if len(set(ids)) < len(ids) or not all(ids):
        found.append(f"the ids of the calls: {ids}")
    return found


def indented(text):
    return "\n".join("    " + line for line in text.splitlines())


def update(played, told):
    for case, model in played:
        if model != case.name or "\nor\n" in (case.heard or ""):
            continue
        versions = {stored.shown(one) for one in told if one["case"] == model}
        if len(versions) == 1 and "crash" not in (only := versions.pop()):
            case.set_heard(only)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--node-driver", default=str(HERE / "drive.mjs"))
    parser.add_argument("toolmend")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    played = list(models(options.names))
    upstream, port = await server.start()
    url, proxy = f"http://127.0.0.1:{port}", None
    if not options.direct:
        proxy, url = await asyncio.to_thread(start_proxy, options.toolmend, url)
    names = [model for _, model in played]
    try:
        both = await asyncio.gather(
            drive([sys.executable, str(HERE / "drive.py"), url, *names], os.environ),
            drive(["node", options.node_driver, url, *names], os.environ),
        )
    finally:
        upstream.close()
        if proxy:
            proxy.terminate()
            proxy.wait()
    told = [one for driver in both for one in driver]
    if options.update:
        update(played, told)
    by_name = {model: stored.Case(case.path) for case, model in played}
    wrong = 0
    for one in told:
        for fault in faults(by_name[one["case"]], one):
            wrong += 1
            print(f"{one['case']}  {one['client']}\n  {fault}")
    clients = len({one["client"] for one in told})
    print(f"{len(names)} streams, {len(told)} plays to {clients} clients, {wrong} wrong")
    return 1 if wrong else 0


raise SystemExit(asyncio.run(main()))
