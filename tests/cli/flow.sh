# Tests of saccade flow, and of the vessel in simulate and measure: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

# A small vessel, a wave a frame: make_vessel FILE OPTION...
make_vessel() {
    local out=$1
    shift
    "$saccade" simulate ultrasound --phantom vessel --elements 24 --transmits plane:1:0 --region -1.5:1.5,5:9 \
        --radius 1.2 --frames 6 --scatterers 300 -o "$out" "$@"
}

need_vessel() {
    make_vessel vessel.h5 "$@" >/dev/null 2>&1 || skip "this build writes no HDF5"
}

flow_wrong_usage_exits_2() {
    need_vessel
    fails 2 'no input' "$saccade" flow -o a.h5
    fails 2 'got 2' "$saccade" flow vessel.h5 vessel.h5 -o a.h5
    fails 2 'no output' "$saccade" flow vessel.h5
    fails 2 'one of power, color' "$saccade" flow vessel.h5 -o a.h5 --kind speed
    fails 2 'filter: expected none' "$saccade" flow vessel.h5 -o a.h5 --filter svd:6
    fails 2 'ensemble: expected 2 to the 6 frames' "$saccade" flow vessel.h5 -o a.h5 --ensemble 7
    fails 2 'lag' "$saccade" flow vessel.h5 -o a.h5 --lag 6
    fails 2 'average: expected odd' "$saccade" flow vessel.h5 -o a.h5 --average 4
    fails 2 'no movie' "$saccade" flow vessel.h5 -o a.y4m
    fails 2 'saccade: flow: --grid' "$saccade" flow vessel.h5 -o a.h5 --grid 5
    fails 2 '`xyz` is not a format' "$saccade" flow vessel.h5 -o a.xyz
    fails 2 'would be written over' "$saccade" flow vessel.h5 -o vessel.h5
    fails 2 'variance' "$saccade" flow vessel.h5 -o a.pgm --kind variance
    fails 2 '--carrier: expected one of pulse, images' "$saccade" flow vessel.h5 -o a.h5 --carrier c
    fails 2 '--carrier images: is of color' "$saccade" flow vessel.h5 -o a.h5 --carrier images --kind power
    fails 2 'b-0001.ppm may be one of the numbered pictures of b.ppm' "$saccade" flow vessel.h5 -o b.ppm --json b-0001.ppm
    cp vessel.h5 c-0000.ppm
    fails 2 'c-0000.ppm may be one' "$saccade" flow c-0000.ppm -o c.ppm
    fails 1 'device: ' "$saccade" flow vessel.h5 -o a.h5 --device cuda:99
    passes "$saccade" beamform vessel.h5 --kind iq --grid -1:1:11,6:8:21 -o iq.h5
    fails 2 '--step: is for --ensemble' "$saccade" flow vessel.h5 -o a.h5 --step 2
    fails 2 '--eigen: is for --filter svd' "$saccade" flow vessel.h5 -o a.h5 --eigen lapack --filter polynomial:1
    fails 2 '--eigen: is for --filter svd' "$saccade" flow vessel.h5 -o a.h5 --eigen auto
    fails 1 'eigen: cusolver is of a GPU' "$saccade" flow iq.h5 -o a.h5 --eigen cusolver --filter svd:1
    fails 2 '--eigen: expected one of jacobi, auto, lapack, cusolver' "$saccade" flow iq.h5 -o a.h5 --eigen qr --filter svd:1
    fails 2 '--f-number is of channel data' "$saccade" flow iq.h5 -o a.h5 --f-number 1
    fails 2 'frames 0 to 5' "$saccade" flow iq.h5 -o a.h5 --frames 2:9
}

