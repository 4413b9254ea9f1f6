#!/usr/bin/env bash
# cli_test.sh SACCADE TEST: runs one of the tests below, each a function, on the command SACCADE.
# Whatever fails must say so in one line on standard error, exit as promised, and leave nothing behind.
# SPDX-License-Identifier: Apache-2.0
set -u
saccade=$(readlink -f "$1")
here=$(readlink -f "$(dirname "$0")")
docs=$(readlink -f "$here/../../docs")
test=$2
export LC_ALL=C
unset SAC_VARIANT
export SAC_WISDOM= # no times of this machine
work=$(mktemp -d)
mounted=''
trap 'if [ -n "$mounted" ]; then umount "$mounted"; fi; rm -rf "$work"' EXIT
cd "$work" || exit 1
faults=0

fault() { # fault WHAT...
    echo "$test: $*" >&2
    faults=$((faults + 1))
}

skip_part() { # skip_part WHY: the rest goes on. ./check lists these lines at its end
    echo "SKIPPED: $*"
}

skip() { # skip WHY: ends the test; what came before it must have passed
    [ $faults -eq 0 ] || exit 1
    skip_part "$@"
    exit 77
}

ppm() { # ppm FILE W H: an RGB picture of repeatable bytes
    { printf 'P6\n%d %d\n255\n' "$2" "$3" && seq 1 999999 | head -c $(($2 * $3 * 3)); } >"$1"
}

files() { # everything here, but what the harness itself writes
    find . -mindepth 1 ! -name .out ! -name .err ! -path './full*' -exec ls -di {} + | sort
}

has_json() { # else this build reads no models, not even the shipped one, and no .npy goes with metadata
    "$saccade" info | grep -q '^cJSON  *[0-9]' || ! skip_part "this build has no cJSON"
}

has_cairo() { # else nothing is drawn
    "$saccade" info | grep -q '^Cairo  *[0-9]' || ! skip_part "this build has no Cairo"
}

need_cairo() {
    "$saccade" info | grep -q '^Cairo  *[0-9]' || skip "this build has no Cairo"
}

plot_to() { # plot_to FILE: the option is in "${plot[@]}", or nothing is where nothing is drawn
    plot=()
    ! has_cairo || plot=(--plot "$1")
}

has_full() {
    [ -e /dev/full ] || ! skip_part "no /dev/full"
}

same() { # same FILE FILE WHAT
    cmp -s "$1" "$2" || fault "$3: $1 and $2 differ"
}

holds() { # holds CONDITION...: waits until this command succeeds, a minute at most
    local deadline=$((SECONDS + 60))
    until "$@" 2>/dev/null; do
        [ $SECONDS -lt $deadline ] || { fault "a minute later still not: $*" && return 1; }
    done
}

ended() { # ended PID: its exit status, once it has ended; after a minute, a fault and its end
    timeout 60 tail --pid="$1" -s 0.02 -f /dev/null || {
        fault "a minute later it has not ended: $(ps -o args= -p "$1" 2>/dev/null)"
        kill -KILL "$1"
    }
    wait "$1"
}

has_bytes() { # has_bytes FILE N: it is there, with so many
    [ -e "$1" ] && [ "$(wc -c <"$1")" -eq "$2" ]
}

passes() { # passes COMMAND...: exit 0, nothing on standard error
    "$@" >.out 2>.err </dev/null
    local status=$?
    [ $status -eq 0 ] || fault "wanted exit 0, got $status: $* ($(cat .err))"
    [ ! -s .err ] || fault "wanted no word on standard error, got '$(head -n 1 .err)': $*"
}

fails() { # fails STATUS WORD COMMAND...: that exit, one line with WORD, nothing else anywhere
    local wanted=$1 word=$2 before status
    shift 2
    before=$(files)
    "$@" >.out 2>.err </dev/null
    status=$?
    [ $status -eq "$wanted" ] || fault "wanted exit $wanted, got $status: $* ($(cat .err))"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line on standard error, got $(wc -l <.err): $*"
    grep -q '^saccade: ' .err || fault "wanted 'saccade: ' first, got '$(head -n 1 .err)': $*"
    grep -qF -- "$word" .err || fault "wanted '$word' in '$(cat .err)': $*"
    [ ! -s .out ] || fault "wanted nothing on standard output, got $(wc -c <.out) bytes: $*"
    [ "$(files)" = "$before" ] || fault "files came, went or changed: $*"
}

