"""Check the program inside a `.pt2` archive before torch turns it into code.

torch writes a Python function from the program and runs it, with the program's names in it as they
stand; it evaluates sizes as expressions, runs guards as code, looks up operations by name, and
imports modules that the shape of an argument names. So find_faults holds each of these to a narrow
grammar.

is_listed and is_operator know the operations that a program may use. The list is short, because a
whole family holds too much: among torch's own operators are some that open files (aten.from_file)
and some that call code. Each of those listed computes new values from the tensors and numbers that
it is given and touches nothing else; a name that ends in an underscore does so in place of its
first tensor, which is the program's own.

To add one: make sure that its description in torch (native_functions.yaml) names no file, no device
handle and no function, put it in its line, and let `tests/models/test_operators.py` export a
network that needs it.
"""

import re
from collections.abc import Iterator
from typing import Any

from simplicert.files import parse_json
from simplicert.models.sizes import is_size

ELEMENTWISE = """
    abs acos acosh add addcdiv addcmul alias asin asinh atan atan2 atanh bitwise_and bitwise_not
    bitwise_or bitwise_xor ceil clamp clamp_max clamp_min clip clone contiguous copysign cos cosh
    detach detach_ div eq erf erfc erfinv exp exp2 expm1 float_power floor floor_divide fmax fmin
    fmod frac ge gt hypot isfinite isinf isnan le lerp log log10 log1p log2 logaddexp logical_and
    logical_not logical_or logical_xor lt masked_fill maximum minimum mul multiply nan_to_num ne neg
    negative pow positive reciprocal remainder round rsqrt rsub sgn sigmoid sign sin sinc sinh sqrt
    square sub subtract tan tanh true_divide trunc where xlogy __and__ __or__ __xor__
    lift_fresh_copy
"""

IN_PLACE = """
    add_ addcmul_ celu_ clamp_ clamp_max_ clamp_min_ copy_ div_ elu_ exp_ fill_ hardsigmoid_
    hardswish_ hardtanh_ index_put_ leaky_relu_ log_ masked_fill_ mish_ mul_ neg_ pow_ relu6_ relu_
    rrelu_ selu_ sigmoid_ silu_ sqrt_ sub_ tanh_ threshold_ unsqueeze_ squeeze_ zero_ dropout_
    feature_dropout_ alpha_dropout_ feature_alpha_dropout_
"""

ACTIVATIONS = """
    celu elu gelu glu hardshrink hardsigmoid hardswish hardtanh leaky_relu log_sigmoid log_softmax
    mish prelu _prelu_kernel relu relu6 rrelu selu silu softmax _softmax _log_softmax softplus
    softshrink special_expit threshold
"""

LAYERS = """
    _native_batch_norm_legit_no_training _scaled_dot_product_flash_attention_for_cpu
    _scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention
    _scaled_dot_product_attention_math _native_multi_head_attention _transformer_encoder_layer_fwd
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
    adaptive_max_pool2d adaptive_max_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d alpha_dropout
    avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear channel_shuffle col2im conv1d conv2d conv3d
    conv_transpose1d conv_transpose2d conv_transpose3d convolution dropout embedding embedding_bag
    feature_alpha_dropout feature_dropout group_norm gru im2col instance_norm layer_norm linear lstm
    max_pool1d max_pool2d max_pool3d max_pool2d_with_indices native_batch_norm native_dropout
    native_group_norm native_layer_norm rms_norm rnn_relu rnn_tanh scaled_dot_product_attention
    _convolution _weight_norm _weight_norm_interface
"""

ALGEBRA = """
    addbmm addmm addmv addr baddbmm bmm chain_matmul cross cosine_similarity dot einsum inner kron
    linalg_cross linalg_householder_product linalg_inv linalg_matrix_norm linalg_multi_dot
    linalg_norm linalg_qr linalg_solve linalg_solve_triangular linalg_vecdot linalg_vector_norm
    matmul matrix_exp mm mv norm outer tensordot trace vdot fft_fft fft_fft2 fft_fftn fft_fftshift
    fft_ifft fft_ifft2 fft_ifftn fft_ifftshift fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2
    fft_rfftn view_as_complex view_as_real real imag conj conj_physical _conj resolve_conj
    resolve_neg complex polar angle
"""

