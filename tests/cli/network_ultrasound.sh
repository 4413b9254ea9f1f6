# Tests of channel data over a network: functions for cli_test.sh, which reads this file, and network.sh.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's, $listener and $port are network.sh's

# A small recording, sent.npy with its JSON, and options of a small grid in "${grid[@]}".
# Where a test wants every frame, those of 4 elements: all of them fit into the smallest buffer that a socket has.
sent_recording() { # sent_recording FRAMES [ELEMENTS]
    has_json || skip "this build writes no JSON next to NPY"
    grid=(--grid=-3:3:21,8:14:23 --threads 1)
    passes "$saccade" simulate ultrasound --elements "${2:-16}" --samples 500 --transmits plane:2:5 --region=-2:2,9:13 \
        --noise 40 --frames "$1" -o sent.npy
}

send_recording() { # send_recording OPTION...: to the listener
    passes "$saccade" simulate ultrasound --input sent.npy --to "udp://127.0.0.1:$port" "$@"
}

simulate_ultrasound_to_wrong_usage_exits_2() {
    local to=(--to udp://127.0.0.1:9)
    fails 2 'without --to' "$saccade" simulate ultrasound -o a.npy --rate 5
    fails 2 'without --to' "$saccade" simulate ultrasound -o a.npy --repeat 5
    fails 2 'or --to' "$saccade" simulate ultrasound
    fails 2 'a.json can take one' "$saccade" simulate ultrasound "${to[@]}" -o a.npy --json a.json
    fails 2 'got both' "$saccade" simulate ultrasound "${to[@]}" --mtu 1500 --fragments 2
    fails 2 'at least' "$saccade" simulate ultrasound "${to[@]}" --mtu 100
    fails 2 'no --seed' "$saccade" simulate ultrasound "${to[@]}" --input a.npy --seed 2
    fails 2 'no --output' "$saccade" simulate ultrasound "${to[@]}" --input a.npy -o b.npy
    fails 2 'udp://HOST:PORT' "$saccade" simulate ultrasound --to 127.0.0.1:9 --elements 4 --samples 9
    fails 1 'no/such' "$saccade" simulate ultrasound "${to[@]}" --input no/such.npy
}

beamform_listen_wrong_usage_exits_2() {
    sent_recording 1
    local at=(timeout 60 "$saccade" beamform --listen udp://127.0.0.1:0)
    fails 2 'no --like' "${at[@]}" -o a.npy
    fails 2 'is --like' "${at[@]}" sent.npy
    fails 2 'udp://HOST:PORT' "$saccade" beamform --listen 127.0.0.1:9 --like sent.npy
    fails 2 'numeric' "${at[@]}" --like sent.npy --allow localhost
    fails 2 'can take one' "${at[@]}" --like sent.npy -o a.npy --record a.npy
    fails 2 'a.json can take one' "${at[@]}" --like sent.npy --record a.npy --json a.json
    fails 2 'sent.npy is read' "${at[@]}" --like sent.npy --record sent.npy
    fails 2 'name of a file' "${at[@]}" --like sent.npy -o .
    fails 2 'without --to' "${at[@]}" --like sent.npy --mtu 1500
    fails 2 'udp://HOST:PORT' "${at[@]}" --like sent.npy --to 127.0.0.1:9
    fails 2 '--kind' "${at[@]}" --like sent.npy --kind iq -o a.pgm
    fails 2 '--grid' "${at[@]}" --like sent.npy --grid 3
    fails 2 '--policy' "${at[@]}" --like sent.npy --policy none
    fails 2 '--capacity' "${at[@]}" --like sent.npy --capacity 0
    # What could only be refused at the end, with all images lost.
    ! "$saccade" convert sent.npy like.uff >.out 2>.err ||
        fails 1 'UFF holds values' "${at[@]}" --like sent.npy "${grid[@]}" -o a.uff
    ! "$saccade" beamform sent.npy "${grid[@]}" -o one.tif >.out 2>.err ||
        fails 1 'TIFF holds real' "${at[@]}" --like sent.npy "${grid[@]}" --kind iq -o a.tif
    fails 1 'no echo' "${at[@]}" --like sent.npy --t0 500 "${grid[@]}"
    fails 1 'no/such' "${at[@]}" --like no/such.npy
    fails 1 'no/such' "${at[@]}" --like sent.npy --record no/such.npy
    passes "$saccade" beamform --listen --help
    grep -q '^  --like' .out || fault "--listen --help does not list --like"
}

# What comes is what the file has, and so are the images: of frames alone and of several at once.
beamform_listen_gives_the_images_of_the_file() {
    sent_recording 6 4
    passes "$saccade" beamform sent.npy "${grid[@]}" --kind envelope -o file.npy
    listen_with beamform --like sent.npy "${grid[@]}" --kind envelope --frames 6 --policy wait -o live.npy \
        --record came.npy --json report.json --threads 2 || return
    send_recording --rate 200 --mtu 1500
    ended $listener || fault "the listener failed: $(cat .listening)"
    same sent.npy came.npy 'channel data'
    same file.npy live.npy 'images'
    grep -q '^  images  *6 in live.npy$' .listen || fault "says '$(cat .listen)'"
    grep -q '^  channel data  *6 in came.npy$' .listen || fault "says '$(cat .listen)'"
    grep -q '"shape": "2x4x500 f32"' report.json || fault "report.json: $(cat report.json)"
    ! grep -q copy_gb_s report.json || fault "a bandwidth that nobody measured: $(cat report.json)"
    passes "$saccade" beamform came.npy "${grid[@]}" --kind envelope -o again.npy # its metadata is whole
    same file.npy again.npy 'images of what was recorded'
}

# A pipe with the name of a file that grows gets it whole.
beamform_listen_into_a_pipe_gives_the_images_of_the_file() {
    sent_recording 6 4
    passes "$saccade" beamform sent.npy "${grid[@]}" --kind envelope -o file.npy
    mkfifo live.npy
    timeout 60 cat live.npy >got.npy &
    local reader=$!
    listen_with beamform --like sent.npy "${grid[@]}" --kind envelope --frames 6 --policy wait -o live.npy || return
    send_recording --rate 200
    ended $reader || fault "the reader failed"
    ended $listener || fault "the listener failed: $(cat .listening)"
    same file.npy got.npy 'images'
}

# Formats that are written as a whole at the end, from files without a name: the same as of files.
beamform_listen_writes_whole_files_like_those_of_files() {
    sent_recording 6 4
    local out record
    for out in uff tif; do
        record=came.$([ $out = uff ] && echo uff || echo h5)
        "$saccade" beamform sent.npy "${grid[@]}" --kind envelope -o file.$out >.out 2>.err || continue # a library lacks
        "$saccade" convert sent.npy like.h5 >.out 2>.err || continue
        listen_with beamform --like sent.npy "${grid[@]}" --kind envelope --frames 6 --policy wait -o live.$out \
            --record $record || return
        send_recording --rate 200
        ended $listener || fault "$out: the listener failed: $(cat .listening)"
        same file.$out live.$out 'images'
        passes "$saccade" convert $record again.npy
        same sent.npy again.npy "channel data of $record"
        ! ls -A | grep -q '^[.]saccade' || fault "left $(ls -A)"
    done
}

small_disk() { # small_disk SIZE: as full/
    mkdir -p full
    mount -t tmpfs -o size="$1" tmpfs full 2>/dev/null || skip "a small tmpfs cannot be mounted here"
    mounted=$work/full
}

# Where the disk has no more room for what is kept and for the file that is written of it, listening ends with both whole.
beamform_listen_with_a_full_disk_writes_what_came() {
    sent_recording 6 4
    small_disk 2m
    listen_with beamform --like sent.npy "${grid[@]}" --kind envelope --policy wait -o full/live.npy --record full/came.npy ||
        return
    send_recording --rate 400 --repeat 30
    ended $listener && fault "the listener did not fail"
    grep -q '^saccade: `full/came.npy.: the disk was full after [0-9]*, which are in it$' .listening ||
        fault "says '$(cat .listening)'"
    grep -q '^  channel data  *[0-9]* in full/came.npy; .* not, since the disk was full, which ended it$' .listen ||
        fault "says '$(cat .listen)'"
    passes "$saccade" convert full/came.npy first.npy --frames 0:6
    same sent.npy first.npy 'the first frames'
    [ "$(cd full && echo .[!.]* *)" = '.[!.]* came.json came.npy live.npy' ] || fault "full/ has: $(ls -A full)"
}

# Images that grow beside the channel data, and take more room than it does.
beamform_listen_whose_images_fill_the_disk_keeps_the_channel_data() {
    sent_recording 6 4
    local out
    small_disk 8m
    for out in npy h5; do
        "$saccade" convert sent.npy like.$out >.out 2>.err || continue # a library lacks
        listen_with beamform --like sent.npy --grid=-3:3:300,8:14:300 --threads 1 --kind envelope --policy wait \
            -o full/live.$out --record full/came.$out --json report.json || return
        send_recording --rate 200 --repeat 20
        ended $listener && fault "$out: the listener did not fail"
        grep -q "^saccade: .full/[a-z]*.$out.: the disk was full after [1-9][0-9]*, which are in it\$" .listening ||
            fault "$out: says '$(cat .listening)'"
        passes "$saccade" convert full/came.$out first.npy --frames 0:6
        same sent.npy first.npy "the first frames of $out"
        grep -q '"recorded": [1-9]' report.json || fault "$out: report.json: $(cat report.json)"
        [ -s full/live.$out ] || fault "$out: full/ has: $(ls -A full)"
        rm full/*
    done
}

# Nor do images on another disk take room of this one, nor 16 bits as many bytes as numbers of UFF.
beamform_listen_uses_the_room_that_there_is() {
    python3 -c '' 2>/dev/null || skip "no python3"
    sent_recording 6 4
    small_disk 2m
    if "$saccade" convert sent.npy like.uff >.out 2>.err; then
        listen_with beamform --like sent.npy "${grid[@]}" --kind envelope --policy wait -o full/live.uff --record came.npy ||
            return
        send_recording --rate 400 --repeat 20
        holds channel_data_is_there
        kill -TERM $listener
        ended $listener || fault "the listener failed: $(cat .listening)"
    fi
    umount full
    small_disk 3m
    python3 - <<'PY'
import array, json
d = open("sent.npy", "rb").read()
start = 10 + int.from_bytes(d[8:10], "little")
a = array.array("h", (int(v) % 1000 for v in array.array("f", d[start:])))
open("sent.npy", "wb").write(d[:start].replace(b"<f4", b"<i2") + a.tobytes())
meta = json.load(open("sent.json"))
meta.pop("samples", None)
json.dump(meta, open("sent.json", "w"))
PY
    listen_with beamform --like sent.npy "${grid[@]}" --policy wait --record full/came.npy || return
    send_recording --rate 400 --repeat 18
    holds channel_data_is_there
    kill -TERM $listener
    ended $listener || fault "of 16 bits: the listener failed: $(cat .listening)"
}

# Of a disk that has no room for the first, the message says that, and of another error which.
beamform_listen_says_why_nothing_more_was_kept() {
    sent_recording 6 4
    small_disk 900k
    listen_with beamform --like sent.npy "${grid[@]}" --policy wait -o full/live.npy --record full/came.npy || return
    send_recording --rate 400
    ended $listener && fault "the listener did not fail"
    local file
    for file in full/live.npy full/came.npy; do
        grep -q "^saccade: .$file.: the disk was full after 0\$" .listening || fault "says '$(cat .listening)'"
        grep -q " 0 in $file; .* not, since the disk was full, which ended it\$" .listen || fault "says '$(cat .listen)'"
    done
    [ -z "$(ls -A full)" ] || fault "left $(ls -A full)"
    printf '#!/bin/sh\ntrap "" XFSZ\nulimit -f 400\nexec "%s" "$@"\n' "$saccade" >limited # blocks of 512 bytes
    chmod +x limited
    saccade=./limited listen_with beamform --like sent.npy "${grid[@]}" --policy wait --record came.npy || return
    send_recording --rate 400 --repeat 4
    ended $listener && fault "the listener did not fail"
    grep -q '^saccade: .came.npy.: cannot be written: File too large$' .listening || fault "says '$(cat .listening)'"
    grep -q ' 12 in came.npy; .* not, since writing failed$' .listen || fault "says '$(cat .listen)'"
    passes "$saccade" convert came.npy first.npy --frames 0:6
    same sent.npy first.npy 'the first frames'
}

# The file of what is kept cannot be written: what is kept gets a name.
beamform_listen_that_cannot_write_loses_nothing() {
    sent_recording 6 4
    [ -d /proc/self/fd ] || skip "no /proc/PID/fd"
    small_disk 3m
    echo old >full/came.npy.raw
    listen_with beamform --like sent.npy "${grid[@]}" --policy wait --record full/came.npy --json report.json || return
    send_recording --rate 400
    local bytes=$((6 * 2 * 4 * 500 * 4))
    holds values_are_there $bytes
    head -c 4m /dev/zero >full/filler 2>/dev/null
    kill -TERM $listener
    ended $listener && fault "the listener did not fail"
    grep -q '^saccade: .full/came.npy.: cannot be written: No space left' .listening || fault "says '$(cat .listening)'"
    grep -q '`full/came.npy-2.raw`: 6 x 2 x 4 x 500 f32, without a header$' .listening || fault "says '$(cat .listening)'"
    grep -A1 '"recorded": 0' report.json | grep -q '"not_recorded": 6' || fault "report.json: $(cat report.json)"
    tail -c $bytes sent.npy >sent.raw
    same sent.raw full/came.npy-2.raw 'what is kept'
    [ "$(ls -A full | xargs)" = 'came.npy-2.raw came.npy.raw filler' ] || fault "full/ has: $(ls -A full)"
}

# Frames that come while the listener is halted wait, and are worked on together.
beamform_listen_of_frames_at_once_gives_the_same_images() {
    sent_recording 5 4
    passes "$saccade" beamform sent.npy "${grid[@]}" --kind envelope -o file.npy
    local most
    for most in 1 3 16; do
        listen_with beamform --like sent.npy "${grid[@]}" --kind envelope --frames 5 --policy wait --batch-max $most \
            -o live.npy --record came.npy || return
        kill -STOP $listener
        send_recording --rate 0
        kill -CONT $listener
        ended $listener || fault "the listener failed: $(cat .listening)"
        same file.npy live.npy "images, at most $most at once"
        same sent.npy came.npy 'channel data'
    done
}

beamform_listen_counts_what_was_sent() {
    python3 -c '' 2>/dev/null || skip "no python3"
    sent_recording 4
    local send=(--rate 400 --repeat 50 --fragments 5 --loss 0.02 --reorder 0.02 --duplicate 0.02 --truncate 0.02)
    passes "$saccade" simulate ultrasound --input sent.npy --to udp://127.0.0.1:9 "${send[@]}" --json before.json
    whole=$(python3 -c 'import json; r = json.load(open("before.json"))["rows"][0]; print(r["frames"] - r["hurt"])')
    listen_with beamform --like sent.npy "${grid[@]}" --frames "$whole" --policy wait -o live.npy --json came.json \
        --silence-exit 20 || return
    send_recording "${send[@]}" --json done.json
    ended $listener || fault "the listener failed: $(cat .listening)"
    python3 - <<'PY' || fault "the counts do not agree"
import json
came, sent = (json.load(open(n))["rows"][0] for n in ("came.json", "done.json"))
kinds = came["kinds"]
assert sum(kinds.values()) == came["datagrams"]
assert came["received"] == came["accepted"] + came["refused"]
assert came["accepted"] == came["processed"] + came["dropped"]
assert came["expected"] == came["whole"] + came["lost"]
assert came["written"] + came["not_written"] == came["processed"]
assert 0 < came["p50_ns"] <= came["p99_ns"] <= came["p999_ns"] <= came["max_ns"]
if came["kernel_dropped"] == 0:
    assert came["whole"] == sent["frames"] - sent["hurt"], (came["whole"], sent)
    assert kinds["truncated"] == sent["truncated"]
    assert kinds["stranger"] == kinds["foreign"] == kinds["damaged"] == kinds["wrong_shape"] == 0
PY
}

# Frames of another shape or type, and with samples that are no numbers: refused, counted and said; no file appears.
beamform_listen_refuses_frames_that_are_not_like_it() {
    sent_recording 2
    passes "$saccade" simulate ultrasound --elements 16 --samples 501 --transmits plane:2:5 --region=-2:2,9:13 -o like.npy
    listen_with beamform --like like.npy "${grid[@]}" -o live.npy --record came.npy --json report.json || return
    send_recording --rate 100
    holds channel_data_is_there
    kill -TERM $listener
    ended $listener && fault "exit 0 without a frame"
    grep -q 'datagrams\? of another shape or type than 2x16x501 f32 of --like like.npy; the last: 2x16x500 f32' .listen ||
        fault "says '$(cat .listen)'"
    grep -q '^saccade: warning: .*another shape or type' .listening || fault "warns '$(cat .listening)'"
    grep -q 'live.npy.: no frame came' .listening || fault "says '$(cat .listening)'"
    grep -q '"wrong_shape": 2,' report.json || fault "report.json: $(cat report.json)"
    [ ! -e live.npy ] && [ ! -e came.npy ] || fault "a file without a frame: $(ls)"
    cp sent.npy like.npy
    cp sent.json like.json
    python3 - <<'PY' || skip "no python3"
import struct
d = bytearray(open("sent.npy", "rb").read())
d[-4:] = struct.pack("<f", float("nan"))
open("sent.npy", "wb").write(d)
text = open("sent.json").read()
import json
meta = json.loads(text)
del meta["samples"]
open("sent.json", "w").write(json.dumps(meta))
PY
    listen_with beamform --like like.npy "${grid[@]}" --frames 2 --policy wait -o live.npy || return
    send_recording --rate 50
    ended $listener || fault "the listener failed: $(cat .listening)"
    grep -q '^  frames  *2 received = 1 accepted + 1 refused' .listen || fault "says '$(cat .listen)'"
    grep -q '1 frame with samples that are not finite' .listen || fault "says '$(cat .listen)'"
}

beamform_listen_ended_by_a_signal_keeps_its_files() {
    sent_recording 5 4
    local out
    for out in live.npy live.y4m live.pgm live-%02d.pgm; do
        listen_with beamform --like sent.npy "${grid[@]}" --policy wait -o $out --record came.npy || return
        send_recording --rate 100
        holds channel_data_is_there
        kill -TERM $listener
        ended $listener || fault "$out: the listener failed: $(cat .listening)"
        grep -q "^  images  *5 in $out\$" .listen || fault "says '$(cat .listen)'"
        grep -q '^  channel data  *5 in came.npy$' .listen || fault "says '$(cat .listen)'"
    done
    same sent.npy came.npy 'channel data'
    [ "$(head -c 10 live.y4m)" = 'YUV4MPEG2 ' ] && [ "$(grep -ao FRAME live.y4m | wc -l)" = 5 ] || fault "live.y4m is not whole"
    for out in live-0000.pgm live-0004.pgm live-00.pgm live-04.pgm; do
        [ "$(head -c 2 $out)" = P5 ] || fault "$out is not there: $(ls)"
    done
    [ ! -e live-0005.pgm ] || fault "a picture too many"
}

# Values go to the disk as they come: the process holds the file, which has no name until it is whole.
values_are_there() { # values_are_there BYTES: in a file that the listener holds
    local file
    for file in /proc/$listener/fd/*; do
        [ "$(stat -L -c %F:%h "$file" 2>/dev/null)" = "regular file:0" ] && [ "$(stat -L -c %s "$file")" -ge "$1" ] && return
    done
    return 1
}

beamform_listen_that_is_killed_leaves_no_file() {
    sent_recording 5 4
    [ -d /proc/self/fd ] || skip "no /proc/PID/fd"
    local out
    mkdir values
    for out in values/live.npy values/live.h5; do
        "$saccade" beamform sent.npy "${grid[@]}" -o one.h5 >.out 2>&1 || [ $out = values/live.npy ] || continue # no HDF5
        listen_with beamform --like sent.npy "${grid[@]}" --kind envelope --policy wait -o $out --record values/came.npy ||
            return
        send_recording --rate 100
        holds values_are_there $((5 * 21 * 23 * 4))
        holds values_are_there $((5 * 2 * 4 * 500 * 4)) # the channel data, too
        [ -z "$(ls -A values)" ] || fault "has a name before it is whole: $(ls -A values)"
        kill -KILL $listener
        ended $listener && fault "exit 0 of a program that was killed"
        [ -z "$(ls -A values)" ] || fault "left $(ls -A values)"
    done
}

# The sender has ended, and a listener that nothing more comes to has worked off what came: the loopback keeps none.
channel_data_is_there() {
    awk -v port=":$(printf '%04X' "$port")" 'index($2, port) { split($5, q, ":"); exit q[2] != "00000000" }' /proc/net/udp
}

# As frames of version 2, which say what they are.
beamform_listen_sends_images_on() {
    python3 -c '' 2>/dev/null || skip "no python3"
    sent_recording 3 4
    cat >display.py <<'PY'
import socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
s.settimeout(60)
print(s.getsockname()[1], flush=True)
images = b""
for i in range(3):
    d = s.recv(65536)
    assert d[:8] == b"SACF\2\0\0\x68", d[:8]
    assert struct.unpack(">Q", d[16:24])[0] == i
    assert d[44:46] == bytes([10, 2]) and struct.unpack(">4I", d[48:64]) == (23, 21, 0, 0), d[44:64]
    images += d[104:]
open("display.raw", "wb").write(images)
PY
    python3 display.py >.display 2>.display_err &
    local display=$!
    holds test -s .display
    listen_with beamform --like sent.npy "${grid[@]}" --kind envelope --frames 3 --policy wait -o live.npy \
        --to "udp://127.0.0.1:$(cat .display)" || return
    send_recording --rate 50
    ended $listener || fault "the listener failed: $(cat .listening)"
    ended $display || fault "the display failed: $(cat .display_err)"
    grep -q '^  sent on  *3 images to udp://' .listen || fault "says '$(cat .listen)'"
    tail -c $((3 * 23 * 21 * 4)) live.npy >live.raw
    same live.raw display.raw 'images in the file and on the way'
}

beamform_listen_with_a_key_takes_no_other() {
    sent_recording 5 4
    printf '%064d\n' 7 >key
    "$saccade" simulate ultrasound --input sent.npy --rate 0 --to udp://127.0.0.1:9 --key key >.out 2>.err || skip "$(cat .err)"
    listen_with beamform --like sent.npy "${grid[@]}" --key key --frames 5 --policy wait || return
    send_recording --rate 500
    send_recording --rate 500 --key key
    ended $listener || fault "the listener failed: $(cat .listening)"
    grep -q ' 5 no_tag' .listen || fault "wanted 5 no_tag: $(cat .listen)"
    grep -q '^  frames  *5 received' .listen || fault "wanted 5 frames: $(cat .listen)"
}
