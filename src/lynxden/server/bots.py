"""The server's own bots, as tables call on them: in a thread, with a view, for a text."""

import numpy as np

from lynxden.bots import get_bot
from lynxden.games.core import View


def choose(bot: str, view: View) -> str:
    """A bot's decision as text, checked against the view's legal actions."""
    action = get_bot(bot).choose(view, np.random.default_rng())
    if action not in view.legal_actions:
        raise ValueError(f"bot {bot} wants '{action}', which is not legal")
    return str(action)
