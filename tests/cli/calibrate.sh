# Tests of saccade meltpool calibrate: functions for cli_test.sh, which reads this file, behind meltpool.sh.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

calibrate_wrong_usage_exits_2() {
    fails 2 'no input' "$saccade" meltpool calibrate -o c.txt
    echo >a.h5
    fails 2 'no output' "$saccade" meltpool calibrate a.h5
    fails 2 'one input' "$saccade" meltpool calibrate a.h5 b.h5 -o c.txt
    fails 2 'a.h5 is read' "$saccade" meltpool calibrate a.h5 -o a.h5
    fails 2 'c.txt can take one' "$saccade" meltpool calibrate a.h5 -o c.txt --json c.txt
    fails 2 'standard output' "$saccade" meltpool calibrate a.h5 -o - --json -
    fails 2 '--threshold' "$saccade" meltpool calibrate a.h5 -o c.txt --threshold 0
    fails 2 'unknown option --roi' "$saccade" meltpool calibrate a.h5 -o c.txt --roi 40
    passes "$saccade" meltpool calibrate --help
    grep -q '^Usage: saccade meltpool calibrate IN.h5 -o FILE' .out || fault "says '$(head -n 3 .out)'"
}

calibrate_bad_input_exits_1() {
    build_or_skip
    build -o line.h5 >/dev/null
    echo text >text.h5
    fails 1 missing.h5 "$saccade" meltpool calibrate missing.h5 -o c.txt
    fails 1 text.h5 "$saccade" meltpool calibrate text.h5 -o c.txt
    fails 1 "\`line.h5\`: calibration: expected a scan over an area" "$saccade" meltpool calibrate line.h5 -o c.txt
    build -o few.h5 --frames 15 >/dev/null
    fails 1 'at least 16 frames' "$saccade" meltpool calibrate few.h5 -o c.txt --json c.json
    [ ! -e c.txt ] && [ ! -e c.json ] || fault "something was left: $(ls)"
    odd none.h5 "g['frames'] = f['frames'][:]"
    fails 1 'has no /signals' "$saccade" meltpool calibrate none.h5 -o c.txt
}

# By the recording without its calibration; then records are the same but for what 0.1 pixels change.
calibrate_finds_what_was_simulated() {
    hdf5 ''
    "$saccade" simulate meltpool --frames 3000 -o build.h5 >/dev/null
    odd bare.h5 "g['frames'] = f['frames'][:]; g['signals'] = f['signals'][:]; del g.attrs['calibration']"
    passes "$saccade" meltpool calibrate build.h5 -o own.txt
    grep -Eq '^  IN.s own  *differs by up to 0\.0[0-9]* pixels' .out || fault "says '$(cat .out)'"
    passes "$saccade" meltpool calibrate bare.h5 -o c.txt --json c.json
    same own.txt c.txt "a recording with and without its own calibration"
    grep -q 'IN.s own' .out && fault "says '$(cat .out)'"
    grep -Eq '^  residual  *median [0-9.]+ pixels, 95th percentile [0-9.]+, largest' .out || fault "says '$(cat .out)'"
    grep -Eq '^  left out  *laser off [0-9]+, no pool 0, ' .out || fault "says '$(cat .out)'"
    "$saccade" meltpool calibrate bare.h5 -o - >d.txt 2>.err || fault "-o -: $(cat .err)"
    same c.txt d.txt "a file and standard output"
    passes "$saccade" meltpool bare.h5 -o b.h5 --calibration c.txt
    passes "$saccade" meltpool build.h5 -o a.h5
    hdf5 "
import json
row = json.load(open('c.json'))['rows'][0]
m = n.array(row['calibration']).reshape(2, 3)
assert n.array_equal(m, n.loadtxt('c.txt')) or n.abs(m - n.loadtxt('c.txt')).max() < 1e-9
assert row['frames'] == 3000 == sum(row[k] for k in ('used', 'laser_off', 'no_pool', 'clipped', 'turning', 'outliers'))
assert 0 < row['residual_median_pixels'] < 0.6 and 0.5 < row['lag_pixels'] < 3 and row['warning'] is None
s = f['signals'][:]; on = s['laser_on'] != 0
p = n.stack([s['x'], s['y'], s['x'] * 0 + 1], 1)[on]
off = n.abs(p @ (m - f.attrs['calibration']).T).max()
assert off < 0.1, off
a, b = (h.File(k)['features'][:, 0] for k in ('a.h5', 'b.h5'))
assert (a == b).mean() > 0.98, (a == b).mean()
assert n.allclose(h.File('b.h5').attrs['calibration'], n.loadtxt('c.txt'), rtol=1e-15)"
}
