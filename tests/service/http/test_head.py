"""Monitors ask with HEAD: the pages and checks that are open to all answer it as GET, without a body."""

import httpx2
import pytest

from tests.support.cli_process import serving
from tests.support.openapi import shipped_document
from tests.support.waiting import until

ASKED = ("/", "/console", "/console/", "/healthz", "/readyz")


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("asked") / "home") as (_, url):
        until(lambda: httpx2.get(f"{url}/readyz").is_success)
        yield url


@pytest.mark.parametrize("path", ASKED)
def test_head_is_answered_as_get_without_a_body(url, path):
    asked, read = httpx2.head(f"{url}{path}"), httpx2.get(f"{url}{path}")

    assert asked.status_code == read.status_code
    assert asked.content == b""
    assert asked.headers["content-length"] == read.headers["content-length"]
    assert asked.headers.get("content-security-policy") == read.headers.get("content-security-policy")


def test_a_wrong_method_is_told_of_both(url):
    refused = httpx2.post(f"{url}/healthz")

    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")


def test_the_document_lists_each_call_once():
    paths = shipped_document()["paths"]

    assert [path for path, methods in paths.items() if "head" in methods] == []
