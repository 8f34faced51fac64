"""The engine and the page say what happened in the same English."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lynxden.games.blocco import events as blocco
from lynxden.games.linko import events as linko

PAGE = Path("web/src/games")


@pytest.mark.parametrize(("game", "phrases"), [("linko", linko.PHRASES), ("blocco", blocco.PHRASES)])
def test_the_engine_and_the_page_use_the_same_words(game: str, phrases: dict[str, str]) -> None:
    texts = json.loads((PAGE / game / "locales" / "en.json").read_text(encoding="utf-8"))
    for kind, phrase in phrases.items():
        text = texts[f"{game}.event.{kind.replace(' ', '-')}"]
        other = text if isinstance(text, str) else text["other"]
        assert phrase.replace("{plural}", "s") == other.replace("’", "'"), kind
