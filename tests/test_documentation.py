"""Guards on what people read: no setting, route, prompt or folder without its line."""

import re

import pytest
from pydantic import AliasChoices, BaseModel
from typer.main import get_command

from service.cli.main import app
from service.http.middleware.stopping import STOPPING
from service.http.problems import BODY_COMPRESSED, BODY_LENGTH_UNCLEAR, BODY_NOT_UTF_8, BODY_TOO_LARGE, KINDS
from service.http.schemas.resonance import ResonanceIn, ResonanceOut
from service.http.schemas.turns import TurnIn, TurnKept
from service.settings.settings import Settings
from tests.support.openapi import shipped_document
from tests.support.paths import ROOT

API = (ROOT / "docs" / "api.md").read_text()
TABLE = (ROOT / "docs" / "configuration.md").read_text()
PROBLEMS = (ROOT / "docs" / "problems.md").read_text()
LIKE_CHAT = ("SUBCONSCIOUS", "NARRATIVE", "EXTRACTION")  # told in one sentence, not in seven rows each


def settings_of(model, prefix):
    """Every setting below *model*, by its variable."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from settings_of(inner, f"{prefix}{name.upper()}__")
        elif isinstance(field.validation_alias, AliasChoices):
            yield str(field.validation_alias.choices[0]), field
        else:
            yield f"{prefix}{name.upper()}", field


ALL = dict(settings_of(Settings, "MIND_MEMORY_"))
OWN_ROW = {name: field for name, field in ALL.items() if not any(f"MODELS__{role}__" in name for role in LIKE_CHAT)}
ROUTES = sorted(
    f"{method.upper()} {path}" for path, methods in shipped_document()["paths"].items() for method in methods
)


def row_of(variable):
    return next((line for line in TABLE.splitlines() if line.startswith(f"| `{variable}` |")), None)


@pytest.mark.parametrize("variable", OWN_ROW)
def test_every_setting_stands_in_the_table_with_its_description(variable):
    row = row_of(variable)

    assert row is not None, f"add `{variable}` to docs/configuration.md"
    assert ALL[variable].description
    assert ALL[variable].description.rstrip(".") in row


def test_the_table_names_no_setting_that_is_gone():
    told = set(re.findall(r"^\| `([A-Z][A-Z_0-9]+)` \|", TABLE, re.MULTILINE))

    assert told - ALL.keys() == set()


def test_the_roles_without_rows_are_told_of():
    assert all(f"`{role}`" in TABLE for role in LIKE_CHAT)


@pytest.mark.parametrize("route", ROUTES)
def test_every_route_is_documented(route):
    method, path = route.split(" ")
    told = [line for line in API.splitlines() if f"{path}`" in line or f"{path} " in line]

    assert any(f"{method} {path}" in line for line in told), f"add {route} to docs/api.md"


def test_the_documentation_names_no_route_that_is_gone():
    told = re.findall(r"`(GET|POST|PUT|DELETE) (/[^`]*)`", API)

    assert [f"{method} {path}" for method, path in told if f"{method} {path}" not in ROUTES] == []


OF_HTTP = (BODY_TOO_LARGE, BODY_COMPRESSED, BODY_LENGTH_UNCLEAR, BODY_NOT_UTF_8, STOPPING)
KINDS_OF_PROBLEMS = {(kind.status.value, kind.slug) for kind in (*KINDS.values(), *OF_HTTP)}


def test_the_table_of_problems_has_every_type_once_with_its_status():
    rows = re.findall(r"^\| (\d{3}) \| (.*?) \|", PROBLEMS, re.MULTILINE)
    told = [(int(status), slug) for status, slugs in rows for slug in re.findall(r"`([a-z0-9-]+)`", slugs)]

    assert sorted(told) == sorted({*KINDS_OF_PROBLEMS, (405, "method-not-allowed")})


@pytest.mark.parametrize("model", [TurnIn, TurnKept, ResonanceIn, ResonanceOut], ids=lambda model: model.__name__)
def test_every_field_of_the_two_calls_is_documented(model):
    [section] = re.findall(r"^### Field by field\n(.*?)^#{2,3} ", API, re.MULTILINE | re.DOTALL)
    told = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (.*?) \|", section, re.MULTILINE))))

    assert model.model_fields.keys() - told == set()


def test_the_list_of_commands_is_that_of_the_command_line():
    [listed] = re.findall(
        r"^`mind-memory (serve [^`]*)`", (ROOT / "docs" / "command-line.md").read_text(), re.MULTILINE
    )

    assert listed.replace("|", " ").split() == list(get_command(app).commands)


@pytest.mark.parametrize("prompt", sorted((ROOT / "prompts").glob("*.md")), ids=lambda file: file.name)
def test_every_prompt_stands_in_its_readme_and_says_what_it_is(prompt):
    if prompt.name == "README.md":
        return
    assert f"`{prompt.name}`" in (ROOT / "prompts" / "README.md").read_text()
    assert prompt.read_text().startswith("{# ")


READMES = sorted(file for file in ROOT.rglob("README.md") if not {".venv", "node_modules", "build"} & set(file.parts))
PAGES = [*READMES, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "client" / "CURL.md"]
MOST_LINES = {"README.md": 220, "client/README.md": 65, "tests/benchmarks/README.md": 230}


def name_of(file):
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("folder", ["", "client", "consolidation", "prompts", "service", "tests", "tests/benchmarks"])
def test_every_folder_says_what_lives_in_it(folder):
    assert len((ROOT / folder / "README.md").read_text()) > 200


@pytest.mark.parametrize("readme", READMES, ids=name_of)
def test_a_readme_is_short(readme):
    assert len(readme.read_text().splitlines()) <= MOST_LINES.get(name_of(readme), 60)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_points_at_nothing_that_is_not_there(page):
    targets = re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)", page.read_text())

    assert [target for target in targets if not is_there(page, target)] == []


def is_there(page, target):
    """Whether *target*, a relative link with an optional heading, leads somewhere."""
    path, _, heading = target.partition("#")
    file = page.parent / path if path else page
    if not file.exists() or not heading:
        return file.exists()
    headings = re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)
    return heading in {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}
