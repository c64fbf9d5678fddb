"""The language server as an editor meets it: a client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from editor import PACKAGE_ROOT, PATIENCE, Editor, applied, served
from installed import COMMAND
from lsprotocol import types

from tfnanlint import cli
from tfnanlint.server.analyst import Analyst
from tfnanlint.server.documents import Document
from tfnanlint.server.features import make_server
from tfnanlint.server.service import Service

SOFTMAX = "import tensorflow as tf\n\n\ndef f(x):\n    p = tf.nn.softmax(x)\n    return tf.math.log(p)\n"
CLEAN = SOFTMAX.replace("tf.math.log(p)", "tf.nn.log_softmax(x)")


def test_what_is_wrong_is_shown_where_it_is_and_why(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        editor.open("a.py", SOFTMAX)
        (found,) = await editor.diagnostics("a.py")
        assert found.range == types.Range(types.Position(5, 11), types.Position(5, 25))
        assert (found.code, found.source, found.severity) == (
            "log-softmax",
            "tfnanlint",
            types.DiagnosticSeverity.Error,
        )
        assert "its argument is in [0, 1]: a softmax" in found.message
        assert found.code_description.href.endswith("/log-softmax.md")
        (step,) = found.related_information
        assert step.location.uri == editor.uri("a.py")
        assert step.location.range == types.Range(types.Position(4, 8), types.Position(4, 24))

    served(tmp_path, scenario)


def test_a_quick_fix_says_what_it_leaves_and_names_no_option_of_the_command_line(tmp_path: Path) -> None:
    guarded = (
        'import tensorflow as tf\n\n\ndef loss(x):\n    p = tf.keras.layers.Dense(1, activation="sigmoid")(x)\n'
        "    return -tf.reduce_mean(tf.math.log(p))\n"
    )
    rework = (
        "import numpy as np\nimport tensorflow as tf\n\n\ndef attend(scores, mask):\n"
        "    return tf.nn.softmax(tf.where(mask, scores, -np.inf))\n"
    )

    async def scenario(editor: Editor) -> None:
        titles = {}
        for name, text in (("guarded.py", guarded), ("rework.py", rework)):
            editor.open(name, text)
            (found,) = await editor.diagnostics(name)
            assert ("without a gradient" in found.message) is (name == "guarded.py")
            titles[name] = (await editor.actions(name, found, "quickfix"))[0].title
        assert "(adds a guard; finite, but without a gradient where it saturates): " in titles["guarded.py"]
        assert "(changes training): " in titles["rework.py"]

    served(tmp_path, scenario)


def test_diagnostics_follow_what_is_typed_and_outlast_a_half_typed_line(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        editor.open("a.py", CLEAN)
        assert await editor.diagnostics("a.py") == []
        for version, end in enumerate(range(len(SOFTMAX) - 9, len(SOFTMAX) + 1), 2):
            editor.type("a.py", SOFTMAX[:end], version)
        assert len(await editor.diagnostics("a.py", version)) == 1
        assert editor.published[editor.uri("a.py")].empty()  # the versions between were not worth a word
        editor.type("a.py", SOFTMAX + "x = (", 20)
        editor.type("a.py", SOFTMAX + "x = ()\n", 21)
        assert len(await editor.diagnostics("a.py")) == 1
        editor.type("a.py", SOFTMAX + "x = (", 22)
        identifier = types.TextDocumentIdentifier(editor.uri("a.py"))
        await editor.hover("a.py", 0, 0)  # which waits until version 22 has been looked at
        assert editor.published[editor.uri("a.py")].empty()
        stale = types.Diagnostic(types.Range(types.Position(5, 0), types.Position(5, 20)), "")
        assert await editor.actions("a.py", stale) == []
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
        assert await editor.diagnostics("a.py") == []

    served(tmp_path, scenario)


def test_what_is_typed_may_come_in_parts(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        editor.open("a.py", SOFTMAX.replace("p)", "q)"))
        assert await editor.diagnostics("a.py") == []
        document = types.VersionedTextDocumentIdentifier(2, editor.uri("a.py"))
        parts = [
            (types.Position(5, 23), types.Position(5, 24), "p"),
            (types.Position(6, 0), types.Position(6, 0), "# é"),
        ]
        changes = [types.TextDocumentContentChangePartial(types.Range(start, end), text) for start, end, text in parts]
        editor.client.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))
        assert len(await editor.diagnostics("a.py", 2)) == 1

    served(tmp_path, scenario)


def test_a_quick_fix_repairs_and_an_ignore_silences(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        editor.open("a.py", SOFTMAX)
        (found,) = await editor.diagnostics("a.py")
        fix, ignore = await editor.actions("a.py", found, "quickfix")
        assert fix.title == "Fix log-softmax (equivalent): tf.nn.log_softmax(x)"
        assert fix.is_preferred
        assert list(fix.diagnostics) == [found]
        repaired = applied(SOFTMAX, fix.edit, editor.uri("a.py"))
        assert "return tf.nn.log_softmax(x)" in repaired
        assert ignore.title == "Ignore log-softmax here"
        ignored = applied(SOFTMAX, ignore.edit, editor.uri("a.py"))
        assert "tf.math.log(p)  # tfnanlint: ignore[log-softmax]\n" in ignored
        for version, text in ((2, repaired), (3, ignored)):
            editor.type("a.py", text, version)
            assert await editor.diagnostics("a.py", version) == []

    served(tmp_path, scenario)


def test_everything_safe_is_fixed_at_once_on_saving_or_on_command(tmp_path: Path) -> None:
    text = SOFTMAX + "\n\ndef g(x):\n    return tf.math.log(1.0 - tf.sigmoid(x))\n"

    async def scenario(editor: Editor) -> None:
        editor.open("a.py", text)
        first, _ = await editor.diagnostics("a.py")
        (action,) = await editor.actions("a.py", first, "source.fixAll")
        assert action.kind == "source.fixAll.tfnanlint"
        repaired = applied(text, action.edit, editor.uri("a.py"))
        assert "log_softmax(x)" in repaired
        assert "softplus(x)" in repaired
        params = types.ExecuteCommandParams("tfnanlint.applyFixAll", [editor.uri("a.py")])
        await editor.client.workspace_execute_command_async(params)
        assert applied(text, await editor.applied.get(), editor.uri("a.py")) == repaired
        editor.type("a.py", repaired, 2)
        assert await editor.diagnostics("a.py", 2) == []

    served(tmp_path, scenario)


def test_an_editor_that_resolves_actions_gets_edits_only_for_what_is_chosen(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        editor.open("a.py", SOFTMAX)
        (found,) = await editor.diagnostics("a.py")
        fix, ignore, every = await editor.actions("a.py", found)
        assert fix.edit is not None
        assert (ignore.edit, every.edit, every.command) == (None, None, None)
        chosen = await editor.resolved(every)
        assert "return tf.nn.log_softmax(x)" in applied(SOFTMAX, chosen.edit, editor.uri("a.py"))
        silent = await editor.resolved(ignore)
        assert "# tfnanlint: ignore[log-softmax]" in applied(SOFTMAX, silent.edit, editor.uri("a.py"))
        editor.type("a.py", "\n" + SOFTMAX, 2)
        assert len(await editor.diagnostics("a.py", 2)) == 1
        assert (await editor.resolved(every)).edit is None  # it was offered for another text

    served(tmp_path, scenario, resolves=True)


def test_an_editor_that_does_not_resolve_gets_all_repairs_where_it_asks_for_them(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        editor.open("a.py", SOFTMAX)
        (found,) = await editor.diagnostics("a.py")
        fix, ignore = await editor.actions("a.py", found)
        assert fix.edit is not None
        assert ignore.edit is not None
        (asked,) = await editor.actions("a.py", found, "source.fixAll.tfnanlint")
        assert "log_softmax" in applied(SOFTMAX, asked.edit, editor.uri("a.py"))

    served(tmp_path, scenario)


def test_moving_the_cursor_works_out_no_repair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an editor asks for on every move must not lint: the server would answer nothing else meanwhile."""
    asked: list[str] = []
    for name in ("check", "repairs", "ignoring"):
        whole = getattr(Analyst, name)
        monkeypatch.setattr(Analyst, name, lambda *a, name=name, whole=whole: (asked.append(name), whole(*a))[1])

    async def moves() -> list[types.CodeAction]:
        server = make_server()
        capabilities = types.ClientCapabilities(
            text_document=types.TextDocumentClientCapabilities(
                code_action=types.CodeActionClientCapabilities(
                    resolve_support=types.ClientCodeActionResolveOptions(properties=["edit"])
                )
            )
        )
        for _ in server.protocol.lsp_initialize(types.InitializeParams(capabilities)):
            pass  # what handlers of the server add to it
        service = Service(server)
        monkeypatch.setattr(service, "_send", lambda *_, **__: None)
        service.open(Document("file:///none/a.py", "/none/a.py", 1, SOFTMAX))
        place = types.Range(types.Position(0, 0), types.Position(9, 0))
        params = types.CodeActionParams(
            types.TextDocumentIdentifier("file:///none/a.py"), place, types.CodeActionContext([])
        )
        for _ in range(3):
            actions = await service.actions(params)
        await service.resolve(actions[-1])
        await service.resolve(actions[-1])
        service.end()
        return actions

    assert len(asyncio.run(moves())) == 3
    assert asked == ["check", "repairs"]


