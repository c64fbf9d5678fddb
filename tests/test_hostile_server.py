"""A client that says anything: each request is answered or told of in one line, and the server goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tfnanlint.commands import WRONG

pytest.importorskip("pygls")

NOWHERE = {"start": {"line": -5, "character": -1}, "end": {"line": 1e9, "character": 3}}
ODD: list[Any] = [
    *(b"{", b"[]", b"null", b"3", b"\xff\xfe", b'"text"', b"[" * 100_000),
    {"id": 7},
    {"jsonrpc": "2.0", "id": 5, "method": 5, "params": {}},
    {"jsonrpc": "2.0", "id": 4, "method": "nothing/known", "params": {}},
    {"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": {"x": 1}},
    {"jsonrpc": "2.0", "id": 3, "method": "textDocument/hover"},
    {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 5}},
    {
        "jsonrpc": "2.0",
        "method": "textDocument/didChange",
        "params": {
            "textDocument": {"uri": "file:///a.py", "version": 1},
            "contentChanges": [{"range": NOWHERE, "text": "x"}],
        },
    },
    {
        "jsonrpc": "2.0",
        "method": "textDocument/didOpen",
        "params": {"textDocument": {"uri": "http://[a", "languageId": "python", "version": 1, "text": "x"}},
    },
    {"jsonrpc": "2.0", "id": 9, "method": "workspace/executeCommand", "params": {"command": "tfnanlint.applyFixAll"}},
    {
        "jsonrpc": "2.0",
        "method": "workspace/didChangeConfiguration",
        "params": {"settings": {"tfnanlint": {"select": 5, "ignore": {"a": 1}, "configuration": [1]}}},
    },
    {"jsonrpc": "2.0", "id": 8, "method": "textDocument/codeAction", "params": {"textDocument": {"uri": "x"}}},
]


def framed(message: Any) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def test_whatever_a_client_says_is_told_of_in_one_line_and_the_server_goes_on() -> None:
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    first = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}]
    last = [{"jsonrpc": "2.0", "id": 99, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}]
    said = b"".join(map(framed, [*first, *ODD, *last]))
    command = [sys.executable, "-m", "tfnanlint", "server"]
    done = subprocess.run(command, input=said, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0
    assert b'"id": 99, "jsonrpc": "2.0", "result": null' in done.stdout
    lines = done.stderr.decode().splitlines()
    assert all(line.startswith("pygls.") and len(line) <= 300 for line in lines), lines
    assert len(lines) <= len(ODD)
    assert any("JSONDecodeError" in line for line in lines)


HEADERS = {
    "a length beyond any memory": (b"Content-Length: 1000000000000\r\n\r\n{}", "a message of more than 100 MB"),
    "a length that is no number to Python": (b"Content-Length: %s\r\n\r\n{}" % (b"9" * 5_000), "more than 100 MB"),
    "a header without an end": (b"x" * 50_000, "a header of more than 10,000 bytes"),
}


@pytest.mark.parametrize(("said", "reason"), HEADERS.values(), ids=list(HEADERS))
def test_a_message_without_a_bound_ends_the_server_in_one_line(said: bytes, reason: str) -> None:
    command = [sys.executable, "-m", "tfnanlint", "server"]
    done = subprocess.run(command, input=said, capture_output=True, check=False, timeout=120)
    assert done.returncode == WRONG
    (line,) = done.stderr.decode().splitlines()
    assert reason in line
