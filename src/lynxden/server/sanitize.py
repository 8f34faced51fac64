"""Names, chat and devices: what people and browsers write, as plain texts that are safe to show.

To escape them is for the page.
"""

import re
import unicodedata

from lynxden.server.errors import Code, Refusal
from lynxden.server.protocol import CHAT_LENGTH, NAME_LENGTH

JOINER = "\u200d"
"""Joins emoji into one."""
_BLANK = {"\u115f", "\u1160", "\u2800", "\u3164", "\uffa0"}
"""Counted as letters or symbols, but nobody sees them."""
_HIDDEN = {"\u034f", "\u17b4", "\u17b5", *map(chr, range(0xFE00, 0xFE0F)), *map(chr, range(0xE0100, 0xE01F0))}
"""Marks that nobody sees. The one that makes an emoji of a sign, U+FE0F, is none of them."""
_MARKS_IN_A_ROW = 3
"""More marks on one letter than any language needs run over other lines."""
DEVICE_LENGTH = 40
_BROWSERS = {
    "Edg": "Edge", "OPR/": "Opera", "SamsungBrowser/": "Samsung Internet", "Firefox/": "Firefox",
    "FxiOS/": "Firefox", "CriOS/": "Chrome", "Chrome/": "Chrome", "Safari/": "Safari",
}  # fmt: skip
"""By what they call themselves. Most call themselves by the names of others too: the first found is right."""
_SYSTEMS = {
    "iPhone": "iPhone", "iPad": "iPad", "Android": "Android", "CrOS": "ChromeOS", "Windows": "Windows",
    "Macintosh": "macOS", "Linux": "Linux",
}  # fmt: skip


def tidy(text: str) -> str:
    """Without control, direction and other invisible characters, with single spaces, composed."""
    kept: list[str] = []
    marks = _MARKS_IN_A_ROW  # a mark needs a letter to stand on
    for char in unicodedata.normalize("NFC", text):
        kind = unicodedata.category(char)
        if kind in ("Zs", "Zl", "Zp", "Cc") or char in _BLANK:
            kept.append(" ")
            marks = _MARKS_IN_A_ROW
        elif kind in ("Mn", "Me"):
            if marks < _MARKS_IN_A_ROW and char not in _HIDDEN:
                kept.append(char)
                marks += 1
        elif char == JOINER or kind not in ("Cf", "Cs", "Co", "Cn"):
            kept.append(char)
            if char != JOINER:
                marks = 0
    return " ".join(unicodedata.normalize("NFC", _join("".join(kept))).split())


def _join(text: str) -> str:
    """Without the joiners that do not stand between two emoji."""
    found = text.split(JOINER)
    joined = found[0]
    for part in found[1:]:
        between = _is_emoji(joined[-1:]) and _is_emoji(part[:1])
        joined += JOINER + part if between else part
    return joined


def _is_emoji(char: str) -> bool:
    return char == "\ufe0f" or (char != "" and unicodedata.category(char) in ("So", "Sk"))


def name(text: str) -> str:
    """A display name."""
    found = tidy(text)
    if not found:
        raise Refusal(Code.OPTIONS, "a name needs at least one visible character")
    if len(found) > NAME_LENGTH:
        raise Refusal(Code.OPTIONS, f"a name has at most {NAME_LENGTH} characters, not {len(found)}")
    return found


def line(text: str) -> str:
    """A line of chat."""
    found = tidy(text)
    if not found:
        raise Refusal(Code.OPTIONS, "there is nothing to say in an empty line")
    if len(found) > CHAT_LENGTH:
        raise Refusal(
            Code.TOO_LARGE, f"a line of chat has at most {CHAT_LENGTH} characters, not {len(found)}"
        )
    return found


def device(agent: str) -> str:
    """The device that a `User-Agent` names, in a word or two; empty if it names none."""
    browser = next((name for mark, name in _BROWSERS.items() if mark in agent), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in agent), "")
    if browser or system:
        return " · ".join(filter(None, (browser, system)))
    program = re.match(r"[A-Za-z0-9][A-Za-z0-9._+-]*(/[0-9.]+)?", agent)
    return "" if program is None or agent.startswith("Mozilla") else program[0][:DEVICE_LENGTH]
