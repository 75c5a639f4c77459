"""Which release runs, by the name of its distribution. On PyPI, "mind-memory" is somebody else's package."""

from importlib.metadata import version

DISTRIBUTION = "mind-memory-service"


def installed_version() -> str:
    """Return the version that is installed."""
    return version(DISTRIBUTION)
