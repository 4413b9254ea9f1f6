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


def wave(source, wavefront=1.0, delay=0.0, speed=C, **more):
    made = {"wavefront": wavefront, "source": source, "origin": point(), "delay": delay, "sound_speed": speed}
    return ("uff.wave", {**made, **more})


def apodization(**fields_of):
    """Properties with a default are always in the file (write_object.m)."""
    made = {"f_number": [1.0, 1.0], "window": 0.0, "MLA": 1.0, "MLA_overlap": 0.0, "tilt": [0.0, 0.0],
            "minimum_aperture": [1e-3, 1e-3], "maximum_aperture": [10.0, 10.0]}
    return ("uff.apodization", {k: numpy.array([v]).T if isinstance(v, list) else v for k, v in {**made, **fields_of}.items()})


def scan(p):
    return ("uff.scan", dict(zip("xyz", map(float, p))))


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


WINDOWS = {1: lambda r: 1 + 0 * r, 2: lambda r: 0.5 + 0.5 * numpy.cos(2 * numpy.pi * r),
           3: lambda r: 0.53836 + 0.46164 * numpy.cos(2 * numpy.pi * r),
           **{w: lambda r, q=q: numpy.where(r <= (1 - q) / 2, 1, 0.5 + 0.5 * numpy.cos(2 * numpy.pi / q * (r - q / 2 - 0.5)))
              for w, q in ((4, 0.25), (5, 0.5), (6, 0.75))}}  # apodization.m; r: of the aperture's width


def amplitudes(path, **words):
    """What saccade read of each wave, and its warning."""
    done = run(["convert", path, "read.h5"])
    expect(done.returncode == 0, done.stderr)
    with h5py.File("read.h5") as file:
        found = file["acquisition/transmits/apodization"][()] if "apodization" in file["acquisition/transmits"] else None
    return found, done.stderr


def uff_elements_that_fire_are_read():
    """By uff.apodization: a vector, windows over the array, single elements; names of older versions."""
    foci = [numpy.array([x, 0, 21e-3]) for x in (-4e-3, 0.0, 2.1e-3)]
    x = linear()[:, 0]
    data = numpy.ones((3, N, 64))

    def read(made, **more):
        write("x.uff", fields(data, [wave(at(s), apodization=made(s), **more) for s in foci]))
        return amplitudes("x.uff")

    for window, formula in WINDOWS.items():
        for name, origin in (("focus", {}), ("scan", {"apex": point(numpy.inf)}), ("focus", {"origo": point(numpy.inf, numpy.pi)})):
            found, words = read(lambda s: apodization(window=float(window), f_number=[3.0, 3.0], **{name: scan(s)}, **origin))
            ratio = numpy.array([abs(x - s[0]) / (s[2] / 3) for s in foci])
            wanted = numpy.where(ratio <= 0.5, formula(ratio), 0)
            expect(found is not None and numpy.allclose(found, wanted, atol=2e-6), f"window {window}: {found} for {wanted}")
            expect(words == "", words)
    found, _ = read(lambda s: apodization(window=1.0, f_number=100.0, minimum_aperture=[2e-3, 2e-3], focus=scan(s)))
    expect(numpy.array_equal(found, [abs(x - s[0]) <= 1e-3 for s in foci]), "minimum_aperture")
    found, _ = read(lambda s: apodization(window=1.0, f_number=0.5, maximum_aperture=[4e-3, 4e-3], focus=scan(s)))
    expect(numpy.array_equal(found, [abs(x - s[0]) <= 2e-3 for s in foci]), "maximum_aperture")
    found, _ = read(lambda s: apodization(window=7.0, origin=at([s[0], 0, 0])))
    nearest = [abs(x - s[0]).argmin() for s in foci]
    expect(numpy.array_equal(found, numpy.eye(N)[nearest]), f"sta: {found}")
    vector = numpy.linspace(0.0, 1.0, N)
    found, _ = read(lambda s: apodization(window=7.0, apodization_vector=vector[:, None]))  # which overrides the window
    expect(numpy.allclose(found, [vector] * 3), "apodization_vector")
    for silent in (apodization(), apodization(window=0.0, origin=point(1.0))):
        found, words = read(lambda s, a=silent: a)
        expect(found is None and words == "", "window none")
    # An element that fires alone is known by its source, whatever its apodization lacks (FI_STA in USTB).
    write("x.uff", fields(data[:1], [wave(at(linear()[5]), apodization=apodization(window=7.0))]))
    expect(amplitudes("x.uff") == (None, ""), "an element")


