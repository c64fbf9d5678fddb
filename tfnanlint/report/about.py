"""The summary of a rule for reports and editors: the head of the rule's page, and a link to the rest."""

from __future__ import annotations

from dataclasses import dataclass

from tfnanlint.config.settings import all_rules
from tfnanlint.finding import PAGES, is_built_in
from tfnanlint.report.rule_page import page
from tfnanlint.suppress.meta import CODES, GROUP, META


@dataclass(frozen=True)
class About:
    """A rule: `markdown` is its page up to its first case; `link` is empty for a user's own."""

    name: str
    group: str
    message: str
    description: str
    severity: str
    markdown: str
    link: str = ""


def about(name: str, folders: tuple[str, ...] = ()) -> About | None:
    """What there is to say of a built-in rule, of one in the given folders, or of one about ignore comments."""
    if name in META:
        message, description = META[name]
        markdown = f"# {name} ({CODES[name]})\n\n{message}.\n\n{description}\n"
        return About(name, GROUP, message, description, "warning", markdown)
    own = {rule.name: rule for rule in all_rules(folders)}
    rule = own.get(name)
    if rule is None:
        return None
    head, *cases = page(rule).split("\n## ")
    markdown = "\n## ".join([head, *cases[:1]])
    link = f"{PAGES}{name}.md" if is_built_in(rule.code) else ""
    return About(rule.name, rule.group, rule.message, rule.description.strip(), rule.severity, markdown, link)
