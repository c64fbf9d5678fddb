"""Rules of installed packages: found through entry points, read without an import, left out by `--isolated`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from installed import tfnanlint

from tfnanlint.config.installed import GROUP, installed_folders
from tfnanlint.errors import ConfigError

if sys.version_info >= (3, 11):
    import tomllib as toml
else:
    import tomli as toml

REPOSITORY = Path(__file__).parent.parent
RULE = '''"""`tf.math.cumsum` of a square is not allowed here

The project forbids it.
"""

import tensorflow as tf

code = "TFNACME101"


def before(x=(1.0, 2.0)):
    return tf.math.cumsum(tf.square(x))
'''
BOMB = "raise SystemExit('a rule package was imported')\n"
CODE = "import tensorflow as tf\ny = tf.math.cumsum(tf.square(x))\n"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages, with one that pip installed from a wheel."""
    tmp_path = tmp_path_factory.mktemp("packages")
    wheel = tmp_path / "acme_nan-1.0-py3-none-any.whl"
    about = "acme_nan-1.0.dist-info"
    members = {
        "acme_nan/__init__.py": BOMB,
        "acme_nan/rules/__init__.py": BOMB,
        "acme_nan/rules/acme/cumsum-of-square.py": RULE,
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: acme-nan\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "[tfnanlint.rules]\nacme = acme_nan.rules\n",
        f"{about}/RECORD": "",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    site = tmp_path / "site"
    install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile", "--target", str(site)]
    subprocess.run([sys.executable, *install, str(wheel)], check=True)
    return site


@pytest.fixture
def site(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder in the search path, and a working directory with a file that breaks the rule."""
    site = shutil.copytree(package, tmp_path / "site")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("PYTHONPATH", f"{site}:{REPOSITORY}")
    (tmp_path / "work" / "a.py").write_text(CODE)
    return site


@pytest.mark.usefixtures("site")
def test_an_installed_package_adds_its_rules_and_isolation_leaves_them_out() -> None:
    done = tfnanlint("--output-format", "json", "a.py")
    (found,) = json.loads(done.stdout)
    assert (found["rule"], found["code"], found["group"]) == ("cumsum-of-square", "TFNACME101", "acme")
    assert done.returncode == 1
    assert tfnanlint("--isolated", "a.py").returncode == 0
    assert tfnanlint("--ignore", "acme", "a.py").returncode == 0
    assert "cumsum-of-square" in tfnanlint("rule", "--search", "cumsum").stdout
    assert "cumsum-of-square" not in tfnanlint("rule", "--search", "cumsum", "--isolated").stdout


def test_the_configuration_of_a_project_says_what_an_installed_package_adds(site: Path) -> None:
    Path("tfnanlint.toml").write_text('ignore = ["cumsum-of-square"]\n')
    assert tfnanlint("a.py").returncode == 0
    said = tfnanlint("config").stdout
    assert f"# an installed package adds the rules in {site / 'acme_nan' / 'rules'}\n" in said
    assert ", rules, " in said.partition("# not set: ")[2]


def test_a_folder_that_the_configuration_names_and_a_package_installs_is_read_once(site: Path) -> None:
    Path("tfnanlint.toml").write_text(f'rules = ["{site / "acme_nan" / "rules"}"]\n')
    done = tfnanlint("--output-format", "concise", "a.py")
    assert (done.returncode, done.stdout.count("TFNACME101")) == (1, 1), done.stderr


def test_a_package_that_is_gone_is_an_error_with_a_way_out(site: Path) -> None:
    (site / "acme_nan-1.0.dist-info" / "entry_points.txt").write_text("[tfnanlint.rules]\nacme = gone.rules\n")
    done = tfnanlint("a.py")
    assert done.returncode == 2
    assert "the entry point `acme` names `gone.rules`, which is not an installed package" in done.stderr
    assert done.stderr.endswith("reinstall or remove the package, or use --isolated\n")
    assert tfnanlint("--isolated", "a.py").returncode == 0


def test_entry_points_are_searched_in_absolute_folders_only(
    tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(site / "acme_nan" / "rules")
    assert installed_folders([str(tmp_path / "gone"), str(site), str(site)]) == (folder,)
    monkeypatch.chdir(site)
    assert installed_folders(["", "."]) == ()


@pytest.mark.parametrize(
    "text", ["[tfnanlint.rules]\nacme\n", "[tfnanlint.rules]\nacme = ../..\n", "[tfnanlint.rules]\na = b:c\n"]
)
def test_entry_points_that_name_no_package_are_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "a-1.dist-info").mkdir()
    (tmp_path / "a-1.dist-info" / "entry_points.txt").write_text(text)
    with pytest.raises(ConfigError, match=r"entry_points\.txt: .*; reinstall or remove the package, or use --isolated"):
        installed_folders([str(tmp_path)])


def test_the_documented_package_has_the_entry_point_that_is_searched() -> None:
    text = (REPOSITORY / "docs" / "workflows.md").read_text()
    (example,) = (block for block in re.findall(r"^```toml\n(.*?)^```", text, re.M | re.S) if "entry-points" in block)
    assert toml.loads(example)["project"]["entry-points"] == {GROUP: {"acme": "acme_nan.rules"}}
