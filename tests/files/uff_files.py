"""UFF as USTB's write_object.m stores it: classes and names as attributes, float32, axes of 1 dropped at the end.

SPDX-License-Identifier: Apache-2.0
"""
from point import *

POINT_OF = {"distance": 0.0, "azimuth": 0.0, "elevation": 0.0}


def put(group, name, value):
    """A field by its kind: numbers, complex ones, objects (class, fields), arrays of objects."""
    if value is None:
        return
    if isinstance(value, tuple):
        made = group.create_group(name)
        for key, field in value[1].items():
            put(made, key, field)
        made.attrs.update({"class": value[0], "name": name, "array": 0.0, "size": [1.0, 1.0]})
    elif isinstance(value, list):
        if len(value) == 1:
            return put(group, name, value[0])
        made = group.create_group(name)
        for i, one in enumerate(value):
            put(made, f"{name}_{i + 1:04d}", one)
        made.attrs.update({"class": value[0][0], "name": name, "array": 1.0, "size": [1.0, float(len(value))]})
    elif numpy.iscomplexobj(value):
        made = group.create_group(name)
        for part, data, imaginary in (("real", value.real, 0.0), ("imag", value.imag, 1.0)):
            made.create_dataset(part, data=numpy.atleast_2d(data).astype("f4"))
            made[part].attrs.update({"class": "single", "name": name, "imaginary": imaginary})
        made.attrs.update({"class": "single", "name": name, "complex": 1.0})
    else:
        made = group.create_dataset(name, data=numpy.atleast_2d(numpy.asarray(value, "f4")))
        made.attrs.update({"class": "single", "name": name, "imaginary": 0.0, "complex": 0.0})


def point(distance=0.0, azimuth=0.0, elevation=0.0):
    return ("uff.point", {"distance": distance, "azimuth": azimuth, "elevation": elevation})


def at(p):
    distance = numpy.linalg.norm(p)
    return point(distance, numpy.arctan2(p[0], p[2]), numpy.arcsin(p[1] / distance) if distance else 0.0)


def wave(source, wavefront=1.0, delay=0.0, speed=C):
    return ("uff.wave", {"wavefront": wavefront, "source": source, "origin": point(), "delay": delay, "sound_speed": speed})


def probe(elements, theta=None):
    columns = [*elements.T, 0 * elements[:, 0] if theta is None else theta, 0 * elements[:, 0],
               0 * elements[:, 0] + 2.5e-4, 0 * elements[:, 0] + 5e-3]
    return ("uff.probe", {"geometry": numpy.array(columns)})  # MATLAB's (N, 7) is HDF5's (7, N)


def fields(data, waves, elements=None, **changes):
    made = {"sampling_frequency": FS, "initial_time": 4e-6, "sound_speed": C, "modulation_frequency": 0.0,
            "sequence": waves, "probe": probe(linear() if elements is None else elements), "PRF": 4000.0,
            "pulse": ("uff.pulse", {"center_frequency": FC, "fractional_bandwidth": 0.6}), "data": data}
    made.update(changes)
    return made


def write(path, made, version="v1.2.0"):
    with h5py.File(path, "w") as file:
        file.attrs["version"] = numpy.array([version.encode() + b"\0"])
        put(file, "beamformed", ("uff.beamformed_data", {"data": numpy.zeros((1, 4))}))
        put(file, "channel_data", ("uff.channel_data", made))


def transmit_path(source, kind="spherical"):
    """das.m: distance of the wave to the point, for a source (x, y, z) or a plane's angles."""
    if kind == "plane":
        az, el = source
        return POINT @ [numpy.sin(az) * numpy.cos(el), numpy.sin(el), numpy.cos(az) * numpy.cos(el)]
    d = numpy.linalg.norm(POINT - source) * (-1 if POINT[2] < source[2] else 1)
    return d - numpy.linalg.norm(source) if source[2] < 0 else d + numpy.linalg.norm(source)


