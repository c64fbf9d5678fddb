"""The cache of compiled rules, kept beside their files as Python keeps its bytecode.

Reading and compiling the built-in rules takes half a second, which every process would spend again. The cache is plain
data in one file, valid for the current rules and package. If the package is not writable, as in a system-wide
installation, the file is in the user's cache folder. If that is not writable either, every process reads the rules.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from tfnanlint.errors import RuleError
from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.interval import Interval
from tfnanlint.prefilter.candidates import requirements
from tfnanlint.ruleset.files import PACKAGE, stamp
from tfnanlint.ruleset.pattern import Pattern, Repair
from tfnanlint.ruleset.rule import Requirements, Rule, Rules, builtin_folder, load_rules, rules_with
from tfnanlint.template import Precondition

_PLAIN = "name group text code message description severity modes dtypes functions reports".split()
"""What a rule says of itself."""


def known_rules(extra: Sequence[Path] = ()) -> Rules:
    """The built-in rules and those of the user's folders; raises `RuleError`."""
    own = _built_in()
    return load_rules(extra) if own is None else rules_with(own, extra)


@cache
def installed_rules() -> Rules:
    """The built-in rules, read once: they stay as they are while a process runs, as its own code does."""
    return known_rules()


def _built_in() -> list[Rule] | None:
    """The rules that come with the package, from what is kept of them; None where one of them is wrong."""
    folder = builtin_folder()
    stamps = stamp(str(folder)), stamp(PACKAGE)
    for path in places(folder):
        try:
            held = marshal.loads(path.read_bytes())
            if held["stamps"] == stamps:
                return [_rule(folder, kept) for kept in held["rules"]]
        except (OSError, EOFError, ValueError, TypeError, KeyError):
            pass
    try:
        kept = [_record(rule, folder) for rule in load_rules()]
    except RuleError:
        return None  # of one that nothing asks for there is nothing to say
    data = marshal.dumps({"stamps": stamps, "rules": kept})
    any(_written(path, data) for path in places(folder))
    return [_rule(folder, record) for record in kept]


def places(folder: Path) -> Iterator[Path]:
    """Where the cache of a rule folder can be: beside the rules, or in the user's cache folder."""
    path = Path(cache_from_source(str(folder / "rules.py"))).with_suffix(".rules")
    yield path
    from hashlib import sha256

    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if os.path.isabs(home):  # not everybody has a home
        yield Path(home, "tfnanlint", f"{sha256(bytes(path)).hexdigest()[:16]}-{path.name}")


def _written(path: Path, data: bytes) -> bool:
    """Put a file in its place in one step; whether that is possible."""
    made = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made.write_bytes(data)
        os.replace(made, path)
    except OSError:
        with suppress(OSError):
            made.unlink()
        return False
    return True


def _record(rule: Rule, folder: Path) -> dict[str, Any]:
    """A rule as plain data."""
    record: dict[str, Any] = {name: getattr(rule, name) for name in _PLAIN}
    record["path"] = str(rule.path.relative_to(folder))
    record["requirements"] = requirements(rule)
    record["gradient_only"] = rule.gradient_only
    record["patterns"] = [_flat(pattern) for pattern in rule.patterns]
    return record


def _rule(folder: Path, record: dict[str, Any]) -> Rule:
    kept = KeptRule(record["requirements"], record["gradient_only"], record["patterns"])
    return Rule(path=folder / record["path"], kept=kept, **{name: record[name] for name in _PLAIN})


@dataclass
class KeptRule:
    """The cached parts of a compiled rule."""

    requirements: Requirements
    gradient_only: bool
    flat: list[dict[str, Any]]

    def shapes(self) -> list[Pattern]:
        """Its patterns, without what repairs them."""
        return [_pattern(flat) for flat in self.flat]


def _flat(pattern: Pattern) -> dict[str, Any]:
    """A pattern as plain data: its nodes in an order in which operands come first, named by their places."""
    nodes = list(_operands_first([pattern.root], {}))
    places = {node: number for number, node in enumerate(nodes)}
    return {
        "name": pattern.name,
        "nodes": [(n.op, tuple(places[o] for o in n.operands), _plain(dict(n.attrs))) for n in nodes],
        "preconditions": {name: astuple(condition) for name, condition in pattern.preconditions.items()},
        "variables": pattern.variables,
        "size": pattern.size,
        "repair": None if pattern.repair is None else (pattern.repair.kind, pattern.repair.variables),
        "named": {places[node]: name for node, name in pattern.named.items()},
        "statics": {places[node]: given for node, given in pattern.statics.items()},
    }


def _operands_first(nodes: Iterable[Node], met: dict[Node, None]) -> dict[Node, None]:
    for node in nodes:
        if node not in met:
            _operands_first(node.operands, met)
            met[node] = None
    return met


def _pattern(flat: dict[str, Any]) -> Pattern:
    nodes: list[Node] = []
    for op, operands, attrs in flat["nodes"]:
        index = len(nodes)
        nodes.append(Node(op, tuple(nodes[o] for o in operands), _meant(attrs), None, index, index))
    repair = None if flat["repair"] is None else Repair(flat["repair"][0], flat["repair"][1], None)
    return Pattern(
        flat["name"],
        nodes[-1],
        {name: _precondition(*held) for name, held in flat["preconditions"].items()},
        flat["variables"],
        flat["size"],
        repair,
        {nodes[number]: name for number, name in flat["named"].items()},
        {nodes[number]: given for number, given in flat["statics"].items()},
    )


def _precondition(regions: Any, inside: Any, taken: bool, literal: bool, dtypes: Any, possible: Any, *rest: Any) -> Any:
    return Precondition(
        tuple(Interval(*region) for region in regions),
        None if inside is None else Interval(*inside),
        taken,
        literal,
        dtypes,
        tuple(Interval(*region) for region in possible),
        *rest,
    )


def _plain(value: Any) -> Any:
    """A value with `...` for what is given by no literal."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return ... if value is DYNAMIC else value


def _meant(value: Any) -> Any:
    """What `_plain` was given."""
    if isinstance(value, dict):
        return {key: _meant(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_meant, value))
    return DYNAMIC if value is ... else value
