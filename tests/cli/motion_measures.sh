# Tests of what is measured in videos and filtered before: functions for cli_test.sh, which reads this file after motion.sh.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

# A row a frame after the video's own, of several videos in turn; 20,000 of them leave memory for a temporary file.
motion_json_has_a_row_for_each_frame() {
    local still=@@@@@@@@@@@@@@@@@@@@@ row
    printf '%s' "$still@@@$still@@@${still}U@B" >a.rgb
    passes "$saccade" noise a.rgb --size 4x2 -o b.rgb --json b.json
    row='    {"input": "a.rgb", "frame": 2, "changed_pixels": 1, "changed_share": 0.125}'
    [ "$(tail -n 3 b.json)" = "$row"$'\n  ]\n}' ] || fault "noise: $(tail -n 3 b.json)"
    grep -q '"frame": 1, "changed_pixels": 0, "changed_share": 0}' b.json || fault "noise: $(cat b.json)"
    passes "$saccade" heatmap a.rgb --size 4x2 -o b.rgb --json h.json
    row='"changed_pixels": 1, "changed_share": 0.125, "difference_sum": 23, "difference_max": 23}'
    grep -qF "\"frame\": 2, $row" h.json || fault "heatmap: $(tail -n 3 h.json)"
    passes "$saccade" heatmap a.rgb --size 4x6 --format gray -o b.rgb --json g.json
    grep -qF '"frame": 2, "changed_pixels": 2, "changed_share": 0.0833333333333, "difference_sum": 69' g.json ||
        fault "gray: $(tail -n 3 g.json)"
    passes "$saccade" denoise a.rgb --size 4x2 -o b.rgb --json d.json
    ! grep -q '"frame":' d.json || fault "denoise has rows of frames"
    y4m a.y4m 4 2 444 24 24
    y4m b.y4m 4 2 444 24 24 24
    passes "$saccade" noise '?.y4m' -o out/ --json j.json
    [ "$(grep -cE '"input": "[ab].y4m", "frame": ' j.json)" -eq 5 ] || fault "two videos: $(cat j.json)"
    head -c 480000 /dev/zero >z.gray
    passes "$saccade" noise z.gray --size 4x6 -o z.rgb --json z.json
    [ "$(grep -c '"frame": ' z.json)" -eq 20000 ] || fault "a long video: $(grep -c '"frame": ' z.json) rows"
    TMPDIR=/nowhere passes "$saccade" noise z.gray --size 4x6 -o z.rgb --json y.json
    [ "$(grep -c '"frame": ' y.json)" -eq 20000 ] || fault "without a temporary file: $(wc -c <y.json) bytes"
    "$saccade" noise z.gray --size 4x6 -o z.rgb --json - >z.out 2>.err || fault "standard output: $(cat .err)"
    diff <(grep '"frame"' z.out) <(grep '"frame"' z.json) >/dev/null || fault "standard output has other rows"
    if command -v python3 >/dev/null; then
        for file in *.json z.out; do
            python3 -m json.tool $file >.out 2>.err || fault "$file: $(cat .err)"
        done
    fi
}

# What is encoded are the frames that saccade denoise writes.
delta_denoise_encodes_filtered_frames() {
    need_delta
    bytes 9600 5 >b.rgb # 16 frames of 20 x 10
    fails 2 '--denoise' "$saccade" delta encode b.rgb --size 20x10 -o b.sdv --denoise much
    fails 2 'unknown option --denoise' "$saccade" delta decode b.rgb -o c.rgb --denoise mean
    while read -r filter method window; do
        passes "$saccade" denoise b.rgb --size 20x10 --method "$method" --window "$window" -o c.rgb
        passes "$saccade" delta encode b.rgb --size 20x10 --threshold 0 --denoise "$filter" -o b.sdv --json b.json
        grep -q "\"denoise\": \"$filter\"" b.json || fault "b.json: $(grep denoise b.json)"
        passes "$saccade" delta decode b.sdv -o d.rgb
        same c.rgb d.rgb "$filter"
        passes "$saccade" noise b.rgb --size 20x10 --denoise "$filter" -o e.rgb
        passes "$saccade" noise c.rgb --size 20x10 -o f.rgb
        same e.rgb f.rgb "$filter before the noise view"
    done <<<'mean mean 3
gaussian gaussian 3
median median 3
temporal temporal 3
mean5 mean 5
gaussian5 gaussian 5
median5 median 5'
}