# Those that --help lists.
commands() {
    "$saccade" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]\+\) .*/\1/p'
}

help_of_every_command_teaches() {
    passes "$saccade" --help
    [ "$(wc -l <.out)" -le 24 ] || fault "--help has $(wc -l <.out) lines, wanted at most 24"
    [ "$(wc -L <.out)" -le 80 ] || fault "--help is $(wc -L <.out) columns wide, wanted at most 80"
    [ "$(commands | wc -l)" -ge 13 ] || fault "--help lists $(commands | wc -l) commands"
    for command in $(commands) flow receive; do
        passes "$saccade" $command --help
        for part in Usage: Options: Examples: 'Exit status:'; do
            grep -q "^$part" .out || fault "$command --help has no '$part'"
        done
        awk '/^Examples:/ { e = NR } /^Options:/ { o = NR } END { exit !(e < o) }' .out ||
            fault "$command --help shows its options before an example"
        [ "$(wc -L <.out)" -le 100 ] || fault "$command --help is $(wc -L <.out) columns wide"
        ! grep -Eq '^  --[a-z-]+ [A-Z]{2,}[a-z]' .out || fault "$command --help: an option and its text run together"
        ! grep -Eq '^  -.{0,20} *$' .out || fault "$command --help: a short option without its text"
    done
    passes "$saccade" --version
    grep -Eq '^saccade [0-9]+\.[0-9]+\.[0-9]+ ' .out || fault "--version says '$(cat .out)'"
    passes "$saccade" ladder
    grep -q '  equalize' .out || fault "ladder does not list equalize"
}

help_to_a_full_disk_fails() {
    has_full || exit 77
    "$saccade" --help >/dev/full 2>.err
    [ $? -eq 1 ] || fault "wanted exit 1 where standard output is full"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line, got '$(cat .err)'"
}

wrong_usage_exits_2() {
    ppm a.ppm 8 8
    mkdir x y
    cp a.ppm x/a.ppm
    cp a.ppm y/a.ppm
    fails 2 'no command' "$saccade"
    fails 2 'did you mean equalize?' "$saccade" equalise a.ppm -o b.ppm
    fails 2 'did you mean --version?' "$saccade" --verison
    fails 2 'did you mean --clahe?' "$saccade" equalize a.ppm -o b.ppm --clache 8
    fails 2 'unknown option --frobnicate (see' "$saccade" equalize a.ppm -o b.ppm --frobnicate
    fails 2 'a.ppm' "$saccade" demo -o a.ppm
    fails 2 'unknown command' "$saccade" frobnicate
    fails 2 'unknown option --frob' "$saccade" --frob
    fails 2 'unknown option --frob' "$saccade" equalize --frob a.ppm -o b.ppm
    fails 2 'unknown option -q' "$saccade" equalize -q a.ppm -o b.ppm
    fails 2 'no input' "$saccade" equalize
    fails 2 'no output' "$saccade" equalize a.ppm
    fails 2 'needs a value' "$saccade" equalize a.ppm -o
    fails 2 'needs a value' "$saccade" equalize a.ppm -o b.ppm --bins
    fails 2 '--bins' "$saccade" equalize a.ppm -o b.ppm --bins many
    fails 2 'a.ppm is read' "$saccade" equalize a.ppm -o b.ppm --stats a.ppm
    fails 2 'a.ppm is read' "$saccade" equalize x/c.ppm a.ppm -o y --plot a.ppm
    fails 2 '--bins' "$saccade" equalize a.ppm -o b.ppm --bins 70000
    fails 2 '--bins' "$saccade" equalize a.ppm -o b.ppm --bins -1
    fails 2 '--threads' "$saccade" equalize a.ppm -o b.ppm --threads 99999999999999999999
    fails 2 '--clip' "$saccade" equalize a.ppm -o b.ppm --clahe 2 --clip nan
    fails 2 'minmax' "$saccade" equalize a.ppm -o b.ppm --scale loudest
    fails 2 '--device' "$saccade" equalize a.ppm -o b.ppm --device tpu
    fails 2 'nonesuch' "$saccade" equalize a.ppm -o b.ppm --variant nonesuch
    fails 2 'equalize: --bins: expected' "$saccade" equalize a.ppm -o b.ppm --bins 1
    fails 2 '65536' "$saccade" equalize a.ppm -o b.ppm --bins 99999999999
    fails 2 'nonesuch' "$saccade" equalize a.ppm -o b.ppm --variant vhist_u8:nonesuch
    fails 2 'WxH+X+Y' "$saccade" equalize a.ppm -o b.ppm --roi 4x4
    fails 2 'WxH+X+Y' "$saccade" equalize a.ppm -o b.ppm --roi 0x4+0+0
    fails 2 'ending' "$saccade" equalize a.ppm -o b
    fails 2 'folder' "$saccade" equalize a.ppm x/a.ppm -o b.ppm
    fails 2 'one output' "$saccade" equalize x/a.ppm y/a.ppm -o out/
    fails 2 'standard input' "$saccade" equalize - - -o out/
    fails 2 'standard input' "$saccade" equalize - -o out/
    fails 2 'standard output' "$saccade" equalize a.ppm -o - --stats -
    fails 2 'nonesuch' "$saccade" ladder nonesuch
    fails 2 'nonesuch' "$saccade" ladder equalize --only nonesuch
    fails 2 'one pipeline' "$saccade" ladder equalize equalize
    fails 2 '--seconds' "$saccade" ladder equalize --seconds -1
    fails 2 'operand' "$saccade" info all
    fails 2 'reference' "$saccade" reference html
}

