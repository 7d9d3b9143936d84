"""ONNX: networks of model files for other runtimes.

    python -m marsgym.export MODEL FILE

writes the network of a model file or run folder as an ONNX file, which says in its metadata what
its inputs and outputs mean. It needs the package onnx.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

try:
    import onnx
except ImportError as e:
    remedy = f"marsgym.export needs the package onnx ({e}); install it with: pip install onnx"
    if __name__ == "__main__":
        sys.exit(remedy)
    raise ImportError(remedy) from None
from onnx import TensorProto, helper, numpy_helper

import marsgym
from marsgym import _command
from marsgym._file import create
from marsgym.model import Model, load_model

OPSET, IR = 17, 8
"""Versions of ONNX that the file needs. Chosen: runtimes since 2022 read them."""


def to_onnx(model: Model) -> onnx.ModelProto:
    """The network of a model as an ONNX graph.

    Its inputs are ``observations``, float32, and ``mask``, bool; its outputs, float32, are
    ``logits`` or ``scores``, ``probabilities`` and ``values``. A network with logits takes n
    decisions: observations [n, D], mask [n, A], probabilities [n, A], values [n, P]. A network that
    scores afterstates takes n decisions of k options: observations [n, k, D], mask [n, k],
    probabilities [n, k], values [n, k, P]. The values are expected returns, in the order of play
    from the seat whose observation it is.

    The graph computes in double precision. Single precision rounds logits of about 100, which
    trained networks have, to 1e-5, and so changes probabilities by several 1e-6.
    """
    game, weights = model.game(), model.tensors
    scores = model.head == "score"
    lead: list[str | int] = ["n", "k"] if scores else ["n"]
    options: list[str | int] = ["n", "k"] if scores else ["n", game.num_actions]
    nodes: list[onnx.NodeProto] = []
    constants: dict[str, Any] = {}

    def node(op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, inputs, [output], name=f"{op} {output}", **attributes))
        return output

    def constant(name: str, value: Any) -> str:
        constants[name] = value
        return name

    def double(name: str) -> str:
        return node("Cast", [name], name + ".double", to=TensorProto.DOUBLE)

    def single(name: str, output: str) -> str:
        return node("Cast", [name], output, to=TensorProto.FLOAT)

    def dense(name: str, x: str) -> str:
        weight = constant(name + ".weight", np.ascontiguousarray(weights[name + ".weight"].T))
        bias = constant(name + ".bias", weights[name + ".bias"])
        return node(
            "Add", [node("MatMul", [x, double(weight)], name + ".product"), double(bias)], name
        )

    x = double("observations")
    for i in range(model.layers()):
        x = node("Relu", [dense(f"body.{i}", x)], f"body.{i}.relu")
    if scores:
        last = constant("last", np.array([-1], np.int64))
        policy, head = node("Squeeze", [dense("score", x), last], "score.squeezed"), "scores"
    else:
        policy, head = dense("policy", x), "logits"
    single(policy, head)
    # An illegal action gets a logit so low that its probability is 0. Without a legal action, where
    # all have it, the second Where gives zeros.
    lowest = constant("lowest", np.finfo(np.float64).min)
    legal = node("Where", ["mask", policy, lowest], "legal")
    shares = node("Softmax", [legal], "softmax", axis=-1)
    single(
        node("Where", ["mask", shares, constant("zero", np.float64(0))], "policy.masked"),
        "probabilities",
    )
    value = dense("value", x)
    if model.values == "shares":
        win = node("Softmax", [value], "value.shares", axis=-1)
        span = constant("win_less_loss", np.float64(game.win - game.loss))
        gain = node("Mul", [win, span], "value.gain")
        value = node("Add", [gain, constant("loss", np.float64(game.loss))], "value.returns")
    single(value, "values")

    about = _meanings(model)

    def info(name: str, kind: int, shape: list[str | int]) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, shape, doc_string=about[name])

    graph = helper.make_graph(
        nodes,
        model.game_id,
        [
            info("observations", TensorProto.FLOAT, [*lead, game.observation_size]),
            info("mask", TensorProto.BOOL, options),
        ],
        [
            info(head, TensorProto.FLOAT, options),
            info("probabilities", TensorProto.FLOAT, options),
            info("values", TensorProto.FLOAT, [*lead, game.players]),
        ],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()],
        doc_string=f"A network for {game.title}, {game.players} players.",
    )
    proto = helper.make_model(
        graph,
        producer_name="marsgym",
        producer_version=marsgym.__version__,
        doc_string=f"A network of marsgym for {game.title}. The metadata describes it.",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR,
    )
    helper.set_model_props(proto, about | dict(_metadata(model)))
    onnx.checker.check_model(proto, full_check=True)
    return proto


def _meanings(model: Model) -> dict[str, str]:
    """What each input and output means."""
    game = model.game()
    scores = model.head == "score"
    if game.has_win:
        unit = (
            f"The winner's return is {game.win:g} and a loser's {game.loss:g}, so a share of the "
            f"win is (value - {game.loss:g}) / {game.win - game.loss:g}"
        )
    else:
        unit = f"Returns count {game.unit}"
    states = {
        "afterstate": "afterstates, just after an action and before any chance",
        "turn_start": "starts of turns",
    }.get(model.info.get("value_target", ""), "decisions")
    seats = f"P = {game.players}"
    values = (
        f"expected returns of the seats, {seats}, in the order of play from the seat whose "
        f"observation it is. {unit}. They were trained on {states}"
    )
    chosen = "; the package plays the action with the highest one, the lowest of equal ones"
    if scores:
        return {
            "observations": "[n, k, D] float32: for n decisions, the afterstates of k options, "
            "which are the positions just after the actions and before any chance, as the seat "
            "observes them that acts",
            "mask": "[n, k] bool: true where there is such an option, false where a decision has "
            "fewer than k",
            "scores": "[n, k] float32: the score of each afterstate, before the mask",
            "probabilities": "[n, k] float32: the policy, the softmax of the scores over the "
            "options of a decision; 0 where the mask is false" + chosen,
            "values": "[n, k, P] float32: " + values,
        }
    return {
        "observations": "[n, D] float32: what the seat to move observes in n decisions",
        "mask": "[n, A] bool: true where an action is legal",
        "logits": "[n, A] float32: the logit of each action, before the mask",
        "probabilities": "[n, A] float32: the policy, the softmax of the logits of the legal "
        "actions; 0 for an illegal action" + chosen,
        "values": "[n, P] float32: " + values,
    }


def _metadata(model: Model) -> Iterator[tuple[str, str]]:
    """What the file says of the network and its game; what is no text is JSON."""
    game = model.game()
    yield "game", game.id
    yield "title", game.title
    yield "config", json.dumps(game.config)
    yield "rules_version", str(game.version)
    yield "rules_hash", game.rules_hash
    yield "players", str(game.players)
    yield "actions", json.dumps(game.action_names)
    yield "observation_notes", game.observation_notes
    yield "observation", json.dumps(fields(model))
    yield "head", model.head
    if game.has_win:
        yield "win", f"{game.win!r}"
        yield "loss", f"{game.loss!r}"
    for key, value in model.info.items():
        if value not in (None, ""):
            yield key, value if isinstance(value, str) else json.dumps(value)


def fields(model: Model) -> list[dict[str, Any]]:
    """The fields of an observation in order: name, the index of the first number, the count of
    numbers, the scale of each, and the meaning.
    """
    game, at, found = model.game(), 0, []
    for (name, size), meaning in zip(
        game.observation_fields, game.observation_meanings, strict=True
    ):
        scales = game.observation_scales[at : at + size].tolist()
        entry = {"name": name, "first": at, "length": size, "scales": scales, "meaning": meaning}
        found.append(entry)
        at += size
    return found


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Writes the network of a model as an ONNX file, which must not exist."""
    target = Path(path)
    taken = FileExistsError(f"{target} exists, and nothing is overwritten; choose another name")
    if os.path.lexists(target):
        raise taken
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent}; make it first")
    try:
        create(target, to_onnx(model).SerializeToString(deterministic=True))
    except FileExistsError:
        raise taken from None


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m marsgym.export",
        description="Writes the network of a model file or run folder as an ONNX file.",
    )
    parser.add_argument(
        "model", metavar="MODEL", help="model file, run folder, RUN@best or RUN@STEP"
    )
    parser.add_argument("file", metavar="FILE", help="ONNX file to write; it must not exist")
    given = parser.parse_args(arguments)
    try:
        name = given.model
        if name.startswith(("search:", "lookahead:")) and not os.path.exists(name):
            raise ValueError(
                f"{name} searches with a network, and only the network can be exported; give the "
                "model file or run folder alone"
            )
        model = load_model(name)
        save(model, given.file)
    except (OSError, ValueError) as e:
        print(f"marsgym.export: {e}", file=sys.stderr)
        return 1
    game = model.game()
    print(f"{given.file}: {model.head} for {game.title}, {game.players} players")
    return 0


if __name__ == "__main__":
    _command.run(main)
