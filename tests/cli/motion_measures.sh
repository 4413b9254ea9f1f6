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
