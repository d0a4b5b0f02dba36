"""A report of the lab: one file, opened without a network, in both languages."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

import damier
from damier import i18n
from damier.execution import SerialExecutor
from damier.lab import Report, Settings, html, run
from damier.search import warm
from tests.support.page_driver import assert_accessible


@pytest.fixture(scope="module")
def report(compiled: None) -> Report:
    """Return a small report with proved and measured values and every chart."""
    rules = damier.load_rules("chefa")
    warm(rules)
    return run(rules, Settings(seconds=0.1, strengths=("level:5",)), SerialExecutor())


@pytest.mark.parametrize("lang", i18n.LANGUAGES)
def test_a_report_is_complete_and_accessible(
    lang: str, report: Report, browser: Browser, tmp_path: Path
) -> None:
    i18n.set_language(lang)
    html.write(report, tmp_path / "report.html")
    page = browser.new_page(offline=True, viewport={"width": 390, "height": 800})
    problems: list[str] = []
    page.on("requestfailed", lambda request: problems.append(request.url))
    page.on("console", lambda message: problems.append(message.text))
    page.goto((tmp_path / "report.html").as_uri())
    assert page.locator("section").count() == len(report.sections)
    assert page.locator(".summary li").count() == len(report.summary) >= 3
    figures = sum(len(section.figures) for section in report.sections)
    compared = sum(len(grid.rows) for section in report.sections for grid in section.grids)
    assert page.locator("tbody tr").count() == figures + compared
    assert page.locator("img").count() == sum(len(section.charts) for section in report.sections)
    sizes = page.evaluate("[...document.images].map((image) => image.naturalWidth)")
    assert all(sizes)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert_accessible(page)
    assert not problems
    page.close()
