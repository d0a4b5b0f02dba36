"""Sharing: pictures, animations, embedding in another page, and links."""

import re
import struct
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.browser.conftest import COMMAND, NewPage, every_width
from tests.support.page_driver import assert_accessible, open_page

GAME = "#/play/fanorona?turns=d3-e3A_d4-d3A_e1-d2A-d1W"


def shared(page: Page, link: str = GAME) -> Page:
    """Open the dialog of a game, with its picture drawn."""
    open_page(page, link)
    page.click(".actions .share")
    expect(page.locator("dialog .picture .preview")).to_have_attribute("src", re.compile("^blob:"))
    return page


def saved(page: Page, selector: str) -> bytes:
    with page.expect_download() as download:
        page.click(selector)
    return Path(download.value.path()).read_bytes()


def png(data: bytes) -> tuple[int, int, set[bytes]]:
    """Return the size of a picture, and its lines as they are packed."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (depth, kind) == (8, 6)
    at, packed = 8, b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + size]
        at += size + 12
    lines = zlib.decompress(packed)
    step = 4 * width + 1
    assert len(lines) == step * height
    return width, height, {lines[k : k + step] for k in range(0, len(lines), step)}


def test_a_picture_of_the_position(new_page: NewPage) -> None:
    page = shared(new_page())
    width, height, lines = png(saved(page, "dialog .picture .png"))
    drawn = saved(page, "dialog .picture .svg").decode()
    whole = ElementTree.fromstring(drawn)
    assert (width, height) == (2 * int(whole.attrib["width"]), 2 * int(whole.attrib["height"]))
    assert len(lines) > 100
    assert "Fanorona · move 3: e1-d2A-d1W" in drawn
    assert "White: Player 1 · Black: Player 2" in drawn
    page.uncheck("dialog .checkbox input")
    bare = saved(page, "dialog .picture .svg").decode()
    assert "Fanorona" not in bare
    assert png(saved(page, "dialog .picture .png"))[1] < height
    # It needs nothing else: no style sheet, no other file, and nothing that is for the player.
    for text in (drawn, bare):
        assert not re.search(r"var\(|<style|<script|@import|<image|\bon\w+=", text)
        assert set(re.findall(r"https?://[^\"]*", text)) == {"http://www.w3.org/2000/svg"}
        assert all(name in text for name in re.findall(r"url\(&quot;#([\w-]+)", text))
        assert "target" not in text
        assert "source" not in text
    state = page.request.post(
        "/api/v1/state", data={"game": "fanorona", "turns": ["d3-e3A", "d4-d3A", "e1-d2A-d1W"]}
    ).json()
    assert bare.count('class="pawn ') == len(state["cells"])


def test_a_picture_shows_the_board_as_displayed(new_page: NewPage) -> None:
    page = open_page(new_page(theme="light"), GAME)
    drawn = {}
    for name in ("light", "dark", "flipped"):
        if name == "dark":
            page.click(".top .theme")
        if name == "flipped":
            page.keyboard.press("f")
        page.click(".actions .share")
        drawn[name] = saved(page, "dialog .picture .svg").decode()
        page.keyboard.press("Escape")
    assert len(set(drawn.values())) == 3
    # The rank that is drawn first, at the top.
    names = {name: re.findall(r">(\d)</text>", text)[0] for name, text in drawn.items()}
    assert names == {"light": "5", "dark": "5", "flipped": "1"}


def test_a_picture_is_copied(new_page: NewPage) -> None:
    page = shared(new_page(permissions=["clipboard-read", "clipboard-write"]))
    page.click("dialog .copy-picture")
    expect(page.locator("dialog .copy-picture")).to_have_text("Copied")
    kinds = page.evaluate("navigator.clipboard.read().then(([one]) => one.types)")
    assert kinds == ["image/png"]


def test_a_picture_is_shared_with_another_program(new_page: NewPage) -> None:
    page = new_page(390, 844, has_touch=True, is_mobile=True)
    page.add_init_script(
        """navigator.canShare = ({ files }) => files.length === 1;
        navigator.share = async ({ files: [file] }) => {
            document.body.dataset.handed = `${file.name} ${file.size}`;
        };"""
    )
    shared(page)
    page.click("dialog .picture .send")
    expect(page.locator("body")).to_have_attribute(
        "data-handed", re.compile(r"^fanorona\.png \d{4,}$")
    )


# The browser's own decoder, which refuses what is not as it should be.
DECODE = """async (bytes) => {
    const decoder = new ImageDecoder({ data: Uint8Array.from(bytes).buffer, type: 'image/gif' });
    await Promise.all([decoder.completed, decoder.tracks.ready]);
    const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
    const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const frames = [];
    for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
        const { image } = await decoder.decode({ frameIndex });
        const { displayWidth: width, displayHeight: height } = image;
        Object.assign(pen.canvas, { width, height });
        pen.drawImage(image, 0, 0);
        const { data } = pen.getImageData(0, 0, width, height);
        let sum = 0;
        const colours = new Set();
        for (let i = 0; i < data.length; i += 4) {
            sum = (sum * 31 + data[i] + 3 * data[i + 1] + 7 * data[i + 2]) % 1000003;
            colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        }
        frames.push({ width, height, sum, colours: colours.size, ms: image.duration / 1000 });
    }
    return { frames, repetitionCount };
}"""


def animation(page: Page, pace: str) -> tuple[dict[str, Any], bytes]:
    page.select_option("dialog select[name=pace]", pace)
    page.click("dialog .animate")
    expect(page.locator("dialog .result .preview")).to_be_visible(timeout=60_000)
    data = saved(page, "dialog .result .gif")
    found: dict[str, Any] = page.evaluate(DECODE, list(data))
    return found, data


def test_an_animation_of_the_game_so_far(new_page: NewPage) -> None:
    page = shared(new_page(), GAME + "&at=2")
    page.click("dialog .animation summary")
    found, data = animation(page, "usual")
    frames = found["frames"]
    assert data.startswith(b"GIF89a")
    assert data.endswith(b"\x3b")
    assert found["repetitionCount"] == float("inf") or found["repetitionCount"] is None
    assert [frame["ms"] for frame in frames] == [900, 900, 2900]  # up to here, and no further
    assert {(frame["width"], max(frame["width"], frame["height"])) for frame in frames} == {
        (600, 600)
    }
    assert len({frame["sum"] for frame in frames}) == 3
    assert all(8 < frame["colours"] < 256 for frame in frames)
    fast, _ = animation(page, "fast")
    assert [frame["ms"] for frame in fast["frames"]] == [450, 450, 2450]


def test_a_frame_of_an_animation_shows_what_the_picture_shows(new_page: NewPage) -> None:
    """Only what changes is written: what is left must be what was there."""
    page = shared(new_page(), GAME)
    page.click("dialog .animation summary")
    page.click("dialog .animate")
    expect(page.locator("dialog .result .preview")).to_be_visible(timeout=60_000)
    data = saved(page, "dialog .result .gif")
    far = page.evaluate(
        """async ({ bytes, last }) => {
            const data = Uint8Array.from(bytes).buffer;
            const decoder = new ImageDecoder({ data, type: 'image/gif' });
            await decoder.completed;
            const { image } = await decoder.decode({ frameIndex: last });
            const picture = document.querySelector('dialog .picture .preview');
            const [width, height] = [image.displayWidth, image.displayHeight];
            const points = [image, picture].map((one) => {
                const pen = new OffscreenCanvas(width, height).getContext('2d');
                pen.drawImage(one, 0, 0, width, height);
                return pen.getImageData(0, 0, width, height).data;
            });
            let off = 0;
            for (let i = 0; i < points[0].length; i += 4) {
                const apart = [0, 1, 2].map((c) => Math.abs(points[0][i + c] - points[1][i + c]));
                if (Math.max(...apart) > 64) off++;
            }
            return off / (width * height);
        }""",
        {"bytes": list(data), "last": 4},
    )
    assert far < 0.02  # edges are smoothed otherwise


def test_an_animation_can_be_cancelled(new_page: NewPage) -> None:
    page = shared(new_page())
    page.evaluate(
        """() => {
            HTMLImageElement.prototype.decode = () => new Promise((done) => {
                window.go = done;
                document.body.dataset.held = 'yes';
            });
        }"""
    )
    page.click("dialog .animation summary")
    page.click("dialog .animate")
    expect(page.locator("dialog .result progress")).to_be_visible()
    expect(page.locator("dialog .animate")).to_be_disabled()
    page.wait_for_selector("body[data-held]", state="attached")
    page.click("dialog .cancel")
    page.evaluate("window.go()")
    expect(page.locator("dialog .result progress")).to_have_count(0)
    expect(page.locator("dialog .animate")).to_be_enabled()
    expect(page.locator("dialog .result .message")).to_be_empty()


@every_width
def test_the_dialog_fits_and_is_accessible(new_page: NewPage, width: int, lang: str) -> None:
    page = shared(new_page(width, 800, lang=lang, theme="dark" if lang == "fr" else "light"))
    for part in ("animation", "record", "embed", "import"):
        page.click(f"dialog .{part} summary")
        expect(page.locator(f"dialog .{part}")).to_have_attribute("open", "")
        assert page.locator("dialog").evaluate("box => box.scrollWidth <= box.clientWidth")
        assert_accessible(page)
    assert "⟨" not in page.content()


# ---- addresses -----------------------------------------------------------------------------------


@pytest.fixture
def public() -> Iterator[str]:
    """The address of a server that knows where others find it."""
    options = ["--port", "8750", "--no-browser", "--public-url", "https://games.example/damier"]
    server = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "web", *options], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    line = server.stdout.readline()
    yield next(word for word in line.split() if word.startswith("http"))
    server.terminate()
    server.wait(10)
    server.stdout.close()


def test_links_lead_to_the_public_address(public: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{public}{GAME}")
    page.click(".actions .share")
    link = page.locator("dialog input[name=link]")
    expect(link).to_have_value(f"https://games.example/damier/{GAME}")
    expect(page.locator("dialog .reach-note")).to_have_count(0)
    page.click("dialog .embed summary")
    code = page.locator("dialog textarea[name=embed]").input_value()
    asked = "theme=auto&amp;lang=en&amp;board=wood&amp;pieces=turned"
    assert f'src="https://games.example/damier/embed.html?{asked}#/play/' in code


def test_an_address_says_who_can_open_it(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    hosts = {
        "local": ["localhost", "a.localhost", "127.0.0.1", "127.1.2.3", "[::1]", "0.0.0.0"],
        "network": [
            *["192.168.1.20", "10.0.0.7", "172.16.0.1", "172.31.9.9", "169.254.1.1"],
            *["[fe80::1]", "[fd00::1]", "laptop", "laptop.local", "nas.lan"],
        ],
        "": [
            "games.example",
            "172.32.0.1",
            "11.0.0.1",
            "8.8.8.8",
            "[2001:db8::1]",
            "10.example.org",
        ],
    }
    for kind, names in hosts.items():
        found = page.evaluate(
            """async (names) => {
                const { hostReach } = await import('/static/share/public-address.js');
                return names.map((name) => hostReach(name));
            }""",
            names,
        )
        assert found == [kind] * len(names)


# ---- in a frame ----------------------------------------------------------------------------------


class Blog(BaseHTTPRequestHandler):
    """A page of another site that shows one of ours."""

    def __init__(self, shown: list[str], *more: Any) -> None:
        self.shown = shown
        super().__init__(*more)

    def do_GET(self) -> None:
        body = f"<!doctype html><title>Blog</title>{self.shown[0]}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *said: Any) -> None:
        pass


@pytest.fixture
def blog() -> Iterator[tuple[str, list[str]]]:
    """The address of another site, and what its page shows."""
    shown = [""]
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Blog, shown)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://localhost:{server.server_address[1]}/", shown
        server.shutdown()


def framed(page: Page, blog: tuple[str, list[str]], code: str) -> FrameLocator:
    where, shown = blog
    shown[0] = code
    page.goto(where)
    frame = page.frame_locator("iframe")
    expect(frame.locator(".viewer, .wrong")).to_be_visible()
    return frame


def test_the_lines_to_copy_show_a_game_on_another_site(
    new_page: NewPage, blog: tuple[str, list[str]]
) -> None:
    page = shared(new_page(), GAME + "&at=1")
    page.click("dialog .embed summary")
    code = page.locator("dialog textarea[name=embed]").input_value()
    frame = framed(page, blog, code)
    said = frame.locator(".feedback")
    expect(said).to_have_text("1/3 White played d3-e3A.")
    frame.get_by_role("button", name="One move forward").click()
    expect(said).to_have_text("2/3 Black played d4-d3A.")
    frame.get_by_role("button", name="Last").click()
    expect(said).to_have_text("3/3 White played e1-d2A-d1W.")
    expect(frame.get_by_role("button", name="One move forward")).to_be_disabled()
    expect(frame.locator(".pawn:not(.gone)")).to_have_count(37)
    frame.locator("body").press("Home")
    expect(said).to_have_text("White to move.")
    expect(frame.locator(".pawn:not(.gone)")).to_have_count(44)
    frame.locator("body").press("ArrowRight")
    expect(said).to_have_text("1/3 White played d3-e3A.")
    label = frame.locator("svg.drawing").get_attribute("aria-label") or ""
    assert label.startswith("White: ")
    assert "e3" in label.split(".")[0].split()
    frame.get_by_role("button", name="Play through").click()
    expect(said).to_have_text("3/3 White played e1-d2A-d1W.", timeout=20_000)
    expect(frame.get_by_role("button", name="Play through")).to_be_visible()
    with page.context.expect_page() as opened_:
        frame.get_by_role("link", name="Open in Damier").click()
    expect(opened_.value.locator(".turns .turn")).to_have_count(3)


def test_no_other_page_may_be_framed(
    browser: Browser, blog: tuple[str, list[str]], address: str
) -> None:
    page = browser.new_page()  # the console complains, as it should
    where, shown = blog
    for path in ("/", "/static/embed.html", "/api/v1/games"):
        shown[0] = f'<iframe src="{address}{path}"></iframe>'
        with page.expect_console_message(lambda said: "frame-ancestors" in said.text):
            page.goto(where)
    page.close()


def test_a_frame_needs_no_storage(
    new_page: NewPage, blog: tuple[str, list[str]], address: str
) -> None:
    page = new_page()
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', "
        "{ get() { throw new DOMException('denied', 'SecurityError'); } })"
    )
    source = f"{address}/embed.html?lang=fr&theme=dark{GAME}"
    code = f'<iframe src="{source}" sandbox="allow-scripts allow-same-origin"></iframe>'
    frame = framed(page, blog, code)
    expect(frame.locator(".feedback")).to_contain_text("e1-d2A-d1W")
    expect(frame.get_by_role("link", name="Ouvrir dans Damier")).to_be_visible()
    assert frame.locator("html").get_attribute("data-theme") == "dark"
    assert frame.locator("html").get_attribute("lang") == "fr"


@pytest.mark.parametrize("width", [200, 320, 480, 900])
@pytest.mark.parametrize("link", [GAME, "#/play/chefa?from=...../..b../...../..w../.....~w~-"])
def test_a_frame_of_any_width(new_page: NewPage, width: int, link: str) -> None:
    page = new_page(width, 420, theme="dark")
    page.goto(f"/embed.html?view=b{link}")
    expect(page.locator(".viewer")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.locator(".board").bounding_box()
    assert box is not None
    assert box["width"] > 140
    assert page.locator(".name", has_text=re.compile(r"\d")).first.text_content() == "1"
    assert_accessible(page)


def test_a_damaged_link_in_a_frame_says_so(new_page: NewPage) -> None:
    page = new_page(noise="400")
    page.goto("/embed.html?lang=en#/play/chefa?turns=b2_zz")
    expect(page.locator(".wrong")).to_contain_text("This link cannot be opened")
    expect(page.locator(".wrong")).to_contain_text("zz")


@pytest.mark.parametrize("link", ["#/play/chefa?turns=%", "#/play/chefa?%=1", "#/play/%E0%A4"])
def test_an_address_that_cannot_be_decoded_says_so(new_page: NewPage, link: str) -> None:
    """In a frame, and on the page, where the buttons of the frame still work."""
    page = new_page()
    page.goto(f"/embed.html?lang=en{link}")
    expect(page.locator(".wrong")).to_contain_text("characters that cannot be read")
    page.goto(f"/{link}")
    expect(page.locator("main")).to_contain_text("characters that cannot be read")
    page.click("header .appearance")
    expect(page.locator("dialog[open]")).to_be_visible()
