# Tests of saccade heatmap, noise, denoise, adjust and delta: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

# bytes N FIRST: N repeatable bytes
bytes() {
    seq "$2" 999999 | head -c "$1"
}

# y4m FILE W H CHROMA BYTES...: a frame of so many bytes each
y4m() {
    local file=$1 n i=1
    printf 'YUV4MPEG2 W%d H%d F25:1 Ip C%s\n' "$2" "$3" "$4" >"$file"
    shift 4
    for n in "$@"; do
        { printf 'FRAME\n' && bytes "$n" $((i++)); } >>"$file"
    done
}

motion_wrong_usage_exits_2() {
    y4m a.y4m 4 2 444 24 24
    mkdir folder
    bytes 24 1 >a.dat
    for command in heatmap noise denoise adjust; do
        fails 2 'no input' "$saccade" $command -o b.y4m
        fails 2 '2 inputs need a folder' "$saccade" $command a.y4m a.y4m -o b.y4m
        fails 2 'one output' "$saccade" $command a.y4m a.y4m -o b/
        fails 2 'go alone' "$saccade" $command a.y4m folder -o b/
        fails 2 'standard input' "$saccade" $command a.y4m - -o b/
        fails 2 'folder' "$saccade" $command 'a.y*' -o b.y4m
        fails 1 'no file has a name like this' "$saccade" $command 'x*.y4m' -o b/
        fails 2 'no output' "$saccade" $command a.y4m
        fails 2 'is read, and would be written over' "$saccade" $command a.y4m -o a.y4m
        fails 2 'is read, and would be written over' "$saccade" $command a.y4m -o b.y4m --json a.y4m
        fails 2 'standard output' "$saccade" $command a.y4m -o - --json -
        fails 2 'ending' "$saccade" $command a.y4m -o b
        fails 2 'b.y4m can take one' "$saccade" $command a.y4m -o b.y4m --json b.y4m
        fails 2 'is read, and would be written over' "$saccade" $command folder -o folder/
        fails 2 'is read, and would be written over' "$saccade" $command a-%d.ppm -o a-%d.ppm
        fails 2 '%04d' "$saccade" $command a.y4m -o b-%s.ppm
        fails 2 'their size' "$saccade" $command a.dat -o b.y4m
        fails 2 'see --size WxH' "$saccade" $command a.dat -o b.y4m
        fails 2 '0 to 16384' "$saccade" $command a.dat --size 99999999999x2 -o b.y4m
        fails 2 '--size' "$saccade" $command a.dat --size 4y2 -o b.y4m
        fails 2 '--format' "$saccade" $command a.dat --size 4x2 --format yuv -o b.y4m
        fails 2 '--threads' "$saccade" $command a.y4m --threads -1 -o b.y4m
        fails 2 'nosuch' "$saccade" $command a.y4m --variant nosuch -o b.y4m
    done
    fails 2 '--map' "$saccade" heatmap a.y4m --map rainbow -o b.y4m
    fails 2 '--denoise' "$saccade" heatmap a.y4m --denoise much -o b.y4m
    fails 2 '--threshold' "$saccade" noise a.y4m --threshold 256 -o b.y4m
    fails 2 '--method' "$saccade" denoise a.y4m --method magic -o b.y4m
    fails 2 '--gain: expected 0 to 16' "$saccade" adjust a.y4m --gain 17 -o b.y4m
    fails 2 '--brightness: expected -100 to 100' "$saccade" adjust a.y4m --brightness 101 -o b.y4m
    fails 2 '--contrast: expected a number' "$saccade" adjust a.y4m --contrast high -o b.y4m
    fails 2 '--saturation' "$saccade" adjust a.y4m --saturation -1 -o b.y4m
    fails 2 'unknown option --overlay' "$saccade" heatmap a.y4m --overlay -o b.y4m
}

motion_bad_input_exits_1() {
    : >empty.y4m
    echo 'no video' >text.y4m
    y4m short.y4m 4 2 444 10
    y4m deep.y4m 4 2 420p10 24
    y4m huge.y4m 16384 16384 444 24
    y4m none.y4m 4 2 444
    mkdir folder
    bytes 23 1 >odd.bgr
    for command in heatmap noise denoise adjust; do
        fails 1 missing.y4m "$saccade" $command missing.y4m -o b.y4m
        for bad in empty text short deep huge none; do
            fails 1 $bad.y4m "$saccade" $command $bad.y4m -o b.y4m
        done
        fails 1 'no pictures' "$saccade" $command folder -o b.y4m
        fails 1 'a-%d.ppm' "$saccade" $command a-%d.ppm -o b.y4m
        fails 1 'only 23 came' "$saccade" $command odd.bgr --size 4x2 -o b.y4m
        fails 1 'see --size 4x2' "$saccade" $command odd.bgr --size 4x2 -o b.y4m
        fails 1 'see --size 4x2 --format rgba' "$saccade" $command odd.bgr --size 4x2 --format rgba -o b.y4m
    done
}

