#!/bin/sh
# interrupt.sh OCTAVE FOLDER...: Octave beamforms for minutes and is sent an interrupt, as by Ctrl-C. It ends long before.
# SPDX-License-Identifier: Apache-2.0
set -eu
octave=$1
shift
for folder; do
    set -- "$@" --path "$folder"
    shift
done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$octave" --quiet --no-init-file "$@" --eval "
    a = struct('fs_hz', 2e7, 'fc_hz', 5e6, 'n_elements', 64, 'pitch_m', 2e-4, 'transmits', 'sa');
    grid = struct('x', linspace(-0.01, 0.01, 3000), 'z', linspace(0.001, 0.01, 3000));
    rf = ones(300, 64, 64, 'int16');
    saccade_beamform(rf, a, grid, 'interp', 'cubic', 'f_number', 0, 'threads', 1);
    puts('not interrupted')" >"$log" 2>&1 &
child=$!
until [ "$(cut -d ' ' -f 14 "/proc/$child/stat")" -gt 150 ]; do # hundredths of a second at work
    kill -0 "$child" || { cat "$log" && exit 1; }
    sleep 0.1
done
kill -INT "$child"
status=0
wait "$child" || status=$?
cat "$log"
[ "$status" = 1 ] && ! grep -q 'not interrupted' "$log"
