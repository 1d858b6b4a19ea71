#!/usr/bin/env python3
"""How smooth the page is with many calls in the store: prints times, asserts none.

usage: load.py TOOLMEND STORE [ROUNDS]

STORE is a place with many calls, as `cargo run --release -p toolmend-store --example load` fills one. The demo runs
beside it, so that calls come while the page is used. A time is from the action to the frame that shows its answer.
"""
import os
import statistics
import sys

from browser import Browser, Proxy, Watched

ROUNDS = 11
FILTERS = ["span", "model", "tool", "outcome", "rule", "dialect", "reason"]
PAGES = 20

# Long tasks, and how long after an action its answer is on the screen.
MEASURES = """
  window.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask", buffered: true });
  const painted = () => new Promise((over) => requestAnimationFrame(() => setTimeout(over)));
  const until = async (holds) => {
    const end = performance.now() + 30000;
    while (!holds()) {
      if (performance.now() > end) throw new Error(`waited 30 s for ${holds}`);
      await new Promise((over) => setTimeout(over, 1));
    }
  };
  const isIdle = () => document.querySelector("main") && !document.querySelector("main").hasAttribute("aria-busy");
  window.shown = async () => {
    await until(() => document.querySelector("#rows tr") && document.querySelector("#chart svg") && isIdle());
    await painted();
    return performance.now();
  };
  window.timed = async (act, holds = isIdle) => {
    const start = performance.now();
    act();
    await until(holds);
    await painted();
    return performance.now() - start;
  };
  window.choose = (name, value) => timed(() => {
    const select = document.querySelector(`[name=${name}]`);
    select.value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  window.frames = async (act) => {
    const times = [];
    let last = performance.now(), isOver = false;
    const frame = (now) => { times.push(now - last); last = now; if (!isOver) requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
    await act();
    isOver = true;
    return times.slice(1);
  };
"""


class Table:
    """Rows as they are measured."""

    def __init__(self, page):
        self.page = page
        print(f"{'p50 and max, in ms':34} {'times':>6} {'p50':>8} {'max':>8}   long tasks (over 50 ms)")

    def add(self, name, times):
        tasks = self.page.evaluate("longTasks.splice(0)")
        told = ", ".join(f"{task:.0f} ms" for task in tasks) or "none"
        print(f"{name:34} {len(times):6} {statistics.median(times):8.1f} {max(times):8.1f}   {told}")


def loads(context, proxy, path, rounds):
    """From nothing to the first rows and numbers."""
    times = []
    for _ in range(rounds):
        watched = Watched(context, proxy.url, path)
        times.append(watched.page.evaluate("shown()"))
        tasks = watched.page.evaluate("longTasks")
        assert not watched.wrong, watched.wrong
        watched.page.close()
    return times, tasks


def chosen(page, name, rounds):
    """Each value of a filter in turn, and all again."""
    values = page.evaluate(f"[...document.querySelector('[name={name}]').options].map((option) => option.value)")
    first = "86400000" if name == "span" else ""
    values = [value for value in values if value != first][:6]
    times = []
    while values and len(times) < rounds:
        for value in values:
            times.append(page.evaluate("([name, value]) => choose(name, value)", [name, value]))
            times.append(page.evaluate("([name, value]) => choose(name, value)", [name, first]))
    return times


def opened(page, rounds):
    times = []
    for at in range(rounds):
        row = page.locator("#rows .open").nth(at)
        times.append(row.evaluate("(row) => timed(() => row.click(), () => document.querySelector('dialog[open]'))"))
        page.evaluate("document.querySelector('dialog').close()")
    return times


def paged(page):
    more = "timed(() => { document.getElementById('more').scrollIntoView(); document.getElementById('more').click(); }, ((had) => () => document.querySelectorAll('#rows tr').length >= had + 50)(document.querySelectorAll('#rows tr').length))"
    return [page.evaluate(more) for _ in range(PAGES)]


def scrolled(page):
    return page.evaluate("""frames(async () => {
      for (let down = 0; down < document.documentElement.scrollHeight - innerHeight; down += 240) {
        scrollTo(0, down);
        await new Promise((over) => requestAnimationFrame(over));
      }
    })""")


def main():
    program, store = map(os.path.abspath, sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else ROUNDS
    with Browser() as context, Proxy(program, "--store", store, "--keep", "all") as proxy:
        context.add_init_script(MEASURES)
        watched = Watched(context, proxy.url, "/?span=86400000")
        page = watched.page
        page.evaluate("shown()")
        calls = page.locator("#tiles dd").first.inner_text()
        print(f"{calls} calls in the last day; the demo adds some while this runs")
        page.evaluate("longTasks.splice(0)")
        table = Table(page)
        table.add("nothing, to the next frame", [page.evaluate("timed(() => {})") for _ in range(rounds)])
        for name, path in [("load, a day", "/?span=86400000"), ("load, all", "/?span=0"), ("load, mended by a rule", "/?rule=key-renamed")]:
            times, tasks = loads(context, proxy, path, rounds)
            page.evaluate("(tasks) => longTasks.push(...tasks)", tasks)
            table.add(name, times)
        for name in FILTERS:
            table.add(f"filter by {name}", chosen(page, name, rounds))
        table.add("open a call", opened(page, rounds))
        table.add(f"50 calls more, {PAGES} times", paged(page))
        table.add(f"a frame, scrolling {watched.rows()} rows", scrolled(page))
        page.evaluate("scrollTo(0, 0)")
        table.add("a frame, live for 10 s", page.evaluate("frames(() => new Promise((over) => setTimeout(over, 10000)))"))
        assert not watched.wrong, watched.wrong


main()
