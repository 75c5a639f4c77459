"""Without a model, facts and names are those of what was said, not of code that stands in it."""

import pytest

from consolidation.kernel.ports import Ask
from consolidation.kernel.turns import Message, Speaker
from prompts.responses import Extraction
from service.adapters.extractive_model import ExtractiveModel

pytestmark = pytest.mark.anyio

ANSWER = """Frau Moser plays the cello in Graz.

```python
def sync_users(path: str) -> list[Invoice]:
    x13 = render_chart("invoice_13.json")  # step 13, for Alice in Berlin
```

Katarzyna helped her in Vienna."""


async def test_code_in_an_answer_becomes_neither_facts_nor_entities():
    said = [Message(Speaker.USER, "Where does Frau Moser play?"), Message(Speaker.ASSISTANT, ANSWER)]

    found = (await ExtractiveModel().answer(Ask("extraction", Extraction, {"said": said}))).content

    assert {one.fact for one in found.facts} == {
        "Frau Moser plays the cello in Graz.",
        "Katarzyna helped her in Vienna.",
    }
    assert {one.message for one in found.facts} == {2}
    assert {"Frau Moser", "Vienna"} <= {one.name for one in found.entities}
    assert not any(word in one.name for one in found.entities for word in ("sync", "invoice", "Invoice", "Berlin"))
