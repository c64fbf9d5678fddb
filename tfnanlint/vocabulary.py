"""The words that a rule, a finding and a configuration share: each may be one of these, and nothing else."""

from __future__ import annotations

SEVERITIES = ("error", "warning", "info")
CERTAINTIES = ("certain", "likely", "possible")
FIX_KINDS = ("after", "guard", "rework")
SAFE_FIX_KINDS = ("after", "guard")
ROLES = ("hazard", "matched", "differentiated", "other")
"""What a value is to a hazard: where it happens, a part of its shape, what is differentiated, anything else."""
MODES = ("eager", "graph", "xla")
"""How a program may run; a rule states the modes in which its witness fails."""
