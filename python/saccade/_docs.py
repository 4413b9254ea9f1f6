"""Docstrings of the plans, from the library's tables of options."""
import textwrap

from . import _core

SHAPE = "of {}; without it the first call tells, and opens the plan"
EXTRA = {  # what is not in a table: name, type, default, text
    "Equalize": [
        ("shape", "tuple", "None", SHAPE.format("the pictures")),
        ("dtype", "dtype", "uint8", "with shape: uint8 or uint16"),
        ("layout", "choice", "interleaved", "interleaved (h, w, channels) or planar (channels, h, w)"),
    ],
    "Heatmap": [
        ("shape", "tuple", "None", SHAPE.format("the frames")),
        ("order", "choice", "unknown", "which color the first channel is: rgb (or unknown) or bgr"),
        ("keep_previous", "bool", "None",
         "the plan keeps the previous frame; None: if the first call gives none"),
    ],
    "Denoise": [
        ("shape", "tuple", "None", SHAPE.format("the frames")),
    ],
    "Adjust": [
        ("shape", "tuple", "None", SHAPE.format("the frames")),
        ("order", "choice", "unknown", "which color the first channel is: rgb (or unknown) or bgr"),
    ],
    "Beamform": [
        ("acquisition", "Acquisition", "", "how the channel data was acquired"),
        ("grid", "Grid", "None", "the points, or a Sector; None: Grid.default of the data"),
        ("picture", "Grid", "None", "of a Sector: to which its envelope is converted, or auto"),
        ("points_m", "array", "None", "points (n, 3) in metres, instead of a grid"),
        ("shape", "tuple", "None", SHAPE.format("the samples")),
        ("dtype", "dtype", "float32", "with shape: int16, float32 or complex64"),
        ("layout", "choice", "frames_outer", "frames_outer (frames, transmits, elements, samples) or "
         "frames_inner (transmits, elements, samples, frames)"),
        ("progress", "function", "None", "called with (done, total); False cancels"),
    ],
    "Flow": [
        ("acquisition", "Acquisition", "None", "velocities need its fc_hz, c_m_s and phase_sign, and prf"),
        ("shape", "tuple", "None", SHAPE.format("the images")),
        ("progress", "function", "None", "called with (done, total); False cancels"),
    ],
    "Meltpool": [
        ("shape", "tuple", "None", SHAPE.format("a frame")),
        ("calibration", "array", "None", "(2, 3), from x and y to pixels; or pixels or simulated"),
        ("model", "Model", "None", "predicts pores: a Model, a path, or shipped; None: no predictions"),
    ],
    "DeltaEncoder": [
        ("shape", "tuple", "None", SHAPE.format("the frames")),
        ("order", "choice", "unknown", "stored with the pictures: rgb or bgr"),
        ("scene_change", "bool", "True", "a keyframe where most of the picture changes"),
    ],
    "DeltaDecoder": [
        ("max_pixels", "int", "2^26", "larger pictures are refused"),
    ],
}
EXTRA["Noise"] = EXTRA["Heatmap"]

CALLS = {
    "Equalize": ("plan(picture, out=None)",
        """picture is (h, w) or (h, w, channels) of uint8 or uint16. out has its type and shape, and
        may be the picture itself."""),
    "Heatmap": ("plan(frame, previous=None, out=None)",
        """Frames are (h, w), (h, w, 3) or (h, w, 4) of uint8. The result is (h, w, 3), or (h, w, 4)
        of 4 channels. Without previous it is the frame of the call before; the first call then
        returns None."""),
    "Noise": ("plan(frame, previous=None, out=None)",
        """Frames are (h, w), (h, w, 3) or (h, w, 4) of uint8. The result has their shape, with
        view="bits" (h, ceil(w / 8)). Without previous it is the frame of the call before; the first
        call then returns None."""),
    "Denoise": ("plan(frame, out=None)",
        """A frame is (h, w) or (h, w, channels) of uint8. out has its shape and must not overlap
        it."""),
    "Adjust": ("plan(frame, out=None)",
        """A frame is (h, w), (h, w, 3) or (h, w, 4) of uint8; a fourth channel stays. out has its
        shape, and may be the frame itself. set(gain=2, ...) moves brightness, contrast, saturation
        or gain from the next frame on."""),
    "Beamform": ("plan(samples, out=None)",
        """samples are (frames, transmits, elements, samples) of int16 or float32 (RF) or complex64
        (IQ). The result is (frames, z, x), or (frames, z, y, x), or (frames, points); with lri
        there is an axis of transmits after the frames. samples of three axes are one frame; its
        image has no axis of frames."""),
    "Flow": ("plan(images, out=None)",
        """images are (frames, z, x) or (frames, z, y, x) of complex64: Beamform(kind="iq"). The result
        is (ensembles, z, x) of float32; of the kinds directional and color-power (ensembles, 2, z,
        x). Of vector, images are (frames, transmits, z, x), of Beamform(kind="iq", lri=True) and
        plane waves, and the result (ensembles, 2, z, x): v_x, then v_z, in m/s. nyquist_m_s is the
        largest velocity that can be told."""),
    "Meltpool": ("plan(frames, signals=None, out=None)",
        """frames are (n, h, w) of uint8, or one frame (h, w); signals (n) of saccade.SIGNALS or (n,
        4) of int32. The result is (n) of saccade.RECORD."""),
    "DeltaEncoder": ("plan(frame, time_ns=None)",
        """A frame is (h, w), (h, w, 3) or (h, w, 4) of uint8. The result is a Packet: data, frame,
        time_ns, is_key. time_ns must not go back; None: now."""),
    "DeltaDecoder": ("plan(packet, out=None)",
        """packet is a Packet or bytes. The result is the picture, or None if there is none this
        time."""),
}


def option_line(p):
    kind = {"int2": "int or pair", "choice": "choice"}.get(p["type"], p["type"])
    unit = " " + p["unit"] if p["unit"] else ""
    span = ""
    if p["type"] in ("int", "float", "int2"):
        span = ", %.15g to %.15g%s" % (p["min"], p["max"], unit)
    if p["type"] == "choice":
        span = ", one of " + ", ".join(p["choices"])
    return "%s : %s%s, default %s" % (p["name"].replace("-", "_"), kind, span, p["default"])


def plan_doc(name):
    summary = _core.summary(name)
    call, text = CALLS[name]
    text = textwrap.fill(" ".join(text.split()), 90)
    lines = [summary[0].upper() + summary[1:] + ".", "", call, "", text, ""] + option_lines(name)
    if name not in ("Flow", "Meltpool", "DeltaDecoder"):
        lines += ["stream : int or object, default None",
                  "    on a GPU: the cudaStream_t to work on; then a call only enqueues"]
    return "\n".join(lines)


def option_lines(name):
    lines = ["Options", "-------"]
    for option, kind, default, text in EXTRA.get(name, []):
        lines += ["%s : %s%s" % (option, kind, ", default " + default if default else ""), "    " + text]
    for p in _core.parameters(name):
        lines += [option_line(p), "    " + p["doc"]]
    return lines


for _name in CALLS:
    getattr(_core, _name).__doc__ = plan_doc(_name)
