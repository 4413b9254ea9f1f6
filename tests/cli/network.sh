# Tests of frames over a network: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

# Starts a command with --listen at a free port, with more options; its port is in $port.
listen_with() { # listen_with COMMAND OPTION...
    rm -f .listening # the one before's port
    "$saccade" "$1" --listen udp://127.0.0.1:0 --seconds 600 "${@:2}" >.listen 2>.listening &
    listener=$!
    local deadline=$((SECONDS + 30))
    until grep -q ' port [0-9]' .listening 2>/dev/null; do
        kill -0 $listener 2>/dev/null || {
            ! grep -q 'listen: ' .listening || skip "no socket here: $(cat .listening)"
            fault "does not listen: $(cat .listening)"
            return 1
        }
        [ $SECONDS -lt $deadline ] || fault "does not listen: $(cat .listening)"
        [ $SECONDS -lt $deadline ] || return 1
    done
    port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' .listening)
}

listen() { # listen OPTION...
    listen_with meltpool --calibration simulated "$@"
}

simulate_to_wrong_usage_exits_2() {
    fails 2 'without --to' "$saccade" simulate meltpool -o a.h5 --rate 5
    fails 2 'got both' "$saccade" simulate meltpool -o a.h5 --to udp://127.0.0.1:9
    fails 2 'got both' "$saccade" simulate meltpool --to udp://127.0.0.1:9 --mtu 1500 --fragments 2
    fails 2 'at least' "$saccade" simulate meltpool --to udp://127.0.0.1:9 --mtu 100
    fails 2 'no --layers' "$saccade" simulate meltpool --to udp://127.0.0.1:9 --input a.h5 --seed 2
    fails 2 'udp://HOST:PORT' "$saccade" simulate meltpool --to 127.0.0.1:9 --frames 9
    fails 2 'together' "$saccade" simulate meltpool --to udp://127.0.0.1:9 --frames 9 --loss 0.9 --reorder 0.2
    fails 1 'no/such' "$saccade" simulate meltpool --to udp://127.0.0.1:9 --frames 9 --input no/such.h5
    fails 1 'no/such' "$saccade" simulate meltpool --to udp://127.0.0.1:9 --frames 9 --json no/such.json
    echo 123 >key
    fails 1 '' "$saccade" simulate meltpool --to udp://127.0.0.1:9 --frames 9 --key key
}

# While the next frame is 50 s away.
simulate_to_ends_at_once_when_interrupted() {
    listen --frames 1 || return
    "$saccade" simulate meltpool --frames 9 --rate 0.02 --to "udp://127.0.0.1:$port" >.out 2>.err &
    local sender=$!
    ended $listener || fault "the listener failed: $(cat .listening)"
    kill -TERM $sender
    ended $sender || fault "exit $?: $(cat .err)"
    grep -q ': 1 frame of 96 x 96 in 1 datagram, ' .out || fault "says '$(cat .out)'"
}

meltpool_listen_wrong_usage_exits_2() {
    fails 2 'needs a value' "$saccade" meltpool --listen
    fails 2 'udp://HOST:PORT' "$saccade" meltpool --listen 127.0.0.1:9 --calibration pixels
    fails 2 'takes no input' "$saccade" meltpool --listen udp://127.0.0.1:0 a.h5
    fails 2 'numeric' "$saccade" meltpool --listen udp://127.0.0.1:0 --allow localhost --calibration pixels
    fails 2 'standard output' "$saccade" meltpool --listen udp://127.0.0.1:0 -o - --json -
    fails 2 'a.csv' "$saccade" meltpool --listen udp://127.0.0.1:0 -o a.csv --json a.csv
    fails 2 'written as' "$saccade" meltpool --listen udp://127.0.0.1:0 -o a
    fails 2 '--resident' "$saccade" meltpool --listen udp://127.0.0.1:0 --resident -1
    fails 2 '--latency-budget' "$saccade" meltpool --listen udp://127.0.0.1:0 --latency-budget -1
    fails 2 'no --batch-max' "$saccade" meltpool --listen udp://127.0.0.1:0 --batch-max 8 --latency-budget 50
    fails 2 '--silence-exit' "$saccade" meltpool --listen udp://127.0.0.1:0 --silence-exit -1
    fails 2 '--silence-exit' "$saccade" meltpool --listen udp://127.0.0.1:0 --silence-exit nan
    fails 2 '--policy' "$saccade" meltpool --listen udp://127.0.0.1:0 --policy none
    fails 2 '--threads' "$saccade" meltpool --listen udp://127.0.0.1:0 --threads 2
    fails 1 '1023' "$saccade" meltpool --listen udp://127.0.0.1:0 --calibration pixels --cpu 1023
    fails 1 'udp://192.0.2.1:5020' "$saccade" meltpool --listen udp://192.0.2.1:5020 --calibration pixels
    passes "$saccade" meltpool --listen --help
    grep -q '^  --allow' .out || fault "--listen --help does not list --allow"
}

