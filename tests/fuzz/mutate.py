#!/usr/bin/env python3
"""Damages files of every kind that the command reads, and runs the command over them.

    tests/fuzz/mutate.py build/asan/cli/saccade --files 20000
    tests/fuzz/mutate.py build/release/cli/saccade --files 300 --kind png,tiff --seed 7

A run fails where the command crashes (a signal, an exit status other than 0, 1 and 2, a report of a sanitizer), takes
more than 10 s of processor time or 60 s in all, or more memory than the undamaged file took by the same command, plus
64 MB and 3 times the decoded size that the damaged header states. Pictures are read with --max-pixels 1000000, so that
they state at most 8 MB. With AddressSanitizer the 64 MB and what is stated count 1.25 times, for its shadow and
redzones, and 16 MB are added for freed memory that it keeps.

Damage is made of the seed: the same seed gives the same files. What failed is kept, with its command line, in the
folder of --keep. Undamaged files are made by the command itself, and by hand where it writes no such files; a kind that
this build does not read is left out, which is said. More undamaged files: --more FOLDER, with a folder a kind in it.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import ctypes
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

MB = 1 << 20
CPU_S, WALL_S = 10, 60
PIXELS = 1000000  # --max-pixels, of which 16-bit RGBA takes 8 MB
NO_RANDOM_ADDRESSES = 0x0040000  # ADDR_NO_RANDOMIZE: some kernels' random addresses are not ASan's

EQUALIZE = ["equalize", "{in}", "--max-pixels", str(PIXELS), "-o", "{out}.ppm"]
DEEP = ["equalize", "{in}", "--max-pixels", str(PIXELS), "-o", "{out}.pam"]
PAGE = ["equalize", "{in}", "--max-pixels", str(PIXELS), "--page", "2", "-o", "{out}.pam"]
BEAMFORM = ["beamform", "{in}", "--grid", "-1:1:8,5:9:8", "-o", "{out}.npy"]
MELTPOOL = ["meltpool", "{in}", "-o", "{out}.csv"]


class Child:
    """One run of the command: its status, its processor time, the most memory it held, its words."""

    def __init__(self, saccade, words, asan, stdin=None):
        env = dict(os.environ, LC_ALL="C", TMPDIR=os.environ.get("TMPDIR", "/tmp"))
        env["ASAN_OPTIONS"] = "exitcode=99:detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=8:handle_abort=1"
        env["UBSAN_OPTIONS"] = "halt_on_error=1:exitcode=99:print_stacktrace=1"
        begin = ctypes.CDLL(None).personality
        with tempfile.TemporaryFile() as err:
            source = open(stdin, "rb") if stdin else subprocess.DEVNULL
            process = subprocess.Popen([saccade] + words, stdin=source, stdout=subprocess.DEVNULL, stderr=err, env=env,
                                       preexec_fn=(lambda: begin(NO_RANDOM_ADDRESSES)) if asan else None)
            if stdin:
                source.close()
            self.late = not self.wait(process)
            err.seek(0)
            self.words = err.read(1 << 16).decode("utf-8", "replace")

    def wait(self, process):
        end, pause = time.monotonic() + WALL_S, 0.001
        in_time = True
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end and in_time:
                in_time = False
                process.send_signal(signal.SIGKILL)
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.status = process.returncode
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.rss = usage.ru_maxrss * 1024
        return in_time


# Undamaged files -----------------------------------------------------------------------------------------------------


def pnm(folder, run):
    pixels = bytes((7 * i + i // 5) % 256 for i in range(24 * 16 * 6))
    (folder / "a.ppm").write_bytes(b"P6\n# x\n24 16\n255\n" + pixels[: 24 * 16 * 3])
    (folder / "b.pgm").write_bytes(b"P5 12 8 1023\n" + bytes((i % 4 if i % 2 == 0 else 9 * i % 256) for i in range(192)))
    (folder / "c.pbm").write_bytes(b"P4 20 5\n" + pixels[:15])
    (folder / "d.ppm").write_bytes(b"P3 4 3 15\n" + b" ".join(b"%d" % (i % 16) for i in range(36)))
    (folder / "e.pam").write_bytes(b"P7\nWIDTH 5\nHEIGHT 4\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n" + pixels[:160])
    (folder / "f.ppm").write_bytes(b"P6 2 2 255 " + pixels[:12] + b"P6 1 1 255 abc")


def picture(ending, *options):
    def make(folder, run):
        pnm(folder, run)
        for name in ("a.ppm", "b.pgm"):
            run("equalize", str(folder / name), *options, "-o", str(folder / (name[0] + "." + ending)))
        for path in folder.glob("*.p?m"):
            path.unlink()

    return make


def tiff(folder, run):
    """Two pages, of 8-bit RGB and of a palette, by hand; and what libvips writes."""
    picture("tif")(folder, run)

    def page(start, tags, data):
        body = struct.pack("<H", len(tags))
        for tag, kind, count, value in sorted(tags):
            body += struct.pack("<HHII", tag, kind, count, value)
        return body

    rgb, palette = bytes(range(48)) * 4, bytes(range(96)) * 2
    at = 8
    first = [(256, 3, 1, 8), (257, 3, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, 0),
             (277, 3, 1, 3), (278, 3, 1, 8), (279, 4, 1, 192)]
    second = [(256, 3, 1, 8), (257, 3, 1, 8), (258, 3, 1, 4), (259, 3, 1, 1), (262, 3, 1, 3), (273, 4, 1, 0),
              (277, 3, 1, 1), (278, 3, 1, 8), (279, 4, 1, 32), (320, 3, 48, 0)]
    size = [2 + 12 * len(first) + 4, 2 + 12 * len(second) + 4]
    data = [at + sum(size), at + sum(size) + 192, at + sum(size) + 192 + 32]
    first[5] = (273, 4, 1, data[0])
    second[5] = (273, 4, 1, data[1])
    second[9] = (320, 3, 48, data[2])
    out = b"II*\0" + struct.pack("<I", at) + page(at, first, rgb) + struct.pack("<I", at + size[0])
    out += page(at, second, palette) + struct.pack("<I", 0) + rgb + bytes(range(32)) + palette[:96]
    (folder / "two.tif").write_bytes(out)


def gif(folder, run):
    picture("gif")(folder, run)
    frame = b"\x21\xf9\x04\0\x0a\0\0\0\x2c\0\0\0\0\2\0\2\0\0\x02\x03\x44\x34\x05\0"
    (folder / "two.gif").write_bytes(b"GIF89a\2\0\2\0\x80\0\0\0\0\0\xff\xff\xff" + 2 * frame + b";")


def bmp(folder, run):
    for bits, rows in ((24, bytes(range(72)) + b"\0" * 24), (8, bytes(range(8)) * 4), (1, b"\xa5\0\0\0" * 4)):
        colors = b"".join(bytes((i, 255 - i, 7 * i % 256, 0)) for i in range(1 << bits)) if bits <= 8 else b""
        info = struct.pack("<IiiHHIIiiII", 40, 8, 4 if bits != 1 else -4, 1, bits, 0, 0, 0, 0, 0, 0)
        body = info + colors + rows
        (folder / ("%d.bmp" % bits)).write_bytes(b"BM" + struct.pack("<IHHI", 14 + len(body), 0, 0, 14 + len(info + colors)) + body)


def y4m(folder, run):
    for i, (chroma, size) in enumerate((("420jpeg", 96), ("444", 192), ("422 XCOLORRANGE=FULL", 128), ("mono", 64))):
        frame = bytes((3 * k + i) % 256 for k in range(size))
        (folder / ("%d.y4m" % i)).write_bytes(b"YUV4MPEG2 W8 H8 F25:1 Ip A1:1 C%s\n" % chroma.encode() + 3 * (b"FRAME\n" + frame))


def raw(folder, run):
    for name, size in (("a.rgb", 192), ("a.nv12", 96), ("a.i420", 96)):
        (folder / name).write_bytes(bytes(k % 256 for k in range(2 * size)))


def sdv(folder, run):
    (folder / "a.rgb").write_bytes(bytes((k * k // 50) % 256 for k in range(16 * 12 * 3 * 6)))
    for name, options in (("a.sdv", ["--threshold", "0"]), ("b.sdv", ["--threshold", "9", "--key-interval", "3"])):
        run("delta", "encode", str(folder / "a.rgb"), "--size", "16x12", *options, "-o", str(folder / name))
    (folder / "a.rgb").unlink()


def hdf5(folder, run):
    run("simulate", "ultrasound", "--elements", "4", "--transmits", "plane:2:5", "-o", str(folder / "rf.h5"))


def frames(folder, run):
    run("simulate", "meltpool", "--frames", "3", "-o", str(folder / "frames.h5"))


def npy(folder, run):
    run("simulate", "ultrasound", "--elements", "4", "--transmits", "plane:2:5", "-o", str(folder / "rf.npy"))


def mat(folder, run):
    """MAT v5 as MATLAB writes it: a struct `param` and int16 `RF`."""

    def tagged(kind, data):
        return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)

    def matrix(flags, dims, name, *parts):
        return tagged(14, tagged(6, struct.pack("<II", flags, 0)) + tagged(5, struct.pack("<%di" % len(dims), *dims)) +
                      tagged(1, name) + b"".join(parts))

    def numbers(name, values):
        return matrix(6, (1, len(values)), name, tagged(9, struct.pack("<%dd" % len(values), *values)))

    fields = (("fs", [2e7]), ("fc", [5e6]), ("pitch", [3e-4]), ("c", [1540.0]), ("TXdelay", [0.0] * 4))
    names = b"".join(name.encode().ljust(32, b"\0") for name, _ in fields)
    param = matrix(2, (1, 1), b"param", struct.pack("<HHI", 5, 4, 32), tagged(1, names), *(numbers(b"", v) for _, v in fields))
    samples = struct.pack("<1280h", *((37 * i) % 200 - 100 for i in range(1280)))
    rf = matrix(10, (320, 4, 1), b"RF", tagged(3, samples))
    (folder / "rf.mat").write_bytes(b"MATLAB 5.0 MAT-file".ljust(124, b" ") + struct.pack("<HH", 0x0100, 0x4D49) + param + rf)


def model(folder, run):
    path = pathlib.Path(__file__).resolve().parents[2] / "models" / "meltpool-simulated.safetensors"
    shutil.copy(path, folder / "a.safetensors")


def calibration(folder, run):
    (folder / "a.csv").write_text("0.5, 0, 48,\n0, 0.5, 48\n")
    (folder / "b.txt").write_text("0.5 0 48 0 0.5 48\n")
    (folder / "c.json").write_text("[[0.5, 0, 48], [0, 0.5, 48]]\n")


def y4m_states(data):
    w, h = re.search(rb"W(\d{1,9})", data[:999]), re.search(rb"H(\d{1,9})", data[:999])
    size = 3 * int(w[1]) * int(h[1]) if w and h else 0
    return size if size <= len(data) * 3 else 0  # else a file of this size is refused


PICTURE = 8 * PIXELS

# kind: undamaged files, command lines, the decoded size that damaged bytes state, files that lie beside them
KINDS = {
    "pnm": (pnm, [EQUALIZE, DEEP, PAGE, ["equalize", "-", "--max-pixels", str(PIXELS), "-o", "{out}.pam"]], PICTURE),
    "png": (picture("png"), [DEEP, EQUALIZE, ["equalize", "-", "--max-pixels", str(PIXELS), "-o", "{out}.pam"]], PICTURE),
    "jpeg": (picture("jpg"), [EQUALIZE, DEEP], PICTURE),
    "tiff": (tiff, [DEEP, PAGE], PICTURE),
    "webp": (picture("webp"), [DEEP, PAGE], PICTURE),
    "gif": (gif, [DEEP, PAGE], PICTURE),
    "avif": (picture("avif"), [DEEP], PICTURE),
    "jp2": (picture("jp2"), [DEEP], PICTURE),
    "jxl": (picture("jxl"), [DEEP], PICTURE),
    "bmp": (bmp, [EQUALIZE, DEEP], PICTURE),
    "y4m": (y4m, [["heatmap", "{in}", "-o", "{out}.rgb"], ["equalize", "-", "--smooth", "0.5", "-o", "{out}.y4m"],
                  ["denoise", "{in}", "--method", "median", "-o", "{out}.y4m"],
                  ["adjust", "{in}", "--saturation", "1.7", "-o", "{out}.y4m"]], y4m_states),
    "raw": (raw, [["heatmap", "{in}", "--size", "8x8", "-o", "{out}.y4m"]], 0),
    "sdv": (sdv, [["delta", "decode", "{in}", "-o", "{out}.y4m"], ["delta", "info", "{in}"],
                  ["delta", "decode", "-", "-o", "{out}.raw"], ["heatmap", "{in}", "-o", "{out}.y4m"]], 0),
    "hdf5": (hdf5, [BEAMFORM], 0),
    "frames": (frames, [MELTPOOL], 0),
    "npy": (npy, [BEAMFORM], 0),
    "json": (npy, [BEAMFORM], 0),
    "mat": (mat, [BEAMFORM], 0),
    "safetensors": (model, [["meltpool", "{frames}", "--model", "{in}", "-o", "{out}.csv"]], 0),
    "csv": (calibration, [["meltpool", "{frames}", "--calibration", "{in}", "-o", "{out}.csv"]], 0),
}
OTHERS = {"npy": ".json", "json": ".npy"}  # a recording is two files; the kind that is damaged is the other one

# Damage --------------------------------------------------------------------------------------------------------------

WORDS = [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x80\0\0\0", b"\0\0\0\x80", b"\0\0\0\1",
         b"\1\0\0\0", b"\0\1\0\0", b"\xff\xff", b"\0\0", b"\x7f\xff", b"\xff\x7f", b"\0\0\0\0\0\0\xf0\x7f", b"\xff" * 8,
         b"9999999999", b"-1", b"nan", b"1e999", b"[[[[", b"{", b"\"", b"\n", b" "]


def damage(rng, data, others):
    """1 to 8 changes, most of them small and near the beginning, where headers are."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 2, 3, 4, 8))):
        n = len(data)
        at = rng.randrange(min(n, rng.choice((16, 64, 256, 1 << 30))) + 1) if n else 0
        way = rng.randrange(11)
        length = rng.choice((1, 1, 2, 4, 8, 32, 200))
        if way < 2 and n:
            data[at % n] ^= 1 << rng.randrange(8)
        elif way < 4 and n:
            data[at % n] = rng.randrange(256)
        elif way < 6:
            word = rng.choice(WORDS)
            data[at : at + len(word)] = word
        elif way == 6:
            del data[rng.randrange(n + 1) :]
        elif way == 7:
            del data[at : at + length]
        elif way == 8:
            data[at:at] = bytes(rng.randrange(256) for _ in range(length))
        elif way == 9:
            data[at:at] = data[at : at + length] * rng.choice((1, 2, 50))
        else:
            other = rng.choice(others)
            start = rng.randrange(len(other) + 1)
            data[at : at + length] = other[start : start + length]
    return bytes(data)


