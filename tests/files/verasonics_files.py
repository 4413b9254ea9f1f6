"""Verasonics Vantage workspaces in MAT v5: lengths in wavelengths of Trans.frequency.

SPDX-License-Identifier: Apache-2.0
"""
from point import *

WAVE = C / FC
PEAK, LENS = 1.7, 0.4  # wavelengths; of Trans.units
DEPTH = 3.0  # wavelengths: startDepth
BEGIN = 2 * DEPTH / FC


def structs(rows):
    """A 1 x n struct array."""
    made = numpy.empty((1, len(rows)), [(name, "O") for name in rows[0]])
    for i, row in enumerate(rows):
        for name, value in row.items():
            made[name][0, i] = value if isinstance(value, (str, numpy.ndarray)) else numpy.float64(value)
    return made


def transmits():
    """Delays in wavelengths, when the wave passes the point, and what TX says besides."""
    x = linear()
    near, far, behind = numpy.array([0, 0, 9e-3]), numpy.array([1e-3, 0, 45e-3]), numpy.array([0, 0, -8e-3])
    rows = []

    def add(delays, passes, **fields):
        first = delays.min()
        rows.append(({"waveform": 1.0, "Apod": numpy.ones((1, N)), "Delay": (delays - first)[None] * FC,
                      "Origin": numpy.zeros((1, 3)), "focus": 0.0, "Steer": numpy.zeros((1, 2)), **fields}, passes - first))

    add(x[:, 0] * numpy.sin(0.1) / C, POINT @ [numpy.sin(0.1), 0, numpy.cos(0.1)] / C, Steer=numpy.array([[0.1, 0]]))
    add(numpy.linalg.norm(x - behind, axis=1) / C, numpy.linalg.norm(POINT - behind) / C, focus=-8e-3 / WAVE)
    add(-numpy.linalg.norm(x - near, axis=1) / C, numpy.linalg.norm(POINT - near) / C, focus=9e-3 / WAVE)
    add(-numpy.linalg.norm(x - far, axis=1) / C, -numpy.linalg.norm(POINT - far) / C, focus=45e-3 / WAVE,
        Origin=numpy.array([[1e-3 / WAVE, 0, 0]]))
    one = numpy.zeros((1, N))
    one[0, 7] = 1
    add(numpy.zeros(N), numpy.linalg.norm(POINT - x[7]) / C, Apod=one)
    return rows