def uff_scan_lines_lead_from_their_elements():
    """With --tx-apodization lines each point takes the line before it, not one of a fan from the array's middle."""
    lines = numpy.linspace(-4.2e-3, 4.2e-3, 29)
    foci = [numpy.array([x, 0, 12e-3]) for x in lines]  # before the point: there lines of a fan lie elsewhere
    passes = numpy.array([transmit_path(s) for s in foci]) / C
    heard = numpy.array([abs(x - POINT[0]) < 0.2e-3 for x in lines])  # its beam alone lights the point
    data = echoes(linear(), passes, [4e-6] * len(lines)) * heard[:, None, None]
    x = linear()[:, 0]
    vectors = [numpy.where(abs(x - s[0]) <= 2e-3, 1.0, 0.0)[:, None] for s in foci]
    waves = [wave(at(s), apodization=apodization(apodization_vector=v)) for s, v in zip(foci, vectors)]
    write("x.uff", fields(data, waves))
    options = ["--tx-apodization", "lines", "--band", "wide", "--f-number", "0"]
    image, _ = beamform("x.uff", *options)
    z, column = numpy.unravel_index(image[-1].argmax(), image[-1].shape)
    expect(abs(-1e-3 + 5e-5 * column - POINT[0]) < 2e-4 and image.max() > 0.9 * N, f"the point at column {column}, {image.max()}")
    # Written, it is read the same, and USTB finds the middle where its transmit apodization looks.
    done = run(["convert", "x.uff", "y.uff"])
    expect(done.returncode == 0 and done.stderr == "", done.stderr)
    again, _ = beamform("y.uff", *options)
    expect(numpy.allclose(again, image, rtol=1e-4, atol=1e-4 * image.max()), "another image of the file that was written")
    with h5py.File("y.uff") as file:
        origin = file["channel_data/sequence/sequence_0029/origin"]
        middle = x[vectors[28][:, 0] > 0].mean()
        place = origin["distance"][0, 0] * numpy.sin(origin["azimuth"][0, 0])
        expect(abs(place - middle) < 1e-7, f"origin at {place}")
        expect(file["channel_data/sequence/sequence_0029/apodization"].attrs["class"] == b"uff.apodization", "class")
    # All elements fire: the origin that the file gives is told to be ignored, unless it is their middle.
    for waves, told in (([wave(at(s), origin=at([s[0], 0, 0])) for s in foci], True),
                        ([wave(at(s), origin=at([x.mean() + 1e-4, 0, 0])) for s in foci], False),
                        ([wave(at(s), origin=at([s[0], 0, 0]), apodization=apodization(apodization_vector=v))
                          for s, v in zip(foci, vectors)], False)):
        write("x.uff", fields(data, waves))
        _, words = amplitudes("x.uff")
        expect(("origin" in words) == told and words.count("\n") == told, words)
    # One thing to know does not hide another.
    write("x.uff", fields(data, [wave(at(s), origin=at([s[0], 0, 0])) for s in foci]))
    with h5py.File("x.uff", "r+") as file:
        file.copy("channel_data", "more_data")
    _, words = amplitudes("x.uff")
    expect(all(words.count(w) == 1 for w in ("origin", "first of 2", "\n")), words)


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
    s = [2e-3, 0.0, 20e-3]

    def fires(*words, **fields_of):
        changed([wave(at(s), apodization=apodization(**fields_of))], "/channel_data/sequence/apodization/", *words, name="sequence")

    fires("apodization_vector", "each element", apodization_vector=numpy.ones(N - 1))
    fires("apodization_vector", "finite", apodization_vector=numpy.full(N, numpy.nan))
    fires("window", "8", window=8.0)
    fires("window", "1.5", window=1.5)
    fires("focus", "missing", window=5.0)
    fires("focus/y", "missing", window=5.0, focus=("uff.scan", {"x": 0.0}))
    fires("f_number", window=5.0, f_number=[-1.0, 1.0], focus=scan(s))
    fires("f_number", "two", window=5.0, f_number=[1.0, 1.0, 1.0], focus=scan(s))
    fires("tilt", window=5.0, tilt=[0.1, 0.0], focus=scan(s))
    fires("origin", "infinity", window=5.0, origin=at(s), focus=scan(s))
    fires("origin", "missing", window=7.0)
    fires("origin", "a place", window=7.0, origin=point(numpy.inf))
    fires("window", "no element", window=1.0, focus=scan([1.0, 0.0, 1e-3]))
    changed([wave(at(s), apodization=apodization(apodization_vector=numpy.zeros(N)))], "transmit 0 fires no element",
            name="sequence")
    theta = (numpy.arange(N) - (N - 1) / 2) * 0.012
    arc = numpy.stack([25e-3 * numpy.sin(theta), 0 * theta, 25e-3 * (numpy.cos(theta) - 1)], axis=1)
    changed([wave(at(s), apodization=apodization(window=5.0, focus=scan(s)))], "apodization/window", "flat", name="sequence",
            probe=probe(arc, theta))
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
