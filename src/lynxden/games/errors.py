"""The kinds of error. Each says what was wrong, and what would be right."""


class LynxdenError(ValueError):
    """Anything a caller did wrong; the text says what, and what would be right."""


class OptionsError(LynxdenError):
    """Options that do not go together, or an edition, player count or seat that does not exist."""


class SetupError(LynxdenError):
    """A deal or a set-up position that the game's cards cannot make."""


class GameError(LynxdenError):
    """A game that cannot be added: a module lacks something, or its name is taken."""


class ActionError(LynxdenError):
    """An action that cannot be carried out; one of the three below."""


class MalformedAction(ActionError):
    """Text that is no action of the game, in any position."""


class IllegalAction(ActionError):
    """An action of the game that is not legal now."""


class OutOfTurn(ActionError):
    """An action by a seat that does not decide now."""