flow_bad_input_exits_1() {
    need_vessel
    fails 1 'no/such' "$saccade" flow no/such.h5 -o a.h5
    echo nothing >nothing.h5
    fails 1 'nothing.h5' "$saccade" flow nothing.h5 -o a.h5
    passes "$saccade" beamform vessel.h5 --grid -1:1:11,6:8:21 -o bmode.h5
    fails 1 'beamform --kind iq' "$saccade" flow bmode.h5 -o a.h5
    passes "$saccade" beamform vessel.h5 --kind iq --lri --grid -1:1:11,6:8:21 -o lri.h5
    passes "$saccade" beamform vessel.h5 --kind iq --reduction slsc --grid -1:1:11,6:8:21 -o slsc.h5
    fails 1 'no phases' "$saccade" flow slsc.h5 -o a.h5
    fails 1 'without --lri' "$saccade" flow lri.h5 -o a.h5
    fails 1 'one frame' "$saccade" flow vessel.h5 --frames 0:1 -o a.h5
    passes "$saccade" simulate ultrasound --elements 16 --transmits plane:1:0 --region -1:1,5:9 --frames 3 -o points.h5
    fails 2 '--prf HZ' "$saccade" flow points.h5 -o a.h5
    passes "$saccade" flow points.h5 --kind power -o power.h5
    passes "$saccade" flow points.h5 --prf 1000 -o color.h5
    fails 1 'no truth about a vessel' "$saccade" measure color.h5 --flow
    fails 1 'expected velocities' "$saccade" measure power.h5 --flow
    fails 1 'expected iq, envelope or bmode' "$saccade" measure color.h5 --points --at 0,7
}

flow_of_channel_data_is_that_of_its_images() {
    need_vessel
    passes "$saccade" beamform vessel.h5 --kind iq --grid -1:1:21,6:8:41 -o iq.h5
    local options='--filter svd:1 --ensemble 4 --step 1 --kind color-power --average 3'
    # shellcheck disable=SC2086 # words
    passes "$saccade" flow iq.h5 $options -o a.npy
    # shellcheck disable=SC2086
    passes "$saccade" flow vessel.h5 --grid -1:1:21,6:8:41 $options --threads 1 -o b.npy
    grep -q 'color-power of 3 ensembles of 4 frames' .out || fault "says '$(cat .out)'"
    same a.npy b.npy "images, and channel data"
    passes "$saccade" flow iq.h5 --frames 1:6 --ensemble 4 -o c.npy
    passes "$saccade" flow iq.h5 --ensemble 4 -o d.npy --json flow.json
    grep -q '"prf_hz": 5000' flow.json && grep -q '"nyquist_m_s": 0.3696' flow.json || fault "flow.json: $(cat flow.json)"
}

# The command's own default, which is not the library's.
flow_without_eigen_takes_auto() {
    local way
    "$saccade" flow --help | tr -s ' \n' ' ' | grep -q 'jacobi, auto, lapack or cusolver; default auto' || fault "$("$saccade" flow --help)"
    need_vessel --frames 256
    passes "$saccade" beamform vessel.h5 --kind iq --grid -1:1:5,6:8:9 -o iq.h5
    for way in '' '--eigen auto' '--eigen jacobi'; do
        # shellcheck disable=SC2086 # words
        passes "$saccade" flow iq.h5 --filter svd:2 $way -o a.npy --json flow.json
        grep -o '"variant": "[^"]*' flow.json >"variant$way"
    done
    cmp -s variant 'variant--eigen auto' || fault "$(cat variant*)"
    ! grep -q lapack 'variant--eigen jacobi' || fault "$(cat variant*)"
}

flow_vectors_are_of_channel_data_or_of_every_transmits_images() {
    need_vessel --transmits plane:3:12
    passes "$saccade" flow vessel.h5 --kind vector --grid -1:1:21,6:8:41 -o a.h5 --json vector.json
    grep -q '3 angles, Nyquist velocity of each 0.3696' .out || fault "says '$(cat .out)'"
    grep -q '"condition": 11.6' vector.json || fault "vector.json: $(cat vector.json)"
    passes "$saccade" beamform vessel.h5 --kind iq --lri --grid -1:1:21,6:8:41 -o lri.h5
    passes "$saccade" flow lri.h5 --kind vector --transmits plane:3:12 -o b.npy
    passes "$saccade" flow vessel.h5 --kind vector --grid -1:1:21,6:8:41 -o a.npy
    same a.npy b.npy "channel data, and images of every transmit"
    passes "$saccade" measure a.h5 --flow --frame 0
    grep -q 'Along x, in' .out || fault "says '$(cat .out)'"
    passes "$saccade" measure a.h5 --flow --frame 1
    grep -q 'Along the beam, in' .out || fault "says '$(cat .out)'"
    passes "$saccade" flow vessel.h5 --kind vector --grid -1:1:21,6:8:41 --ensemble 3 -o v.ppm
    [ -s v-0000.ppm ] && [ -s v-0001.ppm ] || fault "expected 2 pictures"
    fails 2 'do not say their angles' "$saccade" flow lri.h5 --kind vector -o c.h5
    fails 2 'images of 3 transmits' "$saccade" flow lri.h5 --kind vector --transmits plane:5:12 -o c.h5
    fails 2 'two angles that differ' "$saccade" flow lri.h5 --kind vector --transmits plane:3:0 -o c.h5
    fails 2 'centered over each point' "$saccade" flow vessel.h5 --kind vector --f-number 0 -o c.h5
    "$saccade" flow lri.h5 --kind vector --transmits plane:3:2 -o c.h5 >.out 2>.err || fault "$(cat .err)"
    grep -q 'angles lie close together' .err || fault "warns '$(cat .err)'"
    passes "$saccade" beamform vessel.h5 --kind iq --grid -1:1:21,6:8:41 -o iq.h5
    fails 1 'all transmits in one' "$saccade" flow iq.h5 --kind vector --transmits plane:3:12 -o d.h5
    need_vessel
    fails 1 '2 to 1024 angles, got 1' "$saccade" flow vessel.h5 --kind vector -o d.h5
    need_vessel --transmits diverging:3
    fails 1 'transmit 0 is no plane wave' "$saccade" flow vessel.h5 --kind vector -o d.h5
    [ ! -e d.h5 ] || fault "wrote d.h5"
}