motion_bad_output_exits_1() {
    y4m a.y4m 4 2 444 24 24
    mkdir folder.y4m
    fails 1 no/such "$saccade" heatmap a.y4m -o no/such/b.y4m
    fails 1 no/such "$saccade" heatmap a.y4m -o no/such/b-%d.ppm
    fails 1 no/such "$saccade" noise a.y4m -o b.y4m --json no/such/b.json
    fails 1 folder.y4m "$saccade" denoise a.y4m -o folder.y4m
    ! has_full || fails 1 'standard output' sh -c "'$saccade' heatmap a.y4m -o - >/dev/full"
    "$saccade" heatmap a.y4m -o b.ppm >.out 2>.err
    [ $? -eq 2 ] || fault "two frames into one picture"
    grep -q 'several frames' .err || fault "says '$(cat .err)'"
}

# A frame that is cut short is an error, and what came before it stays.
motion_cut_input_keeps_whole_frames() {
    y4m a.y4m 4 2 444 24 24 24
    passes "$saccade" heatmap a.y4m -o whole.y4m
    y4m cut.y4m 4 2 444 24 24 11
    "$saccade" heatmap cut.y4m -o b.y4m >.out 2>.err
    [ $? -eq 1 ] || fault "wanted exit 1 where a frame is cut short"
    grep -q 'frame 2 is cut short' .err || fault "says '$(cat .err)'"
    head -c -30 whole.y4m | cmp -s - b.y4m || fault "the frames before are not there"
}

# What each control does to known bytes, in every form of frames; what nothing does.
motion_adjust_gives_what_the_formula_says() {
    bytes 24 1 >a.rgb
    passes "$saccade" adjust a.rgb --size 4x2 -o b.rgb --json b.json
    cmp -s a.rgb b.rgb || fault "the defaults change something"
    grep -q '"saturation": 1,' b.json || fault "b.json: $(grep saturation b.json)"
    printf 'dZ_' >p.rgb # 100, 90, 95
    while read -r wanted options; do
        # shellcheck disable=SC2086 # options are words
        passes "$saccade" adjust p.rgb --size 1x1 $options -o q.rgb
        [ "$(od -An -tu1 q.rgb | tr -s ' ')" = " ${wanted//,/ }" ] || fault "$options: $(od -An -tu1 q.rgb)"
    done <<'    end'
        200,180,190 --gain 2
        75,65,70 --brightness -10
        73,53,63 --contrast 2
        106,86,96 --saturation 2
        94,94,94 --saturation 0
    end
    "$saccade" adjust p.rgb --size 1x1 --gain 0 --brightness 50 -o q.rgb >.out 2>.err || fault "exit $?"
    [ "$(od -An -tu1 q.rgb | tr -s ' ')" = ' 128 128 128' ] || fault "gain 0: $(od -An -tu1 q.rgb)"
    grep -q 'warning: adjust: gain 0, .* one gray, 128' .err || fault "no warning: $(cat .err)"
    passes "$saccade" adjust p.rgb --size 1x1 --format bgr --saturation 0 -o q.bgr
    [ "$(od -An -tu1 q.bgr | tr -s ' ')" = ' 93 93 93' ] || fault "bgr: $(od -An -tu1 q.bgr)"
    printf 'dZ_M' >p.rgba
    passes "$saccade" adjust p.rgba --size 1x1 --gain 2 -o q.rgba
    [ "$(od -An -tu1 q.rgba | tr -s ' ')" = ' 200 180 190 77' ] || fault "rgba: $(od -An -tu1 q.rgba)"
    printf 'dZ_M' >p.gray
    "$saccade" adjust p.gray --size 2x2 --gain 2 --saturation 2 -o q.gray >.out 2>.err || fault "exit $?"
    [ "$(od -An -tu1 q.gray | tr -s ' ')" = ' 200 180 190 154' ] || fault "gray: $(od -An -tu1 q.gray)"
    grep -q 'warning: adjust: saturation 2 is ignored' .err || fault "no warning: $(cat .err)"
}