def case(paths, waves, delays, elements=None, **changes):
    """RF and IQ of these waves, with das.m's times."""
    for fd in (0, FC, 4.5e6):
        # Phase counts from the file's own clock: initial_time + n / fs.
        passes = numpy.array(paths) / C - delays
        where = linear() if elements is None else elements
        data = echoes(where, passes, [4e-6] * len(paths), fd)
        data = data if len(paths) > 1 else data[0]  # MATLAB drops the last axes of 1
        write("x.uff", fields(data, waves, elements, modulation_frequency=float(fd), **changes))
        shows_the_point("x.uff", len(paths) * len(where), *([] if fd else ["--band", "wide"]))


def uff_plane_waves_show_the_point():
    angles = [(-0.2, 0.0), (0.0, 0.0), (0.15, 0.05)]
    delays = numpy.array([0.0, 1e-7, -2.3e-7])
    waves = [wave(point(numpy.inf if i else 0.0, *a), 0.0, d) for i, (a, d) in enumerate(zip(angles, delays))]
    case([transmit_path(a, "plane") for a in angles], waves, delays)
    # A spherical wave from infinity, and a lone wave without its own members.
    case([transmit_path(angles[0], "plane")], [wave(point(numpy.inf, *angles[0]), None)], numpy.zeros(1))


def uff_virtual_sources_show_the_point():
    sources = [numpy.array(s) for s in ([1e-3, 0, -8e-3], [0, 0, 30e-3], [-1e-3, 0, 9e-3], [3e-3, 5e-4, -4e-3])]
    delays = numpy.array([3e-7, 0.0, -1e-7, 5e-8])
    case([transmit_path(s) for s in sources], [wave(at(s), delay=d) for s, d in zip(sources, delays)], delays)


def uff_elements_one_by_one_show_the_point():
    fired = [3, 20, 47]
    off = numpy.array([1.234e-3, 0, 0])  # at the surface, between elements
    sources = [*linear()[fired], off]
    case([transmit_path(s) for s in sources], [wave(at(s)) for s in sources], numpy.zeros(4))


def uff_convex_array_shows_the_point():
    theta = (numpy.arange(N) - (N - 1) / 2) * 0.012
    arc = numpy.stack([25e-3 * numpy.sin(theta), 0 * theta, 25e-3 * (numpy.cos(theta) - 1)], axis=1)
    sources = [arc[5], arc[30], numpy.array([0, 0, -20e-3])]
    case([transmit_path(s) for s in sources], [wave(at(s)) for s in sources], numpy.zeros(3), arc,
         probe=probe(arc, theta))
    image, _ = beamform("x.uff", "--f-number", "1", "--kind", "envelope")
    expect(image.max() > 10, "the elements' normals exclude the point")
    # What USTB computes of pitch and radius.
    pitch = 2 * 25e-3 * numpy.sin(0.006)
    array = ("uff.curvilinear_array", {"N": float(N), "pitch": pitch, "radius": 25e-3})
    case([transmit_path(s) for s in sources], [wave(at(s)) for s in sources], numpy.zeros(3), arc, probe=array)


def uff_arrays_by_their_pitch_show_the_point():
    source = numpy.array([0, 0, -8e-3])
    array = ("uff.linear_array", {"N": float(N), "pitch": PITCH})
    case([transmit_path(source)], [wave(at(source))], numpy.zeros(1), probe=array)
    x, y = numpy.meshgrid((numpy.arange(8) - 3.5) * 6e-4, (numpy.arange(6) - 2.5) * 5e-4)
    matrix = numpy.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    array = ("uff.matrix_array", {"N_x": 8.0, "N_y": 6.0, "pitch_x": 6e-4, "pitch_y": 5e-4})
    case([transmit_path(source)], [wave(at(source))], numpy.zeros(1), matrix, probe=array)


def uff_frames_and_analytic_data_are_read():
    passes = [transmit_path((0.1, 0.0), "plane") / C] * 2
    rf = echoes(linear(), passes, [4e-6] * 2)
    analytic = echoes(linear(), passes, [4e-6] * 2, 1e-9)  # RF and its Hilbert transform
    waves = [wave(point(numpy.inf, 0.1), 0.0)] * 2
    write("x.uff", fields(numpy.stack([0 * rf, rf, 0.5 * rf, rf]), waves))
    shows_the_point("x.uff", 2 * N, "--band", "wide")
    image, _ = beamform("x.uff", "--frames", "1:3")
    expect(abs(image[1].max() / image[0].max() - 0.5) < 1e-3, "another frame")
    write("x.uff", fields(analytic, waves))
    shows_the_point("x.uff", 2 * N, "--band", "wide")


