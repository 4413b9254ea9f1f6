# Tests of what is drawn: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade and $here are cli_test.sh's

well_formed() { # well_formed FILE: it is SVG, and every coordinate is a number
    head -c 200 "$1" | grep -q '<svg' || fault "$1 begins with '$(head -c 40 "$1")'"
    ! grep -Eq '\b(nan|inf)\b' "$1" || fault "$1 has a coordinate that is no number"
    if command -v xmllint >/dev/null; then
        xmllint --huge --noout "$1" || fault "$1 is not well-formed"
    elif command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$1" || fault "$1 is not well-formed"
    else
        skip_part "neither xmllint nor python3: is $1 well-formed?"
    fi
}

png_size() { # png_size FILE W [H]: it is a PNG of that size
    local w h
    [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fault "$1 is no PNG"
    read -r w h < <(tail -c +17 "$1" | head -c 8 | od -An -tu1 |
        awk '{ print ($1 * 256 + $2) * 65536 + $3 * 256 + $4, ($5 * 256 + $6) * 65536 + $7 * 256 + $8 }')
    [ "$w" = "$2" ] && [ "$h" = "${3:-$h}" ] || fault "$1 has $w x $h pixels, wanted $2 x ${3:-any}"
}

has_words() { # has_words PDF WORD...: they are drawn in it
    local pdf=$1
    shift
    python3 -c '' 2>/dev/null || { skip_part "no python3: what does $pdf say?" && return; }
    python3 "$here/pdf_words" "$pdf" >.words || fault "pdf_words of $pdf"
    local word
    for word in "$@"; do
        grep -qF -- "$word" .words || fault "$pdf has no '$word' in $(head -c 400 .words)"
    done
    rm -f .words
}

plot_without_cairo_says_how_to_get_it() {
    ! "$saccade" info | grep -q '^Cairo  *[0-9]' || skip "this build has Cairo"
    ppm a.ppm 8 8
    local word='no Cairo, which draws (Debian and Ubuntu: libcairo2-dev'
    fails 1 "$word" "$saccade" equalize a.ppm -o b.ppm --plot b.svg
    fails 1 "$word" timeout 30 "$saccade" jitter --seconds 900 --plot b.png
    fails 1 "$word" timeout 30 "$saccade" ladder motion --seconds 900 --plot b.pdf
    fails 1 "$word" timeout 30 "$saccade" ladder meltpool --curves --seconds 900 --plot b.pdf
    fails 1 "$word" "$saccade" heatmap --plot b.svg
    fails 1 "$word" "$saccade" meltpool a.h5 -o b.csv --plot b.svg
}

plot_is_well_formed_svg() {
    need_cairo
    ppm 'a & <b>.ppm' 30 20
    { printf 'P5\n8 4\n65535\n' && seq 1 99 | head -c 64; } >c.pgm
    passes "$saccade" equalize 'a & <b>.ppm' c.pgm -o out/ --plot p.svg
    well_formed p.svg
    passes "$saccade" equalize 'a & <b>.ppm' c.pgm -o out/ --plot p.pdf
    [ "$(head -c 5 p.pdf)" = %PDF- ] || fault "p.pdf begins '$(head -c 5 p.pdf)'"
    has_words p.pdf 'a & <b>.ppm, before' 'c.pgm, after' 'V = max(R, G, B)' 'cumulative'
    passes "$saccade" equalize 'a & <b>.ppm' c.pgm -o out/ --plot p.png
    png_size p.png 1920 1440
    local name
    name=$(printf 'x\377\001y.ppm') # no UTF-8
    cp 'a & <b>.ppm' "$name"
    passes "$saccade" equalize "$name" -o q.ppm --plot q.pdf
    has_words q.pdf 'y.ppm, before'
    passes "$saccade" equalize "$name" -o q.ppm --plot q.svg
    well_formed q.svg
}

# A command that would work first runs into the time limit, with another exit status.
plot_names_say_what_is_drawn() {
    ppm a.ppm 8 8
    local name
    for name in h.jpg h.ppm h.svgz h.svg.eps ./h. link.svg/h.tif; do
        fails 2 ".png, .svg or .pdf, got \`$name\`" "$saccade" equalize a.ppm -o b.ppm --plot "$name"
        fails 2 ".png, .svg or .pdf, got \`$name\`" timeout 30 "$saccade" ladder meltpool --curves --seconds 900 --plot "$name"
        fails 2 ".png, .svg or .pdf, got \`$name\`" "$saccade" meltpool a.h5 -o b.csv --plot "$name"
        fails 2 ".png, .svg or .pdf, got \`$name\`" timeout 30 "$saccade" jitter --seconds 900 --plot "$name"
        fails 2 ".png, .svg or .pdf, got \`$name\`" "$saccade" heatmap --plot "$name"
    done
    need_cairo
    for name in h.SVG ./h; do
        passes "$saccade" equalize a.ppm -o b.ppm --plot $name
        head -c 200 $name | grep -q '<svg' || fault "$name begins with '$(head -c 40 $name)'"
    done
    passes "$saccade" jitter --seconds 0.01 --plot j.PNG
    png_size j.PNG 2056 1464
    "$saccade" heatmap --plot - >m.svg 2>.err || fault "--plot -: $(cat .err)"
    well_formed m.svg
}

heatmap_plots_its_maps() {
    fails 2 'without IN' "$saccade" heatmap a.y4m --plot m.svg
    fails 2 'without IN' "$saccade" heatmap -o b.y4m --plot m.svg
    fails 2 '--scale' "$saccade" heatmap --plot m.svg --scale 0
    need_cairo
    passes "$saccade" heatmap --plot m.pdf
    has_words m.pdf 'sine, scale 765' 'turbo, scale 765' 'viridis, scale 765' 'red' 'green' 'blue'
    passes "$saccade" heatmap --map jet --scale 510 --plot j.pdf
    has_words j.pdf 'jet, scale 510'
    passes "$saccade" heatmap --map sine --plot s.png
    png_size s.png 960 760
    fails 1 no/such "$saccade" heatmap --plot no/such/m.svg
}

ladder_plot_shows_rungs_as_bars() {
    fails 2 '--sweep' "$saccade" ladder motion --sweep
    fails 1 'one rung expected' "$saccade" ladder motion --device cuda --sweep --only heat_u8
    need_cairo
    passes "$saccade" ladder motion --size 100x40 --seconds 0.001 --only noise_u8 --plot b.pdf
    has_words b.pdf noise_u8 ref plain cpu-naive published
    passes "$saccade" ladder equalize --seconds 0.001 --only scan_u64 --plot e.pdf
    has_words e.pdf scan_u64 kogge-stone published
    passes "$saccade" ladder beamform --seconds 0.001 --only compress_f32 --plot f.svg
    well_formed f.svg
    fails 1 no/such "$saccade" ladder motion --size 9x9 --seconds 0.001 --only noise_u8:ref --plot no/such/b.svg
}

ladder_compare_wrong_usage_exits_2() {
    echo '{}' >a.json
    echo '{}' >b.json
    fails 2 '2 to 5 files' "$saccade" ladder --compare
    fails 2 '2 to 5 files' "$saccade" ladder --compare a.json
    fails 2 '2 to 5 files' "$saccade" ladder --compare a.json b.json a.json b.json a.json b.json
    fails 2 '--compare goes with --plot alone, got --json' "$saccade" ladder --compare a.json b.json --json c.json
    fails 2 'got --only' "$saccade" ladder --compare a.json b.json --only x
    fails 2 '.png, .svg or .pdf' "$saccade" ladder --compare a.json b.json --plot c.jpg
    fails 2 'a.json is read' "$saccade" ladder --compare a.json b.json --plot a.json
}

ladder_compare_bad_input_exits_1() {
    has_json || skip "this build reads no JSON"
    "$saccade" ladder equalize --seconds 0.001 --only scan_u64:sequential --json a.json >/dev/null 2>&1
    "$saccade" info --json i.json >/dev/null
    : >empty.json
    echo '{"rows": [], "machine": {}}' >none.json
    echo '{"rows": [1, null], "machine": {}}' >odd.json
    echo '{"rows": [{"room": 1, "rung": [], "shape": {}, "device": null}], "machine": {}}' >types.json
    head -c 300 a.json >cut.json
    local bad
    for bad in empty none odd types cut i missing; do
        fails 1 $bad.json "$saccade" ladder --compare a.json $bad.json
        fails 1 $bad.json "$saccade" ladder --compare $bad.json a.json
    done
    sed 's/"rung": "/&other-/' a.json >other.json
    fails 1 'no rung is in two files' "$saccade" ladder --compare a.json other.json
}

ladder_compare_matches_rungs() {
    has_json || skip "this build reads no JSON"
    "$saccade" ladder equalize --seconds 0.001 --only scan_u64 --json a.json >/dev/null 2>&1
    python3 -c '' 2>/dev/null || skip "no python3"
    python3 - <<'PY'
import json
whole = json.load(open("a.json"))
whole["machine"] = {"cpu": "other\x1b[31m", "gpu": "GPU of tomorrow"}
rows = whole["rows"]
for r in rows:
    if r["rung"] != "two-array":
        r["median_ns"] = r["median_ns"] / 2
    if r["rung"] == "brent-kung":
        r["ok"] = False
    if r["rung"] == "baseline":
        r["rung"] = "baseline-of-tomorrow"
rows += [dict(rows[0], shape="9 u64", median_ns=3), dict(rows[0], median_ns=rows[0]["median_ns"] / 2)]
json.dump(whole, open("b.json", "w"))
del rows[0]
json.dump(whole, open("c.json", "w"))
PY
    passes "$saccade" ladder --compare a.json b.json c.json
    grep -q '^b.json: GPU of tomorrow, commit' .out || fault "says nothing of the machine"
    grep -Eq '^ *sequential .* 2\.00x ' .out || fault "no ratio of 2: $(grep sequential .out)"
    grep -Eq '^ *two-array .* 1\.00x .* 1\.00x' .out || fault "no ratio of 1: $(grep two-array .out)"
    grep -Eq '^ *brent-kung .* FAILED' .out || fault "a failed check is not said"
    grep -Eq '^ *kogge-stone .* 25.9 us' .out || fault "no published time"
    grep -q '^Only in a.json: scan_u64 (256 u64): baseline$' .out || fault "$(grep Only .out)"
    ! grep -q "$(printf '\033')" .out || fault "a control of the file is printed"
    need_cairo
    passes "$saccade" ladder --compare a.json b.json --plot c.pdf
    has_words c.pdf a.json b.json kogge-stone published 'scan_u64: 256 u64'
    passes "$saccade" ladder --compare a.json b.json --plot c.svg
    well_formed c.svg
}