REDUCTIONS = """
    all amax amin aminmax any argmax argmin argsort bincount count_nonzero cummax cummin cumprod
    cumsum logcumsumexp logsumexp max mean median min mode nanmean nansum pairwise_distance prod
    sort std std_mean sum topk unique_dim var var_mean
"""

SHAPES = """
    _reshape_alias _unsafe_view adjoint alias_copy as_strided atleast_1d atleast_2d atleast_3d
    broadcast_tensors broadcast_to bucketize cat chunk column_stack concat concatenate
    constant_pad_nd diag diag_embed diagonal diff expand expand_as flatten flip fliplr flipud gather
    hstack index index_add index_copy index_fill index_put index_select isin mH mT masked_scatter
    masked_select matrix_H meshgrid moveaxis movedim narrow numpy_T one_hot pad permute
    pixel_shuffle pixel_unshuffle ravel reflection_pad1d reflection_pad2d reflection_pad3d repeat
    repeat_interleave replication_pad1d replication_pad2d replication_pad3d reshape reshape_as roll
    rot90 scatter scatter_add scatter_reduce searchsorted select select_copy select_scatter slice
    slice_copy slice_scatter split split_with_sizes squeeze stack swapaxes swapdims t take
    take_along_dim tensor_split tile transpose tril triu unbind unflatten unfold unsafe_chunk
    unsafe_split unsafe_split_with_sizes unsqueeze view view_as vsplit vstack hsplit
    affine_grid_generator grid_sampler grid_sampler_2d upsample_bicubic2d upsample_bilinear2d
    upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_trilinear3d
    _upsample_bilinear2d_aa _upsample_bicubic2d_aa _upsample_nearest_exact1d
    _upsample_nearest_exact2d _upsample_nearest_exact3d
"""

MAKERS = """
    _to_copy arange bernoulli empty empty_like eye full full_like lift_fresh linspace logspace
    multinomial new_empty new_full new_ones new_zeros normal ones ones_like rand rand_like randint
    randn randn_like randperm scalar_tensor to tril_indices triu_indices type_as zeros zeros_like
"""

CHECKS = """
    _assert_async _assert_scalar _assert_tensor_metadata item _local_scalar_dense
    sym_constrain_range sym_constrain_range_for_size sym_numel sym_size sym_storage_offset
    sym_stride
"""

LINES = (
    *(ELEMENTWISE, IN_PLACE, ACTIVATIONS, LAYERS, ALGEBRA),
    *(REDUCTIONS, SHAPES, MAKERS, CHECKS),
)

ATEN = frozenset(name for line in LINES for name in line.split())

BESIDES = """
    quantized_decomposed.quantize_per_tensor quantized_decomposed.dequantize_per_tensor
    quantized_decomposed.quantize_per_channel quantized_decomposed.dequantize_per_channel
    higher_order.wrap_with_set_grad_enabled higher_order.wrap_with_autocast
"""

# Sizes of tensors are numbers that a program may calculate with.
SIZES = """
    _operator.getitem _operator.add _operator.sub _operator.mul _operator.floordiv _operator.truediv
    _operator.mod _operator.pow _operator.neg _operator.eq _operator.ne _operator.lt _operator.le
    _operator.gt _operator.ge _operator.and_ _operator.or_ math.ceil math.floor math.trunc math.sqrt
    torch.sym_float torch.sym_int torch.sym_ite torch.sym_max torch.sym_min torch.sym_not
    torch.sym_sum torch.sym_sqrt torch._sym_sqrt
"""

OTHERS, ARITHMETIC = frozenset(BESIDES.split()), frozenset(SIZES.split())
OPERATOR = re.compile(r"torch\.ops\.(?P<family>\w+)\.(?P<name>\w+)(?:\.(?P<overload>\w+))?")

