"""The structure of the OpenAPI document: paths, methods, parameters, answers, schemas; its prose and examples left out."""

from service.app import create_app
from service.settings.settings import Settings
from tests.support.golden import GOLDEN, as_json, assert_golden

PROSE = {"description", "summary", "title", "example", "examples", "info", "tags"}
LONG = 200
NAMED = {"properties", "schemas", "paths", "responses", "headers", "content", "securitySchemes", "$defs"}


def structure(value, *, is_named=False):
    """*value* without prose; the keys of what *is_named* are names of ours and stay, whatever they are."""
    if isinstance(value, list):
        return [structure(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: structure(one, is_named=key in NAMED and not is_named)
        for key, one in value.items()
        if is_named or key not in PROSE
    }


def shortened(document):
    """*document* with a schema that is written out again and again written once, under ``repeated``."""
    repeated = []

    def short(value):
        if isinstance(value, list):
            return [short(one) for one in value]
        if not isinstance(value, dict):
            return value
        schema = value.get("schema")
        if isinstance(schema, dict) and len(as_json(schema)) > LONG:
            if schema not in repeated:
                repeated.append(schema)
            return {**value, "schema": {"repeated": repeated.index(schema)}}
        return {key: short(one) for key, one in value.items()}

    paths = short(document["paths"])
    return {**document, "paths": paths, "repeated": dict(enumerate(repeated))}


def test_the_structure_of_the_document_is_what_it_was(tmp_path):
    document = create_app(Settings(home=tmp_path)).openapi()

    assert_golden(GOLDEN / "openapi.json", as_json(shortened(structure(document))))
