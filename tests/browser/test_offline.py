"""A server's page during an outage: it opens, reports the outage, and shows the rules."""

from playwright.sync_api import expect

from tests.browser.conftest import HELD, NewPage
from tests.support.page_driver import open_page

# Which parts of addresses, and of the files that the page has loaded, are not kept in a minute.
MISSING = """async (wanted) => {
    const loaded = performance.getEntriesByType('resource').map(({ name }) => name.split('?')[0])
    const parts = [...wanted, ...loaded.filter((name) => name.includes('/static/'))]
    let missing = parts
    for (let tries = 0; missing.length && tries < 600; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        const kept = []
        for (const name of await caches.keys())
            for (const { url } of await (await caches.open(name)).keys()) kept.push(url)
        missing = parts.filter((part) => !kept.some((url) => url.includes(part)))
    }
    return missing
}"""


def test_the_rules_can_be_read_without_the_server(new_page: NewPage) -> None:
    page = open_page(new_page(lang="fr", service_workers="allow", noise="ERR_"), "")
    page.evaluate(HELD)
    wanted = ["rules/seega?in=fr", "v1/games", "texts/fr", "static/learn/rules-page.js?", "/?in="]
    assert page.evaluate(MISSING, wanted) == []
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("main h1")).to_have_text("Petits jeux de plateau")
    expect(page.locator(".server-unreachable")).to_contain_text("Le serveur ne répond pas")
    page.goto("#/rules/seega")
    expect(page.locator("main h1")).to_contain_text("Seega")
    expect(page.locator("main")).to_contain_text("met fin à la partie")
    page.context.set_offline(False)
    expect(page.locator(".server-unreachable")).to_be_hidden()
    open_page(page, "#/play/seega")
    expect(page.locator(".board.coordinates")).to_be_visible()