# The work ------------------------------------------------------------------------------------------------------------


class Work:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.saccade = str(pathlib.Path(options.saccade).resolve())
        with open(self.saccade, "rb") as f:
            self.asan = b"__asan_init" in f.read()
        self.lock = threading.Lock()
        self.frames = None
        self.seeds, self.base = {}, {}
        self.n, self.failed, self.odd, self.read = 0, 0, 0, 0
        self.most = {}  # kind: memory beyond the undamaged file's, processor seconds

    def make(self, *words):
        child = Child(self.saccade, list(words), self.asan)
        if child.status == 99 or child.status < 0:
            sys.exit("mutate: %s: status %d: %s" % (shlex.join(words), child.status, child.words))
        return child.status == 0

    def words(self, kind, command, path, out):
        names = {"{in}": str(path), "{frames}": str(self.frames)}
        line = [names.get(word, word.replace("{out}", str(out))) for word in command]
        return line, (str(path) if "-" in line[1:3] else None)

    def prepare(self, kind):
        folder = self.folder / ("undamaged-" + kind)
        folder.mkdir()
        KINDS[kind][0](folder, self.make)
        for path in (pathlib.Path(self.options.more) / kind).glob("*") if self.options.more else []:
            shutil.copy(path, folder)
        files = sorted(p for p in folder.iterdir() if p.suffix != OTHERS.get(kind))
        if "frames" in str(KINDS[kind][1]) and self.frames is None:
            self.frames = self.folder / "frames.h5"
            self.make("simulate", "meltpool", "--frames", "3", "-o", str(self.frames))
        good = []
        for path in files:
            for i, command in enumerate(KINDS[kind][1]):
                main = path.with_suffix(".npy") if kind == "json" else path
                line, stdin = self.words(kind, command, main, self.folder / "out")
                child = Child(self.saccade, line, self.asan, stdin)
                if child.status == 0:
                    key = (kind, i)
                    self.base[key] = max(self.base.get(key, 0), child.rss)
                    if path not in good:
                        good.append(path)
        if not good:
            print("%-12s left out: this build makes or reads none" % kind)
        self.seeds[kind] = [(path, path.read_bytes()) for path in good]

    def bound(self, kind, command, data):
        states = KINDS[kind][2]
        more = 64 * MB + 3 * (states(data) if callable(states) else states)
        return self.base.get((kind, command), 0) + (int(1.25 * more) + 16 * MB if self.asan else more)

    def one(self, kind, i, scratch):
        rng = random.Random("%d %s %d" % (self.options.seed, kind, i))
        seeds = self.seeds[kind]
        path, data = rng.choice(seeds)
        bad = damage(rng, data, [d for _, d in seeds])
        name = scratch / ("bad" + path.suffix)
        name.write_bytes(bad)
        main = name
        if kind in OTHERS:
            shutil.copy(path.with_suffix(OTHERS[kind]), name.with_suffix(OTHERS[kind]))
            main = name.with_suffix(".npy")
        tail = rng.randrange(100) == 0 and kind not in OTHERS and kind != "raw"  # raw frames may be zeros
        if tail:  # a long file of zeros, of which the disk has nothing
            os.truncate(name, rng.choice((1, 8, 64)) << 30)
        command = rng.randrange(len(KINDS[kind][1]))
        line, stdin = self.words(kind, KINDS[kind][1][command], main, scratch / "out")
        child = Child(self.saccade, line, self.asan, stdin)
        over = child.rss - self.base.get((kind, command), 0)
        fault = ("a crash, status %d" % child.status if child.status not in (0, 1, 2) and not child.late else
                 "no end after %d s" % WALL_S if child.late else
                 "%.1f s of processor time" % child.cpu_s if child.cpu_s > CPU_S else
                 "%d MB of memory" % (child.rss / MB) if child.rss > self.bound(kind, command, bad) else None)
        odd = any(not w.startswith("saccade: ") for w in child.words.split("\n") if w)
        with self.lock:
            self.n += 1
            self.read += child.status == 0
            self.odd += odd
            most = self.most.setdefault(kind, [0, 0.0, 0])
            most[0], most[1], most[2] = max(most[0], over), max(most[1], child.cpu_s), most[2] + 1
            if odd and not fault:
                print("odd words: %s %d: %s" % (kind, i, child.words.strip().splitlines()[0][:150]))
            if fault:
                self.failed += 1
                self.keep(kind, i, name, line, fault, child.words, tail)
        for path in scratch.iterdir():
            path.unlink()

    def keep(self, kind, i, name, line, fault, words, tail):
        folder = pathlib.Path(self.options.keep)
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / ("%s-%d-%d%s" % (kind, self.options.seed, i, name.suffix))
        if not tail:
            shutil.copy(name, kept)
        text = "%s\n%s\n%s" % (fault, shlex.join([self.saccade] + line), words)
        kept.with_suffix(kept.suffix + ".log").write_text(text)
        print("FAILED: %s %d: %s: %s" % (kind, i, fault, kept))

    def thread(self, number, jobs):
        scratch = self.folder / ("scratch-%d" % number)
        scratch.mkdir()
        while True:
            with self.lock:
                job = jobs.pop() if jobs else None
            if job is None or time.monotonic() > self.options.end:
                return
            self.one(*job, scratch)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("saccade", help="the command, best built with ASan and UBSan")
    parser.add_argument("--files", type=int, default=1000, help="damaged files, over all kinds")
    parser.add_argument("--seconds", type=float, default=1e9, help="end after this time at the latest")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", default=",".join(KINDS), help="of " + ",".join(KINDS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--more", help="more undamaged files: FOLDER/KIND/*")
    parser.add_argument("--keep", default="mutate-failed", help="folder for what failed")
    options = parser.parse_args()
    kinds = options.kind.split(",")
    unknown = [k for k in kinds if k not in KINDS]
    if unknown:
        parser.error("unknown kind " + ", ".join(unknown))
    with tempfile.TemporaryDirectory(prefix="saccade-mutate-") as folder:
        work = Work(options, pathlib.Path(folder))
        for kind in kinds:
            work.prepare(kind)
        kinds = [k for k in kinds if work.seeds[k]]
        options.end = time.monotonic() + options.seconds
        jobs = [(kinds[i % len(kinds)], i // len(kinds)) for i in reversed(range(options.files))] if kinds else []
        threads = [threading.Thread(target=work.thread, args=(k, jobs)) for k in range(options.jobs)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for kind in kinds:
            over, cpu_s, n = work.most.get(kind, [0, 0, 0])
            print("%-12s %6d files, at most %4d MB more than the undamaged one, %.2f s" % (kind, n, over / MB, cpu_s))
    print("%d damaged files (seed %d), %d still read, %d failed, %d with other words than the command's"
          % (work.n, options.seed, work.read, work.failed, work.odd))
    return 1 if work.failed or not work.n else 0


if __name__ == "__main__":
    sys.exit(main())
