"""A walk through every page in both languages: no missing text or value, and readable buttons."""

import re

import pytest
from playwright.sync_api import Page

from damier.games import GAMES
from tests.browser.conftest import NewPage
from tests.support.page_driver import open_page, settle

PLAY = {
    "chefa": "turns=b2_d4_b3_d3_a1_e1_c5_a4",
    "badia": "from=w.ww./.%23%23%23w/b%23b%23./.%23%23%23w/.b.bb~w~e2~c3~-",
    "seega": "turns=a1+b2_c2+c4",
    "fraha": "",
    "fanorona": "turns=d3-e3A",
}

MISSING = re.compile(r"⟨|\b(undefined|NaN|null|Infinity)\b|\[object|[{}]")

# Texts that people see or hear: of elements, and their labels, titles and placeholders.
TEXTS = """() => {
    const texts = [document.title, document.body.innerText];
    for (const element of document.querySelectorAll('body *')) {
        if (!element.checkVisibility()) continue;
        for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'value'])
            if (element.hasAttribute(name)) texts.push(element.getAttribute(name));
        if (element.matches('svg *') && element.tagName === 'text') texts.push(element.textContent);
        if (element.matches('.visually-hidden')) texts.push(element.textContent);
    }
    return texts;
}"""

# Buttons whose text or icon hardly differs from what is behind it (WCAG: 4.5 for text,
# 3 for icons).
UNREADABLE = """() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const over = ([r, g, b, a], under) =>
        [r, g, b].map((c, k) => (c * a + under[k] * (255 - a)) / 255);
    const light = (colour) => {
        const [r, g, b] = colour.map((c) => {
            const part = c / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
        if (!element) return [255, 255, 255];
        const { backgroundColor, backgroundImage } = getComputedStyle(element);
        const under = ground(element.parentElement);
        const plain = over(rgba(backgroundColor), under);
        return backgroundImage === 'none' || rgba(backgroundColor)[3] ? plain : under;
    };
    const bad = [];
    for (const button of document.querySelectorAll('button, a.button')) {
        if (button.matches('.cell, :disabled')) continue;
        if (!button.checkVisibility({ opacityProperty: true })) continue;
        const box = button.getBoundingClientRect();
        const text = button.innerText.trim();
        const icon = button.querySelector('svg, img, i');
        const name = button.getAttribute('aria-label') ?? text;
        if (!box.width || !box.height || box.width < 8) continue;
        if (!text && !icon) bad.push(`${button.className}: blank`);
        const walker = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
        const parts = [];
        while (walker.nextNode())
            if (walker.currentNode.data.trim()) parts.push(walker.currentNode.parentElement);
        for (const part of parts.length ? parts : [button]) {
            if (!part.checkVisibility() || part.closest('.visually-hidden')) continue;
            const under = ground(part);
            const a = light(over(rgba(getComputedStyle(part).color), under));
            const b = light(under);
            const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (contrast < (text ? 4.5 : 3))
                bad.push(`${name} (${button.className}): ${contrast.toFixed(2)}`);
        }
        const label = button.querySelector('span:not(.visually-hidden)');
        const shown = label?.getBoundingClientRect();
        // A label that lies outside its button is invisible or cut.
        if (shown?.width && (shown.right > box.right + 2 || shown.left < box.left - 2))
            bad.push(`${name} (${button.className}): cut`);
    }
    return bad;
}"""

# Buttons that something else covers, at their middle when they are scrolled into sight.
COVERED = """() => {
    const bad = [];
    const [x, y] = [scrollX, scrollY];
    for (const button of (document.querySelector('dialog[open]') ?? document).querySelectorAll(
        'button, a.button, input, select, summary')) {
        if (button.matches('.cell, :disabled')) continue;
        if (!button.checkVisibility({ opacityProperty: true })) continue;
        button.scrollIntoView({ block: 'center', behavior: 'instant' });
        const box = button.getBoundingClientRect();
        if (box.width < 8) continue; // for the keyboard only
        const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        if (hit !== button && !button.contains(hit) && hit?.closest('label')?.control !== button)
            bad.push(`${button.className || button.name || button.innerText} is under
                ${hit?.outerHTML.slice(0, 100)}`);
    }
    scrollTo(x, y);
    return bad;
}"""

# Items of a menu that look different from the others, because a style of another page applies.
UNLIKE = """() => {
    const looks = [...document.querySelectorAll('.menu-list > button')].map((item) => {
        const style = getComputedStyle(item);
        const { display, textAlign, color, backgroundColor, padding, margin, maxWidth } = style;
        return [display, textAlign, color, backgroundColor, padding, margin, maxWidth].join();
    });
    return [...new Set(looks)].slice(1);
}"""


def check(page: Page, where: str) -> None:
    settle(page)
    for text in page.evaluate(TEXTS):
        found = MISSING.search(text or "")
        assert found is None, f"{where}: {text[max(0, found.start() - 80) : found.end() + 80]}"
    assert page.evaluate(UNREADABLE) == [], where
    assert page.evaluate(COVERED) == [], where
    assert page.evaluate(UNLIKE) == [], where


@pytest.mark.parametrize(("lang", "theme"), [("en", "light"), ("fr", "dark")])
@pytest.mark.parametrize("name", GAMES)
def test_every_page_of_a_game(new_page: NewPage, name: str, lang: str, theme: str) -> None:
    page = new_page(lang=lang, theme=theme)
    begun = PLAY[name]
    for link in (f"#/rules/{name}", f"#/setup/{name}", f"#/friend/{name}", f"#/learn/{name}/1"):
        open_page(page, link)
        check(page, link)
    open_page(page, f"#/play/{name}?{begun}&b=level:1&w=human" if begun else f"#/play/{name}")
    check(page, "game")
    page.click(".actions .menu")
    page.wait_for_selector(".menu-list")
    check(page, "menu")
    page.click("dialog .close")
    page.click(".actions .share")
    page.wait_for_selector("dialog .picture")
    check(page, "share")
    page.click("dialog .close")
    page.click(".actions .new")
    check(page, "new game")
    page.click(".actions .menu")
    page.click(".menu-list .choose")
    check(page, "choices")
    open_page(page, f"#/play/{name}?mode=study" + (f"&{begun}" if begun else ""))
    page.wait_for_selector(".values .turn")
    check(page, "analysis")
    page.click(".tabs .moves")
    page.wait_for_selector(".explorer tbody tr")
    check(page, "explorer")


@pytest.mark.parametrize(("lang", "theme"), [("en", "dark"), ("fr", "light")])
def test_every_common_page(new_page: NewPage, lang: str, theme: str) -> None:
    page = new_page(lang=lang, theme=theme)
    links = ["", "#/train", "#/train/day", "#/progress", "#/friend", "#/nowhere"]
    for link in links:
        open_page(page, link)
        check(page, link or "home")
    open_page(page, "#/play/chefa?mode=study&turns=b2_d4_b3_d3_a1_e1_c5_a4_b3-b4")
    page.click(".actions .review")
    page.wait_for_selector(".review h3")
    check(page, "review")
    page.click(".review .learn")
    page.wait_for_selector(".puzzles")
    check(page, "mistakes")
