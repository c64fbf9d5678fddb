"""The types that layers compute in: what they are given, or what the policy says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.source.arguments import static
from tfnanlint.source.names import canonical_path
from tfnanlint.source.values import Instance, Value

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

POLICIES = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}
"""What layers compute in under a policy."""
COMPUTED_IN = frozenset(("compute_dtype", "_compute_dtype", "dtype_policy"))
"""The attributes of a layer that name the type in which it computes, or the policy that does."""
OF_FLOATX = re.compile(r"keras\.(?:metrics\.|losses\.|Metric$|Loss$)")
"""Keras's classes that the policy does not concern."""
POLICY = "_dtype_policy"
"""The attribute under which an object of a layer's class keeps the `dtype` given to Keras."""


def compute_dtype(given: Value | None) -> str | None:
    """What a layer with this `dtype` or policy computes in."""
    held = static(given) if given is not None else None
    if isinstance(given, Node) and given.op == "input":
        held = given.attrs.get("default")
    return POLICIES.get(held, held) if isinstance(held, str) else None


def of_object(low: Lowering, instance: Instance) -> str | None:
    """What an object of a layer's class computes in: what it was given, else what the policy says.

    A metric and a loss compute in `floatx`, whatever the policy.
    """
    given = compute_dtype(instance.attributes.get(POLICY))
    if given is None and any(map(OF_FLOATX.match, map(canonical_path, instance.cls.ancestors()))):
        return None
    return given or low.policy
