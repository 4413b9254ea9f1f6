#!/usr/bin/env python3
"""Converts a network in ONNX into a model for `saccade meltpool --model`.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import sys

from meltpool_model import Refused, numpy, write

HELP = """
The graph must be one chain from its input, the 40 features (n, 40) in saccade's order, to its output (n, 2), densities of
lack-of-fusion and of keyhole pores in 1/mm^2:

    [Sub, Div | Sub, Mul | Scaler]   (x - mean) / scale; without them mean 0 and scale 1
    Gemm | MatMul, Add               1 to 4096 hidden units
    Relu
    Gemm | MatMul, Add               2 outputs
    [Softplus]

Identity, and Cast to float or double, may stand anywhere. All else is refused. scikit-learn's pipelines by skl2onnx, and
PyTorch's Linear by torch.onnx.export, give such graphs; a last Reshape of skl2onnx must be taken off.
"""


class Chain:
    """The nodes behind one another, with the constants that they take."""

    def __init__(self, graph):
        from onnx import numpy_helper
        self.constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self.nodes = []
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
                self.constants[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
            else:
                self.nodes.append(node)
        inputs = [value.name for value in graph.input if value.name not in self.constants]
        if len(inputs) != 1 or len(graph.output) != 1:
            raise Refused(f"expected one input and one output, got {len(inputs)} and {len(graph.output)}")
        self.value, self.output, self.at = inputs[0], graph.output[0].name, 0
        self.skip()

    def skip(self):
        """Passes over nodes that change nothing."""
        while self.at < len(self.nodes) and self.is_idle(self.nodes[self.at]) and self.value in self.nodes[self.at].input:
            self.value = self.nodes[self.at].output[0]
            self.at += 1

    @staticmethod
    def is_idle(node):
        return node.op_type == "Identity" or (node.op_type == "Cast" and node.attribute[0].i in (1, 11))

    def operation(self):
        return self.nodes[self.at].op_type if self.at < len(self.nodes) else "the end"

    def take(self, *wanted):
        """The next node, of one of these operations, and its constants by their places in its inputs."""
        if self.operation() not in wanted:
            raise Refused(f"expected {' or '.join(wanted)}, got {self.operation()} (node {self.at})")
        node = self.nodes[self.at]
        if list(node.input).count(self.value) != 1:
            raise Refused(f"{node.op_type} (node {self.at}) does not follow the node before it")
        constants = {}
        for place, name in enumerate(node.input):
            if name and name != self.value:
                if name not in self.constants:
                    raise Refused(f"{node.op_type} (node {self.at}): input {name} is no constant")
                constants[place] = numpy.asarray(self.constants[name], numpy.float64)
        self.value = node.output[0]
        self.at += 1
        self.skip()
        return node, constants

    def finish(self):
        if self.at < len(self.nodes) or self.value != self.output:
            raise Refused(f"expected the graph's output here, got {self.operation()} (node {self.at})")


def attributes(node):
    from onnx import helper
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def row(values, n, what):
    """A constant as n numbers, one alone repeated."""
    values = numpy.squeeze(values)
    if values.ndim > 1 or values.size not in (1, n):
        raise Refused(f"{what}: expected {n} numbers, got shape {values.shape}")
    return numpy.broadcast_to(values, (n,)).copy()


def only(constants, place, what):
    if list(constants) != [place]:
        raise Refused(f"{what}: expected a constant as its {('first', 'second')[place]} input")
    return constants[place]


def take_scaling(chain):
    if chain.operation() == "Scaler":
        values = attributes(chain.take("Scaler")[0])
        mean, factor = (row(numpy.array(values.get(key, other)), 40, f"Scaler {key}")
                        for key, other in (("offset", [0.0]), ("scale", [1.0])))
    elif chain.operation() == "Sub":
        mean = row(only(chain.take("Sub")[1], 1, "Sub"), 40, "Sub")
        node, constants = chain.take("Div", "Mul")
        if node.op_type == "Div":
            return mean, row(only(constants, 1, "Div"), 40, "Div")
        factor = row(next(iter(constants.values())), 40, "Mul")
    else:
        return numpy.zeros(40), numpy.ones(40)
    if (factor == 0).any():
        raise Refused("a feature is multiplied by 0")
    return mean, 1 / factor


def take_layer(chain, n_inputs):
    """weight (n_outputs, n_inputs) and bias (n_outputs)."""
    node, constants = chain.take("Gemm", "MatMul")
    if 1 not in constants or 0 in constants or constants[1].ndim != 2:
        raise Refused(f"{node.op_type}: expected a constant matrix as its second input")
    weight = constants[1]
    if node.op_type == "Gemm":
        how = attributes(node)
        if how.get("transA", 0):
            raise Refused("Gemm: its first input is transposed")
        weight = how.get("alpha", 1.0) * (weight if how.get("transB", 0) else weight.T)
        bias = how.get("beta", 1.0) * constants.get(2, numpy.zeros(len(weight)))
    else:
        weight = weight.T
        bias = next(iter(chain.take("Add")[1].values()))
    if weight.shape[1] != n_inputs:
        raise Refused(f"{node.op_type}: expected {n_inputs} inputs, got {weight.shape[1]}")
    return weight, row(bias, len(weight), f"{node.op_type}: bias")


def convert(model):
    chain = Chain(model.graph)
    mean, scale = take_scaling(chain)
    hidden, hidden_bias = take_layer(chain, 40)
    chain.take("Relu")
    outer, outer_bias = take_layer(chain, len(hidden))
    output = "linear"
    if chain.operation() == "Softplus":
        chain.take("Softplus")
        output = "softplus"
    chain.finish()
    return {"mean": mean, "scale": scale, "hidden.weight": hidden, "hidden.bias": hidden_bias,
            "output.weight": outer, "output.bias": outer_bias, "output": output}


def load(path):
    import onnx
    from google.protobuf.message import DecodeError
    try:
        model = onnx.load(path)
        onnx.checker.check_model(model)
    except (DecodeError, onnx.checker.ValidationError, ValueError) as error:
        raise Refused(f"is no sound ONNX: {str(error).strip().splitlines()[0]}") from None
    return model


def main():
    parser = argparse.ArgumentParser(description="Converts a network in ONNX into a model for `saccade meltpool --model`.", epilog=HELP,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="IN.onnx")
    parser.add_argument("-o", dest="out", required=True, metavar="MODEL", help="the model, .safetensors")
    parser.add_argument("--description", default="converted from ONNX", metavar="TEXT", help="one line that goes into the file")
    options = parser.parse_args()
    try:
        model = convert(load(options.file))
        model["description"] = options.description
        write(options.out, model)
    except (Refused, OSError) as error:
        sys.exit(f"from_onnx.py: {options.file}: {error}")
    print(f"wrote {options.out}: 40 features, {len(model['hidden.bias'])} hidden units, 2 outputs, {model['output']}")


if __name__ == "__main__":
    try:
        main()
    except ImportError as error:
        sys.exit(f"from_onnx.py: {error} (Debian and Ubuntu: python3-onnx)")
