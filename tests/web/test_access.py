"""Axe finds nothing serious on any screen, in light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import People
from tests.web.kit import DESK, PHONE, WEB, Player
from tests.web.scenes import READY, Scenes, show

AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async (rules) => {
  const changes = document.getAnimations().filter((each) => each.effect.getTiming().iterations !== Infinity);
  await Promise.allSettled(changes.map((each) => each.finished)); // colours that are still on their way
  const options = { resultTypes: ['violations'] };
  if (rules.length) options.runOnly = { type: 'rule', values: rules };
  const found = await axe.run(document, options);
  return found.violations.map((each) => ({ id: each.id, impact: each.impact, help: each.help,
    nodes: each.nodes.map((node) => node.html.slice(0, 200) + ' — ' + (node.any[0]?.message ?? '')) }));
}"""


def violations(player: Player, screen: str) -> list[str]:
    """What is serious or critical, in both schemes. Of the dark one only what colours can change is asked."""
    page = player.page
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        rules = ["color-contrast", "link-in-text-block"] if scheme == "dark" else []
        results: list[dict[str, Any]] = page.evaluate(RUN, rules)
        found += [
            f"{screen} ({scheme}): {each['id']}: {each['help']}\n      " + "\n      ".join(each["nodes"][:4])
            for each in results
            if each["impact"] in ("serious", "critical")
        ]
    page.emulate_media(color_scheme="light")
    return found


SIZES = {"desk": DESK, "phone": PHONE, "landscape": (844, 390)}
QUICK: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(["welcome", "lost", *READY], ()),
    **dict.fromkeys(["welcome", "new", "how linko", "me"], ("desk",)),
    **dict.fromkeys(["home", "end", "replay"], ("phone",)),
    "linko": ("phone",),
    "blocco": ("desk",),
}
"""The sizes that are looked at every time; all others belong to the long checks."""
LOOKS = [
    pytest.param(screen, size, marks=() if size in QUICK[screen] else pytest.mark.slow)
    for screen in QUICK
    for size in SIZES
]


@pytest.mark.parametrize(("screen", "size"), LOOKS)
def test_axe(people: People, scenes: Scenes, tmp_path: Path, screen: str, size: str) -> None:
    ann = people(size=SIZES[size], touch=size != "desk")
    if screen == "welcome":
        ann.go("/")
        ann.page.get_by_role("heading", name=ann.say("home.welcome.title")).wait_for()
    elif screen == "lost":
        ann.go("/")
        ann.page.locator("#play").wait_for()
        ann.page.evaluate("() => history.pushState({}, '', '/nothing')")
        ann.page.evaluate("() => dispatchEvent(new PopStateEvent('popstate'))")
        ann.page.get_by_role("heading", name=ann.say("app.lost.title")).wait_for()
    else:
        scenes.visit(ann)
        show(ann, screen, scenes.all[screen])
    found = violations(ann, screen)
    if screen == "linko" and size != "desk":
        # With cards chosen, and the log and the chat open.
        ann.choose_group(ann.hand()[0], 1)
        ann.press(ann.page.locator("[data-log]"))
        found += violations(ann, "linko, chosen, log")
        ann.press(ann.page.get_by_role("tab").nth(1))
        found += violations(ann, "linko, chat")
    if screen == "blocco" and size == "desk":
        ann.page.locator('[data-item][aria-disabled="false"]').first.click()
        found += violations(ann, "blocco, chosen")
        for dialog in ("app.how", "table.keys", "table.leave"):
            ann.button(dialog).click()
            ann.page.get_by_role("dialog").wait_for()
            found += violations(ann, dialog)
            ann.page.keyboard.press("Escape")
    assert not found, "\n".join(found)
