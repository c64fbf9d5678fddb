"""Measures what the pages of the rules state, on TensorFlow: `python tests/rule_measures.py` writes it all anew.

The numbers go to `rules/MEASURED.json`, the pages to `docs/rules/`. They are kept to two digits, so that another
machine's rounding does not change them.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from tfnanlint.report.rule_page import MEASURED, page, table  # noqa: E402
from tfnanlint.testing.outcomes import Outcome, far, fixed, runner  # noqa: E402
from tfnanlint.testing.programs import Program, befores, pattern_of, rules  # noqa: E402
from tfnanlint.testing.properties import exact  # noqa: E402
from tfnanlint.trial.situations import SITUATIONS, Situation  # noqa: E402

OPEN, CLOSE = "<!-- rules -->", "<!-- end of rules -->"
SITUATIONS_OPEN, SITUATIONS_CLOSE = "<!-- situations -->", "<!-- end of situations -->"
NAV_OPEN, NAV_CLOSE = "  # rules, written by tests/rule_measures.py\n", "  # end of rules"
INPUTS = 60
DIFFERENT = 1e-3
DISTANCES = tuple(10.0 ** -(n / 4) for n in range(121))


LEAST = float(np.finfo(np.float32).tiny)
"""What is less is shown as 0: TensorFlow flushes it, or memory held it where a failed factor was not written."""


def outcome(got: Outcome) -> dict[str, Any]:
    """A value and its gradients as the page shows them."""
    gradients = [shown(g) for g in got.gradients]
    return {"value": ", ".join(map(shown, got.values)), "gradient": "; ".join(gradients) if gradients else None}


def shown(value: Any) -> str:
    """A number or an array to three digits; of a long one the first four elements."""
    array = np.asarray(value)
    if array.ndim == 0:
        if array.dtype.kind == "f" and abs(float(array)) < LEAST:
            array = np.zeros(())
        return f"{float(array) + 0.0:.3g}" if array.dtype.kind in "fiu" else str(array)  # without a minus for zero
    parts = [shown(one) for one in array[:4]]
    return "[" + ", ".join(parts + (["..."] if len(array) > 4 else [])) + "]"


def error(got: list[np.ndarray], exact: list[np.ndarray]) -> float:
    """The largest difference over the largest magnitude, of all arrays."""
    worst = 0.0
    for one, other in zip(got, exact, strict=True):
        if one.dtype.kind != "f":
            worst = max(worst, float(not np.array_equal(one, other)))
            continue
        difference = float(np.max(np.abs(one - other), initial=0.0))
        scale = float(np.max(np.abs(other), initial=0.0))
        worst = max(worst, difference / scale if scale else float(difference > 0))
    return worst


def symptom(program: Program, mode: str, dtype: str, truth: Outcome | None, guarded: bool) -> str | None:
    """What goes wrong at the witness, "" for nothing, None where it is refused or cannot be run."""
    try:
        got = runner(program).run(mode, dtype)
    except Exception as trouble:
        if (mode == "xla" and "compile" in str(trouble)) or "InvalidArgument" in type(trouble).__name__:
            return None
        raise
    if not got.finite_value:
        return "value"
    if not got.finite:
        return "gradient"
    if truth is not None and not guarded and far(got, truth, dtype):
        return "digits"
    wrong = truth is not None and not guarded and far(got, truth, dtype, program.differentiated)
    return "gradient digits" if wrong else ""


def ordinary(program: Program) -> list[dict[str, Any]]:
    """Ordinary inputs in the shape of the witness, the same in every run."""
    drawn = np.random.default_rng(0)
    scales = ((-6.0, 6.0), (0.05, 6.0), (0.02, 0.98), (-0.6, 0.6))
    found = []
    for number in range(INPUTS):
        low, high = scales[number % len(scales)]
        one: dict[str, Any] = {}
        for name, value in program.witness.items():
            array = np.asarray(value)
            if array.dtype.kind == "f":
                inside = program.preconditions[name].inside if name in program.preconditions else None
                array = drawn.uniform(low, high, array.shape)
                if inside is not None:
                    array = np.clip(array, inside.lo, inside.hi)
            one[name] = array.tolist()
        found.append(one)
    return found


def double(program: Program, after: Program) -> str:
    """float64 where both run in it; it shows the functions rather than their rounding."""
    try:
        runner(program).run("eager", "float64")
        runner(after).run("eager", "float64")
    except Exception:
        return program.rule.dtypes[0]
    return "float64"


def elsewhere(program: Program, after: Program, kind: str) -> dict[str, Any] | None:
    """How far repair and original are apart where the original is finite; None when that is the purpose."""
    if kind == "rework":
        return None
    dtype = double(program, after)
    old, new = runner(program), runner(after)

    def apart(arguments: dict[str, Any]) -> tuple[float, float] | None:
        one, other = old.run("eager", dtype, arguments), new.run("eager", dtype, arguments)
        if not one.finite or not other.finite:
            return None
        return error(other.values, one.values), error(other.gradients, one.gradients)

    samples = ordinary(program)
    found = [(arguments, got) for arguments in samples if (got := apart(arguments)) is not None]
    if not found:
        return None
    result: dict[str, Any] = {
        "inputs": len(found),
        "dtype": dtype,
        "value": f"{max(value for _, (value, _) in found):.1g}",
        "gradient": f"{max(gradient for _, (_, gradient) in found):.1g}",
    }
    if kind == "guard":
        result["width"] = f"{width(program, [arguments for arguments, _ in found[:4]], apart):.1g}"
    return result


def width(program: Program, samples: list[dict[str, Any]], apart: Any) -> float:
    """The largest distance from the witness, on the way to ordinary inputs, at which the two differ."""
    widest = 0.0
    for sample in samples:
        for distance in DISTANCES:
            near, far_off = {}, 0.0
            for name, value in program.witness.items():
                array = np.asarray(value)
                if array.dtype.kind == "f" and np.all(np.isfinite(array)):
                    step = distance * (np.asarray(sample[name]) - array)
                    far_off = max(far_off, float(np.max(np.abs(step), initial=0.0)))
                    near[name] = (array + step).tolist()
                else:
                    near[name] = value
            got = apart(near)
            if got is not None and max(got) > DIFFERENT:
                widest = max(widest, far_off)
                break
    return widest


def measure(program: Program) -> dict[str, Any]:
    """All that the page of a rule states of one `before`."""
    rule = program.rule
    repair = pattern_of(rule, program.name).repair
    after = fixed(program) if repair is not None else program
    truth = exact(program)
    guarded = repair is not None and repair.kind == "guard"
    fails: dict[str, str] = {}
    for mode in ("eager", "graph", "xla"):
        for dtype in rule.dtypes:
            went = symptom(program, mode, dtype, truth, guarded)
            if went is not None:
                fails[f"{mode} {dtype}"] = went
    mode, dtype = rule.modes[0], rule.dtypes[0]
    measured: dict[str, Any] = {
        "witness": {name: shown_witness(value) for name, value in {**program.witness, **program.statics}.items()},
        "mode": mode,
        "dtype": dtype,
        **outcome(runner(program).run(mode, dtype)),
        "fails": fails,
    }
    if repair is not None and after.text != program.text:
        measured["repaired"] = outcome(runner(after).run(mode, dtype))
        measured["elsewhere"] = elsewhere(program, after, repair.kind)
    return measured


def shown_witness(value: Any) -> str:
    array = np.asarray(value)
    return shown(array) if array.dtype.kind == "f" else repr(value)


def main(names: list[str]) -> None:
    """Measure the named rules, or all of them, and write the pages."""
    path = ROOT / "rules" / MEASURED
    known = json.loads(path.read_text()) if path.exists() else {}
    every = {rule.name: rule for rule in rules()}
    for name in names or every:
        known[name] = {p.name: measure(p) for p in befores() if p.rule is every[name]}
        print(name, flush=True)
    known = {name: known[name] for name in sorted(known) if name in every}
    path.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")
    write_pages()


def pages() -> dict[Path, str]:
    """Every generated file of the documentation, with its text."""
    folder = ROOT / "docs" / "rules"
    made = {folder / f"{rule.name}.md": page(rule) for rule in rules()}
    made[folder / "README.md"] = "# Rules\n\n" + table(rules(), "") + "\n"
    readme = ROOT / "README.md"
    before, rest = readme.read_text().split(OPEN)
    made[readme] = f"{before}{OPEN}\n{table(rules(), 'docs/rules/', short=True)}\n{CLOSE}{rest.split(CLOSE)[1]}"
    trials = ROOT / "docs" / "trials.md"
    before, rest = trials.read_text().split(SITUATIONS_OPEN)
    after = rest.split(SITUATIONS_CLOSE)[1]
    made[trials] = f"{before}{SITUATIONS_OPEN}\n{situations()}\n{SITUATIONS_CLOSE}{after}"
    site = ROOT / "mkdocs.yml"
    before, rest = site.read_text().split(NAV_OPEN)
    made[site] = f"{before}{NAV_OPEN}{navigation()}{NAV_CLOSE}{rest.split(NAV_CLOSE)[1]}"
    return made


def situations() -> str:
    """The table of situations: the name, what the report says, and what becomes of what only it shows."""
    lines = ["| situation | in the report | |", "|---|---|---|"]
    lines += [f"| {one.name} | {one.sentence} | {_told_of(one)} |" for one in SITUATIONS]
    return "\n".join(lines)


def _told_of(situation: Situation) -> str:
    """What becomes of a finding that only this situation shows."""
    return ", ".join(["extreme"] * situation.is_extreme + ["warning"] * situation.rarely_right)


def navigation() -> str:
    """The part of the site's navigation that lists the rules by group."""
    lines = ["  - Rules:", "      - rules/README.md"]
    for group, members in itertools.groupby(rules(), lambda rule: rule.group):
        lines.append(f"      - {group}:")
        lines += [f"          - {rule.name}: rules/{rule.name}.md" for rule in members]
    return "\n".join(lines) + "\n"


def write_pages() -> None:
    """The documentation's copy of every page, the list of them, and the README's table."""
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
