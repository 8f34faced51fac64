"""Without a network, whoever opens the game is told so in their language, and gets back by themselves."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.web.kit import House


def test_offline(browser: Browser, house: House) -> None:
    context = browser.new_context(locale="de-DE", service_workers="allow")
    try:
        page = context.new_page()
        page.goto(house.url)
        # Registered by the page itself over https alone.
        page.evaluate("navigator.serviceWorker.register('/sw.js')")
        page.evaluate("navigator.serviceWorker.ready")
        page.wait_for_function("navigator.serviceWorker.controller !== null")
        context.set_offline(True)
        page.goto(f"{house.url}/how")
        expect(page.locator("#text")).to_contain_text("Du bist offline")
        assert page.evaluate("document.documentElement.lang") == "de"
        assert page.evaluate("getComputedStyle(document.querySelector('main')).display") == "grid"
        context.set_offline(False)
        expect(page.get_by_role("navigation").first).to_be_visible()
        assert page.url == f"{house.url}/how"
    finally:
        context.close()
