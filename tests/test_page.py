"""The page of a report, as a browser shows it and as its reader uses it."""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import FOUND, ODD, PROBLEM, real_findings, shown

from tfnanlint import __version__
from tfnanlint.finding import Value
from tfnanlint.report.picture import bent, lanes_of, picture

ROOT = Path(__file__).parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_BROWSER = "the page is tested in Chromium: `apt-get install chromium`, or `python -m playwright install chromium`"
EVIL = "x = 1  # </pre><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\n"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The Chromium of this machine, or the one that Playwright brought."""
    from playwright.sync_api import Error, sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        try:
            opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        except Error as error:
            pytest.skip(f"{NO_BROWSER} ({str(error).splitlines()[0]})")
        yield opened
        opened.close()


def opened(browser: Any, **options: Any) -> Any:
    """A context of the browser that waits longer than usual: other tests keep the machine busy meanwhile."""
    context = browser.new_context(**options)
    context.set_default_timeout(120_000)
    return context


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page over real programs and over findings that are odd in every way."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    here = Path.cwd()
    os.chdir(ROOT)
    try:
        odd = [replace(found, evidence="<b>not bold</b> & `code`") for found in ODD]
        text = shown("html", *real_findings(), FOUND, *odd, code=EVIL * 6, problems=[PROBLEM], files=23)
    finally:
        os.chdir(here)
    path.write_text(text, encoding="utf-8")
    return path


class Reader:
    """Someone who reads the page."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def visible(self) -> list[str]:
        """The rules of the findings that are shown."""
        return self.page.eval_on_selector_all("article:not([hidden])", "all => all.map(a => a.dataset.rule)")

    def count(self) -> str:
        return self.page.inner_text("#count")

    def style(self, selector: str, name: str) -> str:
        return self.page.eval_on_selector(selector, f"e => getComputedStyle(e).{name}")


