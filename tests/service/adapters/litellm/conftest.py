"""What the tests of hosted models ask."""

from __future__ import annotations

import pytest

from consolidation.kernel.ports import Ask
from tests.support.hosted_models import Thing


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "seeds.md").write_text("What is a {{ message }}?")
    return Ask("seeds", Thing, {"message": "bicycle"}, tmp_path)