bad_input_exits_1() {
    ppm good.ppm 40 30
    head -c 500 good.ppm >truncated.ppm
    : >empty.ppm
    echo 'no picture' >text.ppm
    printf 'P6\n0 8\n255\n' >no_columns.ppm
    printf 'P6\n8 0\n255\n' >no_rows.ppm
    printf 'P6\n4000000000 4000000000\n255\nabc' >huge.ppm
    printf 'P6\n99999999999999999999999 8\n255\nabc' >overflow.ppm
    printf 'P6\n100000 100000\n255\nabc' >large.ppm
    printf 'P6\n8 8\n0\nabc' >no_maxval.ppm
    mkdir folder.ppm
    fails 1 missing.ppm "$saccade" equalize missing.ppm -o b.ppm
    for bad in truncated empty text no_columns no_rows huge overflow large no_maxval folder; do
        fails 1 $bad.ppm "$saccade" equalize $bad.ppm -o b.ppm
    done
    fails 1 good.ppm "$saccade" equalize good.ppm -o b.ppm --roi 8x8+35+0
    fails 1 good.ppm "$saccade" equalize good.ppm -o b.ppm --roi 8x8+0+9000000000000000000
    fails 1 good.ppm "$saccade" equalize good.ppm -o b.ppm --clahe 60
    fails 1 missing.ppm "$saccade" ladder equalize --input missing.ppm
    fails 1 missing.ppm "$saccade" equalize missing.ppm -o made/
}

truncated_png_exits_1() {
    ppm a.ppm 64 64
    "$saccade" equalize a.ppm -o a.png 2>/dev/null || skip "this build writes no PNG (no libvips)"
    head -c $(($(wc -c <a.png) / 2)) a.png >half.png
    fails 1 half.png "$saccade" equalize half.png -o b.png
    fails 1 half.png "$saccade" equalize half.png -o b.ppm
}

unwritable_output_exits_1() {
    ppm a.ppm 64 64
    fails 1 no/such "$saccade" equalize a.ppm -o no/such/b.ppm
    fails 1 no/such "$saccade" equalize a.ppm -o no/such/folder/
    fails 1 /proc/b.ppm "$saccade" equalize a.ppm -o /proc/b.ppm
    fails 1 no/such "$saccade" equalize a.ppm -o b.ppm --stats no/such/stats.json
    ! has_cairo || fails 1 no/such "$saccade" equalize a.ppm -o b.ppm --plot no/such/plot.svg
    fails 1 no/such "$saccade" ladder equalize --json no/such/ladder.json
    fails 1 no/such "$saccade" info --json no/such/info.json
    fails 2 frobs "$saccade" equalize a.ppm -o b.frobs
    ! has_full || fails 1 /dev/full "$saccade" equalize a.ppm -o /dev/full --format ppm
}