# Three frames of 4 x 2: still, then one pixel changes by 21 in red.
motion_shows_what_changed() {
    local still=@@@@@@@@@@@@@@@@@@@@@ # seven pixels of 64
    printf '%s' "$still@@@$still@@@${still}U@@" >a.rgb
    passes "$saccade" noise a.rgb --size 4x2 --format rgb -o b.rgb --json b.json
    head -c 69 b.rgb | cmp -s - <(head -c 69 /dev/zero) || fault "a still pixel is shown"
    [ "$(tail -c 3 b.rgb | od -An -tu1 | tr -s ' ')" = ' 255 0 0' ] || fault "the changed one is not"
    grep -q '"changed_pixels": 1' b.json || fault "b.json: $(grep changed b.json)"
    passes "$saccade" noise a.rgb --size 4x2 --format rgb -o c.rgb --threshold 21
    cmp -s c.rgb <(head -c 72 /dev/zero) || fault "21 is not more than 21"
    passes "$saccade" noise a.rgb --size 4x2 --format rgb -o d.rgb --overlay
    [ "$(tail -c 3 d.rgb | od -An -tu1 | tr -s ' ')" = ' 255 64 64' ] || fault "overlay"
    passes "$saccade" noise a.rgb --size 4x2 --format rgb -o e.raw --view bits
    [ "$(od -An -tu1 e.raw | tr -s ' ')" = ' 0 0 0 0 0 8' ] || fault "bits: $(od -An -tu1 e.raw)"
    passes "$saccade" heatmap a.rgb --size 4x2 --format rgb -o f.rgb --map gray
    [ "$(tail -c 6 f.rgb | od -An -tu1 | tr -s ' ')" = ' 0 0 0 7 7 7' ] || fault "heat map"
    passes "$saccade" heatmap a.rgb --size 4x2 --format rgb -o f.rgb --map gray --denoise median
    cmp -s f.rgb <(head -c 72 /dev/zero) || fault "the median let a single pixel through"
}

motion_every_form_says_the_same() {
    bytes 216 7 >a.rgb
    passes "$saccade" heatmap a.rgb --size 6x4 -o b.rgb
    passes "$saccade" heatmap a.rgb --size 6x4 -o b-%02d.ppm
    [ "$(echo b-*.ppm)" = 'b-00.ppm b-01.ppm b-02.ppm' ] || fault "series: $(echo b-*.ppm)"
    for i in 0 1 2; do
        tail -c 72 b-0$i.ppm
    done | cmp -s - b.rgb || fault "pictures and raw differ"
    passes "$saccade" denoise a.rgb --size 6x4 --method median -o folder/
    passes "$saccade" denoise a.rgb --size 6x4 --method median -o c.rgb
    passes "$saccade" heatmap c.rgb --size 6x4 -o d.rgb
    passes "$saccade" heatmap folder -o e.rgb
    same d.rgb e.rgb "raw and a folder of pictures"
    passes "$saccade" heatmap a.rgb --size 6x4 --denoise median -o f.rgb
    same d.rgb f.rgb "denoised before and within"
    "$saccade" heatmap - --size 6x4 -o - <a.rgb >g.rgb 2>.err || fault "in a pipe: $(cat .err)"
    same b.rgb g.rgb "pipe and file"
    y4m a.y4m 6 4 420jpeg 36 36 36
    passes "$saccade" denoise a.y4m --method gaussian -o b.y4m
    head -n 1 b.y4m | grep -q 'W6 H4 F25:1 .*C420jpeg' || fault "header: $(head -n 1 b.y4m)"
    "$saccade" denoise - --method gaussian -o - 2>.err <a.y4m | cmp -s - b.y4m || fault "Y4M in a pipe"
    for n in 1 2; do
        passes "$saccade" denoise a.y4m --method median --threads $n -o $n.y4m
    done
    same 1.y4m 2.y4m "one and two threads"
}

# A signal while the input waits: the output is closed and whole. TERM, which does as INT does here,
# since a shell's background jobs ignore INT.
motion_interrupt_leaves_a_readable_file() {
    mkfifo pipe
    exec 3<>pipe # no open of it waits
    bytes 48 1 >&3
    "$saccade" heatmap pipe --size 4x2 -o b.rgb 3<&- >.out 2>.err &
    local id=$!
    holds has_bytes b.rgb 48
    kill -TERM $id
    ended $id || fault "wanted exit 0 after a signal ($(cat .err))"
    grep -q '^b.rgb: 2 frames of 4x2: heatmap ' .out || fault "says '$(cat .out)'"
    has_bytes b.rgb 48 || fault "b.rgb has $(wc -c <b.rgb) bytes"
}

