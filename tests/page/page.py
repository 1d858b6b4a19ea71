#!/usr/bin/env python3
"""The page in a real browser, and the counters in a real parser.

usage: page.py TOOLMEND [FOLDER]

TOOLMEND is the program to start. Screenshots go to FOLDER, where one is named. Needs Chromium, and the
packages `playwright` and `prometheus_client`; says so and ends well where they are missing.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request


def skip(reason):
    print(f"page: skipped: {reason}")
    sys.exit(0)


try:
    from playwright.sync_api import sync_playwright
    from prometheus_client.parser import text_string_to_metric_families
except ImportError as missing:
    skip(f"{missing.name} is not installed (pip install playwright prometheus_client)")
CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
if CHROMIUM is None:
    skip("no Chromium is installed")


class Demo:
    """The proxy with its demo, until the end of the block."""

    def __init__(self, program):
        command = [program, "--color", "never", "proxy", "--demo", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
        self.started = time.monotonic()
        # The settings of whoever runs this must not matter.
        self.folder = tempfile.mkdtemp()
        self.log = open(os.path.join(self.folder, "log"), "w+")
        self.process = subprocess.Popen(command, stderr=self.log, cwd=self.folder)
        self.url = self.wait_for(r"watch it on (http://\S+)")

    def wait_for(self, pattern):
        for _ in range(200):
            self.log.seek(0)
            found = re.search(pattern, self.log.read())
            if found:
                return found.group(1)
            time.sleep(0.05)
        raise AssertionError(f"the proxy did not say {pattern}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)
        self.log.seek(0)
        said = self.log.read()
        assert "kept:" in said and "mended" in said, f"no summary at the end:\n{said}"
        self.log.close()
        shutil.rmtree(self.folder)


class Watched:
    """A page that notes what must not happen."""

    def __init__(self, context, url):
        self.page = context.new_page()
        self.wrong = []
        self.page.on("console", lambda message: message.type in ("error", "warning") and self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: request.url.startswith((url, "blob:", "data:")) or self.wrong.append(request.url))
        self.page.goto(url)

    def rows(self):
        return self.page.locator("#rows tr").count()

    def wait(self, condition, what, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"waited {seconds} s for {what}")


def check(name, run, *arguments):
    run(*arguments)
    print(f"page: {name} ok")


def mended_within_ten_seconds(watched, demo):
    watched.wait(lambda: watched.page.locator("#rows .is-mended").count() > 0, "a mended call")
    took = time.monotonic() - demo.started
    assert took < 10, f"the first mended call was on the page after {took:.1f} s"


def live_update(watched):
    before = watched.rows()
    watched.wait(lambda: watched.rows() > before, "another call")
    tile = lambda: watched.page.locator("#tiles dd").first.inner_text()
    was = tile()
    watched.wait(lambda: tile() != was, "the numbers to follow")


def pausing(watched):
    watched.page.click("#live")
    watched.page.wait_for_timeout(500)
    before = watched.rows()
    watched.page.wait_for_timeout(1500)
    assert watched.rows() == before, "calls came while it was paused"
    watched.page.click("#live")


def filters(watched):
    page = watched.page
    page.select_option("[name=outcome]", "mended")
    watched.wait(lambda: "outcome=mended" in page.url, "the filter in the URL")
    page.wait_for_timeout(800)
    badges = set(page.locator("#rows .badge").all_inner_texts())
    assert badges == {"mended"}, badges
    page.reload()
    watched.wait(lambda: watched.rows() > 0, "calls after a reload")
    assert page.input_value("[name=outcome]") == "mended"
    page.locator("#rules .tally button").first.click()
    watched.wait(lambda: "rule=" in page.url, "a rule in the URL")
    page.click("#clear")
    watched.wait(lambda: "outcome" not in page.url, "no filter in the URL")


def runs(case, program):
    """The case that two clicks made says what comes out of its line, as the tests of cases/line want it."""
    block = lambda name: re.search(rf"^(`{{3,}}){name}\n(.*?)\n\1$", case, re.M | re.S).group(2)
    line = json.dumps(json.loads(block("line")))
    out = subprocess.run([program, "fix", "--jsonl"], input=line, text=True, capture_output=True).stdout
    assert json.loads(out) == json.loads(block("out")), case


def focus_stays(watched):
    """Numbers are drawn anew while calls come; the keyboard stays where it was."""
    page = watched.page
    page.locator("#models button").first.focus()
    name = page.evaluate("document.activeElement.dataset.name")
    tile = lambda: page.locator("#tiles dd").first.inner_text()
    was = tile()
    watched.wait(lambda: tile() != was, "the numbers to follow")
    assert page.evaluate("document.activeElement.dataset.name") == name, "the focus is lost"


def detail_and_case(watched, folder, program):
    page = watched.page
    page.select_option("[name=outcome]", "mended")
    watched.wait(lambda: set(page.locator("#rows .badge").all_inner_texts()) == {"mended"}, "mended calls")
    page.locator("#rows .open").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open] pre")
    assert "call=" in page.url
    text = page.locator("dialog").inner_text()
    for words in ("What the model wrote", "What was delivered"):
        assert words in text, text
    with page.expect_download() as download:
        page.click("text=Save as case")
    path = download.value.path()
    case = open(path).read()
    assert case.startswith("# "), case
    runs(case, program)
    page.wait_for_selector("dialog >> text=Saved")
    if folder:
        page.screenshot(path=f"{folder}/detail.png")
    page.keyboard.press("Escape")
    watched.wait(lambda: "call=" not in page.url, "the sheet to close")
    page.click("#clear")


def for_everyone(watched):
    page = watched.page
    bad = page.evaluate("""() => {
      const named = (e) => (e.labels?.length || e.getAttribute('aria-label') || e.textContent.trim() || e.title);
      return [...document.querySelectorAll('button, select, a')].filter((e) => !named(e)).map((e) => e.outerHTML);
    }""")
    assert not bad, f"without a name: {bad}"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement !== document.body"), "the keyboard goes nowhere"


def counters(demo):
    body = urllib.request.urlopen(f"{demo.url}/metrics").read().decode()
    found = {family.name: family for family in text_string_to_metric_families(body)}
    calls = sum(sample.value for sample in found["toolmend_calls"].samples)
    assert calls > 0, body
    assert found["toolmend_work_seconds"].type == "histogram", body
    assert {sample.labels["fate"] for sample in found["toolmend_store_turns"].samples} >= {"written", "dropped"}


def main():
    program = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    if folder:
        os.makedirs(folder, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 1000}, accept_downloads=True)
        # A browser that is open already: the time to start it is not the demo's.
        context.new_page().goto("about:blank")
        look(program, context, folder)
        browser.close()
    print("page: 8 passed, 0 failed")


def look(program, context, folder):
    with Demo(program) as demo:
        watched = Watched(context, demo.url)
        check("a mended call within ten seconds", mended_within_ten_seconds, watched, demo)
        check("live update", live_update, watched)
        check("pausing", pausing, watched)
        check("filters in the URL", filters, watched)
        check("detail and save as case", detail_and_case, watched, folder, program)
        check("the keyboard stays while numbers change", focus_stays, watched)
        check("keyboard and names", for_everyone, watched)
        check("counters", counters, demo)
        if folder:
            watched.page.evaluate("scrollTo(0, 0)")
            watched.page.screenshot(path=f"{folder}/page.png")
            watched.page.emulate_media(color_scheme="dark")
            watched.page.screenshot(path=f"{folder}/page-dark.png")
            watched.page.set_viewport_size({"width": 420, "height": 900})
            watched.page.screenshot(path=f"{folder}/page-narrow.png")
        assert not watched.wrong, f"errors, or requests to elsewhere: {watched.wrong}"


main()