def uff_numbers_without_axes_are_read():
    """As pyuff_ustb writes them; and without what has a default."""
    data = echoes(linear(), [POINT[2] / C], [4e-6])
    with h5py.File("x.uff", "w") as file:
        file.attrs["version"] = "v1.2.0"
        put(file, "data", ("uff.channel_data", fields(data, [wave(point(), 0.0)])))
        for name in ("sampling_frequency", "initial_time", "modulation_frequency"):
            value = file["data"][name][0, 0]
            del file["data"][name]
            file["data"][name] = value
        del file["data"]["sound_speed"], file["data"]["sequence/delay"], file["data"]["sequence/sound_speed"]
    shows_the_point("x.uff", N, "--band", "wide")


def uff_that_lacks_something_is_refused():
    data = numpy.zeros((N, 64))
    good = fields(data, [wave(point(), 0.0)])

    def without(name, *words, **changes):
        write("x.uff", {**good, name: None, **changes})
        refused("x.uff", "`x.uff`: UFF: ", *words)

    def changed(value, *words, name, **others):
        write("x.uff", {**good, name: value, **others})
        refused("x.uff", "`x.uff`: UFF: ", *words)

    without("data", "/channel_data/data")
    without("sampling_frequency", "/channel_data/sampling_frequency", "--fs")
    without("initial_time", "/channel_data/initial_time", "--t0")
    without("pulse", "/channel_data/pulse/center_frequency", "--fc")
    without("probe", "/channel_data/probe", "--pitch")
    without("sequence", "/channel_data/sequence", "--transmits")
    changed(numpy.nan, "/channel_data/sampling_frequency", "NaN", name="sampling_frequency")
    changed(numpy.inf, "fs", name="sampling_frequency")
    changed(numpy.zeros(3), "/channel_data/initial_time", "one number", name="initial_time")
    changed(("uff.probe", {"geometry": numpy.full((7, N), numpy.inf)}), "probe/geometry", "finite", name="probe")
    changed(("uff.probe", {"geometry": numpy.zeros((2, N))}), "probe/geometry", "3 to 7", name="probe")
    changed(("uff.probe", {"geometry": numpy.zeros((7, N - 1))}), "samples of 48 elements", name="probe")
    changed(("uff.probe", {"N": 4.0}), "probe/geometry", name="probe")
    changed(("uff.linear_array", {"N": 4.0}), "probe/pitch", name="probe")
    changed(("uff.linear_array", {"N": 1e9, "pitch": 1e-4}), "probe/N", name="probe")
    changed(("uff.curvilinear_array", {"N": 48.0, "pitch": 1e-2, "radius": 1e-3}), "probe/radius", name="probe")
    changed([wave(point(), 2.0)], "/channel_data/sequence/wavefront", "photoacoustic", name="sequence")
    changed([wave(point(), 0.0, speed=1500.0)], "/channel_data/sequence/sound_speed", "1500", name="sequence")
    changed([wave(point(1e15, 0.1))], "transmits: source of transmit 0", "plane", name="sequence")
    changed([wave(point(), 0.0)] * 3, "samples of 1 transmits, but 3", name="sequence")
    changed(5e6, "modulation_frequency", "real", name="modulation_frequency")
    write("x.uff", good, version="v2.0.0")
    refused("x.uff", "UFF", "version", "v2.0.0")
    with h5py.File("x.uff", "w") as file:
        put(file, "scan", ("uff.linear_scan", {"x_axis": numpy.zeros(4)}))
    refused("x.uff", "UFF", "uff.channel_data")
    write("x.uff", {**good, "sequence": [wave(point(), 0.0)] * 3, "data": numpy.zeros((3, N, 64))})
    with h5py.File("x.uff", "r+") as file:
        del file["channel_data/sequence/sequence_0002"]
        file["channel_data/sequence/other"] = file["channel_data/sequence/sequence_0001"]
    refused("x.uff", "/channel_data/sequence/sequence_0002", "missing")
    with h5py.File("x.uff", "r+") as file:  # links out of the file are not followed
        del file["channel_data/probe"]
        file["channel_data/probe"] = h5py.ExternalLink("other.uff", "/probe")
    refused("x.uff", "UFF", "probe")
    write("x.uff", good)
    with open("x.uff", "r+b") as file:
        file.truncate(os.path.getsize("x.uff") - 5000)
    refused("x.uff", "x.uff")