# clip FRAMES SHIFT: gray frames of 40 x 30, levels 37 to 43 at random; a bright block of 6 x 6 moves by SHIFT a frame
clip() {
    LC_ALL=C awk -v frames="$1" -v shift="$2" 'BEGIN {
        for (t = 0; t < frames; t++)
            for (y = 0; y < 30; y++)
                for (x = 0; x < 40; x++) {
                    seed = (seed * 16807 + 11) % 2147483647
                    is_block = shift && y >= 9 && y < 15 && x >= shift * t % 34 && x < shift * t % 34 + 6
                    printf "%c", 37 + int(seed / 1000) % 7 + (is_block ? 60 : 0)
                }
    }'
}

# The deviation of seven equal levels is 2.
measure_noise_finds_what_was_made() {
    clip 40 0 >still.gray
    passes "$saccade" measure still.gray --noise --size 40x30 --json n.json
    awk '$1 == "gray" && $2 == "all" { good = $5 > 1.95 && $5 < 2.05 && $6 < 0.2 && $7 < 0.2 && $8 < 0.2 && $10 < 0.2 }
         END { exit !good }' .out || fault "measured '$(cat .out)'"
    grep -q 'from 40 frames of 40x30' .out || fault "says '$(cat .out)'"
    grep -q '"restless_share": 0,' n.json || fault "n.json: $(cat n.json)"
    "$saccade" measure --noise - --size 40x30 --format gray --json - <still.gray >p.json 2>.err || fault "$(cat .err)"
    diff <(grep random n.json) <(grep random p.json) || fault "pipe and file differ"
    if command -v python3 >/dev/null; then
        python3 -m json.tool n.json >.out 2>.err || fault "n.json: $(cat .err)"
    fi
    passes "$saccade" measure still.gray --noise --size 20x20 --format rgb --bins 4
    [ "$(grep -cE '^ +(red|green|blue) +all ' .out)" -eq 3 ] || fault "rgb: '$(cat .out)'"
}

measure_noise_doubtful_clips_warn() {
    clip 40 2 >moving.gray
    "$saccade" measure moving.gray --noise --size 40x30 >.out 2>.err || fault "moving: $(cat .err)"
    grep -q 'something moves' .err || fault "moving: '$(cat .err)'"
    head -c 6000 moving.gray >short.gray
    "$saccade" measure short.gray --noise --size 40x30 >.out 2>.err || fault "short: $(cat .err)"
    grep -q '5 frames are few' .err || fault "short: '$(cat .err)'"
    clip 40 0 | tr '%&' '\0\0' >dark.gray
    "$saccade" measure dark.gray --noise --size 40x30 >.out 2>.err || fault "dark: $(cat .err)"
    grep -q 'of the samples are 0 or 255' .err || fault "dark: '$(cat .err)'"
}

measure_noise_wrong_use_fails() {
    clip 2 0 >a.gray
    cp a.gray a.dat
    fails 2 'no clip' "$saccade" measure --noise
    fails 2 'one clip' "$saccade" measure --noise a.gray a.gray
    fails 2 'their size' "$saccade" measure --noise a.dat
    fails 2 'unknown option --points' "$saccade" measure a.gray --noise --points
    fails 2 'unknown option --size' "$saccade" measure a.gray --points --size 40x30
    fails 2 '--bins' "$saccade" measure a.gray --noise --bins 0
    fails 2 'is read' "$saccade" measure a.gray --noise --size 40x30 --json a.gray
    fails 1 missing.y4m "$saccade" measure missing.y4m --noise
    fails 1 'noise needs 2 frames or more, one came' "$saccade" measure a.gray --noise --size 40x60
    fails 1 'frame 1 is cut short' "$saccade" measure a.gray --noise --size 40x50
}