meltpool_listen_without_a_calibration_does_not_predict() {
    has_json || skip "this build reads no models"
    fails 2 'no calibration' "$saccade" meltpool --listen udp://127.0.0.1:0
    fails 2 '--calibration FILE' "$saccade" meltpool --listen udp://127.0.0.1:0 --record a.h5 --json a.json
    printf '1 2 0\n2 4 0\n' >flat.txt
    fails 1 'flat.txt' "$saccade" meltpool --listen udp://127.0.0.1:0 --calibration flat.txt
    passes "$saccade" meltpool --listen --help
    grep -q 'pixels: they are pixels' .out || fault "--help does not tell of pixels"
    listen --locate brightest --frames 20 || return # where the laser does not locate, none is needed
    passes "$saccade" simulate meltpool --frames 20 --to "udp://127.0.0.1:$port"
    ended $listener || fault "the listener failed: $(cat .listening)"
}

# Micrometres taken for pixels: one line while it listens, one in the summary, one in the JSON.
meltpool_listen_with_the_laser_outside_warns_once() {
    need_hdf5
    local warning='in most frames the laser is outside the picture'
    listen --calibration pixels --frames 2500 --policy wait --json came.json --record frames.h5 || return
    passes "$saccade" simulate meltpool --frames 2500 --rate 5000 --to "udp://127.0.0.1:$port"
    ended $listener || fault "the listener failed: $(cat .listening)"
    [ "$(grep -c "^saccade: warning: $warning" .listening)" = 1 ] || fault "says '$(cat .listening)'"
    [ "$(grep -c "^  warning  *$warning" .listen)" = 1 ] || fault "says '$(cat .listen)'"
    [ "$(grep -c "\"warning\": \"$warning" came.json)" = 1 ] || fault "came.json: $(cat came.json)"
    grep -q '"calibration": "pixels"' came.json || fault "came.json: $(cat came.json)"
    listen --calibration pixels --frames 2500 --policy wait --json - || return
    passes "$saccade" simulate meltpool --frames 2500 --rate 5000 --to "udp://127.0.0.1:$port"
    ended $listener || fault "the listener failed: $(cat .listening)"
    [ "$(grep -c "^saccade: warning: $warning" .listening)" = 1 ] || fault "says '$(cat .listening)'"
}

# What the one side did is what the other counts. Faults are the same each time: those of the first run tell how many
# frames will come whole.
meltpool_listen_counts_what_was_sent() {
    python3 -c '' 2>/dev/null || skip "no python3"
    local send=("$saccade" simulate meltpool --frames 1500 --rate 3000 --loss 0.02 --reorder 0.02 --duplicate 0.02
        --truncate 0.02 --fragments 2)
    "${send[@]}" --to udp://127.0.0.1:9 --json before.json >.out 2>.err || skip "no socket here: $(cat .err)"
    whole=$(python3 -c 'import json; r = json.load(open("before.json"))["rows"][0]; print(r["frames"] - r["hurt"])')
    listen --frames "$whole" --policy wait -o records.csv --json came.json || return
    passes "${send[@]}" --to "udp://127.0.0.1:$port" --json sent.json
    ended $listener || fault "the listener failed: $(cat .listening)"
    python3 - <<'PY' || fault "the counts do not agree"
import json
came, sent = (json.load(open(n))["rows"][0] for n in ("came.json", "sent.json"))
kinds = came["kinds"]
assert sum(kinds.values()) == came["datagrams"]
assert came["received"] == came["accepted"] + came["refused"]
assert came["accepted"] == came["processed"] + came["empty"] + came["dropped"]
assert came["expected"] == came["whole"] + came["lost"]
lines = sum(1 for _ in open("records.csv")) - 1
assert lines == came["written"] and lines + came["not_written"] == came["processed"] + came["empty"]
if came["kernel_dropped"] == 0:
    assert came["whole"] == sent["frames"] - sent["hurt"], (came["whole"], sent)
    assert kinds["duplicate"] == sent["duplicated"] and kinds["truncated"] == sent["truncated"]
    assert kinds["stranger"] == kinds["foreign"] == kinds["damaged"] == 0
PY
}

