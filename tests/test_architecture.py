"""The architecture held to its word: imports point one way, and a run imports nothing heavy that it does not use."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest
from conftest import QUICK

from tfnanlint.ruleset.cache import known_rules
from tfnanlint.vocabulary import CACHE

PACKAGE = Path(__file__).parent.parent / "tfnanlint"

RUN_OF_ONE = "adjust discover edits files imports names plan problem rounds single text"
"""The modules of a run that know of one file only."""

LAYERS = (
    ("errors", "contents", "limits", "finding", "interval", "ranges", "assumptions", "vocabulary", "ruleset.files"),
    ("ops",),
    ("flow",),
    ("source", "graph"),
    ("facts",),
    ("trial",),
    ("template", "ruleset"),
    ("match.captures",),
    ("match.preconditions",),
    ("match.matcher", "match"),
    ("fix", "explain"),
    ("prefilter", "ruleset.cache", "lint", "explain.hover", "graph.lint"),
    ("config", "suppress", "notebook", *map("run.{}".format, RUN_OF_ONE.split())),
    ("run",),
    tuple(
        f"graph.{name}"
        for name in (
            "batches importing confinement permitted region runnable tracing stored keras_files targets quiet collected"
            " instrument labels outcomes probe search prove proofs proving api watching training job child_process"
        ).split()
    ),
    ("report"),
    ("pytest_plugin", "testing"),
    ("server",),
    ("commands", "cli", "__init__", "__main__"),
)
"""From the ground up; a module imports from its own layer and from those below it only."""


def layer_of(module: str) -> int:
    """The layer of a dotted module name inside the package, by its longest listed prefix."""
    pieces = module.split(".")
    for length in range(len(pieces), 0, -1):
        name = ".".join(pieces[:length])
        for place, names in enumerate(LAYERS):
            if name in names:
                return place
    raise AssertionError(f"{module} stands in no layer: say in LAYERS where it belongs")


def module_of(imported_from: str, name: str) -> str:
    """The module that `from imported_from import name` imports: a module of that name, else the one it comes from."""
    top, *parts = imported_from.split(".")
    if top != PACKAGE.name:
        return ""
    inside = PACKAGE.joinpath(*parts, name)
    is_module = inside.with_suffix(".py").exists() or (inside / "__init__.py").exists()
    return ".".join([*parts, name] if is_module else parts)


def imports_of(path: Path) -> set[str]:
    """The modules of the package that a file imports, at its top or inside functions, types aside."""
    found: set[str] = set()
    tree = ast.parse(path.read_text())
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in typing_only:
            found |= {module_of(node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import) and id(node) not in typing_only:
            found |= {module_of(*alias.name.rpartition(".")[::2]) for alias in node.names}
    return found - {""}  # neither another package nor a constant of this one's front door


MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    return name.removesuffix(".__init__")


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_from_its_own_layer_and_below(path: Path) -> None:
    own = layer_of(name_of(path))
    upward = {module for module in imports_of(path) if layer_of(module) > own}
    allowed = (
        {"graph.lint", "graph.api", "graph.watching", "graph.training"} if name_of(path) == "graph" else set()
    )  # the package's front door
    assert upward - allowed == set()


def test_no_module_takes_part_in_an_import_cycle() -> None:
    """Wherever the import stands in a file: inside a function, too."""
    imports = nx.DiGraph((name_of(path), imported) for path in MODULES for imported in imports_of(path))
    assert nx.number_of_selfloops(imports) == 0
    assert [sorted(group) for group in nx.strongly_connected_components(imports) if len(group) > 1] == []


@pytest.mark.parametrize("path", [p for p in MODULES if not {"graph", "testing"} & {*p.parts}], ids=name_of)
def test_only_the_graph_pass_names_tensorflow(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert not any(alias.name.split(".")[0] in ("tensorflow", "keras") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in ("tensorflow", "keras")


def loaded_by(text: str, tmp_path: Path, configured: str = "") -> set[str]:
    """The modules that a run over one file loads, with the cache that it has by default, the rules being compiled."""
    known_rules()
    (tmp_path / "program.py").write_text(text)
    (tmp_path / "pyproject.toml").write_text(f"[project]\nname = 'program'\n{configured}")
    code = (
        "import sys; before = {*sys.modules}\n"
        f"sys.path.insert(0, {str(PACKAGE.parent)!r}); from tfnanlint.cli import main; main(['program.py'])\n"
        "print('LOADED', *({*sys.modules} - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    return set(done.stdout.split("LOADED")[1].split())


LOOKING = """
    assumptions cli limits commands commands.adoption commands.check commands.options commands.result config contents
    config.discovery config.installed config.lines config.patterns config.settings errors report report.summary run
    run.discover run.files run.many run.outcome run.problem run.progress run.single run.verdict run.workers
    source source.imports source.packages source.project source.sized_cache suppress suppress.meta vocabulary
"""
"""What the command line, a look at a file's bytes and a closing line take."""

CONFIGURED = "config.keys config.reading config.versions ruleset ruleset.files"
"""What a configuration takes besides."""

SLOW = "ast dataclasses difflib inspect hashlib json pathlib shutil tempfile tomllib unicodedata urllib zipfile".split()
"""Modules of Python that take as long to import as everything in `LOOKING`, or bring such along."""


def test_a_file_without_tensorflow_loads_what_looks_at_it_and_nothing_more(tmp_path: Path) -> None:
    loaded = loaded_by("import json\nimport os\nprint(json.dumps(os.sep))\n", tmp_path)
    assert {name for name in loaded if name.startswith("tfnanlint.")} == {f"tfnanlint.{m}" for m in LOOKING.split()}
    assert loaded.isdisjoint(SLOW)
    assert {name.partition(".")[0] for name in loaded} <= {"tfnanlint", *sys.stdlib_module_names}
    assert not (tmp_path / CACHE).exists()


def test_a_configuration_that_names_rules_loads_none(tmp_path: Path) -> None:
    loaded = loaded_by("import json\n", tmp_path, "[tool.tfnanlint]\nignore = ['log', 'sqrt-at-zero']\n")
    modules = {f"tfnanlint.{name}" for name in f"{LOOKING} {CONFIGURED}".split()}
    assert {name for name in loaded if name.startswith("tfnanlint.")} == modules
    assert "dataclasses" not in loaded


def test_a_file_without_a_finding_loads_nothing_heavy(tmp_path: Path) -> None:
    heavy = {"libcst", "networkx", "tensorflow", "rich", "pathspec", "multiprocessing", "numpy"}
    reporting = {f"tfnanlint.{name}" for name in "explain finding fix report.text suppress.pragma".split()}
    loaded = loaded_by("import tensorflow as tf\ny = tf.math.log(tf.square(x) + 1.0)\n", tmp_path)
    assert loaded.isdisjoint(heavy | reporting)


def test_a_file_with_a_finding_loads_libcst_and_numpy_but_neither_tensorflow_nor_networkx(tmp_path: Path) -> None:
    loaded = loaded_by("import tensorflow as tf\ny = tf.math.log(tf.nn.softmax(x))\n", tmp_path)
    assert loaded >= {"libcst", "numpy"}, "a repair needs the one, the run that shows the finding the other"
    assert loaded & {"networkx", "tensorflow", "keras"} == set()


def test_the_quick_tests_are_there_and_name_no_tensorflow() -> None:
    folder = Path(__file__).parent
    for name in QUICK:
        tree = ast.parse((folder / f"test_{name}.py").read_text())
        imported = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
        assert imported.isdisjoint({"tensorflow", "keras"}), name