flow_of_iq_of_the_other_sign_has_the_same_direction() {
    need_vessel
    has_json || skip "no NPY with metadata"
    passes "$saccade" convert vessel.h5 rf.npy
    local sign
    for sign in 1 -1; do
        # The same recording taken for IQ without imaginary parts: what its sign says is all that differs.
        python3 - "$sign" <<'EOF' || skip "no python3"
import json, struct, sys
sign = int(sys.argv[1])
raw = open("rf.npy", "rb").read()
start = 10 + struct.unpack("<H", raw[8:10])[0]
head = raw[10:start].decode().replace("<f4", "<c8")
data = raw[start:]
samples = struct.unpack(f"<{len(data) // 4}f", data)
shape = eval(head)["shape"]
quarter = [(1, 0), (0, -1), (-1, 0), (0, 1)]  # exp(-j 2 pi (fs / 4) t): fc is fs / 4
iq = bytearray()
for i, x in enumerate(samples):
    re, im = quarter[i % shape[-1] % 4]
    iq += struct.pack("<2f", x * re, sign * x * im)
open("iq.npy", "wb").write(raw[:10] + head.encode() + bytes(iq))
about = json.load(open("rf.json"))
about["phase_sign"] = sign
del about["samples"]  # of the real ones
open("iq.json", "w").write(json.dumps(about))
EOF
        passes "$saccade" flow iq.npy --grid -1:1:21,6:8:41 -o direct$sign.npy
        passes "$saccade" beamform iq.npy --kind iq --grid -1:1:21,6:8:41 -o images.h5
        passes "$saccade" flow images.h5 -o images$sign.npy
        same direct$sign.npy images$sign.npy "channel data, and its images"
        passes "$saccade" beamform iq.npy --kind iq --grid -1:1:21,6:8:41 -o images.uff
        passes "$saccade" flow images.uff --prf 5000 --fc 5.208 --c 1540 -o uff$sign.npy
        listen_with beamform --like iq.npy --grid -1:1:21,6:8:41 --kind iq --frames 6 --policy wait -o came.h5 || return
        passes "$saccade" simulate ultrasound --input iq.npy --to "udp://127.0.0.1:$port" --rate 50
        ended $listener || fault "the listener failed: $(cat .listening)"
        passes "$saccade" flow came.h5 -o came$sign.npy
        same direct$sign.npy came$sign.npy "channel data, and its images as they came"
    done
    same uff1.npy uff-1.npy "both signs in UFF"
    same direct1.npy direct-1.npy "both signs"
}

