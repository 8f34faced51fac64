"""Logs: a line for people, or an object a line for collectors. Never a token, nor an address with one."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

OTHERS = {
    "uvicorn": logging.WARNING,
    "uvicorn.error": logging.WARNING,
    "uvicorn.asgi": logging.WARNING,
    "psycopg": logging.ERROR,  # it warns whenever a connection is lost; its user reports that
}
"""Libraries, and from which level on their lines are shown."""
_PLAIN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        found = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": record.getMessage(),
            **{key: value for key, value in vars(record).items() if key not in _PLAIN},
        }
        if record.exc_info:
            found["traceback"] = self.formatException(record.exc_info)
        return json.dumps(found, ensure_ascii=False, default=str)


class TextFormatter(logging.Formatter):
    """The same for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s", "%Y-%m-%d %H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        extra = {key: value for key, value in vars(record).items() if key not in _PLAIN}
        first, newline, rest = super().format(record).partition("\n")
        return first + "".join(f" {key}={_plain(value)}" for key, value in extra.items()) + newline + rest


def _plain(value: object) -> str:
    """A value as it is, unless it could look like a line of its own or move the cursor."""
    text = str(value)
    return text if text.isprintable() else ascii(text)


def set_up(level: str, style: str) -> None:
    """Send everything to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if style == "json" else TextFormatter())
    root = logging.getLogger("lynxden")
    root.handlers[:] = [handler]
    root.propagate = False
    root.setLevel(level.upper())
    # Requests are many: they are logged at the level debug, unless the format is for a collector.
    logging.getLogger("lynxden.access").setLevel(
        logging.INFO if style == "json" or level == "debug" else logging.WARNING
    )
    for name, least in OTHERS.items():
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(least)