meltpool_listen_ended_by_a_signal_keeps_its_records() {
    listen -o records.csv || return
    kill -INT $listener # which a shell has its background jobs ignore
    passes "$saccade" simulate meltpool --frames 300 --rate 3000 --to "udp://127.0.0.1:$port"
    kill -TERM $listener
    ended $listener || fault "the listener failed: $(cat .listening)"
    grep -q '^  frames ' .listen || fault "no summary: $(cat .listen)"
    written=$(sed -n 's/^  written *\([0-9]*\) .*/\1/p' .listen)
    [ "$written" -gt 0 ] || fault "ended by SIGINT: $(cat .listen)"
    [ "$(wc -l <records.csv)" = $((written + 1)) ] || fault "$(wc -l <records.csv) lines, $written records written"
}

# Ended while the kernel waits for frames: nothing that was accepted is missing.
meltpool_listen_on_cuda_ends_with_all_accounted_for() {
    "$saccade" info | grep -q '^cuda:0' || skip "no GPU, or a build without CUDA"
    local policy
    for policy in wait drop-newest drop-oldest; do
        listen --device cuda:0 --policy $policy -o records.csv || return
        passes "$saccade" simulate meltpool --frames 3000 --rate 10000 --to "udp://127.0.0.1:$port"
        kill -TERM $listener
        ended $listener || fault "the listener failed: $(cat .listening)"
        grep -q '^  device  *cuda:0' .listen || fault "says '$(cat .listen)'"
        sed -n 's/^  frames  *\([0-9]*\) received = \([0-9]*\) accepted + \([0-9]*\) refused$/\1 \2 \3/p' .listen >.frames
        sed -n 's/^  accepted  *\([0-9]*\) processed + \([0-9]*\) empty + \([0-9]*\) dropped;.*/\1 \2 \3/p' .listen >.accepted
        read -r received accepted refused <.frames
        read -r processed empty dropped <.accepted
        [ "$received" = $((accepted + refused)) ] || fault "$policy: $(cat .listen)"
        [ "$accepted" = $((processed + empty + dropped)) ] || fault "$policy: $(cat .listen)"
        [ "$refused" = 0 ] || fault "$policy: $(cat .listen)"
    done
}

# What is recorded is looked at again: but for the times, the records are the same.
meltpool_listen_recorded_gives_the_same_records() {
    need_hdf5
    listen --record frames.h5 -o records.csv --frames 300 || return
    passes "$saccade" simulate meltpool --frames 300 --rate 3000 --to "udp://127.0.0.1:$port"
    ended $listener || fault "the listener failed: $(cat .listening)"
    passes "$saccade" meltpool frames.h5 -o again.csv
    [ "$(wc -l <again.csv)" = 301 ] || fault "wanted 300 records, got $(wc -l <again.csv) lines"
    local columns=46
    ! has_json || columns=48
    for records in records again; do # LATE, 8 of the flags, is of the times
        awk -F, -v OFS=, -v n=$columns '{ if (NR > 1 && $2 % 16 >= 8) $2 -= 8; NF = n; print }' $records.csv >$records.flat
    done
    head -n 1 again.flat | grep -q ',keyhole_density$' || [ $columns = 46 ] || fault "no predictions: $(head -n 1 again.flat)"
    same records.flat again.flat 'as they came and from the file'
}