# Frames that did not come: no rate, and so no velocity that takes those before and after for neighbours.
flow_of_frames_with_gaps_asks_for_their_rate() {
    need_vessel
    has_json || skip "no NPY with metadata"
    passes "$saccade" convert vessel.h5 sent.npy
    local send=(--input sent.npy --rate 100 --repeat 5 --loss 0.3) whole
    passes "$saccade" simulate ultrasound --to udp://127.0.0.1:9 "${send[@]}" --json before.json
    whole=$((30 - $(sed -n 's/.*"hurt": \([0-9]*\).*/\1/p' before.json)))
    [ $whole -gt 5 ] && [ $whole -lt 28 ] || fault "$whole of 30 frames are whole"
    listen_with beamform --like sent.npy --grid -1:1:21,6:8:41 --kind iq --frames $whole --policy wait -o gaps.h5 \
        --silence-exit 20 --record gaps.npy || return
    passes "$saccade" simulate ultrasound --to "udp://127.0.0.1:$port" "${send[@]}"
    ended $listener || fault "the listener failed: $(cat .listening)"
    grep -q 'gaps.h5.: frames are missing in between' .listening || fault "warns '$(cat .listening)'"
    grep -q 'gaps.npy.: frames are missing in between' .listening || fault "warns '$(cat .listening)'"
    fails 2 '--prf HZ' "$saccade" flow gaps.h5 -o a.h5
    fails 2 '--prf HZ' "$saccade" flow gaps.npy -o a.h5
}

flow_doubtful_results_are_said() {
    need_vessel --peak 2 --vessel-angle 60
    passes "$saccade" flow vessel.h5 --grid -1:1:41,5.5:8.5:81 -o color.h5
    "$saccade" measure color.h5 --flow >.out 2>.err || fault "$(cat .err)"
    grep -q 'warning: .*above Nyquist' .err || fault "not a word of aliasing: $(cat .err)"
    "$saccade" flow vessel.h5 --grid -1:1:41,5.5:8.5:81 -o a.npy --fd 4 >.out 2>.err || fault "$(cat .err)"
    grep -q 'warning: --fd' .err || fault "not a word of fd: $(cat .err)"
    passes "$saccade" flow vessel.h5 --grid -1:1:21,6:8:41 -o a.npy --ensemble 4
    grep -q 'the last 2 frames left over' .out || fault "says '$(cat .out)'"
    passes "$saccade" flow vessel.h5 --grid -1:1:41,5.5:8.5:81 --kind color-power -o both.h5
    "$saccade" measure both.h5 --flow >.out 2>.err || fault "$(cat .err)"
    fails 2 '--frame' "$saccade" measure both.h5 --flow --frame 1
}

flow_pictures_of_a_phased_array_are_cartesian() {
    need_vessel --array phased --transmits diverging:1
    passes "$saccade" flow vessel.h5 -o a.ppm
}

flow_draws_a_picture_an_ensemble() {
    need_vessel
    local kind
    for kind in color power directional color-power; do
        passes "$saccade" flow vessel.h5 --kind $kind --ensemble 3 -o $kind.ppm
        [ -s $kind-0000.ppm ] && [ -s $kind-0001.ppm ] && [ ! -e $kind-0002.ppm ] ||
            fault "$kind: expected 2 pictures, got $(echo ./*.ppm)"
    done
    same color-0000.ppm color-power-0000.ppm "velocities are drawn with their power"
    ! cmp -s color-0000.ppm directional-0000.ppm || fault "directional is drawn as color"
}

flow_error_is_measured_by_the_truth_or_a_vessel() {
    need_vessel --peak 0.4 --vessel-angle 25
    passes "$saccade" flow vessel.h5 --grid -1:1:41,5.5:8.5:81 -o color.h5
    passes "$saccade" measure color.h5 --flow
    cp .out truth
    grep -q 'true 0.4000 m/s' truth || fault "says '$(cat truth)'"
    passes "$saccade" measure color.h5 --flow --vessel 0,7,1.2,25,0.4
    same truth .out "the truth in the file, and the same as an option"
    passes "$saccade" flow vessel.h5 --grid -1:1:41,5.5:8.5:81 --carrier images -o own.h5 --json own.json
    grep '"fc_hz"' own.json | tr -d ',' | awk '{ good = $2 > 4.9e6 && $2 < 5.2e6 } END { exit !good }' ||
        fault "a mean frequency of $(grep fc_hz own.json)"
    fails 2 '--vessel: expected' "$saccade" measure color.h5 --flow --vessel 0,7,1.2
    fails 1 'across the beam' "$saccade" measure color.h5 --flow --vessel 0,7,1.2,0,0.4
    fails 2 'expected --flow, --points or --cyst' "$saccade" measure color.h5 --flow --points
}
