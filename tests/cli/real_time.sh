# Tests of saccade jitter: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

jitter_wrong_usage_exits_2() {
    fails 2 'no operand' "$saccade" jitter more
    fails 2 '--seconds' "$saccade" jitter --seconds 0
    fails 2 '--seconds' "$saccade" jitter --seconds nan
    fails 2 '--rate' "$saccade" jitter --rate -1
    fails 2 '--cpu' "$saccade" jitter --cpu -2
    fails 2 '--priority' "$saccade" jitter --priority 100
    fails 2 'standard output' "$saccade" jitter --json - --plot -
    fails 2 'ending' "$saccade" jitter --plot a.ppm
}

jitter_refused_by_the_machine_exits_1() {
    fails 1 '1023' "$saccade" jitter --cpu 1023 --seconds 0.01
    fails 1 no/such "$saccade" jitter --seconds 0.01 --json no/such/a.json
    ! has_cairo || fails 1 no/such "$saccade" jitter --seconds 0.01 --plot no/such/a.png
    ! has_full || fails 1 'standard output' sh -c "'$saccade' jitter --seconds 0.01 >/dev/full"
}

jitter_reports_what_it_saw() {
    local plot
    plot_to a.svg
    passes "$saccade" jitter --seconds 0.2 --rate 1000 "${plot[@]}" --json a.json
    for word in '^ *count *p50' '^  gap ' '^  late, 1000 Hz' 'gaps longer than' 'on any CPU'; do
        grep -q "$word" .out || fault "no '$word' in $(cat .out)"
    done
    [ ${#plot[@]} -eq 0 ] || well_formed a.svg
    python3 -c '' 2>/dev/null || skip "no python3"
    "$saccade" jitter --seconds 0.2 --json - >b.json 2>.err || fault "--json -: $(cat .err)"
    python3 - <<'PY' || fault "the reports are not what they should be"
import json
for name, rate in ("a.json", 1000), ("b.json", 20000):
    r = json.load(open(name))["rows"][0]
    assert r["what"] == "jitter" and r["seconds"] == 0.2 and r["rate_hz"] == rate and r["cpu"] == -1
    for h in r["gap"], r["late"]:
        assert 0 <= h["p50_ns"] <= h["p99_ns"] <= h["p999_ns"] <= h["p9999_ns"] <= h["max_ns"]
    assert rate * 0.2 - 1 <= r["late"]["count"] <= rate * 0.2
    assert r["gap"]["count"] >= 1
    counts = [b["count"] for b in r["gaps_beyond"]]
    assert counts == sorted(counts, reverse=True) and len(counts) == 5
PY
}
