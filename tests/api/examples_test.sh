#!/bin/sh
# examples_test.sh EXAMPLES SACCADE: each example runs and gives what the command gives.
# SPDX-License-Identifier: Apache-2.0
set -eu
examples=$1
saccade=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "examples: $*" >&2
    exit 1
}

{ printf 'P6\n64 48\n255\n' && head -c 9216 "$saccade"; } >in.ppm
"$examples/equalize" in.ppm out.ppm >equalize.txt
"$saccade" equalize in.ppm -o want.ppm >/dev/null
cmp out.ppm want.ppm || fail 'equalize differs from the command'

for frame in 1 2 3; do
    printf 'FRAME\n' && tail -c +$((frame * 5000)) "$saccade" | head -c 9216
done | { printf 'YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C444\n' && cat; } >in.y4m
"$examples/motion" in.y4m out.y4m >motion.txt
"$saccade" heatmap in.y4m -o want.y4m >/dev/null
grep -q '^2 pictures$' motion.txt || fail 'motion did not draw 2 pictures'
tail -c 18444 out.y4m >out.frames # the command has a frame more: of the first, blank
tail -c 18444 want.y4m | cmp - out.frames || fail 'motion differs from the command'

if "$saccade" simulate ultrasound --transmits plane:1:0 -o in.npy >simulate.txt 2>&1; then
    "$examples/beamform" in.npy out.npy >beamform.txt
    "$saccade" beamform in.npy --kind bmode --dynamic-range 60 -o want.npy >want.txt
    cmp out.npy want.npy || fail 'beamform differs from the command'
else
    grep -q JSON simulate.txt || fail "$(cat simulate.txt)" # a build without it
fi

"$examples/meltpool" 500 >meltpool.txt || grep -q JSON meltpool.txt || fail 'meltpool failed'
! "$examples/equalize" none.ppm out.ppm 2>error.txt || fail 'no error of a file that is not there'
grep -q none.ppm error.txt || fail "an error that names no file: $(cat error.txt)"
