"""The forecast of the next day by category, as a chart of layered bars and as a table."""

import re

from browser import PROFILES, check


def the_next_day_can_be_seen(browser, pictures):
    for profile in PROFILES:
        page = browser.open("observer", profile, "#/")
        page.locator("main details summary").click()
        page.wait_for_selector("main details td")
        colours = page.evaluate(
            "() => new Set([...document.querySelectorAll('pattern rect')]"
            ".map(rectangle => getComputedStyle(rectangle).fill)).size")
        check(colours == page.locator("pattern").count(), "two patterns have the same colour")
        browser.check_page(page, "forecast-" + profile, pictures)
        browser.close(page)


def a_click_on_a_bar_opens_the_table_at_its_time(browser, service):
    page = browser.open("support", address="#/people")
    with page.expect_response("**/v1/forecast*") as answer:
        browser.go(page, "#/")
    forecast = answer.value.json()
    categories = forecast["categories"]
    check(len(categories) > 1, "there are too few categories: %s" % categories)
    legend = page.locator(".legend li").all_inner_texts()
    for category, text in zip(categories[:5], legend):
        check(category["title"] in text and str(category["count"]) in text,
              "the legend shows %s as %r" % (category, text))
    bar = page.locator(".layers g").last
    label = bar.locator("title").text_content()
    time, count = re.fullmatch(r"(\d\d:\d\d UTC): (\d+)", label).groups()
    bar.locator("rect").first.click()
    row = page.locator("tr[aria-current]")
    check(row.locator("th").inner_text() == time, "another row is marked")
    check(row.evaluate("row => row === document.activeElement"), "the row does not have the focus")
    counts = [int(text) for text in row.locator("td").all_inner_texts()]
    check(sum(counts) == int(count), "%s do not add up to %s" % (counts, count))
    check(bar.locator("rect").count() <= sum(1 for number in counts if number),
          "the bar has more layers than the row has categories")
    headings = page.locator("main details thead th.n").all_inner_texts()
    check(len(headings) == len(categories),
          "the columns are %s, the categories are %s" % (headings, categories))
    browser.close(page)


__all__ = ["a_click_on_a_bar_opens_the_table_at_its_time", "the_next_day_can_be_seen"]
