"""What is kept of the rules is what reading and compiling them gives, and gives way when they change."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tfnanlint.flow import Node
from tfnanlint.match.matcher import Matcher
from tfnanlint.prefilter.candidates import requirements
from tfnanlint.ruleset import cache
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.ruleset.rule import Rules, builtin_folder, load_rules

ROOT = Path(__file__).parents[1]
GROUP = builtin_folder() / "log"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of one group of rules, in the place of all that come with the package, and a place for caches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    copied = tmp_path / "rules"
    shutil.copytree(GROUP, copied / GROUP.name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr("tfnanlint.ruleset.rule.builtin_folder", lambda: copied)
    monkeypatch.setattr(cache, "builtin_folder", lambda: copied)
    return copied


def told(pattern: Pattern) -> object:
    """All of a pattern that matching looks at."""

    def node(at: Node) -> object:
        statics, name = pattern.statics.get(at), pattern.named.get(at)
        return at.op, sorted((k, repr(v)) for k, v in at.attrs.items()), statics, name, [node(o) for o in at.operands]

    kind = None if pattern.repair is None else (pattern.repair.kind, pattern.repair.variables)
    return pattern.name, node(pattern.root), pattern.preconditions, pattern.variables, pattern.size, kind


def test_rules_that_are_kept_are_those_that_are_read(folder: Path) -> None:
    cache.known_rules()  # writes
    kept, read = cache.known_rules(), load_rules()
    assert all(rule.kept is not None for rule in kept)
    for one, other in zip(kept, read, strict=True):
        for name in "name group path text message description severity modes dtypes functions reports".split():
            assert getattr(one, name) == getattr(other, name)
        assert requirements(one) == requirements(other)
        assert one.gradient_only == other.gradient_only
        assert list(map(told, one.shapes)) == list(map(told, other.patterns))
        assert list(map(told, one.patterns)) == list(map(told, other.patterns))


def test_a_rule_that_has_changed_is_read_again(folder: Path) -> None:
    cache.known_rules()
    path = next(folder.glob("*/*.py"))
    path.write_text(path.read_text().replace('"""', '"""changed ', 1))
    found = next(rule for rule in cache.known_rules() if rule.path == path)
    assert found.message.startswith("changed ")


@pytest.mark.parametrize("damage", [b"", b"\xe9", b"(\x00\x00\x00\x00", bytes(range(256))])
def test_what_is_damaged_is_made_again(folder: Path, damage: bytes) -> None:
    whole = cache.known_rules().names
    beside, _ = cache.places(folder)
    beside.write_bytes(damage)
    assert cache.known_rules().names == whole
    assert len(beside.read_bytes()) > len(damage)


def test_where_the_package_cannot_be_written_to_the_rules_are_kept_for_the_user(folder: Path) -> None:
    beside, among_caches = cache.places(folder)
    beside.parent.write_text("no folder")
    assert all(rule.kept is not None for rule in cache.known_rules())
    kept = among_caches.stat()
    assert cache.known_rules().names == load_rules().names
    assert among_caches.stat().st_mtime_ns == kept.st_mtime_ns  # it was read, not written again


def test_where_nothing_can_be_written_the_rules_are_read(folder: Path, tmp_path: Path) -> None:
    (folder / "__pycache__").write_text("no folder")
    (tmp_path / "caches").write_text("no folder")
    assert cache.known_rules().names == load_rules().names


def test_a_graph_is_linted_without_reading_a_rule_once_they_are_kept() -> None:
    """What the graph pass needs of the rules takes no parser."""
    cache.known_rules()
    program = (
        "import sys; from tfnanlint.ruleset.cache import known_rules; from tfnanlint.match.matcher import Matcher; "
        "Matcher(known_rules(), repairing=False); print('libcst' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


def test_shapes_serve_where_nothing_is_repaired() -> None:
    kept = Rules(tuple(rule for rule in cache.known_rules() if rule.name == "log-softmax"))
    assert set(Matcher(kept, repairing=False).by_root) == set(Matcher(kept).by_root)


def test_rules_that_were_used_go_to_another_process() -> None:
    rules = cache.installed_rules()
    Matcher(rules)
    Matcher(rules, repairing=False)
    sent = pickle.loads(pickle.dumps(rules))
    assert sent.names == rules.names
    assert [len(rule.patterns) for rule in sent] == [len(rule.patterns) for rule in rules]
