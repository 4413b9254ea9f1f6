"""`saccade convert`: what is read is written, in each format, and UFF is what USTB's das.m expects.

SPDX-License-Identifier: Apache-2.0
"""
import subprocess

from point import *
import must_files
import uff_files
import zea_files


def convert(source, target, *options, status=0):
    done = subprocess.run([saccade, "convert", source, target, *options], capture_output=True, text=True, check=False)
    expect(done.returncode == status, f"{source} to {target}: {done.stderr}")
    return done.stderr


def das(path):
    """das.m at the point: linear interpolation of every channel and wave; the sum's magnitude."""
    with h5py.File(path) as file:
        expect(bytes(file.attrs["version"][0]).rstrip(b"\0") == b"v1.2.0", "version")
        data = file["channel_data"]

        def value(group, name):
            return float(group[name][0, 0])

        for name, of in (("", "channel_data"), ("probe", "probe"), ("pulse", "pulse")):
            expect((data[name] if name else data).attrs["class"] == f"uff.{of}".encode(), f"class of {of}")
        complex_ = isinstance(data["data"], h5py.Group)
        samples = data["data/real"][()] + 1j * data["data/imag"][()] if complex_ else data["data"][()]
        fs, begins, fd = (value(data, n) for n in ("sampling_frequency", "initial_time", "modulation_frequency"))
        elements = data["probe/geometry"][:3].T
        waves = data["sequence"]
        many = "sequence_0001" in waves
        total = 0
        for i in range(samples.shape[1]):
            wave = waves[f"sequence_{i + 1:04d}"] if many else waves
            d, az, el = (value(wave["source"], n) for n in ("distance", "azimuth", "elevation"))
            along = numpy.array([numpy.sin(az) * numpy.cos(el), numpy.sin(el), numpy.cos(az) * numpy.cos(el)])
            if value(wave, "wavefront") == 0:
                path_m = POINT @ along
            else:
                source = d * numpy.where(abs(along) < 1e-6, 0, along)
                path_m = numpy.linalg.norm(POINT - source) * (-1 if POINT[2] < source[2] else 1)
                path_m += -d if source[2] < 0 else d
            tau = path_m / value(wave, "sound_speed") - value(wave, "delay")
            tau = tau + numpy.linalg.norm(POINT - elements, axis=1) / value(data, "sound_speed")
            at = (tau - begins) * fs
            for e in range(len(elements)):
                sample = numpy.interp(at[e], numpy.arange(samples.shape[3]), samples[-1, i, e])
                total += sample * numpy.exp(2j * numpy.pi * fd * tau[e])
        return abs(total)


def must_file(fd):
    angles = numpy.array([-0.2, 0.0, 0.15])
    delays = must_files.steered(angles)
    passes = [d[0] + ((POINT - linear()[0]) @ [numpy.sin(a), 0, numpy.cos(a)]) / C for d, a in zip(delays, angles)]
    must_files.write("in.mat", "IQ" if fd else "RF", echoes(linear(), passes, [4e-6] * 3, fd),
                     must_files.param(t0=4e-6, TXdelay=delays))
    return "in.mat", 3


def zea_file(fd):
    passes, begins, scan = zea_files.scene()
    records = echoes(linear(), passes, begins, fd)
    if fd:
        records = records * numpy.exp(2j * numpy.pi * fd * begins)[:, None, None]
        scan["demodulation_frequency"] = fd
    # Delays of a wave from behind are any delays to us, which UFF lacks.
    keep = [0, 2, 3, 4]
    for name in ("t0_delays", "tx_apodizations", "focus_distances", "initial_times", "polar_angles", "azimuth_angles"):
        scan[name] = numpy.asarray(scan[name])[keep]
    zea_files.write("in.h5", zea_files.axes(records[keep]), scan)
    return "in.h5", 4


def convert_keeps_the_point_in_every_format():
    for make in (must_file, zea_file):
        for fd in (0.0, FC) if make is must_file else (0.0, 4.6e6):
            source, n = make(fd)
            for chain in (["1.h5"], ["2.uff"], ["3.npy"], ["4.uff", "5.npy", "6.h5", "7.uff"]):
                last = source
                for target in chain:
                    expect(convert(last, target) == "", f"{last} to {target} warns")
                    last = target
                shows_the_point(last, n * N, *([] if fd else ["--band", "wide"]), height=0.9)
                if last.endswith(".uff"):
                    sums = das(last) / (n * N)
                    print(f"das.m of {last}: {sums:.3f}")
                    expect(sums > 0.8 if fd else sums > 0.6, f"{last}: {sums} by das.m's formula")


def convert_takes_frames_and_options():
    data = numpy.stack([i * echoes(linear(), [POINT[2] / C], [4e-6]) for i in range(4)])
    uff_files.write("x.uff", uff_files.fields(data, [uff_files.wave(uff_files.point(), 0.0)]))
    convert("x.uff", "y.h5", "--frames", "1:3", "--c", "1500")
    with h5py.File("y.h5") as file:
        expect(file["samples"].shape == (2, 1, N, SAMPLES), "frames")
        expect(numpy.allclose(file["samples"][()], data[1:3], atol=1e-6), "samples")
        expect(file["acquisition"].attrs["c_m_s"] == 1500, "c")


def convert_says_what_is_lost():
    done = subprocess.run([saccade, "simulate", "ultrasound", "--transmits", "plane:1:0", "--elements", "16", "-o", "s.h5"],
                          capture_output=True, text=True, check=True)
    expect(done.returncode == 0, done.stderr)
    expect("truth" in convert("s.h5", "s.uff"), "no word of the truth")
    expect(convert("s.h5", "s.npy") == "", "a word of nothing")
    lines = ["simulate", "ultrasound", "--tx-f-number", "3", "--elements", "32", "--transmits"]
    for transmits in ("lines:4:20", "focused:1:40", "sa"):  # part fires, all, one
        done = run([*lines, transmits, "-o", "l.h5"])
        expect(done.returncode == 0, done.stderr)
        words = convert("l.h5", "l.uff")
        expect("truth" in words and words.count("\n") == 1, words)
        convert("l.uff", "m.h5")
        with h5py.File("l.h5") as a, h5py.File("m.h5") as b:
            fires = [f["acquisition/transmits"].get("apodization") for f in (a, b)]
            kept = transmits == "sa" or (fires[1] is None and (fires[0][()] == 1).all()) or numpy.array_equal(*fires)
            expect(kept, f"amplitudes of {transmits}")
    done = run([*lines, "lines:4:20", "-o", "l.uff"])
    expect("truth" in done.stderr and done.stderr.count("\n") == 1, done.stderr)
    delays = numpy.zeros((1, N))
    delays[0, 3] = 1e-6
    must_files.write("d.mat", "RF", numpy.zeros((1, N, 64)), must_files.param(TXdelay=delays))
    words = convert("d.mat", "d.uff", status=1)
    expect("UFF" in words and "transmit 0" in words and not os.path.exists("d.uff"), words)
    for operands in ([], ["s.h5"], ["s.h5", "a.h5", "b.h5"], ["s.h5", "s.h5"], ["s.h5", "x.xyz"]):
        done = subprocess.run([saccade, "convert", *operands], capture_output=True, text=True, check=False)
        expect(done.returncode in (1, 2) and done.stderr.count("\n") == 1, done.stderr)
