"""The common elements of all pages: the menu, the jump dialog, the density and the toast."""

from browser import TIMEOUT, check


def a_phone_has_a_menu(browser, service):
    page = browser.open("support", "phone", "#/people")
    menu = page.locator("button.menu")
    link = page.locator("#top nav a").nth(2)
    check(link.is_hidden() and menu.get_attribute("aria-expanded") == "false", "the menu is open")
    menu.click()
    check(menu.get_attribute("aria-expanded") == "true", "the open menu has aria-expanded=false")
    page.keyboard.press("Escape")
    link.wait_for(state="hidden")
    menu.click()
    link.click()
    page.wait_for_selector("h1 >> text=Feed")
    link.wait_for(state="hidden")
    browser.close(page)


def pages_and_people_are_found_by_the_jump_dialog(browser, service):
    page = browser.open("support", address="#/people")
    field = page.locator("#jump")
    page.keyboard.press("Control+k")
    field.fill("dead")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1 >> text=Dead letters")
    page.keyboard.press("Control+k")
    field.fill("oma")
    page.get_by_role("option", name="omar").click()
    page.wait_for_selector("h1 >> text=omar")
    page.keyboard.press("/")
    field.wait_for()
    page.keyboard.press("Escape")
    field.wait_for(state="detached")
    browser.close(page)
    page = browser.open("recipient:layla", address="#/me")
    page.keyboard.press("Control+k")
    check(page.locator("dialog").count() == 0, "a person can search other people")
    browser.close(page)


def the_density_is_kept(browser, service):
    page = browser.open("support", address="#/people")
    size = "() => parseFloat(getComputedStyle(document.documentElement).fontSize)"
    initial_size = page.evaluate(size)
    page.get_by_role("button", name="Compact").click()
    check(page.evaluate(size) < initial_size, "the text is not smaller")
    page.reload()
    page.wait_for_selector("#top [aria-pressed=true]")
    check(page.evaluate(size) < initial_size, "the choice is lost")
    browser.close(page)


def a_toast_disappears_and_an_error_stays(browser, service):
    context = browser.browser.new_context()
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.clock.install()
    page.goto(service.sign_in_address("admin"))
    page.wait_for_selector("#top nav a")
    browser.go(page, "#/service")
    page.get_by_role("button", name="Check configuration").click()
    toast = page.locator("#toast span")
    toast.wait_for()
    # While the toast has the focus, it stays.
    page.locator("#toast .close").focus()
    page.clock.run_for(20_000)
    check(toast.count() == 1, "the toast disappears while it has the focus")
    page.locator("#main").focus()
    page.mouse.move(0, 0)
    page.clock.run_for(10_000)
    toast.wait_for(state="detached")
    page.route("**/v1/configuration-checks", lambda route: route.abort())
    page.get_by_role("button", name="Check configuration").click()
    toast.wait_for()
    page.clock.run_for(60_000)
    check(toast.count() == 1, "the toast of an error disappears")
    context.close()


__all__ = [
    "a_phone_has_a_menu", "a_toast_disappears_and_an_error_stays",
    "pages_and_people_are_found_by_the_jump_dialog", "the_density_is_kept"]
