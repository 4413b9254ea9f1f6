#!/bin/bash
# live_test.sh SACCADE PLUGIN_FOLDER DOCS: each pipeline of docs/live.md, with test pictures for cameras and without
# windows, also those of saccade send and receive; elements against the command; what gst-inspect-1.0 shows.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
saccade=$1
plugins=$2
docs=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GST_PLUGIN_PATH=$plugins GST_REGISTRY=$work/registry.bin XDG_CACHE_HOME=$work

fail() {
    echo "live_test: $*" >&2
    exit 1
}

for tool in gst-launch-1.0 gst-inspect-1.0; do
    command -v $tool >/dev/null || { echo "SKIPPED: no $tool (gstreamer1.0-tools)" && exit 77; }
done
for element in videotestsrc compositor decodebin vp8enc webmmux rawvideoparse; do
    gst-inspect-1.0 $element >/dev/null 2>&1 || {
        echo "SKIPPED: GStreamer has no $element (gstreamer1.0-plugins-base, -good, -bad)"
        exit 77
    }
done

gst-launch-1.0 -q videotestsrc num-buffers=1 ! videoconvert ! sacdeltaenc ! fakesink >run.log 2>&1 ||
    ! grep -q 'this build has no zstd' run.log || {
    echo 'SKIPPED: this build has no zstd'
    exit 77
}

has_keys=$(ldd "$plugins/libgstsaccade.so" | grep -c sodium || true)

