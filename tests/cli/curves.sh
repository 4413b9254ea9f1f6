# Tests of saccade ladder meltpool --curves: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

# Curves of few and small batches: curves OPTION...
curves() {
    "$saccade" ladder meltpool --curves --seconds 0.01 --batch-max 4 --threads 2 "$@"
}

ladder_curves_wrong_usage_exits_2() {
    local option
    fails 2 'for meltpool, got equalize' "$saccade" ladder equalize --curves
    for option in --sweep --only=meltpool --task=comb --input=a.png --size=64x64 --grid=1 --block=1; do
        fails 2 '--' "$saccade" ladder meltpool --curves $option
    done
    fails 2 '--curves goes without' "$saccade" ladder meltpool --curves --task comb
    fails 2 '--seconds' "$saccade" ladder meltpool --curves --seconds 0
    fails 2 '--batch-max is for --curves' "$saccade" ladder meltpool --batch-max 4
    fails 2 '--batch-max' curves --batch-max 4097
    fails 2 'a.out can take one' curves --json a.out --plot a.out
    fails 2 'standard output can take one' curves --json - --plot -
    fails 1 no/such curves --json no/such/c.json
    ! has_cairo || fails 1 no/such curves --plot no/such/c.svg
}

ladder_curves_on_cuda_without_a_gpu_exits_1() {
    ! "$saccade" info | grep -q '^cuda:0' || skip "here is a GPU"
    fails 1 device: curves --device cuda --json c.json
}

ladder_meltpool_on_cuda_has_parallel_frames_and_feedback() {
    "$saccade" info | grep -q '^cuda:0' || skip "no GPU, or a build without CUDA"
    passes "$saccade" ladder meltpool --device cuda --only meltpool --seconds 0.01 --json l.json
    for part in '^Frames a second of 1 to 32 parallel frames' ' registers ' ' blocks / SM '; do
        grep -q "$part" .out || fault "the tables say nothing of '$part'"
    done
    ! grep -q ' mJ' .out || fault "energy in less than 0.1 s a rung"
    command -v python3 >/dev/null || skip "no python3"
    python3 - l.json <<'PY' || fault "the JSON is not what it should be"
import json, sys
rows = {r["rung"]: r for r in json.load(open(sys.argv[1]))["rows"]}
assert all("frame_joules" not in r for r in rows.values())
launches = {rung: sum(k["launches"] for k in r["kernels"]) for rung, r in rows.items() if "kernels" in r}
for rung, wanted in {"intra-kernel": 13, "fused-7": 7, "graph": 7, "fused-a": 5, "fused-b": 4, "fused-c": 2,
                     "grid-sync": 1, "persistent": 1, "persistent-32": 1}.items():
    assert launches.get(rung, wanted if "needs" in rows[rung] else 0) == wanted, (rung, launches.get(rung))
for row in rows.values():
    for k in row.get("kernels", []):
        assert k["registers"] > 0 and k["blocks_per_multiprocessor"] > 0 and 0 < k["occupancy"] <= 1, row["rung"]
PY
}

ladder_curves_on_cuda_have_every_way() {
    "$saccade" info | grep -q '^cuda:0' || skip "no GPU, or a build without CUDA"
    local plot
    plot_to c.svg
    passes curves --device cuda --json c.json "${plot[@]}"
    for way in 'worker, blocks' 'worker, warps' 'launched, 1 thread' 'launched, 2 threads'; do
        grep -q "^$way, .*full batches" .out || fault "no full batches of '$way'"
        grep -q "^$way, .*waiting frames" .out || fault "no batches that wait of '$way'"
    done
    # Of frames in the GPU's memory there is throughput alone, in a table whose columns are the same ways.
    grep -q "^The same, of frames that lie in the GPU's memory" .out || fault "no frames in the GPU's memory"
    for way in 'worker, blocks' 'worker, warps' 'launched, 1 thread' 'launched, 2 threads'; do
        grep -qF "\"way\": \"$way (on GPU)\"" c.json || fault "no '$way' of frames in the GPU's memory"
    done
}

ladder_curves_are_tables_json_and_a_plot() {
    local plot
    plot_to c.svg
    passes curves --json c.json "${plot[@]}"
    grep -q '  A6000 ' .out || fault "no throughput beside the paper's"
    for part in '^1 thread, .*full batches' '^2 threads, .*waiting frames' inflection 'A + B - DR'; do
        grep -q "$part" .out || fault "the tables say nothing of '$part'"
    done
    ! grep -Eiwq 'nan|inf' .out || fault "a number is none"
    if [ ${#plot[@]} -gt 0 ]; then
        well_formed c.svg
        [ "$(grep -Eo 'stroke-width(:|=")2[;"]' c.svg | wc -l)" -ge 40 ] || fault "few lines in c.svg"
    fi
    curves --json - >d.json 2>.err || fault "--json -: $(cat .err)"
    command -v python3 >/dev/null || skip "no python3"
    python3 - c.json d.json <<'PY' || fault "the JSON is not what it should be"
import json, sys
for path in sys.argv[1:]:
    whole = json.load(open(path))
    assert {"saccade", "commit", "command", "machine", "rows"} <= whole.keys(), whole.keys()
    part = lambda name: [r for r in whole["rows"] if r["part"] == name]
    most, loads, bends = part("throughput"), part("latency"), part("inflection")
    assert len(whole["rows"]) == len(most) + len(loads) + len(bends) + 1
    assert {(r["way"], r["frames_at_once"]) for r in most} == \
        {(w, b) for w in ("1 thread", "2 threads") for b in (1, 2, 4)}
    assert all(r["throughput_hz"] > 0 for r in most)
    assert [r["published_a6000_hz"] for r in most[:3]] == [55e3, 85e3, 125e3]
    assert len(loads) == 2 * 3 * 2 * 9 and {r["batches"] for r in loads} == {"full", "waiting"}
    for r in loads:
        for time in ("latency", "buffering", "compute"):
            t = r[time]
            assert 0 <= t["p50_ns"] <= t["p99_ns"] <= t["p999_ns"] <= t["max_ns"] * 1.01, (time, t)
        parts = r["buffering"]["mean_ns"] + r["compute"]["mean_ns"]
        assert abs(r["latency"]["mean_ns"] - parts) <= 2e-3 * parts + 2, r
    for b in bends:
        curve = [r for r in loads if all(r[k] == b[k] for k in ("way", "frames_at_once", "batches"))]
        lowest = min(r["latency"]["p50_ns"] for r in curve if r["kept_up"])
        assert b["latency_p50_ns"] <= 1.1 * lowest * 1.001
        assert b["load_hz"] in [r["load_hz"] for r in curve]
    assert all(part("fusion")[0][k] > 0 for k in ("a_ns", "b_ns", "in_time_ns", "in_space_ns"))
PY
}

meltpool_chooses_batches_or_says_what_is_lacking() {
    build_or_skip
    build -o b.h5 >/dev/null
    "$saccade" meltpool b.h5 -o b.csv --latency-budget 1e9 >.out 2>.err || fault "$(cat .err)"
    grep -q '^saccade: chosen: .* frames* at once: ' .err || fault "says '$(cat .err)'"
    [ "$(wc -l <b.csv)" -gt 200 ] || fault "b.csv is short"
    fails 1 'a budget of 0.001 us is not reached' \
        "$saccade" meltpool b.h5 -o c.csv --latency-budget 0.001
    fails 1 '1000000000 frames/s are not sustained' \
        "$saccade" meltpool --listen udp://127.0.0.1:0 --calibration simulated --latency-budget 1e9 --rate 1e9
}