def test_a_wrong_rule_in_the_settings_of_the_editor_is_told_once_and_blamed_on_them(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        editor.open("a.py", SOFTMAX)
        editor.open("b.py", SOFTMAX)
        message = await asyncio.wait_for(editor.messages.get(), PATIENCE)
        assert message.startswith("tfnanlint: the editor's settings: no rule or group is named `log-sofmax`")
        for name in ("a.py", "b.py"):
            await editor.hover(name, 0, 0)  # which waits until it has been looked at
        assert editor.messages.empty()

    served(tmp_path, scenario, {"ignore": ["log-sofmax"]})


def test_a_hover_tells_the_range_under_the_cursor_and_the_rule_of_what_is_found_there(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        editor.open("a.py", SOFTMAX)
        await editor.diagnostics("a.py")
        on_log = await editor.hover("a.py", 5, 14)
        assert on_log.startswith("`tf.math.log(p)` is in (-inf, 0]")
        assert "**log-softmax** (error, likely)" in on_log
        assert "Fix (equivalent)" in on_log
        on_argument = await editor.hover("a.py", 5, 23)
        assert on_argument.startswith("`p` is in [0, 1]: a softmax")
        on_softmax = await editor.hover("a.py", 4, 12)
        assert on_softmax.startswith("`tf.nn.softmax(x)` is in [0, 1]: a softmax")
        assert "log-softmax" not in on_softmax
        assert (await editor.hover("a.py", 4, 4)).startswith("`p` is in [0, 1]: a softmax")
        assert "unknown" in await editor.hover("a.py", 4, 22)
        assert await editor.hover("a.py", 1, 0) == ""

    served(tmp_path, scenario)


@pytest.mark.parametrize(
    ("encodings", "units"),
    [(None, lambda text: len(text.encode("utf-16-le")) // 2), (["utf-8"], lambda text: len(text.encode()))],
    ids=["utf-16", "utf-8"],
)
def test_positions_are_in_the_client_s_units(
    tmp_path: Path, encodings: list[str] | None, units: Callable[[str], int]
) -> None:
    line = "    s = '🙂é'; return tf.math.log(tf.nn.softmax(x)), '🙂'"
    text = f"import tensorflow as tf\n\x0cdef f(x):\n{line}\n"

    async def scenario(editor: Editor) -> None:
        editor.open("a.py", text)
        (found,) = await editor.diagnostics("a.py")
        start = line.index("tf.math")
        assert found.range.start == types.Position(2, units(line[:start]))
        assert found.range.end == types.Position(2, units(line[: line.index(", '🙂'")]))
        fix, *_ = await editor.actions("a.py", found, "quickfix")
        assert "return tf.nn.log_softmax(x), '🙂'" in applied(text, fix.edit, editor.uri("a.py"), units)
        assert "softmax" in await editor.hover("a.py", 2, units(line[: start + 14]))

    served(tmp_path, scenario, encodings=encodings)


def test_a_changed_configuration_holds_at_once(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        config = tmp_path / "tfnanlint.toml"
        editor.open("a.py", SOFTMAX)
        assert len(await editor.diagnostics("a.py")) == 1
        assert types.WORKSPACE_DID_CHANGE_WATCHED_FILES in editor.registered
        config.write_text('ignore = ["log"]\n')
        event = types.FileEvent(config.as_uri(), types.FileChangeType.Created)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        assert await editor.diagnostics("a.py") == []
        config.write_text('ignre = ["log"]\n')
        editor.save("tfnanlint.toml")
        message = await asyncio.wait_for(editor.messages.get(), PATIENCE)
        assert "did you mean `ignore`?" in message
        config.write_text("")
        editor.save("tfnanlint.toml")
        assert len(await editor.diagnostics("a.py")) == 1
        settings = {"tfnanlint": {"ignore": ["log"]}}
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
        assert await editor.diagnostics("a.py") == []

    served(tmp_path, scenario)


def test_a_helper_is_followed_into_its_unsaved_text(tmp_path: Path) -> None:
    helper = "import tensorflow as tf\n\n\ndef spread(x):\n    return tf.nn.softmax(x)\n"
    main = "import tensorflow as tf\nfrom helper import spread\n\n\ndef f(x):\n    return tf.math.log(spread(x))\n"
    (tmp_path / "helper.py").write_text(helper.replace("softmax", "softplus") + "# on disk\n")

    async def scenario(editor: Editor) -> None:
        editor.open("helper.py", helper)
        assert await editor.diagnostics("helper.py") == []
        editor.open("main.py", main)
        (found,) = await editor.diagnostics("main.py")
        assert found.code == "log-softmax"
        assert found.related_information[0].location.uri == editor.uri("helper.py")
        editor.type("helper.py", helper.replace("return tf.nn.softmax(x)", "return tf.square(x) + 1.0"), 2)
        assert await editor.diagnostics("main.py") == []

    served(tmp_path, scenario)


def test_what_a_caller_makes_of_a_helper_is_shown_in_the_helper(tmp_path: Path) -> None:
    helper = "import tensorflow as tf\n\n\ndef safe_log(x):\n    return tf.math.log(x)\n"
    main = (
        "import tensorflow as tf\nfrom helper import safe_log\n\n\ndef f(x):\n    return safe_log(tf.nn.softmax(x))\n"
    )
    (tmp_path / "helper.py").write_text(helper)

    async def scenario(editor: Editor) -> None:
        editor.open("main.py", main)
        (found,) = await editor.diagnostics("helper.py")
        assert (found.code, found.range.start) == ("log-softmax", types.Position(4, 11))
        assert await editor.diagnostics("main.py") == []
        editor.type("main.py", main.replace("softmax", "softplus"), 2)
        assert await editor.diagnostics("helper.py") == []

    served(tmp_path, scenario)


def test_the_client_s_settings_are_heard_and_unknown_ones_named(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        assert "did you mean `select`?" in await asyncio.wait_for(editor.messages.get(), PATIENCE)
        editor.open("a.py", SOFTMAX)
        assert await editor.diagnostics("a.py") == []
        editor.type("a.py", SOFTMAX + "\n", 2)
        editor.save("a.py")
        assert await editor.diagnostics("a.py", 2) == []

    served(tmp_path, scenario, {"settings": {"selct": ["log"], "ignore": ["log"], "run": "onSave"}})


@pytest.mark.parametrize(
    "line",
    ["x = '\0'", f"x = {'(' * 3000}1{')' * 3000}", f"x = {'-' * 20000}1", "x = '\udcff'", "x = (", "# tfnanlint: on[x"],
    ids=["null", "nested", "signs", "surrogate", "half typed", "comment"],
)
def test_no_text_brings_the_server_down(line: str) -> None:
    analyst = Analyst()
    text = f"{SOFTMAX}{line}\n"
    checked = analyst.check("/none/a.py", text, {"/none/a.py": text})
    assert checked.findings == [] or "log-softmax" in {found.rule for found in checked.findings}
    if not line.isascii():
        return  # the service lets none of these in
    for values in (analyst.revealed("/none/a.py", text, {}, 6, 12), analyst.repairs("/none/a.py", text, {})):
        assert bool(values) is checked.readable


def test_without_pygls_the_way_out_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith(("pygls", "lsprotocol", "tfnanlint.server"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    assert cli.main(["server"]) == 2
    assert capsys.readouterr().err == ("tfnanlint: the language server needs pygls: pip install 'tfnanlint[lsp]'\n")


def test_a_client_that_vanishes_ends_the_server(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tfnanlint", "server", "--stdio"]
    environment = os.environ | {"PYTHONPATH": PACKAGE_ROOT}
    done = subprocess.run(
        command, input=b"", capture_output=True, cwd=tmp_path, env=environment, timeout=PATIENCE, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")


def test_the_server_leaves_without_an_error_when_the_client_asks_it_to(tmp_path: Path) -> None:
    asked = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in asked]
    done = subprocess.run(
        [*COMMAND, "server"],
        input=b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies),
        capture_output=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": PACKAGE_ROOT},
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
