"""Takes secrets out of logs and errors: the keys of this configuration, and whatever looks like a secret."""

from __future__ import annotations

from dataclasses import dataclass

from consolidation.secrets.redaction import redact

_HIDDEN = "[hidden]"


@dataclass(frozen=True, slots=True)
class Redactor:
    """Hides known *values*, and secrets that are recognised by their form, in what is about to be shown."""

    values: tuple[str, ...] = ()

    def text(self, text: str) -> str:
        """*text* without secrets."""
        for value in self.values:
            text = text.replace(value, _HIDDEN)
        return redact(text).text

    def value(self, value: object) -> object:
        """*value* without secrets and in the same shape; a value that JSON does not know becomes its representation."""
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.value(inner) for inner in value]
        return self.text(repr(value))
