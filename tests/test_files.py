"""Reading and replacing files without losing a byte."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tfnanlint.errors import SourceError
from tfnanlint.run.files import FileError, decode, read, replace_file, shown, write_report

ROUND_TRIPS = {
    "utf-8": "x = 'é'\n".encode(),
    "byte order mark": b"\xef\xbb\xbfx = 1\n",
    "latin-1": b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
    "coding in line 2": b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n",
    "carriage returns": b"x = 1\r\ny = 2\r\n",
    "mixed line ends": b"x = 1\r\ny = 2\nz = 3\r",
    "form feed": b"\x0cx = 1\n\x0c\n",
    "no last newline": b"x = 1",
    "empty": b"",
}


@pytest.mark.parametrize("data", ROUND_TRIPS.values(), ids=ROUND_TRIPS.keys())
def test_a_text_encodes_to_the_bytes_it_was_decoded_from(data: bytes) -> None:
    source = decode(data, "a.py")
    assert source.encode(source.text) == data


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert decode(b"\xef\xbb\xbfx", "a.py").text == "x"


def test_line_ends_are_kept_in_the_text() -> None:
    assert decode(b"a\r\nb\rc\n", "a.py").text == "a\r\nb\rc\n"


def test_the_declared_encoding_decides() -> None:
    assert decode(b"# coding: latin-1\n'\xe9'", "a.py").text.endswith("'é'")


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        (b"x = 1\ny = '\xe9'\n", (2, 6), "0xe9"),
        (b"# a\n" * 5 + b"'\xff'", (6, 2), "0xff"),
        (b"# \xe9\n", (1, 3), "0xe9"),
        (b"# coding: klingon\n", (1, 1), "klingon"),
        (b"# coding: hex\n", (1, 1), "hex"),
        (b"\xef\xbb\xbf# coding: latin-1\n", (1, 1), "utf-8"),
        (b"# coding: ascii\n'\xc3\xa9'\n", (2, 2), "ascii"),
        (b"x = 1\r\nab\0\n", (2, 3), "null bytes"),
        ("x = 1\n".encode("utf-16"), (1, 4), "null bytes"),
    ],
)
def test_what_python_cannot_read_is_an_error_with_its_place(data: bytes, place: tuple[int, int], reason: str) -> None:
    with pytest.raises(SourceError, match=reason) as caught:
        decode(data, "a.py")
    assert (caught.value.line, caught.value.column) == place
    assert str(caught.value).startswith(f"a.py:{place[0]}:{place[1]}: ")


def test_text_that_the_encoding_lacks_is_refused() -> None:
    source = decode(b"# coding: latin-1\n", "a.py")
    with pytest.raises(FileError, match="cannot encode the fixed text as iso-8859-1"):
        source.encode("€")


def test_a_file_that_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"gone\.py: cannot read the file: no such file"):
        read(str(tmp_path / "gone.py"))


def test_replacing_keeps_the_mode_and_leaves_nothing_else_behind(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(0o751)
    replace_file(str(file), b"old", b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o751
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_symbolic_link_stays_one_and_its_target_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "real" / "a.py", tmp_path / "link.py"
    target.parent.mkdir()
    target.write_bytes(b"old")
    link.symlink_to(Path("real") / "a.py")
    replace_file(str(link), b"old", b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_read_only_file_is_left_untouched(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with pytest.raises(FileError, match="read-only"):
        replace_file(str(file), b"old", b"new")
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"edited by hand")
    with pytest.raises(FileError, match="changed during the run"):
        replace_file(str(file), b"old", b"new")
    assert file.read_bytes() == b"edited by hand"
    assert os.listdir(tmp_path) == ["a.py"]


def test_an_interrupt_before_the_replacement_leaves_the_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(str(file), b"old", b"new")
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.py"]


def test_paths_are_shown_relative_to_the_working_directory_only_where_they_lie_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert shown(str(tmp_path / "here" / "sub" / "a.py")) == os.path.join("sub", "a.py")
    assert shown("./a.py") == "a.py"
    assert shown("../here2/a.py") == str(tmp_path / "here2" / "a.py")


def broken() -> Iterator[str]:
    yield "half"
    raise KeyboardInterrupt


def test_a_report_that_is_not_finished_leaves_the_old_one_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_report(str(path), broken())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_report_keeps_the_mode_of_the_one_it_replaces_and_a_new_one_obeys_the_umask(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("")
    old.chmod(0o640)
    mask = os.umask(0o022)
    try:
        for path in (old, new):
            write_report(str(path), ["x\n", "\udcff"])
    finally:
        os.umask(mask)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (old, new)] == [0o640, 0o644]
    assert new.read_bytes() == b"x\n\\udcff"


def test_a_report_goes_into_a_pipe() -> None:
    reading, writing = os.pipe()
    write_report(f"/dev/fd/{writing}", ["piped"])
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "piped"
