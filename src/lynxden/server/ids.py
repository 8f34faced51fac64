"""Names and secrets that the server makes up."""

import hashlib
import re
import secrets

ALPHABET = "23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without characters that look alike."""


def new_id(length: int = 12) -> str:
    """An id that nobody guesses (70 bits) and that goes into a link."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def is_id(text: str) -> bool:
    """Whether something can be an id of ours at all; databases need not be asked about anything else."""
    return re.fullmatch("[A-Za-z0-9-]{1,64}", text) is not None


def new_secret() -> str:
    """A token or the secret part of a personal link."""
    return secrets.token_urlsafe(24)


def digest(secret: str) -> str:
    """What is stored of a secret. Secrets are random, so a plain hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()
