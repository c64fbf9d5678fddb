"""Files and texts to lint and their settings, shared by the command line and the Python API."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from tfnanlint.assumptions import Assumptions
from tfnanlint.config.discovery import Configs
from tfnanlint.config.lines import forget, line_length_in
from tfnanlint.config.settings import Config, Settings, all_rules, by_name, check_names, known_names
from tfnanlint.errors import ConfigError, SourceError, TfnanlintError
from tfnanlint.run.files import shown
from tfnanlint.run.outcome import Outcome, Run
from tfnanlint.run.problem import Problem
from tfnanlint.run.workers import Workers
from tfnanlint.suppress.meta import GROUP

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tfnanlint.finding import Finding
    from tfnanlint.ruleset.rule import Rules
    from tfnanlint.suppress.known import Unknown

Task = tuple[str, Settings]


def lint_source(
    text: str, path: str = "<string>", *, rules: Rules | None = None, pedantic: bool = False
) -> list[Finding]:
    """The findings in a source text under the built-in or the given rules, without those that its comments ignore.

    Raises `SourceError` if the text is not Python.
    """
    from tfnanlint.run.plan import Plan, codes_of, groups_of, plan_of
    from tfnanlint.run.text import lint_text
    from tfnanlint.suppress.meta import META, Scope

    plan = plan_of(Settings())
    if rules is not None:
        names = frozenset(rules.names)
        known = names.union(plan.scope.known)
        codes = {**plan.scope.codes, **codes_of(rules)}
        plan = Plan(rules, Scope(names, known, frozenset(META), {**plan.scope.groups, **groups_of(rules)}, codes))
    linted = lint_text(text, path, plan, pedantic)
    if linted.problems:
        raise TfnanlintError(str(linted.problems[0]))
    return linted.findings


def lint_paths(
    paths: Iterable[str | os.PathLike[str]],
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    pedantic: bool = False,
    jobs: int = 1,
    on_error: Callable[[TfnanlintError], None] | None = None,
    executor: Executor | None = None,
) -> list[Finding]:
    """The findings in files and folders, sorted by path and position; the nearest configuration applies to each file.

    A file that cannot be linted raises a `TfnanlintError`; with `on_error`, the error is passed there and the run
    continues. The workers of an `executor` lint, in place of `jobs` processes; they see the same files at the same
    paths. The files of a task that fails are linted once more, each on its own, and a `RuntimeWarning` says why.
    """
    from tfnanlint.run.discover import discover

    def fail(error: TfnanlintError) -> None:
        if on_error is None:
            raise error
        on_error(error)

    configs = Configs()
    found = discover([os.fspath(path) for path in paths], configs)
    for path, reason in found.problems:
        fail(TfnanlintError(f"{path}: {reason}"))
    wanted = Settings(tuple(select), tuple(ignore), pedantic=pedantic)
    findings: list[Finding] = []
    with closing(check_files(tasks_for(found.files, configs, wanted), jobs, executor=executor)) as outcomes:
        for outcome in outcomes:
            findings += outcome.findings
            for problem in outcome.problems:
                fail(_as_error(problem))
    return sorted(findings, key=lambda found: found.position)


THE_COMMAND_LINE = "the command line"


def tasks_for(
    files: Sequence[str], configs: Configs, wanted: Settings, wanted_by: str = THE_COMMAND_LINE
) -> list[Task]:
    """Each file with the settings that hold for it; `ConfigError` for a name that no rule has."""
    forget()
    homes = [configs.of(os.path.dirname(os.path.abspath(file))) for file in files]
    distinct = list(dict.fromkeys(homes)) or [configs.of(os.getcwd())]
    settings = dict(zip(distinct, settings_for(distinct, wanted, wanted_by), strict=True))
    found = zip(files, homes, strict=True)
    return [(file, _for_file(chosen, home, file)) for file, home in found if (chosen := settings[home])]


def _for_file(settings: Settings, home: Config, file: str) -> Settings:
    """The settings for one file: what its configuration ignores in files like it, and how long lines are."""
    if not settings.assumptions.line_length and (length := line_length_in(os.path.dirname(os.path.abspath(file)))):
        settings = settings._replace(assumptions=settings.assumptions._replace(line_length=length))
    if not home.per_file_ignores:
        return settings
    from tfnanlint.run.discover import ignored_in

    return settings._replace(ignore=(*settings.ignore, *by_name(ignored_in(file, home), home.rules)))


def settings_for(homes: Sequence[Config], wanted: Settings, wanted_by: str = THE_COMMAND_LINE) -> list[Settings | None]:
    """The settings under each configuration: what the run selects replaces its `select`, the rest adds up.

    None where nothing of what is selected exists: a rule of one project's own is not a rule in the next.
    """
    for home in homes:
        if home.rules:
            all_rules(home.rules)
        check_names(home.names, home.rules, shown(home.path) if home.path else "the configuration")
    folders = tuple(dict.fromkeys(folder for home in homes for folder in home.rules))
    check_names((*wanted.select, *wanted.ignore), folders, wanted_by)
    wanted = wanted._replace(select=by_name(wanted.select, folders), ignore=by_name(wanted.ignore, folders))
    settings = [_settings(home, wanted) for home in homes]
    if not any(map(_apply_something, settings)):
        raise ConfigError(_nothing_left(homes[0], wanted, wanted_by))
    return settings


def _nothing_left(home: Config, wanted: Settings, wanted_by: str) -> str:
    """Whose `ignore` leaves no rule of whose `select`."""
    by_file = not _apply_something(_settings(home, wanted._replace(ignore=())))
    sources = dict(home.sources)
    ignoring = shown(sources.get("ignore", home.path or "")) if by_file else wanted_by
    selecting = wanted_by if wanted.select else shown(sources.get("select", home.path or ""))
    if not (wanted.select or home.selected):
        return f"{ignoring}: `ignore` contains every rule, so no rule is left"
    what = "in `select`" if ignoring == selecting else f"that {selecting} selects"
    return f"{ignoring}: `ignore` contains everything {what}, so no rule is left"


def _apply_something(settings: Settings | None) -> bool:
    """Whether any rule is left; it can be none only where some are selected and some ignored, or all."""
    if settings is None or not settings.ignore or not (settings.select or GROUP in settings.ignore):
        return settings is not None
    from tfnanlint.run.plan import plan_of

    plan = plan_of(settings)
    return bool(plan.rules.names or plan.scope.meta)


def _settings(home: Config, wanted: Settings) -> Settings | None:
    known = known_names(home.rules) if wanted.select or wanted.ignore else frozenset()
    select = tuple(name for name in wanted.select if name in known)
    if wanted.select and not select:
        return None
    ignore = (*by_name(home.ignore, home.rules), *(name for name in wanted.ignore if name in known))
    return Settings(
        select or by_name(home.selected, home.rules),
        ignore,
        home.rules,
        wanted.pedantic,
        wanted.fix,
        home.unsafe_fixes if wanted.unsafe_fixes is None else wanted.unsafe_fixes,
        tuple((rule, severity) for name, severity in home.severity for rule in by_name([name], home.rules)),
        home.modes,
        Assumptions(home.assume, home.target, home.line_length),
        wanted.fail_on or home.fail_on,
        wanted.min_certainty or home.min_certainty,
        by_name(home.unfixable, home.rules),
    )


def check_files(
    tasks: Sequence[Task],
    jobs: int = 1,
    overlay: Mapping[str, bytes] | None = None,
    writes: bool = True,
    on_linted: Callable[[], None] = lambda: None,
    unknown: Unknown | None = None,
    cache: str | None = None,
    executor: Executor | None = None,
) -> Generator[Outcome, None, None]:
    """The outcome of each task, in their order; `on_linted` is called whenever a file has been linted.

    What is found in a file through another belongs to that file, so outcomes are known when all files have been
    linted. `overlay` has bytes that stand for files, `writes` says that repaired files are going to be replaced.
    What `unknown` does not leave of a file's findings is neither repaired nor told. `cache` is the folder in which
    what linting gives is kept for the next run. An `executor` lints in place of `jobs` processes.
    """
    with Workers(dict(tasks), jobs, overlay, cache, executor) as workers:
        yield from Run(workers, writes, unknown).outcomes(on_linted)


def check_bytes(data: bytes, path: str, settings: Settings, unknown: Unknown | None = None) -> Outcome:
    """Check bytes as those of the file at a path."""
    return next(check_files([(path, settings)], overlay={path: data}, unknown=unknown))


def default_jobs() -> int:
    """How many workers this process may keep busy."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _as_error(problem: Problem) -> TfnanlintError:
    if problem.line:
        return SourceError(problem.path, problem.line, problem.column, problem.message)
    return TfnanlintError(str(problem))
