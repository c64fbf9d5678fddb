"""Positions and changes in the client's units."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tfnanlint.server.positions import changed, own_position

TEXT = "a = '🙂é'\r\n\x0cb = 1\rc\n"


def part(start: tuple[int, int], end: tuple[int, int], text: str) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(types.Range(types.Position(*start), types.Position(*end)), text)


@pytest.mark.parametrize(
    ("encoding", "end"), [(None, 8), ("utf-16", 8), ("utf-8", 11), ("utf-32", 7)], ids=["default", "16", "8", "32"]
)
def test_a_part_is_replaced_where_the_client_has_it(encoding: str | None, end: int) -> None:
    assert changed(TEXT, part((0, 5), (0, end), "x"), encoding) == TEXT.replace("🙂é", "x")


@pytest.mark.parametrize(
    ("start", "end", "after"),
    [
        ((0, 99), (1, 0), TEXT.replace("\r\n", "")),
        ((1, 1), (1, 2), TEXT.replace("b", "")),
        ((2, 0), (2, 1), TEXT.replace("c", "")),
        ((3, 0), (3, 0), TEXT),
        ((99, 3), (99, 9), TEXT),
        ((0, 0), (99, 0), ""),
    ],
)
def test_lines_end_where_the_protocol_has_their_ends(start: tuple[int, int], end: tuple[int, int], after: str) -> None:
    assert changed(TEXT, part(start, end, ""), None) == after


def test_a_whole_text_replaces_the_whole_and_half_a_character_is_its_start() -> None:
    assert changed(TEXT, types.TextDocumentContentChangeWholeDocument("b"), None) == "b"
    assert own_position(TEXT, types.Position(0, 6), None) == (1, 6)