# The signal comes when the command has looked for it and is about to wait for input: hundreds of times, after whole
# frames, within a frame, and within a header.
interrupt_before_a_wait_is_not_lost() {
    [ -n "${STOP_AT_WAIT:-}" ] || skip "a static build, or one with sanitizers, cannot be told to stop at a wait"
    mkfifo pipe
    exec 3<>pipe
    y4m a.y4m 4 2 444 24 24
    local stopping=(timeout -s KILL 60 env LD_PRELOAD="$STOP_AT_WAIT" "$saccade") round frames=2
    has_delta && "$saccade" delta encode a.y4m --threshold 0 -o a.sdv >/dev/null
    for round in $(seq 40); do
        bytes $((48 + round % 24)) 1 >&3
        "${stopping[@]}" heatmap pipe --size 4x2 -o b.rgb >.out 2>.err || fault "heatmap, round $round: $? $(cat .err)"
        has_bytes b.rgb 48 || fault "heatmap, round $round: $(wc -c <b.rgb) bytes"
        bytes $((48 + round % 24)) 1 >&3
        "${stopping[@]}" noise - --size 4x2 -o b.rgb <&3 >.out 2>.err || fault "noise, round $round: $? $(cat .err)"
        has_bytes b.rgb 48 || fault "noise, round $round: $(wc -c <b.rgb) bytes"
        bytes $((48 + round % 24)) 1 >&3
        "${stopping[@]}" equalize pipe --size 4x2 -o b.rgb >.out 2>.err || fault "equalize, round $round: $? $(cat .err)"
        has_bytes b.rgb 48 || fault "equalize, round $round: $(wc -c <b.rgb) bytes"
        head -c $(($(wc -c <a.y4m) - round % 29)) a.y4m >&3
        "${stopping[@]}" denoise - -o b.y4m <&3 >.out 2>.err || fault "denoise, round $round: $? $(cat .err)"
        frames=$((round % 29 ? 1 : 2))
        has_bytes b.y4m "$(($(head -n 1 b.y4m | wc -c) + 30 * frames))" || fault "denoise, round $round: $(wc -c <b.y4m)"
        has_delta || continue
        head -c $(($(wc -c <a.y4m) - round % 29)) a.y4m >&3
        "${stopping[@]}" delta encode - -o b.sdv <&3 >.out 2>.err || fault "encode, round $round: $? $(cat .err)"
        passes "$saccade" delta info b.sdv
        head -c "$(tail -c 16 a.sdv | od -An -tu8 -N8)" a.sdv >&3 # up to the index
        head -c $((round % 40)) a.sdv >&3
        "${stopping[@]}" delta decode - -o b.y4m <&3 >.out 2>.err || fault "decode, round $round: $? $(cat .err)"
        has_bytes b.y4m "$(($(head -n 1 b.y4m | wc -c) + 60))" || fault "decode, round $round: $(wc -c <b.y4m)"
    done
}

# Nothing ever came, not even a writer of the pipe: one line, and no output.
interrupt_before_any_input_ends_the_command() {
    mkfifo pipe
    stops_without_input heatmap pipe -o b.y4m
    stops_without_input equalize pipe -o b.y4m
    ! has_delta || stops_without_input delta encode pipe -o b.sdv
    exec 3<>pipe # who reads standard input waits within the command, not for its shell to open it
    stops_without_input noise - -o b.y4m <&3
    ! has_delta || stops_without_input delta decode - -o b.y4m <&3
}

# Those that were not begun are told, and the exit says that something is missing.
interrupt_among_many_inputs_fails() {
    y4m b.y4m 4 2 444 24
    mkfifo a.y4m
    "$saccade" heatmap a.y4m b.y4m -o out/ >.out 2>.err &
    local id=$!
    holds catches_term $id
    kill -TERM $id
    ended $id && fault "wanted a failure"
    grep -q 'interrupted: 1 of 2 inputs were not begun' .err || fault "says '$(cat .err)'"
    [ ! -e out ] || fault "out/ has: $(ls -A out)"
}

stops_without_input() { # stops_without_input COMMAND...
    "$saccade" "$@" <&0 3<&- >.out 2>.err &
    local id=$!
    holds catches_term $id
    kill -TERM $id
    ended $id && fault "wanted a failure: $*"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line, got '$(cat .err)': $*"
    [ ! -e b.y4m ] && [ ! -e b.sdv ] || fault "an output without a frame: $*"
}

