"""Validates YAML files against a JSON Schema (draft 7), as editors do.

Prints a line for each file: its path, and "valid" or the first violation of the schema.

Usage: schema_check.py SCHEMA FILE...
"""

import json
import re
import sys

import jsonschema
import yaml


class Loader(yaml.CSafeLoader):
    """A loader with the types of YAML 1.2, in which `on` is a text and not a Boolean."""


Loader.yaml_implicit_resolvers = {}
for kind, pattern, first in [
    ("bool", r"^(true|false)$", "tf"),
    ("null", r"^(~|null|)$", ["~", "n", ""]),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?[0-9]+\.[0-9]+$", "-+0123456789"),
]:
    Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{kind}", re.compile(pattern), list(first))


def with_text_keys(value):
    """Returns a copy of a value in which all keys are texts, as in JSON."""
    if isinstance(value, dict):
        return {str(key): with_text_keys(part) for key, part in value.items()}
    if isinstance(value, list):
        return [with_text_keys(part) for part in value]
    return value


def main(schema_path, *paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    for path in paths:
        with open(path, encoding="utf-8") as file:
            document = with_text_keys(yaml.load(file, Loader))
        fault = next(validator.iter_errors(document), None)
        print(f"{path}: {fault.json_path + ' ' + fault.message[:200] if fault else 'valid'}")


main(*sys.argv[1:])
