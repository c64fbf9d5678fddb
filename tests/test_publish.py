"""What is published: the workflows of continuous integration and release, and the extension for VS Code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import tfnanlint
from tfnanlint.server.service import FIX_ALL, OPTIONS

if sys.version_info >= (3, 11):
    import tomllib as toml
else:
    import tomli as toml

ROOT = Path(__file__).parent.parent
PROJECT = toml.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTENSION = ROOT / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text())


def workflow(name: str) -> dict[str, Any]:
    """A workflow; YAML reads its key `on` as true."""
    loaded = yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text())
    return {"on" if key is True else key: value for key, value in loaded.items()}


TESTS, RELEASE = workflow("tests"), workflow("release")
JOBS = {f"{name} of {whole['name']}": job for whole in (TESTS, RELEASE) for name, job in whole["jobs"].items()}


def commands(whole: dict[str, Any], job: str) -> list[str]:
    """The commands of a job."""
    return [step["run"] for step in whole["jobs"][job]["steps"] if "run" in step]


def readme_commands() -> list[str]:
    """The two commands to try, as the README gives them."""
    return re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text(), re.MULTILINE)


def test_continuous_integration_runs_the_commands_of_the_readme() -> None:
    first, second = readme_commands()
    quick = commands(TESTS, "quick")
    assert first in quick
    assert first.replace("python3", "python").replace(".venv/bin", ".venv/Scripts") in quick
    assert commands(TESTS, "everything") == [".ci/run"]
    found = subprocess.run(
        ["bash", "-c", re.findall(r"^tests=\$\((.*?)\)", (ROOT / ".ci/run").read_text(), re.MULTILINE)[0]],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert found.stdout.strip() == second
    assert ".venv/bin/python -m pytest -q -m quick" in (ROOT / "README.md").read_text()
    assert "python -m pytest -q -m quick" in quick


def test_every_python_that_the_package_claims_is_tested_on_every_system() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    matrix = TESTS["jobs"]["quick"]["strategy"]["matrix"]
    assert matrix["python"] == claimed
    assert {system.partition("-")[0] for system in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert set(TESTS["jobs"]["everything"]["strategy"]["matrix"]["python"]) <= set(claimed)
    assert PROJECT["requires-python"] == f">={claimed[0]}"


def extras() -> Iterator[str]:
    for whole in (TESTS, RELEASE):
        for job in whole["jobs"]:
            for command in commands(whole, job) if "steps" in whole["jobs"][job] else ():
                yield from re.findall(r"\.\[([\w,]+)\]", command)


def test_the_extras_that_are_installed_exist() -> None:
    named = {name for given in extras() for name in given.split(",")}
    assert named <= {*PROJECT["optional-dependencies"]}
    assert named == {"docs", "lsp", "quick"}


def test_a_release_is_tested_and_published_without_a_password() -> None:
    jobs = RELEASE["jobs"]
    assert RELEASE["on"] == {"push": {"tags": ["v[0-9]*"]}}
    assert jobs["tests"]["uses"] == "./.github/workflows/tests.yml"
    assert "workflow_call" in TESTS["on"]
    assert set(jobs["pypi"]["needs"]) == {"tests", "build"}
    assert jobs["pypi"]["permissions"] == {"id-token": "write"}
    (publish,) = (step for step in jobs["pypi"]["steps"] if "pypi-publish" in step["uses"])
    assert "password" not in publish.get("with", {})
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text()


def test_the_release_compares_its_tag_with_the_version() -> None:
    (compare,) = (command for command in commands(RELEASE, "build") if "TAG" in command)
    statuses = [
        subprocess.run(["bash", "-ec", compare], env={"TAG": tag, "PATH": "/usr/bin:/bin"}, cwd=ROOT, check=False)
        for tag in (f"v{tfnanlint.__version__}", "v999")
    ]
    assert [done.returncode for done in statuses] == [0, 1]


@pytest.mark.parametrize("name", JOBS)
def test_a_job_is_bounded_and_takes_no_text_of_others_into_a_script(name: str) -> None:
    job = JOBS[name]
    if "uses" in job:
        return
    assert 0 < job["timeout-minutes"] <= 120
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step)
        assert "${{" not in step.get("run", ""), "an expression in a script can be a command; pass it in `env`"
        assert re.fullmatch(r"[\w-]+/[\w-]+@[\w./]+", step.get("uses", "a/b@c"))


def test_every_artifact_that_a_release_takes_was_made() -> None:
    made = {
        step["with"]["name"]
        for job in JOBS.values()
        for step in job.get("steps", ())
        if "upload-artifact" in step.get("uses", "")
    }
    assert made == {"dist", "vscode-extension"}
    (pattern,) = (
        step["with"]["pattern"] for step in RELEASE["jobs"]["github"]["steps"] if "pattern" in step.get("with", {})
    )
    assert set(pattern.strip("{}").split(",")) == made


# The extension for VS Code.


def test_the_extension_has_the_settings_of_the_server_and_documents_them() -> None:
    settings = set(MANIFEST["contributes"]["configuration"]["properties"])
    assert settings == {f"tfnanlint.{name}" for name in (*OPTIONS, "command", "trace.server")}
    source = (EXTENSION / "src" / "command.ts").read_text()
    (passed,) = re.findall(r"SETTINGS = \[(.*?)\] as const", source)
    assert re.findall(r'"(\w+)"', passed) == list(OPTIONS)
    readme = (EXTENSION / "README.md").read_text()
    assert {name for name in settings if f"`{name}`" not in readme} == set()
    assert FIX_ALL in readme


def test_the_extension_registers_the_commands_that_it_offers() -> None:
    source = (EXTENSION / "src" / "extension.ts").read_text()
    offered = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    assert offered == set(re.findall(r'registerCommand\("([\w.]+)"', source))


def test_the_extension_has_the_version_of_the_package_and_is_built_as_it_says() -> None:
    assert MANIFEST["version"] == tfnanlint.__version__
    lock = json.loads((EXTENSION / "package-lock.json").read_text())
    assert lock["packages"][""]["devDependencies"] == MANIFEST["devDependencies"]
    (build,) = (command for command in commands(TESTS, "vscode") if "npm" in command)
    assert build in (EXTENSION / "README.md").read_text()
    assert all(script in MANIFEST["scripts"] for script in re.findall(r"npm (?:run )?(\w+)", build.partition("&& ")[2]))