catches_term() { # catches_term PID: it is the command, and SIGTERM no longer ends it at once
    [ "$(readlink "/proc/$1/exe")" = "$saccade" ] &&
        [ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status") >> 14 & 1)) -eq 1 ]
}

demo_shows_motion_and_stream() {
    ppm a.ppm 60 40
    y4m clip.y4m 62 34 444 6324 6324 6324
    passes "$saccade" demo a.ppm --clip clip.y4m -o shown
    grep -q 'clip.y4m, 62x34, 3 frames' .out || fault "says '$(cat .out)'"
    ! grep -q ' NO ' .out || fault "a variant differs from the reference: $(cat .out)"
    [ "$(find shown -name 'motion.*' -size +0 | wc -l)" -eq 1 ] || fault "shown/ has: $(ls -A shown)"
    if ! grep -q 'No delta stream' .out; then
        grep -Eq '^ +0 .* 0 +1$' .out || fault "no lossless row with one keyframe: $(cat .out)"
    fi
    "$saccade" demo a.ppm --clip missing.y4m -o other >.out 2>.err
    [ $? -eq 1 ] || fault "wanted exit 1 for a missing clip"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line, got '$(cat .err)'"
}

delta_wrong_usage_exits_2() {
    y4m a.y4m 4 2 444 24 24
    fails 2 'encode, decode or info' "$saccade" delta
    fails 2 'encode, decode or info' "$saccade" delta a.y4m -o a.sdv
    fails 2 'no input' "$saccade" delta encode -o a.sdv
    fails 2 '2 inputs need a folder' "$saccade" delta encode a.y4m a.y4m -o a.sdv
    fails 2 'one output' "$saccade" delta encode a.y4m a.y4m -o b/
    fails 1 'no file has a name like this' "$saccade" delta info 'x*.sdv'
    fails 2 'no output' "$saccade" delta encode a.y4m
    fails 2 'no output' "$saccade" delta decode a.sdv
    fails 2 'is read, and would be written over' "$saccade" delta encode a.y4m -o a.sdv --json a.y4m
    fails 2 'writes no output' "$saccade" delta info a.sdv -o b
    fails 2 'standard output' "$saccade" delta encode a.y4m -o - --json -
    fails 2 'is read, and would be written over' "$saccade" delta encode a.y4m -o a.y4m
    for ending in mp4 MKV y4m raw png h5 json; do
        fails 2 'ends in .sdv, not in' "$saccade" delta encode a.y4m -o "b.$ending"
        [ ! -e "b.$ending" ] || fault "b.$ending was written"
    done
    fails 2 '--threshold' "$saccade" delta encode a.y4m -o a.sdv --threshold 255
    fails 2 '--level' "$saccade" delta encode a.y4m -o a.sdv --level 0
    for rate in 0 -1 3/0 1/0/1 25fps nan 1e7; do
        fails 2 '--rate' "$saccade" delta encode a.y4m -o a.sdv --rate $rate
    done
    for option in --threshold=20 '--threshold 20' --thres=20 --key-interval=5 --refresh=1 --fast --level=1 \
        --size=4x2 --rate=25; do
        # shellcheck disable=SC2086 # an option and its value
        fails 2 "unknown option ${option%% *}" "$saccade" delta decode a.y4m -o b.y4m $option
        # shellcheck disable=SC2086
        fails 2 "unknown option ${option%% *}" "$saccade" delta info $option a.y4m
    done
    fails 2 'writes no output' "$saccade" delta info a.y4m --format bgr
    has_delta || return 0
    fails 2 'nosuch' "$saccade" delta decode a.y4m -o b.y4m --variant nosuch
}

# Where zstd or xxhash is left out of the build, its tests are skipped.
need_delta() {
    has_delta || skip "this build has no delta stream"
}

has_delta() {
    [ -e .delta ] || {
        y4m probe.y4m 4 2 444 24
        "$saccade" delta encode probe.y4m -o probe.sdv >/dev/null 2>&1 && echo yes >.delta || echo no >.delta
        rm -f probe.y4m probe.sdv
    }
    grep -q yes .delta
}

delta_bad_input_exits_1() {
    need_delta
    : >empty.sdv
    echo 'no stream' >text.sdv
    y4m none.y4m 4 2 444
    fails 1 missing.sdv "$saccade" delta decode missing.sdv -o b.y4m
    fails 1 missing.y4m "$saccade" delta encode missing.y4m -o b.sdv
    fails 1 none.y4m "$saccade" delta encode none.y4m -o b.sdv
    fails 1 'empty.sdv: has no packet' "$saccade" delta decode empty.sdv -o b.y4m
    bytes 23 1 >odd.bgr
    fails 1 'see --size 4x2' "$saccade" delta encode odd.bgr --size 4x2 -o b.sdv
    fails 1 sdv "$saccade" delta info text.sdv
    y4m a.y4m 4 2 444 24 24
    fails 1 no/such "$saccade" delta encode a.y4m -o no/such/a.sdv
    passes "$saccade" delta encode a.y4m -o a.sdv
    head -c 70 a.sdv >cut.sdv
    fails 1 sdv "$saccade" delta info cut.sdv
    fails 1 sdv "$saccade" delta decode cut.sdv -o b.y4m
    fails 1 '--format rgba' "$saccade" delta decode a.sdv --format rgba -o b.y4m
    for name in b b.mp4 b.sdv; do
        fails 2 'ending' "$saccade" delta decode a.sdv -o $name
    done
}

delta_decodes_what_encode_takes() {
    need_delta # more pixels than a decoder of the library allows where it is not told
    head -c $((8192 * 8208)) /dev/zero | "$saccade" delta encode - --size 8192x8208 --format gray -o a.sdv >.out 2>.err ||
        fault "encode: $(cat .err)"
    passes "$saccade" delta info a.sdv
    grep -q '^a.sdv: 1 frame of 8192x8208 u8: .* 1 packet, ' .out || fault "info says '$(cat .out)'"
}

# A byte of the second packet's magic or size: what does not stand on it comes out.
delta_damage_costs_frames_up_to_the_next_keyframe() {
    need_delta
    bytes 2400 5 >b.raw # 4 frames of 20 x 10, the third of them a keyframe
    passes "$saccade" delta encode b.raw --size 20x10 --threshold 0 --rate 1 --key-interval 2 -o b.sdv
    local first
    first=$(od -An -tu4 -j8 -N4 b.sdv) # its size
    for byte in 0 9 11; do
        cp b.sdv bad.sdv
        printf '\x77' | dd of=bad.sdv bs=1 seek=$((first + byte)) conv=notrunc status=none
        "$saccade" delta decode bad.sdv -o c.raw >.out 2>.err
        [ $? -eq 1 ] || fault "wanted exit 1 with byte $byte damaged"
        grep -q 'bad.sdv.*1 are missing' .err || fault "says '$(cat .err)'"
        { head -c 600 b.raw && tail -c 1200 b.raw; } | cmp -s - c.raw || fault "byte $byte: other frames came out"
    done
}

# Every command that reads a video reads its stream as the same frames; the ending need not say it, and Y4M may have it.
delta_streams_are_read_as_videos() {
    need_delta
    local command
    bytes 3000 5 >b.bgr # 5 frames of 20 x 10
    passes "$saccade" delta encode b.bgr --size 20x10 --threshold 0 --rate 10 --key-interval 0.2 -o b.sdv
    cp b.sdv b.dat
    for command in heatmap 'noise --threshold 3' denoise 'equalize --smooth 0.5' 'adjust --gain 2'; do
        # shellcheck disable=SC2086 # words are split
        passes "$saccade" $command b.bgr --size 20x10 -o wanted.bgr
        for file in b.sdv b.dat; do
            # shellcheck disable=SC2086 # words are split
            passes "$saccade" $command $file -o got.bgr
            same wanted.bgr got.bgr "$command of $file"
        done
    done
    passes "$saccade" delta encode b.sdv --threshold 0 --key-interval 0.2 -o c.sdv
    same b.sdv c.sdv 'encoded again'
    passes "$saccade" equalize b.sdv -o wanted.bgr
    "$saccade" equalize - -o got.bgr <b.dat >.out 2>.err || fault "from standard input: $(cat .err)"
    same wanted.bgr got.bgr 'standard input, a file'
    # shellcheck disable=SC2002 # a pipe
    cat b.dat | "$saccade" equalize - -o other.bgr >.out 2>.err || fault "from a pipe: $(cat .err)"
    same wanted.bgr other.bgr 'standard input, a pipe'
    passes "$saccade" heatmap b.sdv -o c.y4m
    head -n 1 c.y4m | grep -aq ' F10:1 ' || fault "has the header '$(head -n 1 c.y4m)'"
    passes "$saccade" heatmap b.sdv c.sdv -o both/
    same both/b.y4m c.y4m 'one of several'
    y4m c.sdv 4 2 444 24 24
    passes "$saccade" heatmap c.sdv -o c.y4m
    fails 1 '--format gray: the stream has 3 channels' "$saccade" heatmap b.sdv --format gray -o c.bgr
    echo 'no stream' >text.sdv
    fails 1 'text.sdv: no packet of a delta stream at byte 0' "$saccade" heatmap text.sdv -o d.y4m
    fails 1 'missing.sdv' "$saccade" heatmap missing.sdv -o d.y4m
}

# None of them works on frames between which others are missing.
delta_streams_with_gaps_are_refused() {
    need_delta
    local first second status
    bytes 3000 5 >b.rgb
    passes "$saccade" delta encode b.rgb --size 20x10 --threshold 0 --rate 10 --key-interval 0.2 -o b.sdv
    first=$(od -An -tu4 -j8 -N4 b.sdv)
    second=$(od -An -tu4 -j$((first + 8)) -N4 b.sdv)
    { head -c "$first" b.sdv && tail -c +$((first + second + 1)) b.sdv; } >gap.sdv
    cp b.sdv bad.sdv
    printf '\x77' | dd of=bad.sdv bs=1 seek=$((first + 60)) conv=notrunc status=none
    head -c $((first + second - 1)) b.sdv >cut.sdv
    passes "$saccade" heatmap b.rgb --size 20x10 -o whole.rgb
    for file in gap bad cut; do
        "$saccade" heatmap $file.sdv -o c.rgb >.out 2>.err
        status=$?
        [ $status -eq 1 ] || fault "$file: wanted exit 1, got $status"
        grep -q "^saccade: $file.sdv: " .err || fault "$file: says '$(cat .err)'"
        [ "$(wc -l <.err)" -eq 1 ] || fault "$file: wanted one line, got '$(cat .err)'"
        head -c 600 whole.rgb | cmp -s - c.rgb || fault "$file: the frame before it is not there, or another is"
    done
}

# Sources of garbage: without an end, and with a tail of 64 GiB of zeros, which take no room on a disk.
delta_garbage_ends_with_an_error() {
    need_delta
    bytes 1200 5 >b.raw
    passes "$saccade" delta encode b.raw --size 20x10 --threshold 0 -o b.sdv
    for source in /dev/zero endless; do
        if [ $source = endless ]; then
            (cat b.sdv && yes SACD) 2>/dev/null | tail -c +2 | timeout 60 "$saccade" delta info - >.out 2>.err
        else
            timeout 60 "$saccade" delta info - <$source >.out 2>.err
        fi
        [ $? -eq 1 ] || fault "$source: wanted exit 1"
        grep -q 'no packet' .err || fault "$source: says '$(cat .err)'"
    done
    head -c "$(tail -c 16 b.sdv | od -An -tu8 -N8)" b.sdv >tail.sdv # up to the index
    truncate -s 64G tail.sdv 2>/dev/null || skip "no sparse files here"
    timeout 60 "$saccade" delta decode tail.sdv -o c.raw >.out 2>.err
    [ $? -eq 1 ] || fault "wanted exit 1 with a tail of zeros"
    grep -q 'no packet of a delta stream at byte' .err || fault "says '$(cat .err)'"
    same b.raw c.raw "the frames before the tail"
}

# A signal while a stream waits for its next packet: what came is written.
delta_interrupt_leaves_a_readable_file() {
    need_delta
    bytes 1200 5 >b.raw
    passes "$saccade" delta encode b.raw --size 20x10 --threshold 0 -o b.sdv
    mkfifo pipe
    exec 3<>pipe # no open of it waits
    head -c "$(tail -c 16 b.sdv | od -An -tu8 -N8)" b.sdv >&3 # up to the index
    "$saccade" delta decode - -o c.raw <&3 3<&- >.out 2>.err &
    local id=$!
    holds has_bytes c.raw 1200
    kill -TERM $id
    ended $id || fault "wanted exit 0 after a signal ($(cat .err))"
    same b.raw c.raw "what came before the signal"
}

# A file each, by names and by a pattern in quotes; one that is bad spares the others.
videos_of_many_inputs_have_a_file_each() {
    mkdir in
    y4m in/a.y4m 6 4 444 72 72
    y4m in/b.y4m 4 2 444 24 24 24
    passes "$saccade" heatmap in/a.y4m in/b.y4m -o heat/ --json j.json
    [ "$(cd heat && echo *)" = 'a.y4m b.y4m' ] || fault "heat/ has: $(ls -A heat)"
    [ "$(grep '"frames"' j.json | tr -dc '0-9\n' | tr '\n' ' ')" = '2 3 ' ] || fault "j.json: $(grep frames j.json)"
    grep -q '^heat/b.y4m: 3 frames of 4x2: heatmap ' .out || fault "says '$(cat .out)'"
    passes "$saccade" heatmap in/b.y4m -o b.y4m
    same b.y4m heat/b.y4m "alone and among others"
    echo 'no video' >in/aa.y4m
    "$saccade" denoise 'in/*.y4m' -o clean/ >.out 2>.err
    [ $? -eq 1 ] || fault "wanted exit 1 with a bad input among good ones"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line, got '$(cat .err)'"
    [ "$(cd clean && echo *)" = 'a.y4m b.y4m' ] || fault "clean/ has: $(ls -A clean)"
    rm in/aa.y4m
    has_delta || return
    passes "$saccade" delta encode 'in/*.y4m' -o streams/ --threshold 0
    [ "$(cd streams && echo *)" = 'a.sdv b.sdv' ] || fault "streams/ has: $(ls -A streams)"
    passes "$saccade" delta info 'streams/*.sdv' --json j.json
    [ "$(grep -c '^streams/[ab].sdv: [23] frames of ' .out)" -eq 2 ] || fault "info says '$(cat .out)'"
    [ "$(grep -c '"frames"' j.json)" -eq 2 ] || fault "j.json: $(grep frames j.json)"
    passes "$saccade" delta decode streams/a.sdv streams/b.sdv -o back/
    passes "$saccade" delta decode streams/b.sdv -o b.y4m
    same b.y4m back/b.y4m "decoded alone and among others"
}

delta_comes_back() {
    need_delta
    bytes 9600 5 >b.bgr # 16 frames of 20 x 10
    passes "$saccade" delta encode b.bgr --size 20x10 --format bgr --threshold 0 -o b.sdv --json b.json
    grep -q '"frames": 16' b.json || fault "b.json: $(grep frames b.json)"
    passes "$saccade" delta decode b.sdv -o c.bgr
    same b.bgr c.bgr "lossless"
    passes "$saccade" delta info b.sdv
    grep -q '^b.sdv: 16 frames of 20x10x3 u8' .out || fault "info says '$(cat .out)'"
    "$saccade" delta encode - --size 20x10 --threshold 0 -o - <b.bgr 2>.err |
        "$saccade" delta decode - -o d.raw >/dev/null 2>>.err || fault "in pipes: $(cat .err)"
    same b.bgr d.raw "pipes and files"
    y4m a.y4m 6 4 mono 24 24 24
    passes "$saccade" delta encode a.y4m --threshold 0 -o e.sdv
    passes "$saccade" delta decode e.sdv -o e.y4m
    head -n 1 e.y4m | grep -q 'W6 H4 F25:1 .*Cmono' || fault "header: $(head -n 1 e.y4m)"
    tail -c 90 a.y4m | cmp -s - <(tail -c 90 e.y4m) || fault "gray Y4M"
    for n in 1 2; do
        passes "$saccade" delta encode b.bgr --size 20x10 --threads $n -o $n.sdv
    done
    same 1.sdv 2.sdv "one and two threads"
}

delta_keeps_order_and_rate() {
    need_delta
    bytes 2400 5 >b.raw
    for format in bgr rgb; do # 4 frames of 20 x 10 x 3
        passes "$saccade" delta encode b.raw --size 20x10 --format $format --threshold 0 -o $format.sdv
        passes "$saccade" delta decode $format.sdv -o c.raw
        same b.raw c.raw "$format without --format"
        passes "$saccade" delta decode $format.sdv --format bgr -o $format.bgr
        passes "$saccade" delta decode $format.sdv --format rgb -o $format.rgb
        same b.raw $format.$format "$format as $format"
        passes "$saccade" delta decode $format.sdv -o $format.y4m
    done
    same bgr.rgb rgb.bgr "swapped, once each"
    cmp -s b.raw bgr.rgb && fault "BGR as RGB is not swapped"
    cmp -s bgr.y4m rgb.y4m && fault "Y4M has the same colors of both orders"
    passes "$saccade" delta encode bgr.rgb --size 20x10 --threshold 0 -o d.sdv
    passes "$saccade" delta decode d.sdv -o d.y4m
    same bgr.y4m d.y4m "Y4M of BGR and of the same as RGB"
    for format in bgrx rgba; do # 3 frames
        passes "$saccade" delta encode b.raw --size 20x10 --format $format --threshold 0 -o $format.sdv
        passes "$saccade" delta decode $format.sdv -o c.raw
        same b.raw c.raw "$format"
    done
    while read -r rate wanted; do
        passes "$saccade" delta encode b.raw --size 20x10 --rate "$rate" -o d.sdv
        passes "$saccade" delta decode d.sdv -o d.y4m
        head -n 1 d.y4m | grep -q " F$wanted " || fault "--rate $rate: $(head -n 1 d.y4m)"
    done <<<'50 50:1
30000/1001 30000:1001
1e3 1000:1
12.5 1000000000:80000000
1/4 1000:4000'
    head -c 1200 b.raw >two.raw
    passes "$saccade" delta encode two.raw --size 20x10 --rate 10 -o two.sdv # a first gap that is another
    passes "$saccade" delta encode b.raw --size 20x10 --rate 50 -o d.sdv
    passes "$saccade" delta info two.sdv
    local bytes # of its packets, without the index
    bytes=$(sed -n 's/.*: \([0-9]*\) bytes in 2 packets.*/\1/p' .out)
    { head -c "$bytes" two.sdv && cat d.sdv; } >e.sdv
    "$saccade" delta decode e.sdv -o e.y4m >.out 2>.err # exit 1: the second stream's packets are late
    head -n 1 e.y4m | grep -q ' F50:1 ' || fault "by the median of the gaps: $(head -n 1 e.y4m)"
    passes "$saccade" delta encode b.raw --size 20x10 -o d.sdv
    passes "$saccade" delta decode d.sdv -o d.y4m
    head -n 1 d.y4m | grep -q ' F25:1 ' || fault "without --rate: $(head -n 1 d.y4m)"
    passes "$saccade" delta encode d.y4m --rate 60 -o e.sdv
    passes "$saccade" delta decode e.sdv -o e.y4m
    head -n 1 e.y4m | grep -q ' F60:1 ' || fault "--rate over Y4M's: $(head -n 1 e.y4m)"
}