meltpool_listen_with_a_full_disk_keeps_the_other_file() {
    need_hdf5
    mkdir full
    mount -t tmpfs -o size=512k tmpfs full 2>/dev/null || skip "a small tmpfs cannot be mounted here"
    mounted=$work/full
    listen --record full/frames.h5 -o records.csv || return
    passes "$saccade" simulate meltpool --frames 1000 --rate 3000 --to "udp://127.0.0.1:$port"
    ended $listener && fault "the listener did not fail"
    grep -q 'full/frames.h5.: cannot be written' .listening || fault "wanted frames.h5, got $(cat .listening)"
    [ "$(wc -l <.listening)" = 2 ] || fault "wanted one error line, got $(cat .listening)"
    [ -z "$(ls -A full)" ] || fault "on the full disk remained: $(ls -A full)"
    written=$(sed -n 's/^  written *\([0-9]*\) .*/\1/p' .listen)
    [ "$(wc -l <records.csv)" = $((written + 1)) ] || fault "$(wc -l <records.csv) lines, $written records written"
}

meltpool_listen_with_a_key_takes_no_other() {
    printf '%064d\n' 7 >key
    "$saccade" simulate meltpool --frames 1 --to udp://127.0.0.1:9 --key key >.out 2>.err || skip "$(cat .err)"
    listen --key key --frames 100 || return
    passes "$saccade" simulate meltpool --frames 50 --to "udp://127.0.0.1:$port"
    passes "$saccade" simulate meltpool --frames 100 --rate 3000 --to "udp://127.0.0.1:$port" --key key
    ended $listener || fault "the listener failed: $(cat .listening)"
    grep -q ' 50 no_tag' .listen || fault "wanted 50 no_tag: $(cat .listen)"
    grep -q '50 datagrams without a tag' .listen || fault "does not say what to do: $(cat .listen)"
    grep -q '^  frames  *100 received' .listen || fault "wanted 100 frames: $(cat .listen)"
}

# Each kind of trouble with a key, and with the size, is told apart.
meltpool_listen_tells_what_is_wrong_with_key_or_size() {
    printf '%064d\n' 7 >key
    printf '%064d\n' 8 >other
    "$saccade" simulate meltpool --frames 1 --to udp://127.0.0.1:9 --key key >.out 2>.err || skip "$(cat .err)"
    listen --key key --silence-exit 5 || return
    passes "$saccade" simulate meltpool --frames 20 --to "udp://127.0.0.1:$port" --key other
    ended $listener || fault "the listener failed: $(cat .listening)"
    grep -q '20 datagrams with a wrong tag: has the sender the same --key' .listen || fault "says '$(cat .listen)'"
    listen --silence-exit 5 --json came.json || return
    passes "$saccade" simulate meltpool --frames 20 --to "udp://127.0.0.1:$port" --key key
    ended $listener || fault "the listener failed: $(cat .listening)"
    grep -q '20 datagrams with a tag, and no --key' .listen || fault "says '$(cat .listen)'"
    grep -q '"unexpected_tag": *20' came.json || fault "JSON has '$(cat came.json)'"
    listen --silence-exit 5 --size 200x100 || return
    passes "$saccade" simulate meltpool --frames 20 --to "udp://127.0.0.1:$port"
    ended $listener || fault "the listener failed: $(cat .listening)"
    grep -q '20 datagrams of another size than --size 200x100; the last: 96x96' .listen || fault "says '$(cat .listen)'"
    listen --silence-exit 5 --size 64x48 || return
    passes "$saccade" simulate meltpool --frames 20 --to "udp://127.0.0.1:$port"
    ended $listener || fault "the listener failed: $(cat .listening)"
    grep -q '20 datagrams longer than a frame of --size 64x48' .listen || fault "says '$(cat .listen)'"
}

# Nothing but the silence ends it; on a terminal the line says how long it has lasted.
meltpool_listen_ends_after_a_silence() {
    listen --seconds 0 --silence-exit 4 --json came.json || return
    passes "$saccade" simulate meltpool --frames 300 --rate 3000 --to "udp://127.0.0.1:$port"
    ended $listener || fault "the listener failed: $(cat .listening)"
    grep -q '^  frames  *300 received' .listen || fault "wanted 300 frames: $(cat .listen)"
    grep -q '"silent_ns": *[4-9][0-9]\{9\}' came.json || fault "JSON has '$(cat came.json)'"
    command -v script >/dev/null || skip "no script(1), which makes a terminal"
    timeout 60 script -qec "'$saccade' meltpool --listen udp://127.0.0.1:0 --calibration simulated --silence-exit 4" \
        /dev/null >.out 2>.err || fault "exit $?: $(cat .out)"
    grep -q 'silent for [23] s' .out || fault "the line says '$(tail -c 500 .out)'"
}