def workspace(mode="NS200BW", units="mm", frames=2, last=0, mux=False, order=None):
    """The point in the frame that was taken last, with the data of channels in an order of their own."""
    rows = transmits()
    order = numpy.arange(len(rows)) if order is None else order
    late = (PEAK * WAVE + 2 * LENS * (1e-3 if units == "mm" else WAVE)) / C
    records = echoes(linear(), [rows[i][1] + late for i in order], [BEGIN] * len(order))
    if mode != "NS200BW":  # pairs a quarter of a period apart, from period to period
        each = {"BS100BW": 4, "BS50BW": 8}[mode]
        records = records[:, :, :SAMPLES // 8 * 8].reshape(len(order), N, -1, each)[..., :2].reshape(len(order), N, -1)
    n = records.shape[2]
    channel = (numpy.arange(N) * 7) % N  # of element e
    data = numpy.zeros((n * len(order) + 5, N + 3, frames), numpy.int16)
    newest = (last - 1) % frames if last else frames - 1
    for k, record in enumerate(records):
        data[k * n + 5:(k + 1) * n + 5, channel, newest] = (1000 * record).round().T
    receive = [{"mode": 0.0, "bufnum": 1.0, "framenum": f + 1.0, "acqNum": k + 1.0, "startSample": k * n + 6.0,
                "endSample": (k + 1) * n + 5.0, "startDepth": DEPTH, "endDepth": 100.0, "sampleMode": mode,
                "decimSampleRate": FS / 1e6, "demodFrequency": FC / 1e6, "samplesPerWave": 4.0, "aperture": 1.0,
                "Apod": numpy.ones((1, N))} for f in range(frames) for k in range(len(order))]
    unit = 1e-3 if units == "mm" else WAVE
    position = numpy.concatenate([linear() / unit, numpy.zeros((N, 2))], axis=1)
    trans = {"name": "L11-5v", "frequency": FC / 1e6, "units": units, "numelements": float(N), "type": 0.0,
             "ElementPos": position, "elementWidth": 0.25e-3 / unit, "lensCorrection": LENS,
             "Bandwidth": numpy.array([[3.5, 6.5]])}
    if mux:
        trans["HVMux"] = {"ApertureES": numpy.stack([channel + 1.0 + 256, numpy.zeros(N)], axis=1)}
    else:
        trans["ConnectorES"] = channel[:, None] + 1.0
    events = [{"tx": float(order[k]) + 1, "rcv": f * len(order) + k + 1.0} for f in range(frames) for k in range(len(order))]
    cell = numpy.empty((1, 1), object)
    cell[0, 0] = data
    return {"RcvData": cell, "Receive": structs(receive), "Trans": trans, "TX": structs([row for row, _ in rows]),
            "TW": structs([{"type": "parametric", "Parameters": numpy.array([[FC / 1e6, 0.67, 2, 1]]), "peak": PEAK}]),
            "Resource": {"Parameters": {"speedOfSound": C, "numTransmit": 256.0},
                         "RcvBuffer": structs([{"numFrames": float(frames), "lastFrame": float(last)}])},
            "Event": structs(events)}


def verasonics_waves_of_every_kind_show_the_point():
    for units in ("mm", "wavelengths"):
        for compressed in (False, True):
            io.savemat("x.mat", workspace(units=units), do_compression=compressed)
            shows_the_point("x.mat", 5000 * N, "--band", "wide", height=0.9)


def verasonics_scan_lines_keep_which_elements_fire():
    made = workspace()
    x = linear()[:, 0]
    fires = abs(x - 2.1e-3)[None] <= 3e-3
    made["TX"][0, 3]["Apod"] = 1.0 * fires  # the one that is focused at 45 mm
    io.savemat("x.mat", made, do_compression=True)
    shows_the_point("x.mat", 5000 * N, "--band", "wide", height=0.9)
    done = run(["convert", "x.mat", "read.h5"])
    expect(done.returncode == 0, done.stderr)
    with h5py.File("read.h5") as file:
        found = file["acquisition/transmits/apodization"][()]
    expect(numpy.array_equal(found[3], fires[0]) and (found[[0, 1, 2, 4]] == 1).all(), f"{found}")


def verasonics_pairs_of_samples_are_iq():
    for mode, height in (("BS100BW", 0.8), ("BS50BW", 0.5)):  # the pulse is wider than the latter's band
        io.savemat("x.mat", workspace(mode), do_compression=True)
        shows_the_point("x.mat", 5000 * N, height=height)


def verasonics_buffers_events_and_muxes_are_followed():
    io.savemat("x.mat", workspace(frames=3, last=2, mux=True, order=[3, 0, 4, 2, 1, 0]), do_compression=True)
    shows_the_point("x.mat", 6000 * N, "--band", "wide", height=0.9)
    image, _ = beamform("x.mat", "--frames", "0:2")
    expect(image.max() == 0, "frames are not in the order of time")
    image, _ = beamform("x.mat", "--frames", "2:3")
    expect(image.max() > 1000, "the newest frame is not the last")


def verasonics_without_tx_takes_transmits_of_the_caller():
    made = workspace()
    del made["TX"], made["TW"], made["Event"]
    io.savemat("x.mat", made)
    refused("x.mat", "`x.mat`: Verasonics: ", "TX", "--transmits")
    beamform("x.mat", "--transmits", "plane:5:10")


def verasonics_that_lacks_something_is_refused():
    def changed(change, *words):
        made = workspace()
        change(made)
        io.savemat("x.mat", made, do_compression=True)
        refused("x.mat", "`x.mat`: Verasonics: ", *words)

    def put(variable, name, value, i=0):
        def change(made):
            if isinstance(made[variable], dict):
                made[variable][name] = value
            else:
                made[variable][name][0, i] = value
        return change

    nan = numpy.float64(numpy.nan)
    changed(lambda made: made.pop("Receive"), "variable Receive")
    changed(lambda made: made.update(Trans=1.0), "Trans: expected a struct")
    changed(lambda made: made["Trans"].pop("frequency"), "Trans.frequency")
    changed(lambda made: made["Trans"].pop("units"), "Trans.units")
    changed(lambda made: made["Trans"].pop("ElementPos"), "Trans.ElementPos")
    changed(put("Trans", "ElementPos", numpy.full((N, 5), numpy.inf)), "Trans.ElementPos", "finite")
    changed(put("Trans", "ConnectorES", numpy.ones((N - 1, 1))), "Trans.ConnectorES")
    changed(put("Trans", "ConnectorES", numpy.full((N, 1), 90.0)), "channel 90")
    changed(put("Receive", "bufnum", nan), "Receive(1).bufnum")
    changed(put("Receive", "framenum", nan), "Receive(1).framenum")
    changed(put("Receive", "acqNum", numpy.float64(2), 0), "Receive", "acqNum 1")
    changed(put("Receive", "startSample", numpy.float64(0)), "Receive(1).startSample")
    changed(put("Receive", "endSample", numpy.float64(1e9)), "Receive(1).endSample")
    changed(put("Receive", "endSample", numpy.float64(2 * SAMPLES + 9), 2), "Receive(3)", "samples")
    changed(put("Receive", "sampleMode", "BS67BW"), "Receive.sampleMode", "BS67BW")
    changed(put("Receive", "decimSampleRate", numpy.float64(-1)), "Receive.decimSampleRate")
    changed(put("Receive", "decimSampleRate", numpy.float64(FS / 2e6), 1), "Receive(2).decimSampleRate")
    changed(put("Receive", "sampleMode", "BS100BW", 3), "Receive(4).sampleMode")
    changed(put("Receive", "startDepth", numpy.float64(9), 6), "Receive(7).startDepth")
    changed(lambda made: [put("Receive", "startDepth", nan, i)(made) for i in range(10)], "startDepth", "finite")
    changed(put("TW", "peak", nan), "TW.peak", "finite")
    changed(put("Trans", "lensCorrection", nan), "lensCorrection", "finite")
    changed(put("Event", "tx", numpy.float64(0), 1), "Event", "Receive(2)")
    changed(put("Event", "rcv", numpy.float64(9), 1), "Event", "Receive(2)")
    changed(put("TX", "Delay", numpy.zeros((1, 5)), 1), "TX(2).Delay")
    changed(put("TX", "Delay", numpy.full((1, N), numpy.nan), 1), "TX(2).Delay", "finite")
    changed(put("TX", "Apod", numpy.zeros((1, N)), 2), "TX(3).Apod")
    changed(put("TX", "focus", numpy.float64(200), 2), "TX(3).focus", "meet")
    changed(lambda made: made["Resource"]["Parameters"].update(speedOfSound=-1.0), "speedOfSound")
    changed(lambda made: made.update(RcvData=numpy.zeros((9, 9))), "RcvData")
    io.savemat("x.mat", workspace(), do_compression=False)
    size = os.path.getsize("x.mat")
    with open("x.mat", "r+b") as file:
        file.truncate(size // 2)
    refused("x.mat", "x.mat")


def put_73(file, at, name, value, count=[0]):
    """As MATLAB saves with -v7.3: structs are groups; arrays of structs and cells, datasets of references."""
    def refer(one):
        count[0] += 1
        put_73(file, file.require_group("#refs#"), f"r{count[0]}", one)
        return file["#refs#"][f"r{count[0]}"].ref

    if isinstance(value, dict):
        group = at.create_group(name)
        group.attrs["MATLAB_class"] = numpy.bytes_("struct")
        for field, one in value.items():
            put_73(file, group, field, one)
    elif isinstance(value, numpy.ndarray) and value.dtype.names:
        if value.size == 1:
            return put_73(file, at, name, {field: value[field][0, 0] for field in value.dtype.names})
        group = at.create_group(name)
        group.attrs["MATLAB_class"] = numpy.bytes_("struct")
        for field in value.dtype.names:
            references = [[refer(one)] for one in value[field].ravel()]
            group.create_dataset(field, data=numpy.array(references, h5py.ref_dtype), dtype=h5py.ref_dtype)
    elif isinstance(value, numpy.ndarray) and value.dtype == object:
        made = at.create_dataset(name, data=numpy.array([[refer(one)] for one in value.ravel()], h5py.ref_dtype),
                                 dtype=h5py.ref_dtype)
        made.attrs["MATLAB_class"] = numpy.bytes_("cell")
    elif isinstance(value, str):
        made = at.create_dataset(name, data=numpy.array([[ord(c)] for c in value], "u2"))
        made.attrs["MATLAB_class"] = numpy.bytes_("char")
    else:
        value = numpy.asarray(value)
        kind = {"int16": "int16", "float64": "double", "int64": "double"}[str(value.dtype)]
        made = at.create_dataset(name, data=numpy.atleast_2d(value).T, compression="gzip" if value.size > 1 else None)
        made.attrs["MATLAB_class"] = numpy.bytes_(kind)


def write_73(path, made):
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in made.items():
            put_73(file, file, name, value)
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + b"\x00\x02IM")


def verasonics_v73_is_the_same():
    for units, mode in (("mm", "NS200BW"), ("wavelengths", "BS100BW")):
        write_73("x.mat", workspace(mode, units=units))
        shows_the_point("x.mat", 5000 * N, *(["--band", "wide"] if mode == "NS200BW" else []), height=0.8)
    made = workspace(frames=3, last=2, mux=True, order=[3, 0, 4, 2, 1, 0])
    write_73("x.mat", made)
    io.savemat("y.mat", made)
    images = [beamform(name, "--frames", "1:3")[0] for name in ("x.mat", "y.mat")]
    expect(numpy.array_equal(*images), "another image of v7.3")


def verasonics_v73_that_is_damaged_is_refused():
    def changed(change, *words):
        write_73("x.mat", workspace())
        with h5py.File("x.mat", "r+") as file:
            change(file)
        refused("x.mat", "`x.mat`: Verasonics: ", *words)

    def circle(file):
        del file["Trans/name"]
        file["Trans/name"] = file["Trans"]

    def cells(file):
        del file["RcvData"]
        file["RcvData"] = numpy.zeros((3, 3))

    def unlike(file):
        references = file["Receive/framenum"][()]
        del file["Receive/framenum"]
        file["Receive"].create_dataset("framenum", data=references[:3], dtype=h5py.ref_dtype)

    def outside(file):
        del file["TX"]
        file["TX"] = h5py.ExternalLink("other.mat", "/TX")

    changed(circle, "Trans", "damaged")
    changed(cells, "RcvData", "int16")
    changed(unlike, "Receive", "damaged")
    changed(outside, "TX", "--transmits")
    changed(lambda file: file.pop("Resource/Parameters/speedOfSound") and file["Trans"].pop("frequency"), "Trans.frequency")
    changed(lambda file: file.pop("Receive"), "variable Receive")
