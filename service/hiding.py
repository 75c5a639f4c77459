"""What nobody may read in a log or an error: the values of this configuration, and what looks like a secret. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from consolidation.kernel.secrets import redact

_HIDDEN = "[hidden]"


@dataclass(frozen=True, slots=True)
class Hiding:
    """Takes known *values* and recognised secrets out of what is about to be shown."""

    values: tuple[str, ...] = ()

    def text(self, text: str) -> str:
        """*text* fit to be shown."""
        for value in self.values:
            text = text.replace(value, _HIDDEN)
        return redact(text).text

    def value(self, value: object) -> object:
        """A field of an event fit to be shown: the same shape, what is no JSON by its representation."""
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.value(inner) for inner in value]
        return self.text(repr(value))
