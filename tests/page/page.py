#!/usr/bin/env python3
"""The page in a real browser, and the counters in a real parser.

usage: page.py TOOLMEND [FOLDER]

TOOLMEND is the program to start. Screenshots go to FOLDER, where one is named. Needs the packages of
`requirements.lock`, and Chromium or a way to fetch it; says what is missing and ends well.
"""
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request

from browser import Browser, Proxy, Watched, free_port, skip

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError as missing:
    skip(f"{missing.name} is not installed (pip install prometheus_client)")

passed = 0


def check(name, run, *arguments):
    global passed
    run(*arguments)
    passed += 1
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
    out = subprocess.run([program, "fix", "--jsonl"], input=line, text=True, capture_output=True, timeout=20).stdout
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


def keyboard(watched):
    """From the top to a call, into it and back, without a mouse."""
    page = watched.page
    focused = lambda what: page.evaluate(f"document.activeElement.{what}")
    page.reload()
    watched.wait(lambda: watched.rows() > 0, "calls")
    page.keyboard.press("Tab")
    assert focused("className") == "skip", "the first thing is no way past the filters"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.locator("#live-word").inner_text() == "Paused"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert focused("id") == "calls", "the skip link leads nowhere"
    page.keyboard.press("Tab")
    call = focused("dataset.name")
    assert focused("className") == "open", "no call after the skip link"
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    assert focused("textContent") == "Close", "the focus is not in the sheet"
    for _ in range(30):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')"), "the focus left the sheet"
    page.keyboard.press("Escape")
    watched.wait(lambda: page.locator("dialog[open]").count() == 0, "the sheet to close")
    assert focused("dataset.name") == call, "the focus is not where it was"
    page.locator("[name=outcome]").focus()
    page.keyboard.type("men")
    watched.wait(lambda: "outcome=mended" in page.url, "a filter by typing")
    page.locator("#clear").focus()
    page.keyboard.press("Space")
    watched.wait(lambda: "outcome" not in page.url, "no filter")
    page.click("#live")


# Text whose colour is too near to what is behind it (WCAG 2.2, 1.4.3).
FAINT = """() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((part, at) => (part * a + under[at] * (255 - a)) / 255);
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reduceRight((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faint = new Map();
  for (const element of document.querySelectorAll("body *")) {
    const style = getComputedStyle(element);
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText || !element.checkVisibility() || element.closest(".hidden, .skip")) continue;
    const ground = behind(element);
    const ink = over(rgba(element instanceof SVGElement ? style.fill : style.color), ground);
    const [high, low] = [light(ink), light(ground)].sort((one, other) => other - one);
    const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < (isLarge ? 3 : 4.5)) faint.set(`${element.localName}.${element.getAttribute("class")}`, contrast.toFixed(2));
  }
  return [...faint].map((pair) => pair.join(" "));
}"""


def legible(watched):
    """Light and dark, the page and a call: every text stands out."""
    page = watched.page
    grounds = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        grounds.add(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
        faint = page.evaluate(FAINT)
        page.locator("#rows .open").first.click()
        page.wait_for_selector("dialog[open]")
        faint += page.evaluate(FAINT)
        page.keyboard.press("Escape")
        assert not faint, f"hard to read when it is {scheme}: {faint}"
    assert len(grounds) == 2, "light and dark are the same"
    page.emulate_media(color_scheme="light")


def narrow(watched):
    """On a telephone nothing is wider than the screen."""
    page = watched.page
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    sheet = "document.querySelector('.sheet').scrollWidth - document.querySelector('.sheet').clientWidth"
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_timeout(1500)
    assert page.evaluate(wide) <= 0, "the page is wider than the screen"
    page.locator("#rows .open").first.click()
    page.wait_for_selector("dialog[open]")
    assert page.evaluate(sheet) <= 0 and page.evaluate(wide) <= 0, "the sheet is wider than the screen"
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 1000})


# What the browser itself says of a server that is away.
AWAY = re.compile(r"Failed to load resource: net::ERR_\w+$")


