# Tests of what is said of pictures, of bombs and endless inputs, and of saccade equalize over videos: functions for
# cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2015,SC2016 # $saccade is cli_test.sh's; names in errors stand in `...`

# says WORD COMMAND...: exit 0, and one line on standard error with WORD
says() {
    local word=$1
    shift
    "$@" >.out 2>.err </dev/null || fault "wanted exit 0: $* ($(cat .err))"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line on standard error, got $(wc -l <.err): $*"
    grep -qF -- "$word" .err || fault "wanted '$word' in '$(cat .err)': $*"
}

pictures_further_pages_are_said_and_taken() {
    ppm a.ppm 8 6
    ppm b.ppm 5 4
    cat a.ppm b.ppm >two.ppm
    passes "$saccade" equalize a.ppm -o a1.ppm
    passes "$saccade" equalize b.ppm -o b1.ppm
    says 'warning: `two.ppm`: there are more pages, only the first is read' "$saccade" equalize two.ppm -o t.ppm
    same a1.ppm t.ppm "the first page"
    passes "$saccade" equalize two.ppm --page 1 -o t.ppm
    same a1.ppm t.ppm "page 1"
    passes "$saccade" equalize two.ppm --page 2 -o t.ppm
    same b1.ppm t.ppm "page 2"
    fails 1 'there is no page 3' "$saccade" equalize two.ppm --page 3 -o u.ppm
    fails 2 '--page' "$saccade" equalize two.ppm --page -1 -o u.ppm
    "$saccade" equalize - --page 2 -o t.ppm <two.ppm 2>.err || fault "in a pipe: $(cat .err)"
    same b1.ppm t.ppm "page 2 of standard input"
}

pictures_conversions_are_said() {
    ppm a.ppm 8 6
    "$saccade" equalize a.ppm -o a.gif 2>.err || skip "this build writes no GIF (no libvips)"
    grep -q 'GIF holds 256 colors' .err || fault "says '$(cat .err)'"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line, got '$(cat .err)'"
    # A BMP of one pixel whose palette has a color
    printf 'BM\x42\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\1\0\0\0\0\0\0\0\0\0' >p.bmp
    printf '\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\1\2\3\0\4\5\6\0\0\0\0\0' >>p.bmp
    says 'a palette became RGB' "$saccade" equalize p.bmp -o p.ppm
    echo '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' >a.svg
    fails 1 'is not a picture of a supported format' "$saccade" equalize a.svg -o b.ppm
    head -c 18 /dev/zero >a.tga
    fails 1 'is not a picture of a supported format' "$saccade" equalize a.tga -o b.ppm
}

# A library of its name that is none stands in for one that is not installed.
pictures_without_libvips_at_run_time_say_so() {
    ppm a.ppm 8 6
    "$saccade" equalize a.ppm -o a.png 2>.err || skip "this build writes no PNG (no libvips)"
    mkdir none
    : >none/libvips.so.42
    export LD_LIBRARY_PATH=$PWD/none
    fails 1 '`a.png`: needs libvips, which cannot be loaded' "$saccade" equalize a.png -o b.ppm
    fails 1 '`b.png`: needs libvips, which cannot be loaded' "$saccade" equalize a.ppm -o b.png
    passes "$saccade" equalize a.ppm -o b.ppm
}

pictures_limit_of_pixels_can_be_raised() {
    printf 'P6\n20000 20000\n255\nabc' >large.ppm
    ppm a.ppm 8 6
    fails 1 'more than the limit, 268435456 (max_pixels; of the command --max-pixels)' \
        "$saccade" equalize large.ppm -o b.ppm
    fails 1 'ends too early' "$saccade" equalize large.ppm --max-pixels 400000000 -o b.ppm
    fails 1 'more than the limit, 47' "$saccade" equalize a.ppm --max-pixels 47 -o b.ppm
    fails 1 'more than the limit, 47' "$saccade" ladder equalize --input a.ppm --max-pixels 47
    passes "$saccade" equalize a.ppm --max-pixels 48 -o b.ppm
    fails 2 '--max-pixels' "$saccade" equalize a.ppm --max-pixels 0 -o c.ppm
}

