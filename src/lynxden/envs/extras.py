"""What to say where another library is missing."""


def missing(library: str, extra: str, error: ImportError) -> ImportError:
    """An error that names the extra to install."""
    return ImportError(
        f"{library} is missing ({error}); install it with: pip install 'lynxden[{extra}]'", name=error.name
    )