# A pipeline of the page as it runs here. GLib's warnings are failures.
run() {
    local line=$1
    line=${line//v4l2src/videotestsrc num-buffers=20 pattern=ball ! video/x-raw,width=160,height=120}
    line=${line//autovideosink/fakesink}
    G_DEBUG=fatal-criticals timeout 60 bash -euc "$line" >run.log 2>&1 || fail "$line: $(cat run.log)"
    ! grep -E 'WARNING|CRITICAL|ERROR' run.log || fail "$line: $(cat run.log)"
}

# Blocks of the page with both sides of a stream, a line each side: the sender, then what receives.
streams() {
    awk '
        /^    / {
            line = $0
            sub(/^ +/, "", line)
            sub(/ +#.*/, "", line)
            more = sub(/ *\\$/, " ", line)
            whole = whole line
            if (more) next
            if (whole ~ /^saccade send .*--to /) sender = whole
            else if (whole ~ /^saccade receive |sacdeltasrc/) receiver = whole
            whole = ""
            next
        }
        {
            if (sender && receiver) printf "%s\n%s\n", sender, receiver
            sender = receiver = whole = ""
        }' "$docs/live.md"
}

# Both sides on this machine: some frames of a test picture, and nothing to see.
run_stream() { # run_stream SENDER RECEIVER
    local port=$((10000 + (RANDOM * 32768 + RANDOM + $$) % 22000)) side sides=() id
    for side; do
        side=${side/#saccade/$saccade}
        side=${side//:5000/:$port}
        side=${side//192.168.1.[0-9]/127.0.0.1}
        side=${side//\/dev\/video0/test --size 320x240}
        side=${side//rtsp:\/\/*stream/test --size 320x240}
        side=${side/ --show/}
        side=${side/ receive / receive --frames 30 }
        side=${side/ send / send --seconds 90 }
        sides+=("${side/sacdeltasrc /sacdeltasrc num-buffers=60 }")
    done
    bash -c "exec ${sides[0]}" >sent.log 2>&1 </dev/null &
    id=$!
    if ! timeout 60 bash -euc "${sides[1]}" >run.log 2>&1 </dev/null; then
        grep -Eq 'this build (has no|cannot)' run.log || fail "${sides[1]}: $(cat run.log sent.log)"
        echo "SKIPPED: $(grep -E 'this build (has no|cannot)' run.log)"
        wait $id || return 0
    fi
    kill -TERM $id
    wait $id || fail "${sides[0]}: $(cat sent.log)"
    ! grep -E 'WARNING|CRITICAL|ERROR' run.log sent.log || fail "${sides[*]}: $(cat run.log sent.log)"
}

# The lines of code that begin with gst-launch-1.0, without what continues them; those of streams() are left out.
pipelines() {
    awk '
        !/^    / { more = 0 }
        /^    gst-launch-1.0 / || more {
            sub(/^ +/, "")
            more = sub(/ *\\$/, " ")
            printf "%s%s", $0, more ? "" : "\n"
        }' "$docs/live.md" | grep -v 192.168.1
}

gst-launch-1.0 -q videotestsrc num-buffers=20 pattern=ball ! video/x-raw,width=160,height=120 ! vp8enc ! webmmux ! \
    filesink location=movie.mp4
# Sender and receiver of two lines, on one machine. The receiver ends after some packets.
pair() {
    local receiver=$1 sender=$2 log=sender.log
    receiver=${receiver//sacdeltasrc/sacdeltasrc num-buffers=10}
    sender=${sender//v4l2src/videotestsrc is-live=true pattern=ball ! video/x-raw,width=160,height=120}
    bash -euc "exec ${sender//192.168.0.7/127.0.0.1}" >$log 2>&1 &
    local pid=$!
    run "${receiver//192.168.0.7/127.0.0.1}"
    kill $pid
    wait $pid 2>/dev/null || true
    ! grep -E 'CRITICAL|ERROR' $log || fail "$sender: $(cat $log)"
}

printf 'a passphrase of the test\n' >secret.txt
n=0
receiver='' sender=''
while read -r line; do
    case $line in
    *sacdeltasrc*) receiver=$line ;;
    *sacdeltasink*) sender=$line ;;
    *) run "$line" ;;
    esac
    if [ "$receiver" ] && [ "$sender" ]; then
        case $line$has_keys in
        *passphrase-file*0) ;; # this build has no libsodium
        *) pair "$receiver" "$sender" ;;
        esac
        receiver='' sender=''
    fi
    n=$((n + 1))
    case $line in
    *' -m '*) grep -q 'element "sac.*saccade, timestamp' run.log || fail "$line: no message" ;;
    esac
done < <(pipelines)
[ $n -ge 10 ] || fail "only $n pipelines were found in live.md"
[ -s heat.webm ] || fail 'no heat.webm'

n_streams=0
if [ -x "$(dirname "$saccade")/saccade-live" ]; then
    while read -r sender && read -r receiver; do
        case $receiver in
        *openh264enc*) gst-inspect-1.0 openh264enc >/dev/null 2>&1 || continue ;;
        esac
        run_stream "$sender" "$receiver"
        n_streams=$((n_streams + 1))
    done < <(streams)
    [ $n_streams -ge 4 ] || fail "only $n_streams streams were found in live.md"
    if [ ! -s day.sdv ] || [ ! -s changes.mkv ]; then
        fail 'no day.sdv, or no changes.mkv'
    fi
fi
"$saccade" delta info camera.sdv >run.log
grep -q "^camera.sdv: 20 frames of 160x120x3 u8" run.log || fail "$(cat run.log)"

# same FORMAT ELEMENT COMMAND...: both of the same raw frames.
same() {
    local format=$1 element=$2 name=${1^^}
    shift 2
    name=${name/BGRX/BGRx}
    gst-launch-1.0 -q videotestsrc num-buffers=8 pattern=snow ! video/x-raw,format=GRAY8,width=64,height=33 ! \
        videoconvert ! "video/x-raw,format=$name" ! sacdenoise method=mean ! filesink location=in.raw
    # shellcheck disable=SC2086 # an element and its properties
    gst-launch-1.0 -q filesrc location=in.raw ! \
        rawvideoparse width=64 height=33 "format=$format" framerate=25/1 ! $element ! filesink location=gst.raw
    "$saccade" "$@" in.raw --size 64x33 --format "${format%8}" -o command.raw >/dev/null
    cmp gst.raw command.raw || fail "$element is not saccade $*"
}
same rgb sacheatmap heatmap
same bgr 'sacheatmap map=viridis scale=100' heatmap --map viridis --scale 100
same bgrx 'sacnoise view=overlay threshold=5' noise --overlay --threshold 5
same rgb 'sacdenoise method=median window=5' denoise --method median --window 5
same gray8 sacdenoise denoise
same bgrx 'sacadjust gain=1.4 contrast=0.8 brightness=5 saturation=2' \
    adjust --gain 1.4 --contrast 0.8 --brightness 5 --saturation 2
same rgb 'sacequalize clahe=3x2 clip=3' equalize --clahe 3x2 --clip 3

# A stream of the element is the command's, but for the index at its end.
gst-launch-1.0 -q filesrc location=in.raw ! rawvideoparse width=64 height=33 format=rgb framerate=25/1 ! \
    sacdeltaenc threshold=4 ! filesink location=gst.sdv
"$saccade" delta encode in.raw --size 64x33 --format rgb --rate 25 --threshold 4 -o command.sdv >/dev/null
cmp -n "$(stat -c %s gst.sdv)" gst.sdv command.sdv || fail 'sacdeltaenc is not saccade delta encode'
gst-launch-1.0 -q filesrc location=command.sdv ! sacdeltaparse ! sacdeltadec ! filesink location=gst.raw
"$saccade" delta decode command.sdv -o command.raw >/dev/null
cmp gst.raw command.raw || fail 'sacdeltadec is not saccade delta decode'

# An option that is not valid ends the pipeline: no picture with status 0.
refused() {
    if gst-launch-1.0 -q videotestsrc num-buffers=3 ! videoconvert ! "$@" ! fakesink >run.log 2>&1; then
        fail "$*: was accepted"
    fi
    grep -q "$1" run.log || fail "$*: $(cat run.log)"
}
refused sacequalize clahe=many
refused sacheatmap variant=none-such
refused sacnoise device=tpu
refused sacdeltaenc variant=none-such

for element in sacequalize sacheatmap sacnoise sacdenoise sacadjust sacdeltaenc sacdeltadec sacdeltaparse sacdeltasink \
    sacdeltasrc; do
    gst-inspect-1.0 $element >inspect.log
    for word in 'Long-name .*(saccade)' 'Klass ' 'Description .{60}' 'Pad Templates'; do
        grep -qE "$word" inspect.log || fail "gst-inspect-1.0 $element lacks $word"
    done
    grep -q "^| \`$element\` |" "$docs/live.md" || fail "live.md lacks $element"
done
echo "$n pipelines and $n_streams streams of live.md"
