#!/usr/bin/env python3
"""Breaks the service on purpose, one mutation at a time, and checks that the simulator finds it.

Each mutant in mutants.json is a text in a source file and its replacement. For each of them, a copy
of the project is changed and built, and its simulator runs seeds until one has a finding. A table
shows the number of seeds. A mutant's "seeds" is the limit of that number. Its "lives" is the
simulator's option for mutants that are found only with real clients, hundreds of recipients or
several nodes. With --check, the program only checks that each text occurs exactly once, and that
each name in the replacement occurs beside it: in the folder of the file or, if it is a member or a
label, in the module.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
MUTANTS = json.loads((PROJECT / "Tests/Faults/mutants.json").read_text())


NAME = re.compile(r"(?<![\w.])(\.?)\b([A-Za-z_]\w*)\b(:?)")


def names(text: str) -> tuple[set[str], set[str]]:
    """Returns the names in a text of Swift or SQL, without comments and the words of SQL: those
    that stand alone, and those of members and labels."""
    alone, others = set(), set()
    for dot, name, colon in NAME.findall(re.sub(r"//.*", "", text).replace(".", " .")):
        if not name.isupper():
            (others if dot or colon else alone).add(name)
    return alone, others


def names_below(folder: pathlib.Path) -> set[str]:
    """Returns all names in the Swift files of a folder."""
    return set().union(*(set().union(*names(f.read_text())) for f in folder.rglob("*.swift")))


def unknown_names(mutant: dict) -> list[str]:
    """Returns the names in a mutant's replacement that do not occur beside the mutated text."""
    alone, others = names(mutant["replace"])
    module = PROJECT.joinpath(*pathlib.Path(mutant["file"]).parts[:2])
    folder = (PROJECT / mutant["file"]).parent
    return sorted((alone - names_below(folder)) | (others - names_below(module)))


def check() -> int:
    """Prints the mutants whose text does not occur exactly once, and those whose replacement has
    unknown names. Returns the exit status."""
    faults = 0
    for mutant in MUTANTS:
        count = (PROJECT / mutant["file"]).read_text().count(mutant["find"])
        if count != 1:
            print(f"mutant {mutant['name']}: its text occurs {count} times in {mutant['file']}")
            faults += 1
        if unknown := unknown_names(mutant):
            print(f"mutant {mutant['name']}: its replacement has unknown names: {unknown}")
            faults += 1
    return min(faults, 1)


def copy(tree: pathlib.Path) -> None:
    """Creates or updates the copy of the project. Its build results stay."""
    tree.mkdir(parents=True, exist_ok=True)
    for folder in ["Sources", "Tests", "config"]:
        shutil.rmtree(tree / folder, ignore_errors=True)
        shutil.copytree(PROJECT / folder, tree / folder)
    shutil.copy2(PROJECT / "Package.swift", tree / "Package.swift")


def build(tree: pathlib.Path, configuration: str) -> str:
    """Builds the simulator and returns its path. Raises RuntimeError if the build fails."""
    command = ["swift", "build", "--configuration", configuration, "--product", "chimed-faults"]
    result = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError((result.stdout + result.stderr)[-2000:])
    return f"{tree}/.build/{configuration}/chimed-faults"


def seeds_until_found(program: str, mutant: dict, first: int) -> tuple[int | None, str]:
    """Returns the number of seeds until the first finding, and its text. The number is None if no
    seed within the limit has a finding."""
    limit, step, tried = mutant["seeds"], 2 if mutant.get("lives") == "towns" else 20, 0
    while tried < limit:
        count = min(step, limit - tried)
        lives = ["--seeds", "0", "--" + mutant["lives"]] if "lives" in mutant else ["--seeds"]
        result = subprocess.run(
            [program, "--from", str(first + tried), *lives, str(count), "--first-finding"],
            capture_output=True, text=True, timeout=1800)
        if result.returncode != 0:
            lines = [line for line in result.stdout.splitlines() if line.startswith("seed ")]
            findings = [line for line in lines if ": " in line]
            finding = findings[0] if findings else f"ended with {result.returncode}"
            seed = int(finding.split()[1].rstrip(":")) if findings else first + tried
            return seed - first + 1, finding.split(": ", 1)[-1]
        tried += count
    return None, "nothing"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only check the texts")
    parser.add_argument(
        "--tree", default=".build/mutants",
        help="the copy's directory; . changes the project itself, and restores it")
    parser.add_argument(
        "--configuration", default="debug", help="debug, which also counts work, or release")
    parser.add_argument("--from", dest="first", type=int, default=1, help="the first seed")
    parser.add_argument("names", nargs="*", help="the mutants to try; by default all")
    options = parser.parse_args()
    if options.check:
        return check()
    tree = (PROJECT / options.tree).resolve()
    if tree != PROJECT:
        copy(tree)
    print(f"{'mutant':<34}{'limit':>7}{'seeds':>7}  finding", flush=True)
    missed = 0
    for mutant in MUTANTS:
        if options.names and mutant["name"] not in options.names:
            continue
        file = tree / mutant["file"]
        text = file.read_text()
        file.write_text(text.replace(mutant["find"], mutant["replace"]))
        try:
            program = build(tree, options.configuration)
            seeds, finding = seeds_until_found(program, mutant, options.first)
        finally:
            file.write_text(text)
        missed += seeds is None
        print(f"{mutant['name']:<34}{mutant['seeds']:>7}{seeds or '-':>7}  {finding[:90]}",
              flush=True)
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
