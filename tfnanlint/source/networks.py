"""Networks that a program is given and does not make: a `model` that is a parameter, or that a library returns.

What they give is an unknown value. It is marked where the program shows that trained weights are behind it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from tfnanlint.flow import NETWORK, Flow, Node
from tfnanlint.vocabulary import NETWORKS, words_of

OUTSIDE = frozenset("input placeholder attribute".split())
"""Ops of values that come from outside and have a name."""


def mark_networks(flow: Flow, applied: Mapping[Node, Node], trained: Container[Node]) -> None:
    """Mark the results of calls (`applied` gives what each call calls) that a network with trained weights gives.

    It is one if the program asks for its trained weights, or by its name.
    """
    for result, called in applied.items():
        if called in trained or (called.op in OUTSIDE and not NETWORKS.isdisjoint(words_of(_name(flow, called)))):
            result.attrs = {**result.attrs, NETWORK: True}


def _name(flow: Flow, node: Node) -> str:
    return str(node.attrs.get("name") or flow.named.get(node, "")).rpartition(".")[2]
