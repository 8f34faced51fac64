"""What people write: names and chat, tidied."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lynxden.server import sanitize
from lynxden.server.errors import Refusal
from tests.server.kit import free_data, run, serving


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Ann", "Ann"),
        ("  Ann \t\n  B.  ", "Ann B."),
        ("a\u00a0b\u2003c\u2028d\u3000e", "a b c d e"),
        ("A\x00n\x1bn\x7f", "A n n"),
        ("\u202eevil\u202c", "evil"),
        ("\u2066a\u2069\u200fb\u061c", "ab"),
        ("A\u200bn\u200cn\ufeff\u2060", "Ann"),
        ("A\u00adnn", "Ann"),
        ("\U000e0041\U000e0042x", "x"),
        ("\ue000x\U0010ffff", "x"),
        ("e\u0301", "é"),
        ("e\u200b\u0301", "é"),
        ("Zoe\u0308", "Zoë"),
        ("a" + "\u0301" * 50, "á" + "\u0301" * 3),
        ("a" + "\u0336\u200b" * 50, "a" + "\u0336" * 3),
        ("a" + "\u0336\u0337\u0338\u200d" * 50, "a\u0336\u0337\u0338"),
        ("\u0301\u0301abc", "abc"),
        ("a \u0301b", "a b"),
        ("a\u034fb\ufe01c", "abc"),
        ("กี่", "กี่"),
        ("नमस्ते", "नमस्ते"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("🏳️\u200d🌈", "🏳️\u200d🌈"),
        ("👍🏽", "👍🏽"),
        ("👩🏽\u200d🚀", "👩🏽\u200d🚀"),
        ("1️⃣", "1️⃣"),
        ("A\u200dnn", "Ann"),
        ("\u200d👩\u200d", "👩"),
        ("👩\u200d\u200d👧", "👩\u200d👧"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("\u3164", ""),
        ("\u2800\u115f\u1160\uffa0", ""),
        ("\ufe0f", ""),
        ("\u0301", ""),
        ("\u200d", ""),
        ("", ""),
    ],
)
def test_what_people_write_is_tidied(written: str, kept: str) -> None:
    assert sanitize.tidy(written) == unicodedata.normalize("NFC", kept)


odd_text = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("a\u0301\u0336\u200d\u200b\u202e\ufe0f\u3164\u034f 👩\u0e35\u0e48\u1100\u1161\u11a8"),
    ),
    max_size=60,
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(odd_text)
def test_tidy_texts_stay_as_they_are(written: str) -> None:
    kept = sanitize.tidy(written)
    assert sanitize.tidy(kept) == kept
    assert kept == kept.strip()
    assert "  " not in kept
    marks = 0
    for char in kept:
        kind = unicodedata.category(char)
        assert char in (" ", "\u200d") or kind[0] not in "CZ"
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        assert marks <= 3
    if kept:
        assert unicodedata.category(kept[0]) not in ("Mn", "Me")
        assert any(unicodedata.category(char)[0] in "LNPSM" for char in kept)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(odd_text)
def test_names_and_lines_are_right_or_refused(written: str) -> None:
    for reader, most in ((sanitize.name, 24), (sanitize.line, 300)):
        try:
            found = reader(written)
        except Refusal:
            found = "-"
        assert 1 <= len(found) <= most


def test_names_over_the_interface(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("\u202eAnn\u200b  B") as ann:
            assert ann.me["name"] == "Ann B"
            for refused in ("\u200b", " ", "\u3164", "x" * 25, "\u0301"):
                for method, path in (("PATCH", "/api/me"), ("POST", "/api/me/bots")):
                    answer = await ann.ask(method, path, {"name": refused})
                    assert answer.status_code == 400
                    assert answer.json()["code"] == "options"
            assert (await ann.ask("PATCH", "/api/me", {"name": ""})).status_code == 400
            assert (await ann.ask("PATCH", "/api/me", {"name": "x" * 24})).status_code == 200
            evil = "<img src=x onerror=a()>"
            assert (await ann.ask("PATCH", "/api/me", {"name": evil})).json()["name"] == evil
            table = (await ann.post("/api/tables", {"public": True}))["id"]
            await ann.connect()
            await ann.watch(table)
            await ann.send({"type": "say", "table": table, "text": f"{evil}\u202e\r\n\0x"})
            line = (await ann.next("chat"))["line"]
            assert (line["name"], line["text"]) == (evil, f"{evil} x")
            for path in ("/api/schema", "/", f"/t/{table}", f"/api/players/{ann.id}", "/api/tables"):
                answer = await ann.http.get(path)
                assert answer.headers["x-content-type-options"] == "nosniff"
                if answer.headers["content-type"] != "application/json":  # which is never shown as a page
                    assert evil not in answer.text

    run(story())
