"""What looks at the page share: a proxy that runs, and a browser that watches its page."""
import faulthandler
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time


# Whatever waits longer than this waits for something that does not come: say where, and end.
SECONDS_MAX = 600
faulthandler.dump_traceback_later(SECONDS_MAX, exit=True)
# One step of the browser may take so long.
STEP_MS_MAX = 20_000


def skip(reason):
    print(f"page: skipped: {reason}")
    sys.exit(0)


try:
    from playwright.sync_api import sync_playwright
except ImportError as missing:
    skip(f"{missing.name} is not installed (pip install playwright prometheus_client)")


def installed():
    return next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


def succeeds(*command):
    """Whether a command does what it should; shows what it says where it does not."""
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    if ran.returncode:
        print(ran.stdout + ran.stderr, file=sys.stderr)
    return ran.returncode == 0


def chromium():
    """A Chromium that is installed; else the one that playwright fetches, which it finds itself; else, where that cannot
    be reached and nobody has to be asked, the one of the system's packages."""
    if installed():
        return installed()
    if succeeds(sys.executable, "-m", "playwright", "install", "chromium"):
        return None
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("page: installing chromium by apt-get", file=sys.stderr)
        if succeeds("apt-get", "update") and succeeds("apt-get", "install", "-y", "chromium") and installed():
            return installed()
    skip("no Chromium is installed, and neither playwright nor apt-get could bring one")


CHROMIUM = chromium()


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Proxy:
    """The proxy, until the end of the block. Unless another server is named it has its demo."""

    def __init__(self, program, *arguments, admin="127.0.0.1:0", upstream=None):
        server = ["--upstream", upstream] if upstream else ["--demo"]
        self.command = [program, "--color", "never", "proxy", *server, "--listen", "127.0.0.1:0", "--admin", admin, *arguments]
        # The settings of whoever runs this must not matter.
        self.folder = tempfile.mkdtemp()
        self.start()

    def start(self):
        self.started = time.monotonic()
        self.log = open(os.path.join(self.folder, "log"), "w+")
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=self.log, cwd=self.folder)
        self.address = self.wait_for(r"listens on (http://\S+)\. Point")
        self.url = self.wait_for(r"See what is mended: (http://\S+)")

    def stop(self):
        """Ends it; gives all that it said."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5)
            raise AssertionError(f"the proxy does not end:\n{self.said()}") from None
        said = self.said()
        self.log.close()
        return said

    def wait_for(self, pattern):
        end = time.monotonic() + 20
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(pattern, self.said())
            if found:
                return found.group(1)
            time.sleep(0.05)
        self.process.kill()
        self.process.wait(5)
        raise AssertionError(f"the proxy did not say {pattern}:\n{self.said()}")

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        said = self.stop()
        # What the demo keeps for itself goes with it, and no line names it.
        has_place = "--store" in self.command
        assert ("kept:" in said) == has_place and "mended" in said, f"no summary at the end:\n{said}"
        shutil.rmtree(self.folder)


class Watched:
    """A page that notes what must not happen."""

    def __init__(self, context, url, path="/"):
        self.page = context.new_page()
        self.wrong = []
        self.page.on("console", lambda message: message.type in ("error", "warning") and self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: request.url.startswith((url, "blob:", "data:")) or self.wrong.append(request.url))
        self.page.goto(url + path)

    def rows(self):
        return self.page.locator("#rows tr").count()

    def wait(self, condition, what, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"waited {seconds} s for {what}")


class Browser:
    """Chromium, until the end of the block; gives a context to open pages in."""

    def __enter__(self):
        self.playwright = sync_playwright().start()
        self.chromium = self.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=60_000)
        context = self.chromium.new_context(viewport={"width": 1280, "height": 1000}, accept_downloads=True)
        context.set_default_timeout(STEP_MS_MAX)
        # A browser that is open already: the time to start it is not the demo's.
        context.new_page().goto("about:blank")
        return context

    def __exit__(self, *_):
        self.chromium.close()
        self.playwright.stop()