# What a user may vouch for: any operator, but nothing else.
FAMILIES = ("aten", "prim", "prims", "higher_order", "torchvision", "quantized")

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|")  # becomes a name in the function that torch writes
TERM = re.compile(r"[A-Za-z0-9_ ()*+/.,-]*")  # of symbols: torch prints those it does not find
PATH = re.compile(r"[A-Za-z0-9_.:/+-]*")  # of a parameter: becomes attributes in it
NAMES = ("name", "as_name", "graph_name")

PATHS = (
    *("parameter_name", "buffer_name", "tensor_constant_name"),
    *("custom_obj_name", "user_input_name"),
)

OBJECTS = ("as_custom_obj", "custom_obj", "custom_obj_values", "as_operator")
TREES = ("in_spec", "out_spec")
HOLDERS = ("builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict", None)


class UnlistedOperator(str):
    """The name of an operation that is torch's, but not on the list."""


def find_faults(program: dict[str, Any]) -> Iterator[str]:
    """Yield why torch should not get this program; an UnlistedOperator for an operation."""
    for part in _walk_dictionaries(program):
        size, target = part.get("expr_str", ""), part.get("target", "")
        if not is_size(size):
            yield f"one of its sizes is {_quote_value(size)}"
        if "inputs" in part and target and not is_listed(str(target)):
            known = is_operator(str(target))
            yield (
                UnlistedOperator(target)
                if known
                else f"one of its operations is {_quote_value(target)}"
            )
        for key, grammar in (*((name, NAME) for name in NAMES), *((path, PATH) for path in PATHS)):
            text = part.get(key)
            if text is not None and not (isinstance(text, str) and grammar.fullmatch(text)):
                yield f"one of its names is {_quote_value(text)}"
        for key, grammar in (("forward_arg_names", NAME), ("range_constraints", TERM)):
            texts = part.get(key) or ()
            for text in texts if isinstance(texts, list | dict | tuple) else [texts]:
                if not isinstance(text, str) or not grammar.fullmatch(text):
                    yield f"one of its names is {_quote_value(text)}"
        if any(part.get(key) for key in OBJECTS):
            yield "it holds objects that are no tensors"
        for key in TREES:
            if part.get(key) is not None and not _is_plain_tree(part[key]):
                yield f"the form of its inputs or outputs is {_quote_value(part[key])}"


def is_listed(target: str) -> bool:
    """Return whether an operation is listed; overloads that write into a given tensor are not."""
    if target in ARITHMETIC:
        return True
    match = OPERATOR.fullmatch(target)
    if match is None or f"_{match['overload']}".endswith("_out"):
        return False
    family, name = match["family"], match["name"]
    return name in ATEN if family == "aten" else f"{family}.{name}" in OTHERS


def is_operator(target: str) -> bool:
    """Return whether an operation is one of torch's operators at all, listed or not."""
    match = OPERATOR.fullmatch(target)
    return target in ARITHMETIC or (
        match is not None
        and (match["family"] in FAMILIES or match["family"].startswith("quantized"))
    )


def _is_plain_tree(text: object) -> bool:
    """Return whether it is made of tuples, lists and dictionaries: others may import a module."""
    try:
        form = parse_json("a tree", str(text))
    except ValueError:
        return False
    for part in _walk_dictionaries(form):
        if part.get("type") not in HOLDERS or set(part) != {"type", "context", "children_spec"}:
            return False
        context = part["context"]
        try:
            keys = parse_json("a tree", context) if isinstance(context, str) else context
        except ValueError:
            return False
        for key in keys if isinstance(keys, list) else [] if keys is None else [keys]:
            if not isinstance(key, str) or not NAME.fullmatch(key):
                return False
    return True


def _walk_dictionaries(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every dictionary inside, at any depth."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
        if isinstance(item, (dict, list)):
            waiting.extend(item.values() if isinstance(item, dict) else item)


def _quote_value(value: object) -> str:
    """Quote a foreign value, cut to 60 characters."""
    return repr(str(value)[:60])
