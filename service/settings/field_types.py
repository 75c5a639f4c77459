"""The types of settings whose text is checked: addresses, names of hosts, models and time zones, folders, patterns."""

from __future__ import annotations

import re
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field

from consolidation.kernel.errors import InvalidMindId
from consolidation.workspace import mind_id_of
from service.access.addresses import EVERY_NAME, ascii_host
from service.settings.otlp_endpoint import is_address

_NOT_IN_A_NAME = frozenset("/:@[]?#*, ")
_HOST_ALONE = "must be the name or address of a host alone"


def _address(text: str) -> str:
    if not is_address(text):
        raise ValueError("must be an http:// or https:// address, like http://localhost:4318")
    return text


def _host(text: str) -> str:
    try:
        ip_address(text)
    except ValueError as error:
        if set(text) & _NOT_IN_A_NAME:
            raise ValueError("must be an address or a name alone, without http:// or a port, like 127.0.0.1") from error
    return text


def _host_name(text: str) -> str:
    """*text* as a Host header has it: in small ASCII letters, without a point at the end."""
    name = text.strip().rstrip(".")
    try:
        return str(ip_address(name))
    except ValueError as error:
        if not name or set(name) & _NOT_IN_A_NAME:
            raise ValueError(f"{_HOST_ALONE}, without http://, a port or *, like memory.local") from error
    return ascii_host(name)


def _host_name_or_all(text: str) -> str:
    if text == EVERY_NAME:
        return text
    try:
        return _host_name(text)
    except ValueError as error:
        raise ValueError(
            f"{_HOST_ALONE}, without http:// or a port, like memory.local; or * alone, which accepts every host"
        ) from error


def _model_name(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank: name a model, like openai/gpt-4o-mini, or remove it")
    return text.strip()


def _folder(path: Path) -> Path:
    """*path*, if the user whose home it begins with (``~``, ``~ann``) has one."""
    try:
        path.expanduser()
    except RuntimeError as error:
        raise ValueError(f"{path} can not be found: {path.parts[0]} is not a home folder of this machine") from error
    return path


def _language(code: str) -> str:
    if re.fullmatch("[a-z]{2,3}", code) is None:
        raise ValueError("must be an ISO 639 code of two or three small letters, such as en")
    return code


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise ValueError("must be the name of an IANA time zone, like Europe/Paris") from error
    return name


def _mind(name: str) -> str:
    try:
        return mind_id_of(name)
    except InvalidMindId as error:
        raise ValueError(str(error)) from error


def _expression(pattern: str) -> str:
    try:
        is_anything = re.fullmatch(pattern, "", re.DOTALL | re.IGNORECASE) is not None
    except re.error as error:
        raise ValueError(f"must be a regular expression: {error}") from error
    if is_anything:
        raise ValueError("must not match an empty message")
    return pattern


def _unlike_nothing(marker: str) -> str:
    if not marker.strip():
        raise ValueError("must not be blank: every message would be off the record")
    return marker.strip()


Address = Annotated[str, AfterValidator(_address)]
Host = Annotated[str, AfterValidator(_host)]
HostName = Annotated[str, AfterValidator(_host_name)]
HostNameOrAll = Annotated[str, AfterValidator(_host_name_or_all)]
ModelName = Annotated[str, AfterValidator(_model_name)]
Folder = Annotated[Path, AfterValidator(_folder)]
LanguageCode = Annotated[str, AfterValidator(_language)]
ZoneName = Annotated[str, AfterValidator(_zone)]
MindName = Annotated[str, AfterValidator(_mind)]
Expression = Annotated[str, AfterValidator(_expression)]
Marker = Annotated[str, AfterValidator(_unlike_nothing), Field(max_length=100)]
