# Tests of saccade simulate meltpool and saccade meltpool: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034 # $saccade and $mounted are cli_test.sh's

# A build of some frames: build -o FILE OPTION...
build() {
    "$saccade" simulate meltpool --frames 200 "$@"
}

build_or_skip() {
    build -o probe.h5 >/dev/null 2>&1 || skip "this build writes no HDF5"
    rm -f probe.h5
}

simulate_meltpool_wrong_usage_exits_2() {
    fails 2 'no output' build
    fails 2 'got more' build more -o a.h5
    fails 2 'both' build -o a.h5 --layers 2
    fails 2 '--frames' build -o a.h5 --frames -1
    fails 2 '--layers' build -o a.h5 --layers 100001
    fails 2 'keyhole' build -o a.h5 --regime ghost
    fails 2 'unknown option --elements' build -o a.h5 --elements 3
    build_or_skip
    fails 2 '.hdf5' build -o a.npy
    fails 2 '.hdf5' build -o -
}

simulate_meltpool_bad_output_exits_1() {
    build_or_skip
    mkdir folder.h5
    fails 1 no/such build -o no/such/a.h5
    fails 1 folder.h5 build -o folder.h5
}

simulate_meltpool_writes_the_same_for_a_seed() {
    build_or_skip
    passes "$saccade" simulate meltpool --help
    for part in Usage: Options: Examples: 'Exit status:'; do
        grep -q "^$part" .out || fault "--help has no '$part'"
    done
    local n
    for n in 1 2; do
        passes build -o $n.h5 --seed 3
        grep -q '200 frames of 96 x 96 in 1 layer' .out || fault "says '$(cat .out)'"
    done
    same 1.h5 2.h5 "twice the same"
    passes build -o 3.h5 --seed 4
    ! cmp -s 1.h5 3.h5 || fault "another seed gave the same"
    passes "$saccade" simulate meltpool -o 4.h5 --layers 1 --regime keyhole
    grep -Eq '8[0-9]{3} frames .* (9|10|11)\.[0-9] % empty; nominal 0 %, keyhole (89|90|91) %' .out ||
        fault "says '$(cat .out)'"
}