full_disk_leaves_nothing() {
    ppm a.ppm 256 256
    if has_full; then
        "$saccade" equalize a.ppm -o - 2>.err >/dev/full
        [ $? -eq 1 ] || fault "wanted exit 1 where standard output is full"
        [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line, got '$(cat .err)'"
    fi
    mkdir full
    mount -t tmpfs -o size=64k tmpfs full 2>/dev/null || skip "a small tmpfs cannot be mounted here"
    mounted=$work/full
    fails 1 full/b.ppm "$saccade" equalize a.ppm -o full/b.ppm
    [ -z "$(ls -A full)" ] || fault "on the full disk remained: $(ls -A full)"
    echo old >full/b.ppm
    fails 1 full/b.ppm "$saccade" equalize a.ppm -o full/b.ppm
    [ "$(cat full/b.ppm)" = old ] || fault "the old output was harmed"
    [ "$(ls -A full)" = b.ppm ] || fault "on the full disk remained: $(ls -A full)"
}

many_inputs_bad_one_spares_others() {
    mkdir in
    ppm in/a.ppm 30 20
    ppm in/b.ppm 30 20
    ppm in/c.ppm 17 9
    echo 'no picture' >in/bad.ppm
    "$saccade" equalize in/a.ppm in/bad.ppm in/b.ppm in/missing.ppm in/c.ppm -o out/ >.out 2>.err
    [ $? -eq 1 ] || fault "wanted exit 1 with bad inputs among good ones"
    [ "$(sed 's/^saccade: .*/told/' .err | tr '\n' ' ')" = 'told told ' ] ||
        fault "wanted a line for each of 2 bad inputs, got '$(cat .err)'"
    [ "$(cd out && echo .[!.]* *)" = '.[!.]* a.ppm b.ppm c.ppm' ] || fault "out/ has: $(ls -A out)"
    for name in a b c; do
        passes "$saccade" equalize in/$name.ppm -o $name.ppm
        same $name.ppm out/$name.ppm "one by one and together"
    done
    passes "$saccade" equalize 'in/[ab].ppm' -o out --format pam
    grep -q '^out/: 2 pictures: equalize .* a second$' .out || fault "says '$(cat .out)'"
    [ "$(find out -name '*.pam' -size +0 | wc -l)" -eq 2 ] || fault "--format pam made: $(ls -A out)"
}

batches_of_two_shapes_match_one_by_one() {
    mkdir in
    local inputs=() i options
    for i in $(seq 10 29); do # more than wait in one batch
        { printf 'P6\n31 21\n255\n' && seq "$i" 999999 | head -c 1953; } >"in/$i.ppm"
        inputs+=("in/$i.ppm")
    done
    ppm in/small.ppm 9 7
    ppm in/low.ppm 40 5 # the region below does not fit
    head -c 900 in/10.ppm >in/broken.ppm
    cp in/10.ppm in/last.ppm
    inputs=("${inputs[@]:0:3}" in/broken.ppm "${inputs[@]:3}" in/small.ppm in/low.ppm in/last.ppm)
    for options in '' '--roi 8x6+1+1' '--clahe 2'; do
        rm -rf alone together said
        mkdir alone
        for i in "${inputs[@]}"; do
            # shellcheck disable=SC2086 # the options are words
            "$saccade" equalize "$i" -o "alone/${i#in/}" $options >/dev/null 2>>said
        done
        # shellcheck disable=SC2086
        "$saccade" equalize "${inputs[@]}" -o together/ $options --stats s.json >.out 2>.err
        [ $? -eq 1 ] || fault "wanted exit 1 with bad pictures among good ones $options"
        same .err said "words together and one by one $options"
        diff -r alone together || fault "together and one by one differ $options"
        for i in "${inputs[@]}"; do
            [ ! -e "alone/${i#in/}" ] || echo "$i"
        done >good
        grep -o '"input": "[^"]*"' s.json | cut -d'"' -f4 | diff good - || fault "rows $options"
    done
}

several_gpus_without_inputs_to_share_exit_2() {
    ppm a.ppm 50 30
    y4m a.y4m 4 2 444 24 24
    fails 2 'there is one' "$saccade" equalize a.ppm -o b.ppm --device cuda:0,1
    fails 2 'there is one' "$saccade" equalize a.y4m -o b.y4m --device cuda:0,1
    fails 2 'there is one' "$saccade" heatmap a.y4m -o b.y4m --device cuda:0,1
    fails 2 'there is one' "$saccade" meltpool a.h5 -o b.h5 --device cuda:0,1
    fails 2 'from one to the next' "$saccade" equalize a.ppm a.ppm -o b/ --smooth 0.5 --device cuda:0,1
    fails 2 'name one GPU' "$saccade" ladder equalize --device cuda:0,1
    fails 2 'start a process each' "$saccade" meltpool --listen udp://127.0.0.1:0 --calibration pixels --device cuda:0,1
    [ ! -e b ] || fault "b is there"
}

# Inputs of several GPUs, their words and rows in order; of one that is bad, too.
several_gpus_share_inputs_and_give_the_same_bytes() {
    "$saccade" info | grep -q '^cuda:1' || skip "no two GPUs, or a build without CUDA"
    for i in 1 2 3 4 5 6 7; do
        ppm "p$i.ppm" $((40 + i)) 30
        head -c $((5 * 3 * 101 * 57)) /dev/urandom >"v$i.rgb"
    done
    passes "$saccade" equalize p?.ppm -o cpu/
    passes "$saccade" equalize p?.ppm -o gpus/ --device cuda:all --stats stats.json
    diff -r cpu gpus || fault "pictures"
    [ "$(grep -o 'p[0-9].ppm' stats.json | uniq | sort -u | wc -l)" -eq 7 ] || fault "stats.json"
    for options in heatmap 'noise --threshold 90' 'denoise --method temporal' 'adjust --gain 1.3'; do
        # shellcheck disable=SC2086 # the command and its options are words
        passes "$saccade" $options v?.rgb --size 101x57 -o cpu/
        # shellcheck disable=SC2086
        passes "$saccade" $options v?.rgb --size 101x57 -o gpus/ --device cuda:0,1 --json j.json
        grep -o 'gpus/v[0-9].rgb: 5' .out | sort -c || fault "order of words: $(cat .out)"
        grep -o '"output": "gpus/v[0-9]' j.json | sort -c || fault "order of rows: $(cat j.json)"
        diff -r cpu gpus || fault "$options"
    done
    "$saccade" heatmap v1.rgb none.rgb v2.rgb --size 101x57 -o gpus/ --device cuda:all >.out 2>.err &&
        fault "exit status 0"
    [ "$(grep -c saccade: .err)" -eq 1 ] || fault "says '$(cat .err)'"
    [ "$(wc -l <.out)" -eq 2 ] || fault "prints '$(cat .out)'"
}

device_cuda_gives_the_same_bytes() {
    "$saccade" info | grep -q '^cuda:0' || skip "no GPU, or a build without CUDA"
    ppm a.ppm 501 301
    ppm c.ppm 501 301
    for options in '' '--scale max --bins 100' '--clahe 4x3' '--roi 101x77+5+9'; do
        # shellcheck disable=SC2086 # the options are words
        passes "$saccade" equalize a.ppm -o cpu.ppm $options
        # shellcheck disable=SC2086
        passes "$saccade" equalize a.ppm -o gpu.ppm --device cuda:0 $options
        same cpu.ppm gpu.ppm "cpu and cuda:0 $options"
    done
    ppm b.ppm 77 43
    cp a.ppm d.ppm
    passes "$saccade" equalize a.ppm c.ppm d.ppm b.ppm -o cpu/
    passes "$saccade" equalize a.ppm c.ppm d.ppm b.ppm -o gpu/ --device cuda
    diff -r cpu gpu || fault "cpu and cuda, many pictures"
    fails 1 cuda:99 "$saccade" equalize a.ppm -o b.ppm --device cuda:99
    head -c $((7 * 3 * 101 * 57)) /dev/urandom >v.rgb
    for options in heatmap 'heatmap --map turbo' noise 'noise --view bits --threshold 90' 'noise --overlay' \
        'denoise --method mean --window 5' 'denoise --method gaussian' 'denoise --method median' 'denoise' \
        'adjust --gain 1.3 --contrast 0.9' 'adjust --saturation 2 --brightness -3'; do
        # shellcheck disable=SC2086 # the command and its options are words
        passes "$saccade" $options v.rgb --size 101x57 -o cpu.raw
        # shellcheck disable=SC2086
        passes "$saccade" $options v.rgb --size 101x57 -o gpu.raw --device cuda
        same cpu.raw gpu.raw "cpu and cuda, $options"
    done
}

device_cuda_without_a_gpu_exits_1() {
    if "$saccade" info | grep -q '^cuda:0'; then
        skip "here is a GPU"
    fi
    ppm a.ppm 16 16
    printf '123456123456' | tee v.rgb >w.rgb
    for device in cuda cuda:3; do
        fails 1 device: "$saccade" equalize a.ppm -o b.ppm --device $device
        fails 1 device: "$saccade" equalize missing.ppm -o new/ --device $device
        fails 1 device: "$saccade" ladder equalize --device $device
        for command in heatmap noise denoise adjust; do
            fails 1 device: "$saccade" $command v.rgb --size 2x1 -o v.raw --device $device
            fails 1 device: "$saccade" $command v.rgb --size 2x1 -o v-%d.ppm --device $device
            fails 1 device: "$saccade" $command v.rgb w.rgb --size 2x1 -o new/ --device $device
        done
        fails 1 device: "$saccade" demo a.ppm -o shown --device $device
    done
    passes "$saccade" info
    grep -Eq '^devices +cpu; ' .out || fault "info says of devices: $(grep ^devices .out)"
}

pipes_match_files() {
    ppm a.ppm 65 43
    passes "$saccade" equalize a.ppm -o b.ppm
    "$saccade" equalize - -o - <a.ppm >c.ppm 2>.err || fault "in a pipe: $(cat .err)"
    same b.ppm c.ppm "pipe and file"
    "$saccade" equalize - -o d.ppm <a.ppm 2>.err || fault "from a pipe: $(cat .err)"
    same b.ppm d.ppm "pipe and file"
    ppm large.ppm 1000 1000
    "$saccade" equalize large.ppm -o - 2>.err | head -c 10 >/dev/null
    [ ! -s .err ] || fault "a reader that leaves: '$(cat .err)'"
}

region_keeps_the_rest() {
    { printf 'P5\n4 4\n255\n' && printf 'aaaabbbbccccdddd'; } >a.pgm
    passes "$saccade" equalize a.pgm -o b.pgm --roi 4x2+0+1
    tail -c 16 b.pgm | head -c 4 | grep -q '^aaaa$' || fault "the row above changed"
    tail -c 4 b.pgm | grep -q '^dddd$' || fault "the row below changed"
    tail -c 12 b.pgm | head -c 8 | od -An -tu1 | tr -s ' ' | grep -q '^ 0 0 0 0 255 255 255 255$' ||
        fault "the region is $(tail -c 12 b.pgm | head -c 8 | od -An -tu1)"
}

threads_do_not_change_bytes() {
    ppm a.ppm 501 301
    for options in '' '--scale max' '--scale minmax --bins 100' '--clahe 4x3 --clip 3'; do
        for n in 1 2 7; do
            # shellcheck disable=SC2086 # the options are words
            passes "$saccade" equalize a.ppm -o $n.ppm --threads $n $options
        done
        same 1.ppm 2.ppm "1 and 2 threads $options"
        same 1.ppm 7.ppm "1 and 7 threads $options"
    done
}

stats_are_valid_json() {
    python3 -c '' 2>/dev/null || skip "no python3"
    ppm 'a "quoted".ppm' 30 20
    { printf 'P5\n8 4\n65535\n' && seq 1 99 | head -c 64; } >b.pgm
    passes "$saccade" equalize 'a "quoted".ppm' b.pgm -o out/ --scale max --stats s.json
    python3 - s.json <<'PY' || fault "s.json is not what it should be"
import json, sys
whole = json.load(open(sys.argv[1]))
assert {"saccade", "commit", "command", "machine", "rows"} <= whole.keys(), whole.keys()
assert whole["command"][:2] == ["saccade", "equalize"] and "--stats" in whole["command"]
a, b = whole["rows"]
assert a["input"] == 'a "quoted".ppm' and a["output"] == 'out/a "quoted".ppm'
assert a["shape"] == "30x20x3 u8" and b["shape"] == "8x4 u16"
assert a["bins"] == 256 and b["bins"] == 65536 and a["scale"] == "max"
for row in (a, b):
    assert all(row[t] >= 0 for t in ("read_ns", "equalize_ns", "write_ns")) and row["variant"]
assert sum(a["before"]["counts"]) == sum(a["after"]["counts"]) == 600
assert a["after"]["max_bin"] == 255 and "counts" not in b["before"]
PY
    "$saccade" equalize b.pgm -o c.pgm --stats - | python3 -m json.tool >/dev/null ||
        fault "--stats - is not JSON"
    "$saccade" ladder equalize --size 64x32 --seconds 0.001 --json - >l.json 2>.err ||
        fault "ladder --json: $(cat .err)"
    python3 - l.json <<'PY' || fault "l.json is not what it should be"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert rows and all(r["pipeline"] == "equalize" for r in rows)
assert all(r["checked"] and r["ok"] and r["runs"] > 0 for r in rows if "needs" not in r)
PY
    "$saccade" info --json - | python3 -m json.tool >/dev/null || fault "info --json is not JSON"
}

ladder_checks_every_rung() {
    passes "$saccade" ladder equalize --size 100x40 --seconds 0.001
    grep -q ' ref ' .out || fault "no reference in the table"
    ! grep -q FAILED .out || fault "$(grep FAILED .out)"
    passes "$saccade" ladder equalize --size 100x40 --seconds 0.001 --only vhist_u8:ref
    [ "$(grep -c ' ref ' .out)" -eq 1 ] || fault "--only printed: $(cat .out)"
}

ladder_motion_on_cuda_has_the_reports_rungs() {
    "$saccade" info | grep -q '^cuda:0' || skip "no GPU, or a build without CUDA"
    local plot
    plot_to b.svg
    passes "$saccade" ladder motion --device cuda --size 64x36 --seconds 0.001 "${plot[@]}" --json b.json
    plot_to s.svg
    passes "$saccade" ladder motion --device cuda --size 64x36 --seconds 0.0001 --sweep "${plot[@]}" --json s.json
    grep -q "716 .*the report's fastest" .out || fault "no row of the report's best"
    command -v python3 >/dev/null || skip "no python3"
    python3 - b.json s.json <<'PY' || fault "the JSON is not what it should be"
import json, sys
rows, sweep = [json.load(open(path))["rows"] for path in sys.argv[1:]]
of = lambda room: [r["rung"] for r in rows if r["room"] == room]
assert of("heat_u8")[:5] == ["cuda-naive", "swap", "word-sinf", "word", "threads"], of("heat_u8")
assert of("noise_u8")[:3] == ["chunk", "red-only", "overlay"], of("noise_u8")
assert all(r["ok"] for r in rows + sweep)
for r in rows:
    for leg in ("h2d", "d2h", "loop"):
        assert 0 < r[leg + "_min_ns"] <= r[leg + "_ns"] <= r[leg + "_max_ns"], r
assert [r["published_loop_ns"] for r in rows[:2]] == [57e6, 50e6]
assert [r["block"] for r in sweep] == [[k, 1, 1] for k in range(4, 1025, 4)]
PY
}

demo_writes_pictures() {
    ppm a.ppm 60 40
    ppm b.ppm 30 20
    passes "$saccade" demo a.ppm b.ppm -o shown/
    [ "$(find shown -type f -size +0 | wc -l)" -eq 2 ] || fault "shown/ has: $(ls -A shown)"
    ! grep -q ' NO ' .out || fault "a variant differs from the reference: $(cat .out)"
    "$saccade" demo missing.ppm -o other >.out 2>.err
    [ $? -eq 1 ] || fault "wanted exit 1 for a missing input"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line, got '$(cat .err)'"
    [ ! -e other ] || fault "the demo left an empty folder"
}

# A name, its version or that it is not there, and what it is for.
info_lists_every_library() {
    passes "$saccade" info --json i.json
    for library in libvips libhdf5 libmatio cJSON libsodium zstd lz4 Cairo libwebsockets; do
        grep -Eq "^$library +([0-9]+\.[0-9.]+|not in this build); ." .out || fault "no line for $library"
        grep -q "\"$library\": " i.json || fault "no $library in the JSON"
    done
    grep -Eq '^MPI +([0-9]+\.[0-9]+ .*|not in this build); .' .out || fault "no line for MPI"
    grep -Eq '^ +shared memory, GB/s .* 1536 +2662 +19350$' .out || fault "no table of GPUs: $(tail -n 9 .out)"
    [ "$(grep -c '"source": "Nourazar' i.json)" -eq 3 ] || fault "not the three published GPUs in the JSON"
    "$saccade" info | grep -q '^cuda:0' || grep -Eq '^ +multiprocessors +no GPU +8 +16 +84$' .out ||
        fault "says '$(grep multiproc .out)'"
}

reference_is_well_formed() {
    passes "$saccade" reference bash
    cp .out completion
    bash -n completion 2>.err || fault "completion: $(cat .err)"
    # shellcheck disable=SC1091 # made above
    . ./completion
    COMP_WORDS=(saccade equalize --scale m) COMP_CWORD=3
    _saccade
    [ "${COMPREPLY[*]}" = 'max minmax' ] || fault "--scale m completes to '${COMPREPLY[*]}'"
    COMP_WORDS=(saccade eq) COMP_CWORD=1
    _saccade
    [ "${COMPREPLY[*]}" = equalize ] || fault "eq completes to '${COMPREPLY[*]}'"
    passes "$saccade" reference markdown
    grep -qF -- '| `--bins N` |' .out || fault "no row for --bins"
    (cd "$docs" && grep -oE '^### saccade [a-z]+ ' ./*.md | uniq) >tables
    [ "$(wc -l <tables)" -ge 7 ] || fault "$docs: $(wc -l <tables) pages have option tables"
    local page command
    while IFS=' :' read -r page _ _ command; do
        page=$docs/$page
        passes "$saccade" reference markdown "$command"
        awk -v head="### saccade $command " '/^###/ { on = index($0, head) == 1 } /^<!--/ { on = 0 } on' "$page" |
            diff - .out >/dev/null || fault "$page: options are not as 'saccade reference markdown $command'"
    done <tables
    passes "$saccade" reference man
    grep -q '^\.SH EXIT STATUS' .out || fault "no exit status in the manual"
    if command -v groff >/dev/null; then
        groff -man -ww -z .out 2>.err
        [ ! -s .err ] || fault "groff: $(head -n 1 .err)"
    else
        skip_part "no groff: the manual page is not formatted"
    fi
}

# shellcheck source=tests/cli/completion.sh
. "$here/completion.sh"
# shellcheck source=tests/cli/outputs.sh
. "$here/outputs.sh"
# shellcheck source=tests/cli/plots.sh
. "$here/plots.sh"
# shellcheck source=tests/cli/pictures.sh
. "$here/pictures.sh"
# shellcheck source=tests/cli/flow.sh
. "$here/flow.sh"
# shellcheck source=tests/cli/ultrasound.sh
. "$here/ultrasound.sh"
# shellcheck source=tests/cli/motion.sh
. "$here/motion.sh"
# shellcheck source=tests/cli/motion_measures.sh
. "$here/motion_measures.sh"
# shellcheck source=tests/cli/meltpool.sh
. "$here/meltpool.sh"
# shellcheck source=tests/cli/calibrate.sh
. "$here/calibrate.sh"
# shellcheck source=tests/cli/curves.sh
. "$here/curves.sh"
# shellcheck source=tests/cli/report.sh
. "$here/report.sh"
# shellcheck source=tests/cli/tune.sh
. "$here/tune.sh"
# shellcheck source=tests/cli/figures.sh
. "$here/figures.sh"
# shellcheck source=tests/cli/real_time.sh
. "$here/real_time.sh"
# shellcheck source=tests/cli/network.sh
. "$here/network.sh"
# shellcheck source=tests/cli/ranks.sh
. "$here/ranks.sh"
# shellcheck source=tests/cli/network_ultrasound.sh
. "$here/network_ultrasound.sh"
# shellcheck source=tests/cli/live.sh
. "$here/live.sh"
# shellcheck source=tests/cli/sources.sh
. "$here/sources.sh"

declare -F "$test" >/dev/null || fault "there is no such test"
"$test"
[ $faults -eq 0 ]
