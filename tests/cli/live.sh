# Tests of saccade send and receive: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2034,SC2086,SC2154 # $saccade and $mounted are cli_test.sh's; words are split

need_live() { # else this build has no saccade-live
    [ -x "$(dirname "$saccade")/saccade-live" ] || skip "this build has no saccade-live"
    unset DISPLAY WAYLAND_DISPLAY
}

sdv() { # sdv NAME W H N: NAME.gray, of N frames of little noise, and NAME.sdv, exactly that at 50 frames/s
    tr -dc a-m </dev/urandom | head -c $(($2 * $3 * $4)) >"$1.gray"
    passes "$saccade" delta encode "$1.gray" --size "$2x$3" --rate 50 --threshold 0 -o "$1.sdv"
}

waits() { # waits ID FILE: until it waits at a port, which is then in $port
    port=
    until port=$(sed -n 's/.*waiting at port \([0-9]*\)$/\1/p' "$2") && [ "$port" ]; do
        kill -0 "$1" 2>/dev/null || { fault "does not wait: $(cat "$2")" && return 1; }
    done
}

receive() { # receive URI OPTION...: in the background; its id is in $receiver
    : >.receiving
    "$saccade" receive "$@" >.received 2>.receiving </dev/null &
    receiver=$!
    [[ $1 != *://:0 ]] || waits $receiver .receiving
}

send() { # send SOURCE URI OPTION...: the same; its id is in $sender
    : >.sending
    "$saccade" send "$1" --to "$2" "${@:3}" >.sent 2>.sending </dev/null &
    sender=$!
    [[ $2 != *://:0 ]] || waits $sender .sending
}

resident() { # resident ID: kB of memory that it has
    awk '/^VmRSS:/ { print $2 }' "/proc/$1/status"
}

will_say() { # will_say FILE WORDS: waits for them, a minute at most
    holds grep -q -- "$2" "$1" || fault "$1 says '$(cat "$1")'"
}

both_end() { # the sender, and then the receiver, without a failure
    ended $sender || fault "the sender failed: $(cat .sending)"
    ended $receiver || fault "the receiver failed: $(cat .receiving)"
}

# Sends FILE.sdv, of N frames, to a receiver with more options.
pass_on() { # pass_on SCHEME FILE N OPTION...
    receive "$1://:0" --frames "$3" --silence-exit 30 "${@:4}"
    send "$2" "$1://127.0.0.1:$port" --threshold "${threshold:-0}"
    both_end
}

decoded() { # decoded FILE.sdv OUT
    passes "$saccade" delta decode "$1" -o "$2"
}

send_wrong_usage_exits_2() {
    local to='--to tcp://127.0.0.1:9'
    fails 2 'no input' "$saccade" send $to
    fails 2 'no address' "$saccade" send test
    fails 2 'tcp://HOST:PORT' "$saccade" send test --to 127.0.0.1:9
    for at in http TCP; do fails 2 'tcp://HOST:PORT' "$saccade" send test --to $at://127.0.0.1:9; done
    fails 2 'tcp://HOST:PORT' "$saccade" send test --to tcp://127.0.0.1
    fails 2 'tcp://HOST:PORT' "$saccade" send test --to tcp://127.0.0.1:99999
    fails 2 'also b' "$saccade" send a b $to
    fails 2 'ftp://a/b' "$saccade" send ftp://a/b $to
    fails 2 '--loop' "$saccade" send test --loop $to
    fails 2 '--list' "$saccade" send test --list
    fails 2 '--threshold' "$saccade" send test --threshold 300 $to
    fails 2 '--brightness' "$saccade" send test --brightness 101 $to
    fails 2 '--denoise' "$saccade" send test --denoise much $to
    for size in 0x8 8192x8193; do fails 2 '--size' "$saccade" send test --size $size $to; done
    : >film
    fails 2 'read' "$saccade" send film $to --json film
}

receive_wrong_usage_exits_2() {
    fails 2 'no address' "$saccade" receive
    fails 2 'tcp://HOST:PORT' "$saccade" receive 5000
    fails 2 'also' "$saccade" receive tcp://:9 tcp://:8
    fails 2 '.mkv' "$saccade" receive tcp://:9 -o a.avi
    fails 2 '--view' "$saccade" receive tcp://:9 --view colors
    fails 2 '--silence-exit' "$saccade" receive tcp://:9 --silence-exit -1
    fails 2 'a.sdv' "$saccade" receive tcp://:9 -o a.sdv --json a.sdv
    : >secret.sdv
    fails 2 'read' "$saccade" receive tcp://:9 -o secret.sdv --passphrase-file secret.sdv
}

send_bad_input_exits_1() {
    fails 1 'No such file' "$saccade" send none.mp4 --to tcp://:9
    fails 1 '--list' "$saccade" send /dev/video-none --to tcp://:9
    fails 1 'played' "$saccade" send . --to tcp://:9
    fails 1 'none.txt' "$saccade" send test --to tcp://:9 --passphrase-file none.txt
    fails 1 'no/such' "$saccade" send test --to tcp://:9 --json no/such.json
    fails 1 'no/such' "$saccade" receive tcp://:9 -o no/such.sdv
    need_live
    fails 1 'rtsp://127.0.0.1:9/a: ' "$saccade" send rtsp://127.0.0.1:9/a --to tcp://127.0.0.1:9 --seconds 30
    echo 'no film' >film.mp4
    receive tcp://:0
    send film.mp4 "tcp://127.0.0.1:$port" # it is read once a receiver is there
    ended $sender && fault "a text was sent as a film"
    tail -n 1 .sending | grep -q '^saccade: film.mp4: ' || fault "says '$(cat .sending)'"
    kill -TERM $receiver
    ended $receiver && fault "a receiver of nothing did not fail"
    grep -q 'no frame came' .receiving || fault "says '$(cat .receiving)'"
}

# Not when the other side comes, hours later.
live_options_are_checked_at_the_start() {
    need_live
    fails 1 'expected a name of' "$saccade" receive tcp://:0 --variant none-such
    fails 1 'expected a name of' "$saccade" send test --to tcp://:0 --variant none-such
    [ -e /dev/nvidia0 ] && skip_part "a GPU is here, which --device cuda would take" && return
    fails 1 '--device' "$saccade" receive tcp://:0 --device cuda
    fails 1 '--device' "$saccade" send test --to tcp://:0 --device cuda
}

send_shows_no_password() {
    need_live
    local at=rtsp://me:secret@127.0.0.1:9/a shown='rtsp://me:***@127.0.0.1:9/a'
    fails 2 "$shown" "$saccade" send $at --to tcp://127.0.0.1:9 --loop
    send $at tcp://127.0.0.1:9 --json sent.json
    ended $sender && fault "a server that is not there sent something"
    ! grep -q secret .sending .sent sent.json || fault "shows the password: $(cat .sending .sent sent.json)"
    grep -qF "saccade: $shown: " .sending || fault "says '$(cat .sending)'"
    [ "$(grep -cF "\"$shown\"" sent.json)" -eq 2 ] || fault "JSON has '$(cat sent.json)'" # command, and source
}

send_frames_too_large_to_receive_exit_1() {
    need_live
    printf 'YUV4MPEG2 W8200 H8200 F25:1 Ip A1:1 C420jpeg\nFRAME\n' >big.y4m
    truncate -s 110M big.y4m
    receive tcp://:0
    send big.y4m "tcp://127.0.0.1:$port"
    ended $sender && fault "frames of 8200x8200 were sent"
    kill -TERM $receiver
    ended $receiver
    ! grep -q 'GStreamer can decode here\|GStreamer has no ' .sending || skip "GStreamer has no y4mdec (gstreamer1.0-plugins-bad)"
    grep -q '^saccade: big.y4m: has frames of 8200x8200 pixels' .sending || fault "says '$(cat .sending)'"
}

# A copy of the command alone, as without GStreamer's package.
live_without_its_program_says_what_is_missing() {
    cp "$saccade" alone
    fails 1 'gstreamer1.0-saccade' ./alone send test --to tcp://127.0.0.1:9
    fails 1 'gstreamer1.0-saccade' ./alone receive tcp://:9
    fails 2 'no address' ./alone receive
    passes ./alone send --help
}

send_lists_cameras_or_says_that_there_are_none() {
    need_live
    passes "$saccade" send --list
    grep -Eq '^(no camera|/dev/|\(no path)' .out || fault "says '$(cat .out)'"
}

# What a receiver records is what left, to the byte, over each transport.
live_records_what_was_sent() {
    need_live
    sdv a 64 48 30
    local scheme
    for scheme in tcp udp srt; do
        if [ $scheme = srt ] && "$saccade" receive srt://:0 --seconds 0.1 2>&1 | grep -q 'this build has no'; then
            skip_part "this build has no SRT"
            continue
        fi
        pass_on $scheme a.sdv 30 -o b.sdv
        decoded b.sdv b.gray
        same a.gray b.gray "sent over $scheme and recorded"
        grep -q ': 30 frames of 64x48x1 ' .received || fault "$scheme: says '$(cat .received)'"
        grep -q 'written .*30 packets, 0 not' .received || fault "$scheme: says '$(cat .received)'"
        grep -Eq 'latency  *p50 .* p99 .* clock offset' .received || fault "$scheme: says '$(cat .received)'"
    done
}

live_packets_go_to_standard_output() {
    need_live
    sdv a 64 48 30
    pass_on udp a.sdv 30 -o b.sdv
    pass_on tcp a.sdv 30 -o -
    same b.sdv .received 'recorded and on standard output'
    fails 2 'standard output' "$saccade" receive tcp://:9 -o - --json -
}

live_y4m_is_what_the_packets_decode_to() {
    need_live
    sdv a 64 48 30
    decoded a.sdv a.y4m
    pass_on tcp a.sdv 30 -o b.y4m
    same a.y4m b.y4m "decoded and received"
}

live_error_is_within_the_threshold() {
    need_live
    local worst
    sdv a 64 48 20
    threshold=9 pass_on udp a.sdv 20 -o b.sdv
    decoded b.sdv b.gray
    worst=$(cmp -l a.gray b.gray | awk '
        function level(octal) { return substr(octal, length(octal)) + 8 * int(octal / 10 % 10) + 64 * int(octal / 100) }
        { d = level($2) - level($3); d = d < 0 ? -d : d; worst = d > worst ? d : worst }
        END { print worst + 0 }')
    case $worst in
    [1-9]) ;;
    *) fault "off by $worst at most, wanted 1 to 9" ;;
    esac
    [ "$(wc -c <a.gray)" = "$(wc -c <b.gray)" ] || fault "$(wc -c <b.gray) bytes, wanted $(wc -c <a.gray)"
}

# A film by whatever encoder is there; of a test picture, since a codec wants a size of its own.
live_frames_go_to_standard_output() {
    need_live
    "$saccade" send test --to - --size 320x240 2>.sending | head -c 500000 >a.y4m
    head -1 a.y4m | grep -q '^YUV4MPEG2 W320 H240 F30:1 Ip A1:1 C4' || fault "begins with '$(head -c 80 a.y4m)': $(cat .sending)"
    [ "$(wc -c <a.y4m)" = 500000 ] || fault "$(wc -c <a.y4m) bytes came: $(cat .sending)"
    fails 2 'goes without --threshold' "$saccade" send test --to - --threshold 3
    fails 2 'goes without --json' "$saccade" send test --to - --json -
    echo nonsense >a.mp4
    fails 1 'a.mp4: ' "$saccade" send a.mp4 --to -
    fails 1 'No such file' "$saccade" send none.mp4 --to -
}

live_films_have_all_frames() {
    need_live
    local film
    for film in a.mkv a.mp4; do
        receive tcp://:0 -o $film --frames 40 || { skip_part "$(cat .receiving)" && continue; }
        send test "tcp://127.0.0.1:$port" --size 320x240 --fps 50
        if ! ended $receiver; then
            grep -q 'GStreamer has nothing here that writes' .receiving || fault "the receiver failed: $(cat .receiving)"
            kill -TERM $sender && ended $sender
            skip_part "$(cat .receiving)"
            continue
        fi
        kill -TERM $sender
        ended $sender || fault "the sender failed: $(cat .sending)"
        [ -s $film ] || fault "no $film: $(cat .receiving)"
        grep -Eq 'written .*: 40 frames by [a-z0-9]+enc, which are not exact, 0 not' .received || fault "says '$(cat .received)'"
        command -v ffprobe >/dev/null || { skip_part "no ffprobe, which counts frames of films" && continue; }
        [ "$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 $film)" = 40 ] ||
            fault "$film: $(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 $film) frames"
    done
}

# What was written before the disk was full is kept, and can be read.
live_full_disk_ends_the_recording() {
    need_live
    local words
    mkdir full
    mount -t tmpfs -o size=300k tmpfs full 2>/dev/null || skip "a small tmpfs cannot be mounted here"
    mounted=$work/full
    send test tcp://:0 --size 320x240 --fps 200 --threshold 0
    receive "tcp://127.0.0.1:$port" -o full/a.sdv
    ended $receiver && fault "a full disk is no failure"
    grep -q '^saccade: full/a.sdv: .*No space left' .receiving || fault "says '$(cat .receiving)'"
    "$saccade" delta info full/a.sdv >.out 2>.err
    grep -Eq '^full/a.sdv: [0-9]+ frames of 320x240x3' .out || fault "says '$(cat .out .err)'"
    rm full/a.sdv
    # While it is written, and where only its end does not fit.
    for words in 'No space left' 'too little space is left to complete it'; do
        [ "$words" = 'No space left' ] || set -- --frames 150
        receive "tcp://127.0.0.1:$port" -o full/a.mp4 "$@"
        ended $receiver && fault "a film that is not complete is no failure"
        ! grep -q 'GStreamer has nothing here that writes' .receiving || { skip_part "$(cat .receiving)" && break; }
        grep -q "^saccade: .full/a.mp4.: $words" .receiving || fault "says '$(cat .receiving)'"
        grep -q 'written .*: at most ' .received || fault "says '$(cat .received)'"
        command -v ffprobe >/dev/null || { skip_part "no ffprobe, which counts frames of films" && continue; }
        [ "0$(ffprobe -v quiet -count_frames -show_entries stream=nb_read_frames -of csv=p=0 full/a.mp4)" -gt 0 ] ||
            fault "$words: has no frame that can be played"
    done
    kill -TERM $sender
    ended $sender || fault "the sender failed: $(cat .sending)"
}

# By either signal; what has come is there, and whole.
live_interrupted_leaves_whole_files() {
    need_live
    local out signal=INT
    send test tcp://:0 --size 160x120 --fps 50
    for out in a.sdv a.y4m; do
        # A shell has its background jobs ignore SIGINT.
        env --default-signal=INT "$saccade" receive "tcp://127.0.0.1:$port" -o $out >.received 2>.receiving </dev/null &
        receiver=$!
        holds test -s $out
        kill -$signal $receiver
        ended $receiver || fault "$signal: the receiver failed: $(cat .receiving)"
        grep -q ' frames\? of 160x120x3 ' .received || fault "$signal: says '$(cat .received)'"
        signal=TERM
    done
    kill -TERM $sender
    ended $sender || fault "the sender failed: $(cat .sending)"
    passes "$saccade" delta info a.sdv
    passes "$saccade" heatmap a.y4m -o heat.y4m
}

live_killed_recordings_can_be_read() {
    need_live
    send test tcp://:0 --size 160x120 --fps 50
    receive "tcp://127.0.0.1:$port" -o a.sdv
    holds test -s a.sdv
    kill -KILL $receiver
    ended $receiver 2>/dev/null
    kill -TERM $sender
    ended $sender || fault "the sender failed: $(cat .sending)"
    "$saccade" delta info a.sdv >.out 2>.err
    grep -Eq '^a.sdv: [0-9]+ frames? of 160x120x3' .out || fault "says '$(cat .out .err)'"
}

# The receiver waits for the next sender; what is recorded has the frames of both.
live_receiver_goes_on_with_the_next_sender() {
    need_live
    sdv a 64 48 20
    sdv b 64 48 20
    receive udp://:0 -o c.sdv --frames 40
    send a.sdv "udp://127.0.0.1:$port" --threshold 0
    ended $sender || fault "the first sender failed: $(cat .sending)"
    will_say .receiving 'has ended; waiting for the next'
    send b.sdv "udp://127.0.0.1:$port" --threshold 0
    both_end
    decoded c.sdv c.gray
    cat a.gray b.gray | cmp -s - c.gray || fault "recorded are not the frames of both"
}

# A sender that waits serves who comes, each from a keyframe on.
live_receivers_come_and_go() {
    need_live
    local i
    send test udp://:0 --size 160x120 --fps 50 --json sent.json
    for i in 1 2; do
        receive "udp://127.0.0.1:$port" --frames 10
        ended $receiver || fault "receiver $i failed: $(cat .receiving)"
        grep -q ': 10 frames of 160x120x3 ' .received || fault "receiver $i says '$(cat .received)'"
    done
    kill -TERM $sender
    ended $sender || fault "the sender failed: $(cat .sending)"
    grep -q '"receivers": 2' sent.json || fault "JSON has '$(grep receivers sent.json)'"
}

# The first receiver leaves after 20 rounds of the film, the second after 200 more.
live_film_that_loops_takes_no_more_memory() {
    need_live
    local before after
    sdv a 640 1440 3
    passes "$saccade" delta encode a.gray --size 640x480 --format rgb --rate 1000 -o b.sdv
    # What is freed shall be free at once, under the address sanitizer, too.
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=4 send b.sdv tcp://:0 --loop
    receive "tcp://127.0.0.1:$port" --frames 60
    ended $receiver || fault "the first receiver failed: $(cat .receiving)"
    before=$(resident $sender)
    receive "tcp://127.0.0.1:$port" --frames 600
    ended $receiver || fault "the second receiver failed: $(cat .receiving)"
    after=$(resident $sender)
    kill -TERM $sender
    ended $sender || fault "the sender failed: $(cat .sending)"
    # 200 rounds that kept a frame each would be 180 MB, and so would as many threads or decoders.
    [ $after -le $((before + 150000)) ] || fault "$before kB became $after kB"
}

live_json_is_well_formed() {
    need_live
    python3 -c '' 2>/dev/null || skip "no python3"
    receive tcp://:0 --frames 120 --json came.json
    send test "tcp://127.0.0.1:$port" --size 160x120 --fps 50 --json sent.json
    ended $receiver || fault "the receiver failed: $(cat .receiving)"
    kill -TERM $sender
    ended $sender || fault "the sender failed: $(cat .sending)"
    python3 - <<'PY' || fault "JSON is not as it should be"
import json
came, sent = (json.load(open(n)) for n in ("came.json", "sent.json"))
assert came["command"][0] == "saccade", came["command"]
for one in came, sent:
    rows = one["rows"]
    assert len(rows) >= 2, len(rows)
    assert rows[0]["shape"] == "160x120x3" and rows[0]["frames"] > 0 and rows[0]["ratio"] > 1
    assert all(r["seconds"] > 0.5 and "mbit_s" in r for r in rows[1:])
assert {"latency_p50_ns", "latency_p99_ns", "clock_offset_ns", "lost", "repaired"} <= came["rows"][0].keys()
assert came["rows"][0]["latency_p50_ns"] > 0
assert {"clients", "resent", "dropped", "skipped"} <= sent["rows"][1].keys()
PY
}

live_passphrases_must_agree() {
    need_live
    "$saccade" info | grep -q '^libsodium  *[0-9]' || skip "this build has no libsodium"
    echo 'a long passphrase' >one
    echo 'another passphrase' >other
    receive tcp://:0 --passphrase-file one --frames 5
    fails 1 'passphrase' "$saccade" send test --to "tcp://127.0.0.1:$port" --passphrase-file other --seconds 30
    fails 1 'passphrase' "$saccade" send test --to "tcp://127.0.0.1:$port" --seconds 30
    send test "tcp://127.0.0.1:$port" --size 160x120 --passphrase-file one
    ended $receiver || fault "the receiver failed: $(cat .receiving)"
    grep -q 'refused' .receiving || fault "says '$(cat .receiving)'"
    kill -TERM $sender
    ended $sender || fault "the sender failed: $(cat .sending)"
}

# From either side; the picture is white at the end.
live_controls_change_the_picture() {
    need_live
    mkfifo lines
    send test tcp://:0 --size 64x48 --fps 50 --threshold 0
    "$saccade" receive "tcp://127.0.0.1:$port" -o a.sdv >.received 2>.receiving <lines &
    receiver=$!
    exec 3>lines
    will_say .receiving 'is connected'
    printf 'a\0b\nhue 3\nbrightness much\nbrightness\nbrightness 100\n%600s' >&3
    will_say .sending 'from a receiver: brightness 100'
    for word in '`hue`' 'brightness: expected' 'brightness 10`, got `brightness`' 'more than 511 bytes'; do
        will_say .receiving "$word"
    done
    local before
    holds test -s a.sdv
    before=$(wc -c <a.sdv)
    holds eval '[ "$(wc -c <a.sdv)" -gt '$((before + 1000))' ]'
    exec 3>&-
    kill -TERM $receiver
    ended $receiver || fault "the receiver failed: $(cat .receiving)"
    kill -TERM $sender
    ended $sender || fault "the sender failed: $(cat .sending)"
    decoded a.sdv a.raw
    [ "$(tail -c 9216 a.raw | tr -d '\377' | wc -c)" -eq 0 ] || fault "the last frame is not white"
    receive tcp://:0 -o b.sdv --frames 3 # what the command line says, and lines at the sender
    echo 'contrast 1' | "$saccade" send test --size 64x48 --brightness -100 --to "tcp://127.0.0.1:$port" \
        >.sent 2>.sending &
    sender=$!
    ended $receiver || fault "the receiver failed: $(cat .receiving)"
    will_say .sending 'contrast 1'
    kill -TERM $sender
    ended $sender || fault "the sender failed: $(cat .sending)"
    decoded b.sdv b.raw
    [ "$(tr -d '\000' <b.raw | wc -c)" -eq 0 ] || fault "the frames are not black"
}

live_views_are_those_of_the_commands() {
    need_live
    sdv a 64 48 20
    decoded a.sdv a.y4m
    local view
    for view in heat noise; do
        pass_on tcp a.sdv 20 -o $view.y4m --view $view
        passes "$saccade" ${view/heat/heatmap} a.gray --size 64x48 -o command.y4m
        cmp <(tail -n +2 command.y4m) <(tail -n +2 $view.y4m) || fault "--view $view is not the command's"
    done
}

receive_without_a_display_shows_nothing_and_exits_1() {
    need_live
    fails 1 '--show: no window' "$saccade" receive tcp://127.0.0.1:9 --show --seconds 30
}

live_tells_what_it_waits_for() {
    need_live
    send test udp://no..host:9 --size 64x48
    will_say .sending '^saccade: warning: no..host: .*; trying again$'
    kill -TERM $sender
    ended $sender
    receive tcp://no..host:9
    will_say .receiving '^saccade: warning: no..host: .*; trying again$'
    kill -TERM $receiver
    ended $receiver
    receive tcp://127.0.0.1:9 --silence-exit 7 # where nobody is
    send test udp://127.0.0.1:9 --size 64x48 --seconds 7
    ended $receiver && fault "a receiver of nothing did not fail"
    ended $sender && fault "a sender to nobody did not fail"
    grep -q 'nothing was sent' .sending || fault "says '$(cat .sending)'"
    grep -q 'warning: no frame for 5 s: waiting for a sender' .receiving || fault "says '$(cat .receiving)'"
    grep -q 'warning: no receiver at udp://' .sending || fault "says '$(cat .sending)'"
}

# In place of the element for cameras stands one that is unplugged after 20 frames, and then cannot be opened once.
live_camera_that_is_unplugged_is_awaited() {
    need_live
    [ -e "${FAKE_CAMERA:-}" ] || skip "no camera that can be unplugged"
    local folder plugin
    folder=$(pkg-config --variable=pluginsdir gstreamer-1.0)
    mkdir plugins
    for plugin in "$folder"/libgst{coreelements,playback,typefindfunctions,videoconvert*}.so; do
        ln -s "$plugin" plugins/
    done
    ln -s "$FAKE_CAMERA" plugins/
    export GST_PLUGIN_SYSTEM_PATH=$work/plugins GST_REGISTRY=$work/registry.bin GST_REGISTRY_FORK=no
    receive tcp://:0 --frames 60 --silence-exit 30
    send /dev/null "tcp://127.0.0.1:$port" --size 600x500 --fps 50
    ended $receiver || fault "the receiver failed: $(cat .receiving) $(cat .sending)"
    kill -TERM $sender
    ended $sender || fault "the sender failed: $(cat .sending)"
    grep -q ': 60 frames of 640x480x3 ' .received || fault "says '$(cat .received)'"
    grep -q '/dev/null: the device is gone; trying again until it is back' .sending || fault "says '$(cat .sending)'"
    grep -q '/dev/null is back' .sending || fault "says '$(cat .sending)'"
    grep -q 'source  *lost 1 time' .sent || fault "says '$(cat .sent)'"
}

live_rtsp_server_that_goes_away_is_awaited() {
    need_live
    [ -x "${RTSP_SERVER:-}" ] || skip "no RTSP server (libgstrtspserver-1.0-dev)"
    local server at
    "$RTSP_SERVER" 0 >port 2>.server &
    server=$!
    holds test -s port
    at=rtsp://127.0.0.1:$(cat port)/test
    receive tcp://:0 -o a.sdv --silence-exit 50
    send "$at" "tcp://127.0.0.1:$port" --threshold 0
    holds test -s a.sdv
    kill $server
    will_say .sending "$at: .*; trying again until it is back"
    "$RTSP_SERVER" "$(cat port)" >port.again 2>.server &
    server=$!
    will_say .sending "$at is back"
    kill -TERM $receiver $sender
    both_end
    kill $server
    grep -q ' of 160x120x3 ' .received || fault "says '$(cat .received)'"
    passes "$saccade" delta info a.sdv
}