pictures_quality_decides_the_size() {
    ppm a.ppm 64 64
    "$saccade" equalize a.ppm -o a.jpg 2>/dev/null || skip "this build writes no JPEG (no libvips)"
    passes "$saccade" equalize a.ppm --quality 95 -o b.jpg
    same a.jpg b.jpg "95 is the default"
    passes "$saccade" equalize a.ppm --quality 20 -o c.jpg
    [ "$(wc -c <c.jpg)" -lt $(($(wc -c <a.jpg) / 2)) ] || fault "quality 20 is not half of 95"
    fails 2 '--quality' "$saccade" equalize a.ppm --quality 101 -o d.jpg
    fails 2 '--quality' "$saccade" equalize a.ppm --quality 0 -o d.jpg
    bytes 12288 3 >a.rgb
    passes "$saccade" heatmap a.rgb --size 64x64 -o e.jpg
    passes "$saccade" heatmap a.rgb --size 64x64 --quality 20 -o f.jpg
    [ "$(wc -c <f.jpg)" -lt "$(wc -c <e.jpg)" ] || fault "--quality does nothing to a series"
}

# What never ends, or says that it is long, costs seconds.
inputs_without_end_are_given_up() {
    local png='\x89PNG\r\n\x1a\n'
    limited() { # limited WORD COMMAND...: fails within 30 s
        local word=$1
        shift
        local status
        timeout 30 "$@" >.out 2>.err
        status=$?
        [ $status -eq 1 ] || [ $status -eq 2 ] || fault "wanted exit 1 or 2: $*: $(cat .err)"
        grep -qF -- "$word" .err || fault "wanted '$word' in '$(cat .err)': $*"
        [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line, got '$(cat .err)'"
    }
    local none='is not a picture'
    "$saccade" info | grep -q "^libvips  *[0-9]" || none='this build reads PNM and BMP only'
    limited "$none" "$saccade" equalize - -o b.ppm </dev/zero
    limited "$none" "$saccade" equalize /dev/zero -o b.ppm
    limited 'need their size' "$saccade" heatmap - -o b.y4m </dev/zero
    limited 'need their size' "$saccade" heatmap /dev/zero -o b.y4m
    limited 'no number within' "$saccade" equalize - -o b.ppm < <(printf 'P5\n' && exec yes '# more')
    limited 'no number within' "$saccade" equalize - -o b.ppm < <(printf 'P5 1 ' && exec yes ' ')
    limited 'ENDHDR' "$saccade" equalize - -o b.ppm < <(printf 'P7\n' && exec yes '# more')
    limited 'expected `FRAME`' "$saccade" heatmap - -o b.y4m < <(exec yes 'YUV4MPEG2 W2 H2')
    limited 'longer than 4095 bytes' "$saccade" heatmap - -o b.y4m < <(printf 'YUV4MPEG2 ' && exec tr '\0' X </dev/zero)
    truncate -s 64G zeros.ppm
    limited "$none" "$saccade" equalize zeros.ppm -o b.ppm
    # shellcheck disable=SC2059
    printf "$png" >zeros.png && truncate -s 64G zeros.png
    limited zeros.png "$saccade" equalize zeros.png -o b.ppm
    printf 'II*\0\x08\0\0\0' >zeros.tif && truncate -s 64G zeros.tif
    limited zeros.tif "$saccade" equalize zeros.tif -o b.ppm
    printf 'GIF89a\x08\0\x08\0\0\0\0' >zeros.gif && truncate -s 64G zeros.gif
    limited zeros.gif "$saccade" equalize zeros.gif -o b.ppm
    [ ! -e b.ppm ] && [ ! -e b.y4m ] || fault "an output was made"
    # One picture, and then no end: it is read, and the rest is not waited for.
    timeout 30 "$saccade" equalize - -o c.ppm < <(printf 'P6\n3 3\n255\n' && exec cat /dev/zero) 2>.err ||
        fault "a picture before zeros: $(cat .err)"
}

equalize_video_wrong_usage_exits_2() {
    y4m a.y4m 4 2 444 24 24
    fails 2 'is read, and would be written over' "$saccade" equalize a.y4m -o a.y4m
    fails 2 'one input' "$saccade" equalize a.y4m a.y4m -o out/
    fails 2 '--plot is for pictures' "$saccade" equalize a.y4m --plot p.svg -o b.y4m
    fails 2 '--page is for pictures' "$saccade" equalize a.y4m --page 2 -o b.y4m
    fails 2 'is for pictures' "$saccade" equalize a.y4m --format png -o b.y4m
    bytes 24 1 >a.dat
    fails 2 'their size' "$saccade" equalize a.dat --format nv12 -o b.y4m
    fails 1 'does not fit' "$saccade" equalize a.y4m --roi 4x2+1+0 -o b.y4m
    fails 1 a-%d.ppm "$saccade" equalize a-%d.ppm -o b.y4m
    fails 2 ending "$saccade" equalize a.y4m -o b
    fails 2 'standard output' "$saccade" equalize a.y4m --stats - -o -
}

# Frames of a series are equalized as the same pictures one after the other are, --smooth too.
equalize_video_is_as_its_pictures() {
    mkdir in
    for i in 0 1 2 3; do
        { printf 'P6\n20 12\n255\n' && bytes 720 $((i * i * 40000 + 5)); } >in/p-$i.ppm
    done
    for options in '' '--smooth 0.8' '--clahe 2' '--roi 8x6+3+2 --smooth 0.5'; do
        rm -rf one video-*
        # shellcheck disable=SC2086 # options are several words
        passes "$saccade" equalize in/p-*.ppm -o one/ $options
        # shellcheck disable=SC2086
        passes "$saccade" equalize in/p-%d.ppm -o video-%d.ppm $options --stats s.json
        for i in 0 1 2 3; do
            same one/p-$i.ppm video-$i.ppm "frame $i with '$options'"
        done
    done
    grep -q '"frames": 4' s.json && grep -q '"pipeline": "equalize"' s.json || fault "s.json: $(cat s.json)"
    cmp -s in/p-0.ppm video-0.ppm && fault "nothing was done"
}

equalize_video_takes_every_form() {
    bytes 2880 7 >a.rgb # 4 frames of 20 x 12
    passes "$saccade" equalize a.rgb --size 20x12 --smooth 0.9 -o b.rgb
    grep -q '^b.rgb: 4 frames of 20x12: equalize' .out || fault "says '$(cat .out)'"
    [ "$(wc -c <b.rgb)" -eq 2880 ] || fault "b.rgb has $(wc -c <b.rgb) bytes"
    passes "$saccade" equalize a.rgb --size 20x12 --smooth 0.9 -o b-%d.ppm
    for i in 0 1 2 3; do tail -c 720 b-$i.ppm; done | cmp -s - b.rgb || fault "pictures and raw differ"
    "$saccade" equalize - --size 20x12 --smooth 0.9 -o - <a.rgb 2>.err | cmp -s - b.rgb ||
        fault "raw in a pipe: $(cat .err)"
    y4m a.y4m 20 12 420mpeg2 360 360 360
    passes "$saccade" equalize a.y4m --smooth 0.9 -o b.y4m
    head -n 1 b.y4m | grep -q 'W20 H12 F25:1 .*C420mpeg2 XCOLORRANGE=LIMITED' || fault "header: $(head -n 1 b.y4m)"
    "$saccade" equalize - --smooth 0.9 -o - <a.y4m 2>.err | cmp -s - b.y4m || fault "Y4M from a file at 0: $(cat .err)"
    # shellcheck disable=SC2002 # a pipe, of which nothing can be read twice
    cat a.y4m | "$saccade" equalize - --smooth 0.9 -o - 2>.err | cmp -s - b.y4m || fault "Y4M in a pipe: $(cat .err)"
    ppm a.ppm 20 12
    passes "$saccade" equalize a.ppm -o c.ppm
    # shellcheck disable=SC2002
    cat a.ppm | "$saccade" equalize - -o - 2>.err | cmp -s - c.ppm || fault "a picture in a pipe: $(cat .err)"
    mkdir folder && cp b-*.ppm folder
    passes "$saccade" equalize folder -o d.y4m
    [ "$(grep -ao FRAME d.y4m | wc -l)" -eq 4 ] || fault "a folder: $(grep -ao FRAME d.y4m | wc -l) frames"
}

# NV12 and I420 are what Y4M of the same samples is; an unknown layout is refused by its name.
video_planes_are_not_taken_for_rgb() {
    y4m a.y4m 8 6 420mpeg2 72 72
    passes "$saccade" denoise a.y4m --method median -o want.y4m
    passes "$saccade" denoise a.y4m --method median -o want.i420
    [ "$(wc -c <want.i420)" -eq 144 ] || fault "want.i420 has $(wc -c <want.i420) bytes"
    { tail -c 150 a.y4m | head -c 72 && tail -c 72 a.y4m; } >a.i420 # the planes behind each FRAME
    passes "$saccade" denoise a.i420 --size 8x6 --method median -o b.y4m
    tail -c 156 want.y4m | cmp -s - <(tail -c 156 b.y4m) || fault "I420 and Y4M differ"
    passes "$saccade" denoise a.i420 --size 8x6 --method median -o b.nv12
    passes "$saccade" denoise b.nv12 --size 8x6 --method mean -o c.rgb
    passes "$saccade" denoise want.i420 --size 8x6 --method mean -o d.rgb
    same c.rgb d.rgb "NV12 and I420"
    cp b.nv12 b.dat
    passes "$saccade" denoise b.dat --size 8x6 --format nv12 --method mean -o e.rgb
    same c.rgb e.rgb "--format nv12"
    cp b.nv12 b.nv21
    fails 1 'raw frames of nv21 cannot be read' "$saccade" denoise b.nv21 --size 8x6 -o f.rgb
    bytes 48 3 >g.bgr
    passes "$saccade" equalize g.bgr --size 4x4 -o h.rgb
    passes "$saccade" equalize g.bgr --size 4x4 --format bgr -o h.bgr
    local rgb bgr
    rgb=$(head -c 3 h.rgb | od -An -tu1 | awk '{ print $3, $2, $1 }')
    bgr=$(head -c 3 h.bgr | od -An -tu1 | awk '{ print $1, $2, $3 }')
    [ "$rgb" = "$bgr" ] || fault "a .bgr file is not a .rgb file turned round: $rgb, $bgr"
}

heatmap_keeps_chroma_and_range() {
    y4m a.y4m 8 6 420jpeg 72 72 72
    sed -i '1s/$/ XCOLORRANGE=FULL/' a.y4m
    passes "$saccade" heatmap a.y4m -o b.y4m
    head -n 1 b.y4m | grep -q 'C420jpeg XCOLORRANGE=FULL' || fault "header: $(head -n 1 b.y4m)"
    [ "$(grep -ao FRAME b.y4m | wc -l)" -eq 3 ] || fault "three frames become $(grep -ao FRAME b.y4m | wc -l)"
    passes "$saccade" heatmap a.y4m --chroma 444 -o c.y4m
    head -n 1 c.y4m | grep -q 'C444 ' || fault "--chroma 444: $(head -n 1 c.y4m)"
    y4m m.y4m 8 6 mono 48 48
    passes "$saccade" heatmap m.y4m -o d.y4m
    head -n 1 d.y4m | grep -q 'C420jpeg ' || fault "colors of gray frames: $(head -n 1 d.y4m)"
    bytes 288 2 >a.rgb
    passes "$saccade" heatmap a.rgb --size 8x6 -o e.y4m
    head -n 1 e.y4m | grep -q 'C444 ' || fault "of RGB: $(head -n 1 e.y4m)"
    fails 2 '--chroma' "$saccade" heatmap a.y4m --chroma 411 -o f.y4m
}

# The line of the README, on a video whose frames come at uneven times, and on a real one where it is there.
ffmpeg_pipe_keeps_frames_and_colors() {
    command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null || skip "no ffmpeg"
    local real=${SACCADE_DATA:-$here/../../../shared/data}/video/phone-1080p.mp4
    ffmpeg -v error -f lavfi -i testsrc=size=64x48:rate=25:duration=1 -vf "select='mod(n,3)'" -vsync passthrough \
        -pix_fmt yuv420p -color_range tv -c:v mpeg4 in.mp4 || skip "this ffmpeg makes no video"
    [ ! -e "$real" ] || ffmpeg -v error -i "$real" -vsync passthrough -frames:v 12 -vf scale=320:180 real.mp4 || rm -f real.mp4
    count() {
        ffprobe -v error -count_frames -select_streams v -show_entries stream="$2" -of csv=p=0 "$1"
    }
    for video in in.mp4 real.mp4; do
        [ -e $video ] || continue
        ffmpeg -v error -i $video -vsync passthrough -f yuv4mpegpipe - 2>.err | "$saccade" heatmap - -o - 2>>.err |
            ffmpeg -v error -y -i - out.mp4 2>>.err || fault "the pipe: $(cat .err)"
        [ "$(count $video nb_read_frames)" = "$(count out.mp4 nb_read_frames)" ] ||
            fault "$video: $(count $video nb_read_frames) frames become $(count out.mp4 nb_read_frames)"
        [ "$(count out.mp4 pix_fmt)" = yuv420p ] || fault "$video: $(count out.mp4 pix_fmt) comes out"
        ffmpeg -v error -i $video -vsync passthrough -f yuv4mpegpipe - 2>.err | "$saccade" equalize - -o b.y4m >/dev/null 2>>.err
        [ "$(count b.y4m color_range)" = tv ] || fault "$video: range $(count b.y4m color_range) comes out"
    done
}