@pytest.fixture
def reader(browser: Any, report: Path) -> Iterator[Reader]:
    """A reader at the page, who asserts that it asks for nothing else and that nothing goes wrong in it."""
    context = opened(browser, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    asked, wrong = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(report.as_uri())
    yield Reader(page)
    assert {url.split("#")[0] for url in asked} == {report.as_uri()}
    assert wrong == []
    context.close()


def test_every_finding_is_shown_with_its_code_its_trail_its_picture_and_its_repair(reader: Reader) -> None:
    every = real_findings()
    assert len(reader.visible()) == len(every) + 1 + len(ODD)
    assert reader.count().startswith(f"{len(every) + 1 + len(ODD)} problems in ")
    article = reader.page.locator('article[data-path="examples/wgan_gp.py"][data-rule="log-softmax"]')
    assert article.locator("mark").inner_text() == "tf.math.log(probabilities)"
    assert article.locator(".code .hit i").inner_text() == "38"
    assert "probabilities = tf.nn.softmax(logits)" in article.locator(".trail li").first.inner_text()
    assert article.locator("svg.wide .hazard text.op").text_content().startswith("log")
    assert "[0, 1]" in article.locator("svg.wide").text_content()
    assert "tf.nn.log_softmax(logits)" in article.locator(".fix ins").inner_text()
    assert article.locator(".fix del").count() == 2
    assert PROBLEM.path in reader.page.inner_text(".problems")


def test_findings_are_filtered_by_rule_file_severity_certainty_and_text(reader: Reader) -> None:
    page, every = reader.page, real_findings()
    page.click('nav button[data-value="log-softmax"]')
    of_rule = [found for found in every if found.rule == "log-softmax"]
    assert reader.visible() == ["log-softmax"] * len(of_rule)
    assert reader.count() == f"{len(of_rule)} of {len(every) + 1 + len(ODD)} problems"
    page.click('nav button[data-value="examples/wgan_gp.py"]')
    assert reader.visible() == ["log-softmax"]
    page.click('nav button[data-value="log-softmax"]')
    assert len(reader.visible()) == sum(found.path == "examples/wgan_gp.py" for found in every)
    page.click('nav button[data-value="examples/wgan_gp.py"]')
    page.uncheck('input[name="severity"][value="error"]')
    assert len(reader.visible()) == sum(found.severity != "error" for found in (*every, *ODD))
    page.uncheck('input[name="certainty"][value="possible"]')
    assert len(reader.visible()) == sum(
        found.severity != "error" and found.certainty != "possible" for found in (*every, *ODD)
    )
    page.check('input[name="severity"][value="error"]')
    page.keyboard.press("/")
    page.keyboard.type("OVERFLOWS critic")
    assert reader.visible() == []
    assert page.is_visible("#nothing")
    page.click("[data-reset]")
    assert len(reader.visible()) == len(every) + 1 + len(ODD)
    page.fill("input[type=search]", "gradient_penalty_keras critic")
    assert reader.visible() == ["sqrt-at-zero"]
    assert page.locator("section.file:visible").count() == 1


def test_the_page_opens_with_what_was_linted_and_how_much_of_it_can_be_fixed_and_how(reader: Reader) -> None:
    every = (*real_findings(), FOUND, *ODD)
    told = reader.page.inner_text(".opening")
    assert f"tfnanlint {__version__} checked 23 files on 20" in told
    errors = sum(found.severity == "error" for found in every)
    assert f"It found {errors} errors, " in told
    safe = sum(found.fix is not None and found.fix.safe for found in every)
    assert f"tfnanlint --fix fixes {safe} of {len(every)}." in told
    reader.page.click(".opening summary")
    assert "Ordinary data triggers it" in reader.page.inner_text(".opening dl")


def test_findings_are_filtered_by_what_their_fix_changes(reader: Reader) -> None:
    every = (*real_findings(), FOUND, *ODD)
    for kind in ("after", "guard", "rework", "none"):
        box = f'input[name="fix"][value="{kind}"]'
        if reader.page.locator(box).count():
            reader.page.uncheck(box)
    assert reader.visible() == []
    reader.page.check('input[name="fix"][value="guard"]')
    assert len(reader.visible()) == sum(found.fix is not None and found.fix.kind == "guard" for found in every)


def test_findings_are_sorted_by_severity_and_the_order_is_in_the_address(reader: Reader) -> None:
    def grades() -> list[str]:
        return reader.page.eval_on_selector_all("article", "all => all.map(a => a.dataset.severity)")

    before = grades()
    reader.page.select_option("select[name=order]", "severity")
    sections = reader.page.eval_on_selector_all(
        "section.file", "all => all.map(s => [...s.querySelectorAll('article')].map(a => a.dataset.severity))"
    )
    order = ["error", "warning", "info"]
    assert all(section == sorted(section, key=order.index) for section in sections)
    assert [section[0] for section in sections] == sorted((section[0] for section in sections), key=order.index)
    address = reader.page.url
    reader.page.select_option("select[name=order]", "")
    assert grades() == before
    reader.page.goto("about:blank")
    reader.page.goto(address)
    assert grades() == [grade for section in sections for grade in section]


def test_all_findings_are_collapsed_and_expanded_at_once(reader: Reader) -> None:
    page, many = reader.page, len(reader.visible())
    page.click("#fold")
    assert page.locator("article pre.code:visible").count() == 0
    assert page.locator("article h3:visible").count() == many
    page.click("#fold")
    assert page.locator("article > details[open]").count() == many


COPIED = ("tf.sqrt(tf.maximum(", "# tfnanlint: ignore[norm-at-zero]")


def test_a_fix_and_an_ignore_comment_are_copied(browser: Any, report: Path) -> None:
    context = opened(browser, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(report.as_uri())
    article = page.locator('article[data-path="examples/wgan_gp.py"][data-rule="norm-at-zero"]')
    for place, text in enumerate(COPIED):
        button = article.locator(".copy button").nth(place)
        button.click()
        button.filter(has_text="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()").startswith(text)
    context.close()


def test_a_repair_that_changes_training_stands_out(reader: Reader, browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "kinds.html"
    unsafe = replace(FOUND, fix=replace(FOUND.fix, kind="rework"))
    path.write_text(shown("html", FOUND, unsafe), encoding="utf-8")
    reader.page.goto("about:blank")
    page = browser.new_page()
    page.goto(path.as_uri())
    safe, other = (Reader(page).style(f".fix.{kind} b", "color") for kind in ("guard", "rework"))
    assert safe != other
    assert "changes training, needs --unsafe-fixes" in page.inner_text(".fix.rework")
    page.close()


def test_on_a_phone_the_ranges_stand_below_the_words_and_nothing_is_cut_off(browser: Any, report: Path) -> None:
    context = opened(browser, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("svg.wide:visible").count() == 0
    assert page.locator("svg.narrow:visible").count() == len([f for f in real_findings() if len(f.slice) > 1])
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".dataflow > div, .fix pre, pre.code")].filter(
            one => one.scrollWidth > one.clientWidth + 1).length"""
    )
    assert cut == 0
    crossing = page.evaluate(
        """() => [...document.querySelectorAll("svg.narrow text.op, svg.narrow text.range")].filter(
            text => text.getBBox().x + text.getBBox().width > 360).map(text => text.textContent)"""
    )
    assert crossing == []
    context.close()


def test_findings_are_read_with_the_keyboard(reader: Reader) -> None:
    page = reader.page
    focused = "document.activeElement.querySelector('.rule')?.textContent"
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate(focused) == reader.visible()[0]
    page.keyboard.press("/")
    page.keyboard.type("jk")
    page.keyboard.press("Escape")
    assert page.input_value("input[type=search]") == ""
    page.click('nav button[data-value="log-softmax"]')
    page.keyboard.press("j")
    assert page.evaluate(focused) == "log-softmax"
    assert page.evaluate(
        "document.activeElement.getBoundingClientRect().top >= document.querySelector('header').offsetHeight"
    )


def test_buttons_lead_from_finding_to_finding(reader: Reader) -> None:
    page = reader.page
    focused = "document.activeElement.querySelector('.rule')?.textContent"
    for button, place in (("next", 0), ("next", 1), ("next", 2), ("previous", 1)):
        page.click(f"#{button}")
        assert page.evaluate(focused) == reader.visible()[place]


def test_on_a_phone_the_summary_comes_first_and_all_rules_are_seen(browser: Any, report: Path) -> None:
    context = opened(browser, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(report.as_uri())
    top = "selector => document.querySelector(selector).getBoundingClientRect().top"
    assert page.evaluate(top, ".opening") < page.evaluate(top, "nav") < page.evaluate(top, "article")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.evaluate("window.scrollTo(0, 2000)")
    assert page.locator("#next").is_visible()
    context.close()


def test_the_address_holds_the_filters_so_that_what_is_shared_is_what_is_seen(reader: Reader, browser: Any) -> None:
    page = reader.page
    page.click('nav button[data-value="norm-at-zero"]')
    page.fill("input[type=search]", "critic & 100%")
    page.fill("input[type=search]", "critic")
    page.uncheck('input[name="severity"][value="info"]')
    seen, address = reader.visible(), page.url
    assert 0 < len(seen) < len(real_findings())
    page.goto("about:blank")
    page.goto(address)
    assert reader.visible() == seen
    assert page.input_value("input[type=search]") == "critic"
    assert page.get_attribute('nav button[data-value="norm-at-zero"]', "aria-pressed") == "true"
    assert not page.is_checked('input[name="severity"][value="info"]')


def test_a_proof_is_told_with_what_shows_it_again(reader: Reader) -> None:
    proof = reader.page.locator(".proof")
    assert proof.count() == 1
    assert "Proved: the gradient is not finite at x = [nan, -inf, 1.5], in graph mode" in proof.inner_text()
    assert proof.locator("pre").inner_text() == "import f\nprint(f(x))"


def test_a_finding_has_an_address_and_its_rule_a_page(reader: Reader) -> None:
    page = reader.page
    link = page.locator("article .place").nth(3)
    link.click()
    assert page.url.endswith(link.get_attribute("href"))
    page.locator('a.rule[href="#rule-norm-at-zero"]').first.click()
    assert page.is_visible("#rule-norm-at-zero p")
    assert "Fails in" in page.inner_text("#rule-norm-at-zero")


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_the_page_follows_the_system_s_colours_until_told_otherwise(
    browser: Any, report: Path, scheme: str, dark: bool
) -> None:
    context = opened(browser, color_scheme=scheme)
    page = context.new_page()
    page.goto(report.as_uri())
    reader = Reader(page)

    def is_dark() -> bool:
        return sum(map(int, reader.style("body", "backgroundColor")[4:-1].split(","))) < 384

    def contrast() -> int:
        ink, ground = reader.style("h3", "color"), reader.style("article", "backgroundColor")
        return abs(sum(map(int, ink[4:-1].split(","))) - sum(map(int, ground[4:-1].split(","))))

    assert is_dark() is dark
    assert contrast() > 400
    page.click("#theme")
    assert is_dark() is not dark
    assert contrast() > 400
    page.reload()
    assert is_dark() is not dark
    context.close()


def test_nothing_in_the_code_or_in_a_message_becomes_markup(reader: Reader) -> None:
    assert reader.page.title() == f"tfnanlint: {len(reader.visible())} problems"
    assert reader.page.locator("article script, article img, .evidence b, h3 b").count() == 0
    assert reader.page.locator(".evidence", has_text="<b>not bold</b> & code").count() == len(ODD)
    assert "</script><img" in reader.page.locator('article[data-path="loss.py"] .code').inner_text()


def test_the_page_is_complete_without_its_script(browser: Any, report: Path) -> None:
    context = opened(browser, java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("article:visible").count() == len(real_findings()) + 1 + len(ODD)
    assert page.locator("article svg:visible").count() == len([f for f in real_findings() if len(f.slice) > 1])
    assert not page.is_visible(".filters")
    context.close()


@pytest.mark.parametrize("width", [1280, 700, 390])
def test_nothing_is_wider_than_the_window(reader: Reader, width: int) -> None:
    reader.page.set_viewport_size({"width": width, "height": 800})
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= width


def test_no_text_of_a_picture_runs_into_its_ranges(reader: Reader) -> None:
    crossing = reader.page.evaluate(
        """() => [...document.querySelectorAll("svg.slice")].flatMap(svg => {
            const axis = Math.min(...[...svg.querySelectorAll(".grid")].map(line => line.x1.baseVal.value));
            return [...svg.querySelectorAll("text.op, text.range")]
                .filter(text => text.getBBox().x + text.getBBox().width > axis).map(text => text.textContent);
        })"""
    )
    assert crossing == []


def test_a_page_of_nothing_says_so(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "clean.html"
    path.write_text(shown("html", files=7), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert "No problems found." in page.inner_text("main")
    assert "7 files checked" in page.inner_text("header")
    page.close()


def values(draw: st.DrawFn) -> list[Value]:
    count = draw(st.integers(1, 9))
    operands = [
        tuple(sorted(draw(st.sets(st.integers(0, row - 1), max_size=3)))) if row else () for row in range(count)
    ]
    return [Value("op", "other", "", "", None, taken) for taken in operands]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.composite(values)())
def test_no_edge_of_a_picture_passes_through_a_value_it_does_not_concern(slice_: list[Value]) -> None:
    lanes = lanes_of(slice_)
    for row, value in enumerate(slice_):
        for operand in value.operands:
            between = lanes[operand + 1 : row]
            assert lanes[operand] not in between


@settings(deadline=None)
@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_the_axis_keeps_the_order_of_numbers_and_holds_all_of_them(a: float, b: float) -> None:
    assert -1 <= bent(a) <= 1
    assert (a < b) <= (bent(a) <= bent(b))
    assert bent(-a) == -bent(a)


def test_an_epsilon_stands_apart_from_zero_on_the_axis() -> None:
    assert bent(1e-12) * 120 > 0.5
    assert bent(1.0) == 0.5
    assert bent(float("inf")) == 1


def test_what_is_unknown_is_hatched_and_where_an_op_fails_is_named() -> None:
    unknown = Value("x", "other", "", "", None)
    exp = Value("exp", "hazard", "", "", None, (0,), breaks=((88.7, math.inf),), bounds=(0.0, 100.0))
    drawn = picture([unknown, exp], lambda _: "")
    assert drawn.count('class="unknown"') == 1
    assert re.findall(r'class="mark"[^>]*>([^<]+)<', drawn) == ["88.7"]


def test_a_picture_is_well_formed_whatever_the_code_holds() -> None:
    from xml.etree import ElementTree

    value = Value('<&"', "hazard", "[0, 1]", "why <", ("a.py", 1, 1, 1, 2), bounds=(0, 1), breaks=((0, 0),))
    svg = ElementTree.fromstring(picture([value, replace(value, operands=(0,))], lambda _: "f(<x> & 'y')"))
    assert [element.get("class") for element in svg.iter("rect")].count("breaks") == 2
