"""The page of the laboratory: the published report, and a short run with other rules."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage, every_width, mainly_on_server
from tests.support.page_driver import assert_accessible, open_page

RUN_MS = 240_000  # for a short run on a busy machine


def expect_report(page: Page) -> None:
    """Expect a complete report with pictures that are shown."""
    expect(page.locator(".report section h3")).to_have_count(5, timeout=RUN_MS)
    assert 3 <= page.locator(".summary li").count() <= 6
    assert page.locator(".report img").count() >= 4
    assert all(
        page.evaluate("[...document.querySelectorAll('.report img')].map((i) => i.naturalWidth)")
    )
    assert "⟨" not in page.content()


@every_width
@pytest.mark.parametrize("new_page", ["server"], indirect=True)
def test_the_published_report_fits_and_is_accessible(
    new_page: NewPage, width: int, lang: str
) -> None:
    page = open_page(new_page(width, 800, lang=lang), "#/rules/chefa")
    page.click("a[href='#/lab/chefa']")
    expect_report(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(page)


@mainly_on_server
def test_a_short_run_reports_on_other_rules(new_page: NewPage) -> None:
    page = open_page(new_page(390, 800), "#/lab/chefa?line=contiguous")
    expect(page.locator(".report section")).to_have_count(0)
    expect(page.locator("select[name=line]")).to_have_value("contiguous")
    page.click(".run button.main")
    expect(page.locator(".run progress")).to_be_visible()
    expect(page.locator(".run .feedback")).to_contain_text("s left", timeout=RUN_MS)
    expect_report(page)
    expect(page.locator(".run .feedback")).to_contain_text("report of the short run")
    expect(page.locator(".report")).to_contain_text("line=contiguous")


@mainly_on_server
def test_a_short_run_can_be_stopped(new_page: NewPage) -> None:
    page = open_page(new_page(390, 800), "#/lab/seega?stall=20")
    page.click(".run button.main")
    expect(page.locator(".run .feedback")).to_contain_text("s left", timeout=RUN_MS)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".run .feedback")).to_contain_text("stopped")
    expect(page.locator(".run progress")).to_be_hidden()
    expect(page.locator(".report section")).to_have_count(0)
