"""The address that spans are sent to: our own setting, else OpenTelemetry's standard variables, else none."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from consolidation.kernel.errors import ConfigurationFault
from consolidation.secrets.redaction import in_address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PATH = "/v1/traces"
_OF_TRACES, _OF_ALL = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"
_HEADERS = ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
_SECRET_HEADERS = ("auth", "key", "token", "secret", "password")


def endpoint_of(own: str | None, variables: Mapping[str, str]) -> str | None:
    """
    The address that spans are posted to, or None without a collector.

    Raises ConfigurationFault if a variable does not hold an address.
    """
    is_off = variables.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    if is_off or variables.get("OTEL_TRACES_EXPORTER", "").strip().lower() == "none":
        return None
    if own is not None:
        return _below(own)
    if told := variables.get(_OF_TRACES):
        return _checked(told, _OF_TRACES)
    if told := variables.get(_OF_ALL):
        return _below(_checked(told, _OF_ALL))
    return None


def is_address(text: str) -> bool:
    """Whether *text* is an HTTP address with a host."""
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def shown(endpoint: str) -> str:
    """*endpoint* as it may be shown: host and port, without a password."""
    return urlsplit(endpoint).netloc.rpartition("@")[2]


def secrets_in(variables: Mapping[str, str]) -> Iterator[str]:
    """What the standard variables hold that must not be shown: passwords in addresses, keys in headers."""
    for name in (_OF_TRACES, _OF_ALL):
        yield from in_address(variables.get(name, ""))
    for name in _HEADERS:
        for header in variables.get(name, "").split(","):
            key, _, value = header.partition("=")
            if any(word in key.lower() for word in _SECRET_HEADERS):
                plain = unquote(value.strip())
                yield from (value.strip(), plain, plain.rpartition(" ")[2])


def _below(base: str) -> str:
    return f"{base.rstrip('/')}{_PATH}"


def _checked(told: str, name: str) -> str:
    if not is_address(told):
        raise ConfigurationFault(f"{name} is not an http:// or https:// address of a collector")
    return told
