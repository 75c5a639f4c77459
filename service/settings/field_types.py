"""The types of settings whose text is checked: addresses, names of hosts and of models, folders."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

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


Address = Annotated[str, AfterValidator(_address)]
Host = Annotated[str, AfterValidator(_host)]
HostName = Annotated[str, AfterValidator(_host_name)]
HostNameOrAll = Annotated[str, AfterValidator(_host_name_or_all)]
ModelName = Annotated[str, AfterValidator(_model_name)]
Folder = Annotated[Path, AfterValidator(_folder)]
