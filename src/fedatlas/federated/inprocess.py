"""An execution context that evaluates federated computations with TensorFlow in this process.

TFF's own runtime is a C++ worker behind a socket; every round pays for serialising what goes there and back. Here the
building blocks of the computation are evaluated where they are: a value at the server is a value, a value at the
clients is a list with one entry per TFF client, and every `tff.tensorflow.computation` is a TensorFlow function.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from fedatlas.errors import AtlasError
from fedatlas.federated.composition import Composed, Everywhere

Struct = tff.structure.Struct
Evaluator = Callable[[Mapping[str, Any]], Any]  # from the values of the free names to a value


class InProcessContext(tff.framework.SyncContext):
    """Runs federated computations in this process, on CPU or GPU; arguments and results as TFF's own contexts."""

    def __init__(self):
        self._programs: dict[int, tuple[Any, Composed]] = {}

    def invoke(self, comp: Any, arg: Any) -> Any:
        """The result of `comp` on `arg`; tensors in it stay TensorFlow tensors."""
        if id(comp) not in self._programs:
            interpreted = _compile(comp.to_building_block())({})
            composed = Composed(interpreted, comp.type_signature)
            self._programs[id(comp)] = (comp, composed)  # keeping comp keeps its id from being used again
        return self._programs[id(comp)][1](arg)


@functools.singledispatch
def _compile(block: Any) -> Evaluator:
    """Turns a building block into a function of its free names, once, so that a call walks no tree of types."""
    raise AtlasError(f"the in-process engine cannot evaluate a {type(block).__name__}; set 'engine: native'.")


@_compile.register
def _(block: tff.framework.Reference) -> Evaluator:
    return operator.itemgetter(block.name)


@_compile.register
def _(block: tff.framework.Literal) -> Evaluator:
    return lambda env: block.value


@_compile.register
def _(block: tff.framework.Lambda) -> Evaluator:
    body, name = _compile(block.result), block.parameter_name
    return lambda env: lambda arg: body({**env, name: arg} if name else env)


@_compile.register
def _(block: tff.framework.Call) -> Evaluator:
    function = _compile(block.function)
    argument = _compile(block.argument) if block.argument is not None else lambda env: None
    return lambda env: function(env)(argument(env))


@_compile.register
def _(block: tff.framework.Block) -> Evaluator:
    bindings = [(name, _compile(value)) for name, value in block.locals]
    body = _compile(block.result)

    def evaluate(env: Mapping[str, Any]) -> Any:
        env = dict(env)
        for name, value in bindings:
            env[name] = value(env)
        return body(env)

    return evaluate


@_compile.register
def _(block: tff.framework.Struct) -> Evaluator:
    elements = [(name, _compile(value)) for name, value in tff.structure.iter_elements(block)]
    return lambda env: Struct([(name, value(env)) for name, value in elements])


@_compile.register
def _(block: tff.framework.Selection) -> Evaluator:
    source = _compile(block.source)
    if block.name is not None:
        return lambda env: getattr(source(env), block.name)
    return lambda env: source(env)[block.index]


@_compile.register
def _(block: tff.framework.Intrinsic) -> Evaluator:
    intrinsic = _INTRINSICS.get(block.uri)
    if intrinsic is None:
        raise AtlasError(f"the in-process engine does not know the intrinsic '{block.uri}'; set 'engine: native'.")
    return lambda env: intrinsic


@_compile.register
def _(block: tff.framework.CompiledComputation) -> Evaluator:
    function, type_spec = _tensorflow_function(block.proto.tensorflow), block.type_signature
    dtypes = [tensor.dtype for tensor in function.inputs]

    def call(arg: Any) -> Any:
        flat = _flatten(arg) if type_spec.parameter is not None else []
        tensors = [tf.convert_to_tensor(value, dtype) for value, dtype in zip(flat, dtypes, strict=True)]
        return _pack(iter(function(*tensors)), type_spec.result)

    return lambda env: call


def _tensorflow_function(proto: Any) -> Any:
    """The graph of a `tff.tensorflow.computation` as a function with flat inputs and outputs."""
    graph = tf.compat.v1.GraphDef()
    proto.graph_def.Unpack(graph)
    names = _tensor_names(proto.parameter) if proto.HasField("parameter") else []
    imported = tf.compat.v1.wrap_function(lambda: tf.graph_util.import_graph_def(graph, name=""), [])
    element = imported.graph.as_graph_element
    inputs = [element(name) for name in names]
    pruned = imported.prune(inputs, [element(name) for name in _tensor_names(proto.result)])
    # Calling the pruned function itself costs a millisecond of matching arguments; a traced call of it does not.
    signature = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in inputs]
    return tf.function(lambda *tensors: pruned(*tensors), signature, autograph=False).get_concrete_function()


def _tensor_names(binding: Any) -> list[str]:
    match binding.WhichOneof("binding"):
        case "tensor":
            return [binding.tensor.tensor_name]
        case "struct":
            return [name for element in binding.struct.element for name in _tensor_names(element)]
        case None:
            return []
        case other:
            raise AtlasError(f"the in-process engine cannot pass a value of kind '{other}'; set 'engine: native'.")


def _flatten(value: Any) -> list[Any]:
    if isinstance(value, Struct):
        return [leaf for member in value for leaf in _flatten(member)]
    return [value]


def _pack(leaves: Any, type_spec: Any) -> Any:
    if isinstance(type_spec, tff.StructType):
        return Struct([(name, _pack(leaves, member)) for name, member in tff.structure.iter_elements(type_spec)])
    return next(leaves)


def _map(arg: Any) -> Any:
    function, value = arg
    return Everywhere(function(value.value)) if isinstance(value, Everywhere) else [function(one) for one in value]


def _zip_at_clients(value: Any) -> Any:
    """A structure of values at the clients as one value at the clients."""
    counts = {len(leaf) for leaf in _flatten(value) if isinstance(leaf, list)}
    if not counts:
        return Everywhere(_at_client(value, 0))
    if len(counts) > 1:
        raise ValueError(f"values at the clients have different numbers of clients: {sorted(counts)}")
    return [_at_client(value, i) for i in range(counts.pop())]


def _at_client(value: Any, index: int) -> Any:
    if isinstance(value, Everywhere):
        return value.value
    if isinstance(value, list):
        return value[index]
    return Struct([(name, _at_client(member, index)) for name, member in tff.structure.iter_elements(value)])


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, Struct):
        pairs = zip(tff.structure.iter_elements(left), right, strict=True)
        return Struct([(name, _add(a, b)) for (name, a), b in pairs])
    return left + right


_INTRINSICS: dict[str, Callable[..., Any]] = {
    "federated_map": _map,
    "federated_map_all_equal": _map,
    "federated_apply": lambda arg: arg[0](arg[1]),
    "federated_broadcast": Everywhere,
    "federated_sum": lambda members: functools.reduce(_add, members),
    "federated_value_at_server": lambda value: value,
    "federated_value_at_clients": Everywhere,
    "federated_eval_at_server": lambda function: function(None),
    "federated_zip_at_server": lambda value: value,
    "federated_zip_at_clients": _zip_at_clients,
}
