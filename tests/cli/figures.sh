# Published times, work and steps, contents of the ladder; equalize by way of HSV. Sourced by cli_test.sh.
# shellcheck shell=bash

ladder_tells_published_times_by_device_and_shape() {
    command -v python3 >/dev/null || skip "no python3"
    passes "$saccade" ladder equalize --size 64x48 --seconds 0.0001 --json l.json
    grep -q 'Core i7-8700 .*Duong (2024), 4.2.1 .*unit inferred' .out || fault "no device, source or note: $(cat .out)"
    passes "$saccade" ladder motion --size 64x36 --seconds 0.0001 --only heat_u8:cpu-naive --json m.json
    python3 - l.json m.json <<'PY' || fault "the JSON is not what it should be"
import json, sys
rows, motion = [json.load(open(path))["rows"] for path in sys.argv[1:]]
def of(room, rung):
    return [r for r in rows if (r["room"], r["rung"]) == (room, rung)][0]
whole = of("equalize", "hsv-planes")["published"]
assert [p["ns"] for p in whole[:3]] == [56.78e6, 191.93e6, 74.94e6]
assert {p["device"]: p["ns"] for p in whole[3:]} == {
    "Tesla A100": 1.49e6, "Quadro P620": 2.37e6, "GeForce MX130": 4.37e6, "Tesla T4": 2.33e6}
assert [(p["ns"], p["grid"], p["block"]) for p in of("rgb2hsv_u8", "v1")["published"]] == [
    (1.2722e6, 64, 32), (1.5283e6, 8, 256), (17e6, 8, 8)]
assert round(of("scan_u64", "kogge-stone")["published_ns"]) == 25888
assert motion[0]["published_ns"] == 980e6 and motion[0]["published"][0]["device"] == "Jetson Nano"
scan = {r["rung"]: (r["work"], r["steps"], r["extra_bytes"]) for r in rows if r["room"] == "scan_u64"}
assert scan["baseline"] == (32896, 256, 0) and scan["brent-kung"] == (502, 15, 0), scan
assert scan["two-array"] == (1793, 8, 2048) and scan["kogge-stone"] == (1793, 8, 0), scan
assert all(r["steps"] <= r["work"] for r in rows if r["room"].startswith("vhist"))
PY
}

ladder_equalize_runs_every_content() {
    passes "$saccade" ladder equalize --size 40x30 --seconds 0.0001 --task all --json c.json
    for content in 40x30x3 40x30x3.*constant 40x30x3.*random '256 u64, constant' '256 u64, random'; do
        grep -q "$content" .out || fault "no table of $content"
    done
    ! grep -q FAILED .out || fault "$(grep FAILED .out)"
    passes "$saccade" ladder equalize --size 40x30 --seconds 0.0001 --task constant --only vhist_u8:ref
    grep -q 'vhist_u8: 40x30x3 u8, constant, 1 thread' .out || fault "says $(cat .out)"
    fails 2 "times 'no-such'" "$saccade" ladder equalize --task no-such
}

equalize_by_hsv_is_the_exact_picture_within_1() {
    ppm a.ppm 61 37
    local scale
    for scale in first max minmax; do
        passes "$saccade" equalize a.ppm -o exact.ppm --scale $scale
        passes "$saccade" equalize a.ppm -o hsv.ppm --scale $scale --hsv --stats s.json
        grep -q '"variant": "hsv-planes"' s.json || fault "--stats tells of another variant"
        cmp -l exact.ppm hsv.ppm | awk '
            function of(octal, v, i) { for (i = 1; i <= length(octal); i++) v = 8 * v + substr(octal, i, 1); return v }
            { d = of($2) - of($3); if (d > 1 || d < -1) exit 1 }' ||
            fault "--hsv --scale $scale differs by more than 1"
    done
}

equalize_refuses_what_hsv_has_not() {
    ppm a.ppm 20 10
    printf 'P5\n4 2\n255\nabcdefgh' >gray.pgm
    fails 2 'are for --device cuda' "$saccade" equalize a.ppm -o b.ppm --grid 8 --block 8
    fails 2 'go together' "$saccade" equalize a.ppm -o b.ppm --device cuda --grid 8
    fails 2 '--clahe is not for --hsv' "$saccade" equalize a.ppm -o b.ppm --hsv --clahe 4
    fails 2 '--bins is not for --hsv' "$saccade" equalize a.ppm -o b.ppm --hsv --bins 100
    fails 2 '--hsv is for pictures' "$saccade" equalize a.ppm -o b.y4m --hsv
    fails 1 'RGB of 8 bits' "$saccade" equalize gray.pgm -o b.pgm --hsv
    [ ! -e b.ppm ] && [ ! -e b.pgm ] || fault "a refused command wrote a picture"
}

equalize_on_cuda_gives_one_picture_for_any_launch() {
    "$saccade" info | grep -q '^cuda:0' || skip "no GPU, or a build without CUDA"
    ppm a.ppm 161 97
    passes "$saccade" equalize a.ppm -o cpu.ppm --hsv
    local shape
    for shape in 1:1 8:8,8,4 8,8:8,4 1024:256 3,2,2:33 1:1024; do
        passes "$saccade" equalize a.ppm -o gpu.ppm --device cuda --grid ${shape%:*} --block ${shape#*:}
        same cpu.ppm gpu.ppm "the CPU's and $shape"
    done
    fails 1 '1024 threads' "$saccade" equalize a.ppm -o b.ppm --device cuda --grid 1 --block 2048
}