def comes_back(program, context):
    """The proxy goes and comes back: the page says so, and shows what came in between."""
    admin = f"127.0.0.1:{free_port()}"
    with Stub(lambda _: call("set_lamp", {"room": "hall"})) as server, \
            Proxy(program, "--store", "calls.db", admin=admin, upstream=server.url) as proxy:
        ask(proxy, "set_lamp", {"room": {"type": "string"}})
        watched = Watched(context, proxy.url)
        page = watched.page
        watched.wait(lambda: watched.rows() == 1, "the first call")
        page.evaluate("window.isSamePage = true")
        proxy.stop()
        watched.wait(lambda: page.locator("#live-word").inner_text() == "Waiting for the proxy", "the page to say so")
        assert "cannot be reached" in page.locator("#notices").inner_text()
        # Another proxy with the same store, whose page nobody watches.
        with Proxy(program, "--store", f"{proxy.folder}/calls.db", upstream=server.url) as other:
            ask(other, "set_lamp", {"room": {"type": "string"}})
            ask(other, "set_lamp", {"room": {"type": "string"}})
        assert watched.rows() == 1
        proxy.start()
        watched.wait(lambda: watched.rows() == 3, "what came in between")
        assert page.locator("#live-word").inner_text() == "Live"
        assert not page.locator("#notices").inner_text()
        ask(proxy, "set_lamp", {"room": {"type": "string"}})
        watched.wait(lambda: watched.rows() == 4, "what comes now")
        watched.wait(lambda: page.locator("#tiles dd").first.inner_text() == "4", "the numbers to follow")
        assert page.evaluate("window.isSamePage"), "the page was loaded anew"
        wrong = [words for words in watched.wrong if not AWAY.match(words)]
        assert not wrong, wrong
        page.close()
        # Whoever ends the block wants a call that was mended.
        server.say = lambda _: call("set_lamp", "{'room': 'hall',}")
        ask(proxy, "set_lamp", {"room": {"type": "string"}})


def asked_again(program, context, folder):
    """A turn for which the model was asked again tells what was asked and what came of it."""
    def say(asked):
        is_first = len(asked["messages"]) == 1
        return call("close_ticket", {"ticket": "the lamp" if is_first else "LAMP-7"})
    with Stub(say) as server, Proxy(program, "--store", "calls.db", "--keep", "failures", upstream=server.url) as proxy:
        reply = ask(proxy, "close_ticket", {"ticket": {"type": "string", "pattern": "^[A-Z]+-[0-9]+$"}})
        assert "LAMP-7" in reply, reply
        watched = Watched(context, proxy.url)
        page = watched.page
        watched.wait(lambda: "100 % helped" in page.locator("#tiles").inner_text(), "that asking helped")
        page.locator("#rows .open").first.click()
        page.wait_for_selector("dialog .story")
        told = page.locator("dialog").inner_text()
        for words in ("asked again once", "What happened", "It was asked for a call that the tool accepts", "What it wrote then"):
            assert words in told, f"no {words!r} in:\n{told}"
        steps = page.locator("dialog .story > li").all_inner_texts()
        assert len(steps) == 2 and "the lamp" in steps[0] and "LAMP-7" in steps[1], steps
        if folder:
            page.screenshot(path=f"{folder}/asked.png")
        assert not watched.wrong, watched.wrong
        page.close()
        server.say = lambda _: call("close_ticket", "{'ticket': 'LAMP-7',}")
        ask(proxy, "close_ticket", {"ticket": {"type": "string"}})


class Stub:
    """A model server that says what it is told to, until the end of the block."""

    def __init__(self, say):
        stub = self
        self.say = say

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                body = json.dumps(stub.say(asked)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def call(name, arguments):
    """A reply of Chat Completions with one call."""
    arguments = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": arguments}
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    return {"id": "chat-1", "object": "chat.completion", "created": 0, "model": "stub",
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


def ask(proxy, tool, properties):
    """Sends a request with one tool through the proxy."""
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    body = {"model": "stub", "messages": [{"role": "user", "content": "Go."}],
            "tools": [{"type": "function", "function": {"name": tool, "parameters": parameters}}]}
    request = urllib.request.Request(f"{proxy.address}/v1/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"})
    return urllib.request.urlopen(request, timeout=10).read().decode()


def counters(demo):
    body = urllib.request.urlopen(f"{demo.url}/metrics", timeout=10).read().decode()
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
    with Browser() as context:
        look(program, context, folder)
        check("it goes on when the proxy is back", comes_back, program, context)
        check("a turn that was asked again", asked_again, program, context, folder)
    print(f"page: {passed} passed, 0 failed")


def look(program, context, folder):
    with Proxy(program) as demo:
        watched = Watched(context, demo.url)
        check("a mended call within ten seconds", mended_within_ten_seconds, watched, demo)
        check("live update", live_update, watched)
        check("pausing", pausing, watched)
        check("filters in the URL", filters, watched)
        check("detail and save as case", detail_and_case, watched, folder, program)
        check("the keyboard stays while numbers change", focus_stays, watched)
        check("names for who cannot see", for_everyone, watched)
        check("without a mouse", keyboard, watched)
        check("light and dark", legible, watched)
        check("a narrow screen", narrow, watched)
        check("counters", counters, demo)
        if folder:
            shoot(watched, folder)
        assert not watched.wrong, f"errors, or requests to elsewhere: {watched.wrong}"
        watched.page.close()


def shoot(watched, folder):
    page = watched.page
    page.evaluate("scrollTo(0, 0)")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (1280, 400):
            page.set_viewport_size({"width": width, "height": 1000})
            page.wait_for_timeout(1500)
            page.screenshot(path=f"{folder}/page-{scheme}-{width}.png")
            page.locator("#rows .open").first.click()
            page.wait_for_selector("dialog[open]")
            page.screenshot(path=f"{folder}/call-{scheme}-{width}.png")
            page.keyboard.press("Escape")


main()
