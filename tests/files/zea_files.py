"""zea: HDF5 of 2025 (data, scan; events) and 2026 (tracks, probe). Samples before elements.

SPDX-License-Identifier: Apache-2.0
"""
from point import *


def write(path, data, scan, form=2025, without=None):
    with h5py.File(path, "w") as file:
        root = file
        if form == 2026:
            file.attrs["zea_version"] = "0.1.0"
            file["probe/probe_geometry"] = scan["probe_geometry"].astype("f4")
            root = file.create_group("tracks/track_0")
        if form == "event":
            root = file.create_group("event_0")
            file.create_group("event_1")
        file.attrs["probe"] = "verasonics_l11_4v"
        root.require_group("data")
        if without != "raw_data":
            root["data/raw_data"] = data
        group = root.require_group("scan")
        for name, value in scan.items():
            if name != without and not (form == 2026 and name == "probe_geometry"):
                group[name] = numpy.asarray(value, "f4")


def axes(records):
    """(transmits, elements, samples) as (frame, transmits, samples, elements, 1 or 2)."""
    turned = numpy.transpose(records, (0, 2, 1))[None]
    parts = [turned.real, turned.imag] if numpy.iscomplexobj(records) else [turned]
    return numpy.stack(parts, axis=-1).astype("f4")


def scan_of(delays, active, focus, begins, polar=0.0, **more):
    n = len(delays)
    return {"probe_geometry": linear(), "sampling_frequency": FS, "center_frequency": FC, "sound_speed": C,
            "initial_times": begins, "t0_delays": delays, "tx_apodizations": active, "focus_distances": focus,
            "polar_angles": numpy.full(n, polar) if numpy.isscalar(polar) else polar, "azimuth_angles": numpy.zeros(n),
            "bandwidth_percent": 60.0, **more}


def distances():
    return numpy.linalg.norm(POINT - linear(), axis=1)


def scene():
    """Delays from the first firing on, when the wave passes the point, and what the scan says: a plane wave, one from
    behind, two focused ones (before and beyond the point), one element."""
    x = linear()
    active = numpy.ones((5, N))
    active[4] = 0
    active[4, 30] = 1
    plane = x[:, 0] * numpy.sin(0.12) / C
    behind, near, far = numpy.array([0, 0, -8e-3]), numpy.array([0, 0, 9e-3]), numpy.array([0, 0, 45e-3])
    out = numpy.linalg.norm(x - behind, axis=1) / C
    meet = [-numpy.linalg.norm(x - f, axis=1) / C for f in (near, far)]
    delays = numpy.stack([plane, out, *meet, numpy.zeros(N)])
    first = delays.min(axis=1)
    passes = [POINT @ [numpy.sin(0.12), 0, numpy.cos(0.12)] / C, numpy.linalg.norm(POINT - behind) / C,
              numpy.linalg.norm(POINT - near) / C, -numpy.linalg.norm(POINT - far) / C, distances()[30] / C]
    begins = numpy.array([1e-6, 2e-6, 3e-6, 1.5e-6, 2.5e-6])
    scan = scan_of(delays - first[:, None], active, [numpy.inf, -8e-3, 9e-3, 45e-3, 0.0], begins, [0.12, 0, 0, 0, 0])
    return passes - first, begins, scan


def zea_waves_of_every_kind_show_the_point():
    passes, begins, scan = scene()
    for form in (2025, 2026, "event"):
        for fd in (0.0, FC, 4.4e6):
            records = echoes(linear(), passes, begins, fd)
            if fd:  # zea's phase counts from each record's first sample
                records = records * numpy.exp(2j * numpy.pi * fd * begins)[:, None, None]
            write("x.hdf5", axes(records), {**scan, **({"demodulation_frequency": fd} if fd else {})}, form)
            shows_the_point("x.hdf5", 5 * N, *([] if fd else ["--band", "wide"]), height=0.9)
    whole = numpy.concatenate([0 * axes(records), axes(records)])
    write("x.hdf5", whole, {**scan, "demodulation_frequency": numpy.full(5, fd), "center_frequency": numpy.full(5, FC)})
    shows_the_point("x.hdf5", 5 * N, height=0.9)
    integers = (1000 * axes(echoes(linear(), passes, begins))).round().astype("i2")
    write("x.hdf5", integers, scan)
    shows_the_point("x.hdf5", 5000 * N, "--band", "wide", height=0.9)


def zea_scan_lines_keep_which_elements_fire():
    passes, begins, scan = scene()
    records = echoes(linear(), passes, begins)
    active = numpy.array(scan["tx_apodizations"])
    active[3, :9] = 0  # of the one that is focused at 45 mm
    active[3, -9:] = 0
    write("x.hdf5", axes(records), {**scan, "tx_apodizations": active, "t0_delays": numpy.array(scan["t0_delays"])})
    shows_the_point("x.hdf5", 5 * N, "--band", "wide", height=0.9)
    done = run(["convert", "x.hdf5", "read.h5"])
    expect(done.returncode == 0, done.stderr)
    with h5py.File("read.h5") as file:
        found = file["acquisition/transmits/apodization"][()]
    expect(numpy.array_equal(found[3], active[3]) and (found[[0, 1, 2, 4]] == 1).all(), f"{found}")


def zea_that_lacks_something_is_refused():
    _, _, scan = scene()
    data = numpy.zeros((1, 5, 64, N, 1), "f4")
    for name in ("raw_data", "probe_geometry", "sampling_frequency", "center_frequency", "sound_speed", "initial_times",
                 "t0_delays"):
        write("x.hdf5", data, scan, without=name)
        refused("x.hdf5", "`x.hdf5`: zea: ", f"/{'data' if name == 'raw_data' else 'scan'}/{name}", "missing")
    for name, value, words in (
        ("probe_geometry", linear()[:, :2], ["/scan/probe_geometry", "(n_elements, 3)"]),
        ("probe_geometry", linear()[1:], ["probe_geometry", "47", "48"]),
        ("t0_delays", numpy.zeros((5, N - 1)), ["/scan/t0_delays", "transmit and element"]),
        ("t0_delays", numpy.full((5, N), numpy.inf), ["/scan/t0_delays", "finite"]),
        ("initial_times", numpy.zeros(4), ["/scan/initial_times", "each transmit"]),
        ("initial_times", numpy.full(5, numpy.nan), ["t0"]),
        ("focus_distances", [0, 0, 3e-3, 0, 0], ["/scan/focus_distances", "meet"]),
        ("tx_apodizations", numpy.zeros((5, N)), ["/scan/tx_apodizations", "no element"]),
        ("center_frequency", numpy.arange(5), ["/scan/center_frequency", "same number"]),
        ("sampling_frequency", numpy.nan, ["/scan/sampling_frequency", "NaN"]),
    ):
        write("x.hdf5", data, {**scan, name: value})
        refused("x.hdf5", "zea: ", *words)
    write("x.hdf5", data[..., 0], scan)
    refused("x.hdf5", "zea: ", "/data/raw_data", "n_ax")
    write("x.hdf5", data, scan, 2026)
    with h5py.File("x.hdf5", "r+") as file:
        del file["tracks/track_0/scan"]
    refused("x.hdf5", "zea: ", "/tracks/track_0/scan", "missing")