# A folder of builds: a file of records each, and a row each in the JSON.
meltpool_of_many_inputs_has_a_file_each() {
    build_or_skip
    mkdir in
    build -o in/a.h5 >/dev/null
    build -o in/b.h5 --seed 2 >/dev/null
    passes "$saccade" meltpool in -o out/ --format csv --json j.json
    [ "$(cd out && echo *)" = 'a.csv b.csv' ] || fault "out/ has: $(ls -A out)"
    [ "$(grep -c '"output": "out/' j.json)" -eq 2 ] || fault "j.json: $(grep output j.json)"
    grep -q '^in/b.h5: 200 frames of 96 x 96: .*; records in out/b.csv$' .out || fault "says '$(cat .out)'"
    passes "$saccade" meltpool in/b.h5 -o b.csv
    [ "$(wc -l <b.csv)" -eq "$(wc -l <out/b.csv)" ] || fault "alone and among others differ"
    echo text >in/aa.h5
    "$saccade" meltpool in -o again/ >.out 2>.err
    [ $? -eq 1 ] || fault "wanted exit 1 with a bad input among good ones"
    [ "$(cd again && echo *)" = 'a.h5 b.h5' ] || fault "again/ has: $(ls -A again)"
}

simulate_meltpool_to_a_full_disk_leaves_nothing() {
    build_or_skip
    mkdir full
    mount -t tmpfs -o size=1m tmpfs full 2>/dev/null || skip "a small tmpfs cannot be mounted here"
    mounted=$work/full
    fails 1 full/b.h5 build -o full/b.h5
    [ -z "$(ls -A full)" ] || fault "on the full disk remained: $(ls -A full)"
    echo old >full/b.h5
    fails 1 full/b.h5 build -o full/b.h5
    [ "$(cat full/b.h5)" = old ] || fault "the old output was harmed"
    [ "$(ls -A full)" = b.h5 ] || fault "on the full disk remained: $(ls -A full)"
}

# hdf5 CODE...: Python with h5py as h and numpy as n, over the frames f of build.h5, which is made; skips without them.
hdf5() {
    build_or_skip
    /usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null || skip "no h5py in /usr/bin/python3"
    [ -e build.h5 ] || build -o build.h5 >/dev/null
    /usr/bin/python3 -c "import h5py as h, numpy as n
f = h.File('build.h5')
$1" || fault "python"
}

# odd FILE CODE: a file of frames, written as g by CODE
odd() {
    hdf5 "with h.File('$1', 'w') as g:
    g.attrs['calibration'] = f.attrs['calibration']
    g.attrs['rate_hz'] = 20000.0
    $2"
}

meltpool_wrong_usage_exits_2() {
    echo >a.h5
    fails 2 'no input' "$saccade" meltpool
    fails 2 '2 inputs need a folder' "$saccade" meltpool a.h5 a.h5 -o b.csv
    fails 2 'one output' "$saccade" meltpool a.h5 a.h5 -o b/
    fails 2 '--plot' "$saccade" meltpool a.h5 b.h5 -o c/ --plot c.svg
    fails 2 'c/a.png' "$saccade" meltpool a.h5 b.h5 -o c/ --format png
    fails 2 'no output' "$saccade" meltpool a.h5
    fails 2 '.csv' "$saccade" meltpool a.h5 -o b
    fails 2 '.csv' "$saccade" meltpool a.h5 -o b.png
    fails 2 'a.h5 is read' "$saccade" meltpool a.h5 -o a.h5
    fails 2 'a.h5 is read' "$saccade" meltpool a.h5 -o b.csv --json a.h5
    ln -s a.h5 a.ppm
    fails 2 'a.ppm is read' "$saccade" meltpool a.h5 -o b.csv --plot a.ppm
    echo >m
    fails 2 'm is read' "$saccade" meltpool a.h5 -o b.csv --model m --json m
    fails 2 'm is read' "$saccade" meltpool a.h5 -o b.csv --calibration m --json m
    fails 2 'b.csv can take one' "$saccade" meltpool a.h5 -o b.csv --json b.csv
    fails 2 'b.ppm can take one' "$saccade" meltpool a.h5 -o b.csv --json b.ppm --plot b.ppm
    fails 2 'standard output' "$saccade" meltpool a.h5 -o - --json -
    fails 2 'standard output' "$saccade" meltpool a.h5 -o b.csv --json - --plot -
    fails 2 'ending' "$saccade" meltpool a.h5 -o b.csv --plot b.ppm
    fails 2 '--threshold' "$saccade" meltpool a.h5 -o b.csv --threshold 257
    fails 2 '--roi' "$saccade" meltpool a.h5 -o b.csv --roi 7
    fails 2 '--locate' "$saccade" meltpool a.h5 -o b.csv --locate everywhere
    fails 2 '--window' "$saccade" meltpool a.h5 -o b.csv --window many
    fails 2 '--resident' "$saccade" meltpool a.h5 -o b.csv --resident 4097
    fails 2 '--timeout' "$saccade" meltpool a.h5 -o b.csv --timeout 0
    fails 2 '--batch' "$saccade" meltpool a.h5 -o b.csv --batch 65537
    fails 2 'expected no --batch and' "$saccade" meltpool a.h5 -o b.csv --batch 2 --latency-budget 50
    fails 2 'no --batch and --resident' "$saccade" meltpool a.h5 -o b.csv --resident 8 --latency-budget 50
    fails 2 '--device' "$saccade" meltpool a.h5 -o b.csv --device gpu
    fails 2 'unknown option --overlay' "$saccade" meltpool a.h5 -o b.csv --overlay
    build_or_skip
    build -o good.h5 >/dev/null
    fails 2 'roi-align' "$saccade" meltpool good.h5 -o b.csv --roi-align 3
    fails 2 'nosuch' "$saccade" meltpool good.h5 -o b.csv --variant nosuch
    fails 2 'fixed-x' "$saccade" meltpool good.h5 -o b.csv --locate fixed --fixed-x 96
}

meltpool_bad_input_exits_1() {
    local plot
    plot_to b.svg
    build_or_skip
    build -o good.h5 >/dev/null
    : >empty.h5
    echo 'no frames' >text.h5
    head -c 70000 good.h5 >cut.h5
    mkdir folder.h5
    for bad in missing empty text cut folder; do
        fails 1 $bad.h5 "$saccade" meltpool $bad.h5 -o b.csv "${plot[@]}" --json b.json
        fails 1 $bad.h5 "$saccade" meltpool $bad.h5 -o b.h5
    done
    passes "$saccade" simulate ultrasound --phantom points --transmits plane:1:0 --samples 64 -o echoes.h5
    fails 1 '/frames is missing' "$saccade" meltpool echoes.h5 -o b.csv
    fails 1 'smaller than the region of interest' "$saccade" meltpool good.h5 -o b.csv --roi 97
    fails 1 device: "$saccade" meltpool good.h5 -o b.csv --device cuda:99
    [ ! -e b.csv ] || fault "b.csv was left"
}

meltpool_damaged_files_cost_one_line_at_most() {
    build_or_skip
    build -o good.h5 --frames 2 >/dev/null
    local at status failed=0
    for ((at = 8; at < 3000; at += 53)); do
        cp good.h5 bad.h5
        printf '\252' | dd of=bad.h5 bs=1 seek=$at conv=notrunc 2>/dev/null
        # libhdf5 1.10 leaks what it found damaged.
        ASAN_OPTIONS=detect_leaks=0 "$saccade" meltpool bad.h5 -o b.csv --model none >.out 2>.err
        status=$?
        [ $status -le 1 ] || fault "byte $at damaged: exit $status"
        [ "$(wc -l <.err)" -eq $status ] || fault "byte $at damaged: exit $status and '$(cat .err)'"
        failed=$((failed + status))
    done
    [ $failed -gt 0 ] || fault "no damage was found"
}

meltpool_odd_files_exit_1() {
    local plot
    plot_to b.svg
    odd no_signals.h5 "g['frames'] = f['frames'][:]"
    odd short.h5 "g['frames'] = f['frames'][:]; g['signals'] = f['signals'][:-1]"
    odd wide.h5 "g['frames'] = f['frames'][:].astype('u2'); g['signals'] = f['signals'][:]"
    odd flat.h5 "g['frames'] = f['frames'][0]; g['signals'] = f['signals'][:]"
    odd real.h5 "g['frames'] = f['frames'][:]; g['signals'] = n.zeros(200, [(k, 'f4') for k in f['signals'].dtype.names])"
    odd small.h5 "g['frames'] = f['frames'][:, :39]; g['signals'] = f['signals'][:]"
    odd far.h5 "g['frames'] = f['frames'][:]; g['signals'] = f['signals'][:]; g.attrs['calibration'] = n.eye(2, 3) * 1e4"
    odd shape.h5 "g['frames'] = f['frames'][:]; g['signals'] = f['signals'][:]; g.attrs['calibration'] = n.eye(3)"
    odd nan.h5 "g['frames'] = f['frames'][:]; g['signals'] = f['signals'][:]; g.attrs['calibration'] = n.eye(2, 3) * n.nan"
    local bad word
    while read -r bad word; do
        fails 1 "$word" "$saccade" meltpool "$bad.h5" -o b.csv "${plot[@]}" --json b.json
        fails 1 "$word" "$saccade" meltpool "$bad.h5" -o b.h5 --threads 2
    done <<'END'
no_signals --locate brightest
short expected 200, one a frame, got 199
wide /frames
flat /frames
real /signals
small smaller than the region of interest
far --calibration
shape calibration
nan calibration
END
    for how in brightest previous fixed; do
        passes "$saccade" meltpool no_signals.h5 -o b.csv --locate $how "${plot[@]}" --model none
        [ "$(head -n 1 b.csv | cut -d, -f3)" = area ] || fault "signals in b.csv: $(head -n 1 b.csv)"
        [ "$(wc -l <b.csv)" -eq 201 ] || fault "$how gave $(wc -l <b.csv) lines"
    done
}

meltpool_bad_model_exits_1() {
    build_or_skip
    build -o good.h5 >/dev/null
    echo 'no model' >text.safetensors
    fails 1 missing.safetensors "$saccade" meltpool good.h5 -o b.csv --model missing.safetensors
    fails 1 text.safetensors "$saccade" meltpool good.h5 -o b.csv --model text.safetensors
    local shipped=$docs/../models/meltpool-simulated.safetensors
    head -c 9000 "$shipped" >cut.safetensors
    fails 1 cut.safetensors "$saccade" meltpool good.h5 -o b.csv --model cut.safetensors
    { head -c -4 "$shipped" && printf '\0\0\300\177'; } >nan.safetensors
    fails 1 nan.safetensors "$saccade" meltpool good.h5 -o b.csv --model nan.safetensors
    ! "$saccade" meltpool good.h5 -o b.csv --model "$shipped" 2>&1 | grep -q JSON || skip "this build reads no models"
    sed 's/hog_3/hug_3/' "$shipped" >other.safetensors
    fails 1 other.safetensors "$saccade" meltpool good.h5 -o c.csv --model other.safetensors
    passes "$saccade" meltpool good.h5 -o c.csv
    same b.csv c.csv "the shipped model by name and by default"
}

meltpool_calibration_is_read_or_refused() {
    build_or_skip
    build -o good.h5 >/dev/null
    passes "$saccade" meltpool good.h5 -o a.csv
    local text
    for text in 'no numbers' '1 2 3 4 5' '1 2 3 4 5 6 7' '1 2 3 4 5 nan' '1 2 3 4 5 6x' ''; do
        printf '%s' "$text" >bad.txt
        fails 1 'bad.txt' "$saccade" meltpool good.h5 -o b.csv --calibration bad.txt
    done
    fails 1 missing.txt "$saccade" meltpool good.h5 -o b.csv --calibration missing.txt
    for text in '0 0 0 0 0 0' '1 2 3 2 4 5' '1 0 0 0 1e-9 0' '1e-300 0 40 0 1e-300 40'; do
        printf '%s' "$text" >flat.txt
        fails 1 'flat.txt' "$saccade" meltpool good.h5 -o b.csv --calibration flat.txt
        fails 1 'can be inverted' "$saccade" meltpool good.h5 -o b.csv --calibration flat.txt --model none
    done
    printf '1e9 0 0\n0 1e9 0\n' >far.txt
    fails 1 '--calibration' "$saccade" meltpool good.h5 -o b.csv --calibration far.txt
    hdf5 "m = f.attrs['calibration'].tolist()
open('plain.txt', 'w').write('\n'.join(' '.join(map(repr, row)) for row in m))
open('list.json', 'w').write(repr(m))"
    for text in plain.txt list.json; do
        passes "$saccade" meltpool good.h5 -o b.csv --calibration $text
        same a.csv b.csv "the file's calibration and $text"
    done
    passes "$saccade" meltpool good.h5 -o b.csv --calibration simulated
    same a.csv b.csv "the file's calibration and the simulator's"
}

meltpool_without_a_calibration_does_not_predict() {
    has_json || skip "this build reads no models"
    odd none.h5 "g['frames'] = f['frames'][:]; g['signals'] = f['signals'][:]; del g.attrs['calibration']"
    odd flat.h5 "g['frames'] = f['frames'][:]; g['signals'] = f['signals'][:]; g.attrs['calibration'] = n.ones((2, 3))"
    fails 1 'has no calibration' "$saccade" meltpool none.h5 -o b.csv --json b.json
    fails 1 'flat.h5' "$saccade" meltpool flat.h5 -o b.csv --json b.json
    passes "$saccade" meltpool flat.h5 -o b.csv --locate brightest --model none
    passes "$saccade" meltpool none.h5 -o b.csv --calibration simulated
    passes "$saccade" meltpool none.h5 -o b.h5 --model none --json b.json
    grep -q 'calibration  *none: .* used as pixels' .out || fault "says '$(cat .out)'"
    grep -q '"calibration": "none"' b.json || fault "b.json: $(cat b.json)"
    hdf5 "assert 'calibration' not in h.File('b.h5').attrs"
    "$saccade" meltpool none.h5 -o - --model none 2>.err >b.csv || fault "exit $?: $(cat .err)"
    grep -q 'warning: .* used as pixels' .err || fault "wanted a warning on standard error, got '$(cat .err)'"
}

meltpool_with_most_frames_in_doubt_warns_once() {
    build_or_skip
    build -o good.h5 >/dev/null
    local options words
    while IFS='|' read -r options words; do
        # shellcheck disable=SC2086 # the options are words
        passes "$saccade" meltpool good.h5 -o b.csv --json b.json $options
        [ "$(grep -c "^  warning  *$words" .out)" = 1 ] || fault "$options: says '$(cat .out)'"
        [ "$(grep -c "\"warning\": \"$words" b.json)" = 1 ] || fault "$options: $(cat b.json)"
        # shellcheck disable=SC2086
        "$saccade" meltpool good.h5 -o - $options >b.csv 2>.err || fault "exit $?: $(cat .err)"
        [ "$(grep -c "^saccade: warning: $words" .err)" = 1 ] || fault "$options: says '$(cat .err)'"
    done <<'END'
--calibration pixels|in most frames the laser is outside
--threshold 256 --model none|most frames have no pool
--roi 8 --model none|most pools are clipped
END
    passes "$saccade" meltpool good.h5 -o b.csv --json b.json
    ! grep -q warning .out b.json || fault "warns of a good build: $(grep warning .out b.json)"
}

meltpool_bad_output_exits_1() {
    local plot
    plot_to b.svg
    build_or_skip
    build -o good.h5 >/dev/null
    mkdir folder.csv folder.h5
    fails 1 no/such "$saccade" meltpool good.h5 -o no/such/b.csv
    fails 1 no/such "$saccade" meltpool good.h5 -o no/such/b.h5
    fails 1 no/such "$saccade" meltpool good.h5 -o b.csv --json no/such/b.json
    ! has_cairo || fails 1 no/such "$saccade" meltpool good.h5 -o b.csv --plot no/such/b.png
    passes "$saccade" meltpool good.h5 -o folder.h5 # a folder keeps the name
    [ "$(ls -A folder.h5)" = good.h5 ] || fault "folder.h5 has: $(ls -A folder.h5)"
    ! has_full || fails 1 'standard output' sh -c "'$saccade' meltpool good.h5 -o - >/dev/full"
    mkdir full
    mount -t tmpfs -o size=64k tmpfs full 2>/dev/null || skip "a small tmpfs cannot be mounted here"
    mounted=$work/full
    for name in b.csv b.h5; do
        fails 1 full/$name "$saccade" meltpool good.h5 -o full/$name
        [ -z "$(ls -A full)" ] || fault "on the full disk remained: $(ls -A full)"
    done
    build -o small.h5 --frames 20 >/dev/null # few enough lines to be written at the end
    head -c 65536 /dev/zero >full/filler 2>/dev/null
    fails 1 full/b.csv "$saccade" meltpool small.h5 -o full/b.csv "${plot[@]}" --json b.json
    [ "$(ls -A full)" = filler ] || fault "on the full disk remained: $(ls -A full)"
}

meltpool_writes_the_same_however_it_runs() {
    build_or_skip
    build -o good.h5 >/dev/null
    local n
    for n in csv h5; do
        passes "$saccade" meltpool good.h5 -o a.$n
        for options in '--threads 1' '--threads 2' '--threads 7' '--batch 1' '--batch 7 --threads 2' '--batch 1000'; do
            # shellcheck disable=SC2086 # the options are words
            passes "$saccade" meltpool good.h5 -o b.$n $options
            same a.$n b.$n "one by one and $options"
        done
    done
    "$saccade" meltpool good.h5 -o - >c.csv 2>.err || fault "in a pipe: $(cat .err)"
    same a.csv c.csv "file and standard output"
    [ "$(wc -l <a.csv)" -eq 201 ] || fault "a.csv has $(wc -l <a.csv) lines"
    passes "$saccade" meltpool good.h5 -o d.csv --model none
    ! head -n 1 d.csv | grep -q ',lof_density' || fault "predictions without a model"
    passes "$saccade" meltpool good.h5 -o e.csv --model none --window 3 --rate 1000
    ! cmp -s d.csv e.csv || fault "--window changed nothing"
}

meltpool_with_other_parameters_than_the_model_warns() {
    build_or_skip
    build -o good.h5 >/dev/null
    local shipped=$docs/../models/meltpool-simulated.safetensors
    ! "$saccade" meltpool good.h5 -o a.csv --model "$shipped" 2>&1 | grep -q JSON || skip "this build reads no models"
    passes "$saccade" meltpool good.h5 -o a.csv --roi 40 --threshold 60 --rate 2e4 --model "$shipped"
    "$saccade" meltpool good.h5 -o b.csv --roi 32 --threshold 61 --threads 1 >.out 2>.err || fault "exit $?"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line on standard error, got '$(cat .err)'"
    grep -q '^saccade: warning: .*roi=40 threshold=60, not roi=32 threshold=61' .err || fault "says '$(cat .err)'"
    passes "$saccade" meltpool good.h5 -o b.csv --roi 32 --threshold 61 --model none
    # What saccade does not know of a model is not compared, and a number may be written in any way.
    sed 's/ roi-align=8 / roi-alike=8 /; s/ gap-reset=0.001"/ gap-reset=1e-03"/' "$shipped" >other.safetensors
    passes "$saccade" meltpool good.h5 -o b.csv --model other.safetensors
    same a.csv b.csv "a model and one whose parameters are written otherwise"
    cmp -s "$shipped" other.safetensors && fault "the model was not changed"
}

meltpool_without_the_laser_predicts_nothing() {
    local plot
    plot_to b.svg
    odd off.h5 "s = f['signals'][:]; s['laser_on'] = 0; g['frames'] = f['frames'][:]; g['signals'] = s"
    passes "$saccade" meltpool off.h5 -o a.csv --json a.json "${plot[@]}"
    grep -q ' 0 processed, 200 empty' .out || fault "says '$(cat .out)'"
    grep -q 'warning  *most frames are empty' .out || fault "says '$(cat .out)'"
    ! grep -q 'pores / mm' .out || fault "says '$(cat .out)'"
    ! grep '"mean_density_mm2"' a.json | grep -qv null || fault "means of no frames: $(cat a.json)"
}

meltpool_forms_agree() {
    hdf5 ''
    passes "$saccade" meltpool build.h5 -o a.csv
    passes "$saccade" meltpool build.h5 -o a.h5 --threshold 60
    local model=False
    ! has_json || model=True
    hdf5 "
model = $model
t = n.genfromtxt('a.csv', delimiter=',', names=True, dtype=None)
g = h.File('a.h5')
names = g.attrs['features'].decode().split(',')
assert names == list(t.dtype.names[6:46]), names
assert n.array_equal(n.stack([t[k] for k in names], 1).astype('f4'), g['features'][:])
if model:
    assert n.array_equal(t['lof_density'].astype('f4'), g['prediction'][:, 0]) and len(g.attrs['model']) > 4
else:
    assert 'prediction' not in g and 'lof_density' not in t.dtype.names and 'model' not in g.attrs
assert n.array_equal(t['flags'], g['flags'][:])
assert n.array_equal(t['x'], g['signals']['x']) and n.array_equal(g['signals'][:], f['signals'][:])
assert n.array_equal(g['truth'][:], f['truth'][:])
assert n.array_equal(t['truth_depth_m'].astype('f4'), f['truth']['depth_m'])
assert n.array_equal(g.attrs['calibration'], f.attrs['calibration'])
assert b'threshold=60' in g.attrs['parameters']
on = f['signals']['laser_on'] != 0
assert n.array_equal(on, g['flags'][:] & 1 == 0) and (g['features'][:][on, 0] > 0).all()"
}

meltpool_reports_counts_and_times() {
    local plot
    plot_to b.svg
    build_or_skip
    python3 -c '' 2>/dev/null || skip "no python3"
    build -o good.h5 >/dev/null
    passes "$saccade" meltpool good.h5 -o a.csv --json a.json
    grep -q '^good.h5: 200 frames of 96 x 96: ' .out || fault "says '$(cat .out)'"
    grep -q 'time a frame .*one at a time' .out || fault "says '$(cat .out)'"
    passes "$saccade" meltpool good.h5 -o a.csv --threads 2
    grep -q 'of batches' .out || fault "says '$(cat .out)'"
    "$saccade" meltpool good.h5 -o b.csv --threads 1 --json - --model none "${plot[@]}" >b.json 2>.err ||
        fault "--json -: $(cat .err)"
    python3 - <<'PY' || fault "the reports are not what they should be"
import json
a, b = (json.load(open(k))["rows"][0] for k in ("a.json", "b.json"))
for r in a, b:
    assert r["frames"] == 200 == r["processed"] + r["empty"] + r["refused_shape"] + r["refused_place"]
    assert r["pools"] + r["no_pool"] == r["processed"] and r["spatters"] > 0
    assert 0 < r["p50_ns"] <= r["p99_ns"] <= r["max_ns"] and r["variant"]
lines = [l.split(",") for l in open("a.csv")][1:]
assert a["empty"] == sum(int(l[1]) & 1 for l in lines)
assert a["clipped"] == sum(int(l[1]) >> 2 & 1 for l in lines)
assert a["spatters"] == sum(float(l[8]) for l in lines)
assert a["timed"] == "frames" and b["timed"] == "batches" and "lof" not in b
if "lof" in a:
    sum_lof = sum(float(l[46]) for l in lines)
    assert abs(a["lof"]["expected_pores"] - 5e-3 * sum_lof) < 1e-4 * sum_lof
PY
}

meltpool_within_a_budget_writes_the_same() {
    build_or_skip
    build -o good.h5 >/dev/null
    passes "$saccade" meltpool good.h5 -o a.csv
    "$saccade" meltpool good.h5 -o b.csv --latency-budget 1e6 --json b.json >.out 2>.err || fault "exit $?: $(cat .err)"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line on standard error, got '$(cat .err)'"
    grep -q '^  chosen  ' .out || fault "says '$(cat .out)'"
    grep -q '"chosen": ' b.json || fault "b.json does not say what was chosen"
    same a.csv b.csv "one by one and as chosen"
    fails 1 '' "$saccade" meltpool good.h5 -o c.csv --latency-budget 0.001
    [ ! -e c.csv ] || fault "c.csv was left"
}

meltpool_on_cuda_without_a_gpu_exits_1() {
    local plot
    plot_to b.svg
    build_or_skip
    ! "$saccade" info | grep -q '^cuda:0' || skip "here is a GPU"
    build -o good.h5 >/dev/null
    local device
    for device in cuda cuda:3; do
        fails 1 device: "$saccade" meltpool good.h5 -o b.csv "${plot[@]}" --json b.json --device $device
        fails 1 device: "$saccade" meltpool good.h5 -o b.h5 --device $device --batch 64
        fails 1 device: "$saccade" meltpool good.h5 -o b.h5 --device $device --latency-budget 50
        fails 1 device: "$saccade" meltpool --listen udp://127.0.0.1:0 --calibration pixels --device $device
        fails 1 device: "$saccade" meltpool --listen udp://127.0.0.1:0 --calibration pixels --device $device --rate 50000
    done
    [ ! -e b.csv ] && [ ! -e b.h5 ] && [ ! -e b.ppm ] && [ ! -e b.json ] || fault "something was left: $(ls)"
}

# Features of a frame are the CPU's bits; variances and predictions are made in another order of sums.
meltpool_on_cuda_gives_the_same_features() {
    build_or_skip
    "$saccade" info | grep -q '^cuda:0' || skip "no GPU, or a build without CUDA"
    build -o good.h5 --frames 3000 >/dev/null
    local options
    for options in '' '--batch 32' '--batch 500' '--threads 2' '--resident 0 --batch 7' '--locate brightest' \
        '--latency-budget 1e6'; do
        # shellcheck disable=SC2086 # the options are words
        "$saccade" meltpool good.h5 -o a.csv $options >.out 2>.err || fault "$options: $(cat .err)"
        # shellcheck disable=SC2086
        "$saccade" meltpool good.h5 -o b.csv --device cuda:0 $options >.out 2>.err || fault "$options: $(cat .err)"
        grep -q '^  device  *cuda:0' .out || fault "says '$(cat .out)'"
        cut -d, -f1-26 a.csv >a.cut
        cut -d, -f1-26 b.csv >b.cut
        same a.cut b.cut "cpu and cuda:0 $options"
    done
}

meltpool_draws_what_there_is() {
    need_cairo
    build_or_skip
    build -o good.h5 >/dev/null
    passes "$saccade" meltpool good.h5 -o a.csv --plot a.svg
    well_formed a.svg
    "$saccade" meltpool good.h5 -o a.csv --plot - >b.svg 2>.err || fault "--plot -: $(cat .err)"
    same a.svg b.svg "file and standard output"
    passes "$saccade" meltpool good.h5 -o a.csv --plot a.png
    png_size a.png 2580
    passes "$saccade" meltpool good.h5 -o a.csv --plot b.png --threads 2
    same a.png b.png "one by one and in batches"
    passes "$saccade" meltpool good.h5 -o a.csv --plot b.png --model none
    if has_json; then
        [ "$(wc -c <b.png)" -lt "$(wc -c <a.png)" ] || fault "without a model there is as much to draw"
    else
        same a.png b.png "a build that reads no model and --model none"
    fi
    build -o one.h5 --frames 1 >/dev/null
    passes "$saccade" meltpool one.h5 -o a.csv --plot b.pdf
    [ "$(head -c 5 b.pdf)" = %PDF- ] || fault "b.pdf begins '$(head -c 5 b.pdf)'"
}
