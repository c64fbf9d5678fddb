"""Windows that slide over images and sequences: convolutions, pooling, space laid out in channels; and `einsum`."""

from __future__ import annotations

from typing import Any

from tfnanlint.interval import INF, Interval
from tfnanlint.ops.numeric import Kernels, moving
from tfnanlint.ops.row import Attributes, Op, Spelling, row, same, spelled

kernels, blocks, products = map(Kernels, ("windows", "blocks", "products"))

ZERO = Interval.point(0.0)


def _sum_of_products(*xs: Interval, attrs: Attributes) -> Interval:
    """Sums of products of elements, of how many is not known."""
    product = xs[0]
    for x in xs[1:]:
        product = product * x
    return Interval(product.lo if product.lo >= 0 else -INF, product.hi if product.hi <= 0 else INF)


def _with_padding(x: Interval, filters: Interval, attrs: Attributes) -> Interval:
    """A convolution, whose windows may hold nothing but padding."""
    return _sum_of_products(x, filters, attrs=attrs).hull(ZERO)


def _convolution(name: str, *spellings: Spelling, graph: str, **rest: Any) -> Op:
    return row(
        name,
        *spellings,
        graph=graph,
        operands="x filters",
        takes={"x": "image", "filters": "filters"},
        attrs=WINDOWS,
        transfer=_with_padding,
        elementwise=False,
        **rest,
    )


def _pooling(name: str, *spellings: Spelling, graph: str, **rest: Any) -> Op:
    return row(
        name, *spellings, graph=graph, takes={"x": "image"}, attrs=WINDOWS, transfer=same, elementwise=False, **rest
    )


WINDOWS = {"ksize": None, "strides": None, "padding": None, "data_format": "NHWC", "dilations": None, "rate": None}
BLOCKS = {"block_size": None, "data_format": "NHWC"}
IMAGES = "x:input ksize strides padding data_format name"
SEQUENCES = "x:input ksize strides padding data_format='NWC' name"
VOLUMES = "x:input ksize strides padding data_format='NDHWC' name"
POOLING = "x:inputs ksize:pool_size strides padding='valid' | data_format"
CONVOLUTION = "x:input filters strides padding | data_format dilations name"

ROWS: tuple[Op, ...] = (
    _convolution(
        "convolution",
        spelled("tf.nn.conv2d", f"{CONVOLUTION} hint:use_cudnn_on_gpu filters:filter"),
        spelled(
            "tf.nn.conv1d",
            "x:input filters strides:stride padding | x:value data_format='NWC' dilations hint:use_cudnn_on_gpu name",
        ),
        spelled("tf.nn.conv3d", "x:input filters strides padding data_format='NDHWC' dilations name | filters:filter"),
        graph="Conv Conv2D Conv3D Conv2DBackpropInput Conv2DBackpropInputV2 Conv3DBackpropInput Conv3DBackpropInputV2",
        **kernels.both("convolution"),
    ),
    _convolution(
        "depthwise_convolution",
        spelled("tf.nn.depthwise_conv2d", "x:input filters:filter strides padding | data_format dilations rate name"),
        graph="DepthwiseConv2dNative DepthwiseConv2dNativeBackpropInput",
        **kernels.both("depthwise_convolution"),
    ),
    _pooling(
        "max_pool",
        spelled("tf.nn.max_pool2d tf.nn.max_pool", f"{IMAGES} | x:value"),
        spelled("tf.nn.max_pool1d", SEQUENCES),
        spelled("tf.nn.max_pool3d", VOLUMES),
        spelled("ops.max_pool", POOLING),
        graph="MaxPool MaxPoolV2 MaxPool3D",
        reason="a maximum",
        **kernels.both("max_pool"),
    ),
    _pooling(
        "average_pool",
        spelled("tf.nn.avg_pool2d tf.nn.avg_pool", f"{IMAGES} | x:value"),
        spelled("tf.nn.avg_pool1d", SEQUENCES),
        spelled("tf.nn.avg_pool3d", VOLUMES),
        spelled("ops.average_pool", POOLING),
        graph="AvgPool AvgPool3D",
        reason="a mean",
        **kernels.both("average_pool"),
    ),
    row(
        "extract_patches",
        spelled("tf.image.extract_patches", "x:images ksize:sizes strides dilations:rates padding name"),
        spelled(
            "tf.image.extract_image_patches tf.extract_image_patches",
            "x:images ksize:ksizes strides dilations:rates padding name | ksize:sizes",
        ),
        spelled(
            "ops.image.extract_patches",
            "x:images ksize:size strides dilations:dilation_rate=1 padding='valid' data_format=None",
        ),
        graph="ExtractImagePatches",
        takes={"x": "image"},
        attrs={key: default for key, default in WINDOWS.items() if key != "rate"},
        transfer=lambda x, *, attrs: x.hull(ZERO),
        elementwise=False,
        **moving(kernels.extract_patches),
    ),
    row(
        "depth_to_space",
        spelled("tf.nn.depth_to_space", "x:input block_size | data_format name"),
        graph="DepthToSpace",
        takes={"x": "channels"},
        attrs=BLOCKS,
        transfer=same,
        elementwise=False,
        moves=True,
        **moving(blocks.depth_to_space),
    ),
    row(
        "space_to_depth",
        spelled("tf.nn.space_to_depth", "x:input block_size | data_format name"),
        graph="SpaceToDepth",
        takes={"x": "image"},
        attrs=BLOCKS,
        transfer=same,
        elementwise=False,
        moves=True,
        **moving(blocks.space_to_depth),
    ),
    row(
        "space_to_batch",
        graph="SpaceToBatchND SpaceToBatch",
        operands="x block_shape paddings",
        transfer=lambda x, *others, attrs: x.hull(ZERO),
        blocked=("block_shape", "paddings"),
        elementwise=False,
        **moving(blocks.space_to_batch),
    ),
    row(
        "batch_to_space",
        graph="BatchToSpaceND BatchToSpace",
        operands="x block_shape crops",
        transfer=same,
        blocked=("block_shape", "crops"),
        elementwise=False,
        moves=True,
        **moving(blocks.batch_to_space),
    ),
    row(
        "einsum",  # its spellings take any number of operands by position, which the source pass reads by itself
        graph="Einsum",
        operands="*xs",
        attrs={"equation": None},
        transfer=_sum_of_products,
        elementwise=False,
        **products.both("einsum"),
    ),
)