def uff_images_are_written_and_read():
    """uff.beamformed_data: pixels along z, then x, then y."""
    data = echoes(linear(), [POINT[2] / C] * 2, [4e-6] * 2)
    write("x.uff", fields(data, [wave(point(), 0.0)] * 2))
    grid = "-1:5:61,18:24:121"
    to_uff = ["beamform", "x.uff", "-o", "b.uff", "--grid", grid, "--interp", "cubic"]
    for options, lead in (([], (1, 1)), (["--lri"], (1, 2))):
        for kind in ("envelope", "iq"):
            image, _ = beamform("x.uff", "--kind", kind, *options, grid=grid)
            done = run([*to_uff, "--kind", kind, *options])
            expect(done.returncode == 0, done.stderr)
            with h5py.File("b.uff") as file:
                b = file["beamformed_data"]
                expect(b.attrs["class"] == b"uff.beamformed_data" and b["scan"].attrs["class"] == b"uff.linear_scan", "class")
                expect(numpy.allclose(b["scan/x_axis"][0], numpy.linspace(-1e-3, 5e-3, 61), atol=1e-9), "x_axis")
                pixels = b["data/real"][()] + 1j * b["data/imag"][()] if kind == "iq" else b["data"][()]
            expect(pixels.shape == (*lead, 1, 61 * 121), f"shape {pixels.shape}")
            turned = pixels.reshape(*lead, 61, 121).swapaxes(-1, -2).reshape(image.shape)
            expect(numpy.array_equal(turned, image), "other pixels")
    run([*to_uff, "--kind", "envelope"])
    run([*to_uff, "--kind", "envelope", "-o", "b.h5"])
    measured = [run(["measure", name, "--points", "--at", "2.1,21"]) for name in ("b.uff", "b.h5")]
    expect(measured[0].returncode == 0, measured[0].stderr)
    expect(measured[0].stdout == measured[1].stdout, f"{measured[0].stdout}{measured[1].stdout}")
    for change, words in (
        (lambda b: b.pop("scan"), ["scan", "missing"]),
        (lambda b: b["scan"].attrs.modify("class", "uff.sector_scan"), ["uff.sector_scan"]),
        (lambda b: b["scan"].pop("z_axis"), ["scan/z_axis"]),
        (lambda b: b["scan"]["z_axis"].write_direct(numpy.full((1, 121), numpy.nan, "f4")), ["scan/z_axis", "finite"]),
        (lambda b: b["scan"]["x_axis"].write_direct(numpy.arange(61, dtype="f4")[None] ** 2), ["scan/x_axis", "equal steps"]),
        (lambda b: b.pop("data"), ["beamformed_data/data"]),
        (lambda b: (b.pop("data"), b.create_dataset("data", data=numpy.zeros((1, 1, 2, 61 * 121)))), ["one channel"]),
        (lambda b: (b.pop("data"), b.create_dataset("data", data=numpy.zeros(61 * 121 - 1))), ["pixels"]),
    ):
        run([*to_uff, "--kind", "envelope"])
        with h5py.File("b.uff", "r+") as file:
            change(file["beamformed_data"])
        done = run(["measure", "b.uff", "--points", "--at", "2.1,21"])
        expect(done.returncode == 1 and done.stderr.count("\n") == 1 and "UFF" in done.stderr, done.stderr)
        for word in words:
            expect(word in done.stderr, f"no `{word}` in {done.stderr}")
    done = run(["beamform", "x.uff", "-o", "c.uff", "--kind", "bmode"])
    expect(done.returncode == 1 and "iq or envelope" in done.stderr, done.stderr)
