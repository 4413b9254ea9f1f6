# saccade report. Sourced by cli_test.sh.
# shellcheck shell=bash

need_json() {
    "$saccade" info | grep -q '^cJSON  *[0-9]' || skip "this build has no cJSON"
}

report_wrong_usage_exits_2() {
    echo '{}' >a.json
    fails 2 '1 to 100 inputs' "$saccade" report -o r.html
    fails 2 '-o OUT is missing' "$saccade" report a.json
    fails 2 'a.json' "$saccade" report a.json -o a.json
}

report_bad_input_exits_1() {
    need_json
    local bad=(
        'no JSON of saccade:{"rows"'
        '`rows`, an array:{"machine": {}}'
        '`machine`, an object:{"rows": [{}]}'
        'has no rows:{"machine": {}, "rows": []}'
        'row 1:{"machine": {}, "rows": [{}, 3]}'
        'row 0: shape:{"machine": {}, "rows": [{"room": "a", "rung": "b", "device": "cpu"}]}'
        'row 0: median_ns:{"machine": {}, "rows": [{"room": "a", "rung": "b", "device": "cpu", "shape": "s", "median_ns": "1"}]}'
        'row 0: bytes:{"machine": {}, "rows": [{"room": "a", "rung": "b", "device": "cpu", "shape": "s", "bytes": -1}]}'
        'row 0: median_ns:{"machine": {}, "rows": [{"room": "a", "rung": "b", "device": "cpu", "shape": "s", "median_ns": 5e-324}]}'
        'row 0: bytes:{"machine": {}, "rows": [{"room": "a", "rung": "b", "device": "cpu", "shape": "s", "bytes": 1e308}]}'
        'row 0: load_hz:{"machine": {}, "rows": [{"part": "latency", "way": "cpu", "load_hz": 1e-320}]}'
        'row 0: frames_at_once:{"machine": {}, "rows": [{"part": "latency", "way": "cpu", "frames_at_once": 1e300}]}'
        'row 0: load_hz:{"machine": {}, "rows": [{"part": "latency", "way": "cpu", "load_hz": []}]}')
    echo '{"machine": {}, "rows": [{"a": 1}]}' >good.json
    local one word
    for one in "${bad[@]}"; do
        word=${one%%:\{*}
        echo "${one#"$word":}" >bad.json
        fails 1 "bad.json: " "$saccade" report good.json bad.json -o r.html
        grep -qF -- "$word" .err || fault "wanted '$word', got $(cat .err)"
    done
    fails 1 'no-such.json' "$saccade" report no-such.json -o r.html
    fails 1 'no/such' "$saccade" report good.json -o no/such/r.html
    fails 1 'bad.bin' "$saccade" report good.json bad.bin -o r.html
    head -c 200000 /dev/zero >zero
    fails 1 'zero: ' "$saccade" report zero -o r.html
}

page_is_sound() { # page_is_sound FILE TEXT...: it asks for nothing, its tags match, and it has these texts
    python3 - "$@" <<'PY' || fault "$1 is not what it should be"
import html.parser, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.ids = [], "", []
    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "iframe", "object", "embed", "base", "form", "foreignobject"), tag
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name)
            if name in ("src", "href", "xlink:href", "srcset", "action", "data"):
                assert value.startswith(("data:", "#")), (tag, name, value[:80])
            self.ids += [value] if name == "id" else []
        if tag not in ("meta", "link", "img", "br"):
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)
    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag
    def handle_data(self, data):
        assert self.open[-1:] != ["style"] or not any(w in data for w in ("url(", "@import", "//")), "style"
        self.text += data
raw = open(sys.argv[1], encoding="utf-8").read()
page = Page()
page.feed(raw)
page.close()
assert page.open == [] and len(set(page.ids)) == len(page.ids)
assert raw.startswith("<!DOCTYPE html>") and "default-src 'none'" in raw
for text in sys.argv[2:]:
    assert text in page.text, text
PY
}

report_of_every_kind_is_one_sound_page() {
    need_json
    command -v python3 >/dev/null || skip "no python3"
    ppm a.ppm 40 30
    passes "$saccade" ladder equalize --only scan_u64 --seconds 0.0001 --json ladder.json
    passes "$saccade" info --json info.json
    passes "$saccade" equalize a.ppm -o b.ppm --stats stats.json
    printf '\x89PNG\r\n\x1a\nrest' >p.png
    cat >curves.json <<'JSON'
{"saccade": "9.8.7", "commit": "abcdef", "command": ["saccade", "ladder", "--curves"], "machine": {"cpu": "Cpu 3000", "cores": 7},
 "rows": [{"part": "throughput", "way": "by hand", "frames_at_once": 1, "throughput_hz": 2000, "published_xavier_hz": 123, "published_a6000_hz": 456},
  {"part": "latency", "way": "by hand", "frames_at_once": 1, "batches": "full", "load_hz": 1000, "kept_up": true, "latency": {"p50_ns": 9000, "p99_ns": 20000}},
  {"part": "latency", "way": "by hand", "frames_at_once": 1, "batches": "full", "load_hz": 3000, "kept_up": false, "latency": {"p50_ns": 11000, "p99_ns": 21000}},
  {"part": "inflection", "way": "by hand", "frames_at_once": 1, "batches": "full", "load_hz": 3000, "latency_p50_ns": 77000},
  {"part": "fusion", "in_time_ns": 5100, "in_space_ns": 6200}]}
JSON
    cat >sweep.json <<'JSON'
{"machine": {"gpu": "Gpu 12", "copy_gb_s": 100}, "rows": [
  {"room": "r", "rung": "v", "device": "cuda:0", "shape": "s", "median_ns": 4000, "bytes": 4000, "work": 10, "grid": [1, 1, 1], "block": [8, 4, 1], "ok": true, "checked": true},
  {"room": "r", "rung": "v", "device": "cuda:0", "shape": "s", "median_ns": 2000, "bytes": 4000, "grid": [1, 1, 1], "block": [64, 1, 1], "published_ns": 5000},
  {"room": "r", "rung": "v", "device": "cuda:0", "shape": "s", "median_ns": 1000, "bytes": 4000, "grid": [1, 1, 1], "block": [128, 1, 1], "ok": false},
  {"room": "r", "rung": "v", "device": "cuda:0", "shape": "s", "median_ns": 800, "grid": [2, 1, 1], "block": [64, 1, 1], "chosen": true},
  {"room": "r", "rung": "w", "device": "cuda:0", "shape": "s", "needs": "wings", "grid": [2, 1, 1], "block": [64, 1, 1]}]}
JSON
    passes "$saccade" report ladder.json info.json stats.json curves.json sweep.json p.png -o r.html --title 'A & <B>'
    page_is_sound r.html 'A & <B>' sequential kogge-stone '25.9 us' 'copy in the cache' 'Roofline' 'additions by base' 'vhist_u8:' \
        'Median latency against load: by hand, full batches' 'published: Xavier AGX' 456 '77.0 us' '5.10 us in time' \
        'v, 1 x 32' '2.00x' FAILED 'needs wings' 'threads of a block' 'Cpu 3000' abcdef 9.8.7 'saccade ladder --curves' 'Gpu 12'
    grep -q "<img src=\"data:image/png;base64,$(base64 -w 0 p.png)\" alt=\"p.png\">" r.html || fault "the picture is not whole"
    passes "$saccade" report ladder.json -o - --title x
    cp .out s.html
    page_is_sound s.html sequential 'commit'
}

hostile_json() { # a file all of whose strings would be tags, attributes or controls
    python3 - "$1" <<'PY'
import json, sys
evil = "\"'><script>alert(1)</script><img src=http://example.org/x onerror=alert(2)>&lt;\x01\x1b[2J\u202e%n%s"
row = {"room": evil, "rung": evil, "device": evil, "shape": evil, "task": evil, "needs": evil, "median_ns": 1e18,
       "bytes": 1e-15, "p10_ns": 1e-15, "p90_ns": 1e18, "work": 3, "grid": [1e300, 1, 1e308], "block": [5e-324, 1, 1], "published_ns": 1e17}
tree = {"saccade": evil, "commit": evil, "command": [evil, 3, None, evil], "machine": {"cpu": evil, "cores": 1e300, "copy_gb_s": 1e-9}}
kind = sys.argv[1]
if kind == "ladder":
    tree["rows"] = [row, dict(row, median_ns=3), dict(row, median_ns=0, ok=False)]
elif kind == "curves":
    tree["rows"] = [{"part": p, "way": evil, "batches": evil, "load_hz": x, "frames_at_once": 1e18, "throughput_hz": x,
                     "latency": {"p50_ns": x}} for p in ("latency", "throughput", evil) for x in (1e-15, 1, 1e18)]
else:
    nest = evil
    for i in range(200):
        nest = [nest, {evil: nest if i < 8 else 1}]
    tree["rows"] = [{evil: evil, evil + str(i): {evil: evil}, "deep": nest} for i in range(60)]
json.dump(tree, sys.stdout)
PY
}

report_of_hostile_files_has_no_tags_of_theirs() {
    need_json
    command -v python3 >/dev/null || skip "no python3"
    local kind name='"><script>alert(3)<_script>.json'
    for kind in ladder curves rows; do
        hostile_json $kind >"$name"
        passes "$saccade" report "$name" -o r.html --title '</title><script>'
        page_is_sound r.html 'alert(1)' '</title><script>'
    done
    printf '{"machine": {"cpu": "\xff\xfe<b>\xc3"}, "rows": [{"\xff": "\xf0\x9f"}, {}]}' >bytes.json
    passes "$saccade" report bytes.json -o r.html
    page_is_sound r.html '<b>'
    printf '<!-- x --><svg xmlns="http://www.w3.org/2000/svg"><script>alert(4)</script></svg>' >s.svg
    passes "$saccade" report s.svg -o r.html
    page_is_sound r.html 'a picture'
}

report_shares_and_speed_ups_are_those_of_the_ladder() {
    need_json
    command -v python3 >/dev/null || skip "no python3"
    cat >l.json <<'JSON'
{"machine": {"cpu": "c", "copy_gb_s": 200}, "rows": [
  {"room": "r", "rung": "ref", "device": "cpu", "threads": 1, "shape": "a", "median_ns": 4000, "bytes": 4000, "copy_gb_s": 40},
  {"room": "r", "rung": "v1", "device": "cpu", "threads": 1, "shape": "b", "median_ns": 500, "bytes": 4000, "copy_gb_s": 40},
  {"room": "r", "rung": "v2", "device": "cpu", "threads": 1, "shape": "b", "median_ns": 1000, "bytes": 4000},
  {"room": "r", "rung": "ref", "device": "cpu", "threads": 2, "shape": "a", "median_ns": 2000, "bytes": 4000, "copy_gb_s": 100},
  {"room": "r", "rung": "v3", "device": "cpu", "threads": 2, "shape": "a", "median_ns": 1000, "bytes": 4000}]}
JSON
    passes "$saccade" report l.json -o r.html
    python3 - r.html <<'PY' || fault "the page's shares or speed-ups are others"
import re, sys
rows = re.findall(r'<tr><th scope="row">(ref|v[0-9])</th>(.*?)</tr>', open(sys.argv[1]).read().replace("\n", ""))
got = [(name, *re.findall(r"<td[^>]*>([^<]*)</td>", cells)[4:7]) for name, cells in rows]
wanted = [("ref", "1", "2.5", "1.00x"), ("v1", "8", "20", "8.00x"), ("v2", "4", "", "4.00x"),
          ("ref", "2", "2", "1.00x"), ("v3", "4", "2", "2.00x")]
assert got == wanted, got
PY
    grep -q 'r: b, cpu, 1 thread<' r.html || fault "the heading has no threads"
    passes "$saccade" ladder equalize --only scan_u64 --size 32x24 --threads 1 --seconds 0.0001 --json one.json
    python3 - <<'PY' || fault "a rung's copy bandwidth is not that of its threads"
import json
tree = json.load(open("one.json"))
rows = [r for r in tree["rows"] if "median_ns" in r]
assert rows and all(r["copy_gb_s"] == tree["machine"]["copy_gb_s"] for r in rows), tree
PY
}

report_roofline_is_flat_at_the_most_additions() {
    need_json
    command -v python3 >/dev/null || skip "no python3"
    cat >l.json <<'JSON'
{"machine": {"cpu": "c", "copy_gb_s": 10}, "rows": [
  {"room": "r", "rung": "v", "device": "cpu", "threads": 1, "shape": "a", "median_ns": 100, "bytes": 100, "work": 1000}]}
JSON
    cat >i.json <<'JSON'
{"machine": {"cpu": "c"}, "rows": [{"bandwidth": [{"copy_dram_gb_s": 5}, {"copy_dram_gb_s": 8}], "operations": [
  {"instructions": "base", "threads": 1, "add_g_s": 7}, {"instructions": "base", "threads": 2, "add_g_s": 10},
  {"instructions": "v9", "threads": 2, "add_g_s": 1000}]}]}
JSON
    passes "$saccade" report l.json i.json -o r.html
    python3 - r.html <<'PY' || fault "the flat parts are elsewhere"
import re, sys
page = open(sys.argv[1]).read()
chart = page[page.index("Roofline: operations"):]
tops = re.findall(r'<path class="roof" d="M([0-9.]+) ([0-9.]+)H([0-9.]+)"/><text[^>]*>([^<]*)<', chart[:chart.index("</figure>")])
assert [t[3] for t in tops] == ["additions by base, 10 1e9/s", "additions by v9, 1e+03 1e9/s"], tops
# Axes: 10 to 100 operations a byte, 10 to 1000 1e9/s; 10 GB/s reach 1000 at 100.
(left, low, right, _), (from_, high, _, _) = tops
assert (float(left), float(low), float(from_), float(high)) == (90, 392, 856, 12) and float(right) == 856, tops
PY
    grep -q 'copy in memory, 8 GB/s' r.html || fault "memory's limit is not that of most threads"
    ! grep -q 'rounds differ' r.html || fault "rounds differ that nobody told of"
    sed 's/"bandwidth"/"rounds_differ": 0.43, &/' i.json >d.json
    passes "$saccade" report l.json d.json -o r.html
    grep -q 'its rounds differ by up to 43 %' r.html || fault "a busy machine's limits are as others"
    sed 's/"bandwidth"/"rounds_differ": "much", &/' i.json >d.json
    fails 1 'd.json: row 0: rounds_differ' "$saccade" report l.json d.json -o none.html
    sed 's/"cpu": "c"/"cpu": "d"/' i.json >d.json
    passes "$saccade" report l.json d.json -o r.html
    ! grep -q 'additions by' r.html || fault "another machine's additions are shown"
    rm r.html
    for bad in '"add_g_s": 0' '"add_g_s": -0' '"add_g_s": -3' '"add_g_s": "10"' '"threads": 1' '"add_g_s": 1e-300'; do
        sed "s/\"add_g_s\": 10}/$bad}/" i.json >bad.json
        fails 1 'bad.json: row 0: operations: each with instructions' "$saccade" report l.json bad.json -o r.html
        [ ! -e r.html ] || fault "a page was written with $bad"
    done
    sed 's/"v9"/5/' i.json >bad.json
    fails 1 'bad.json: row 0: operations:' "$saccade" report bad.json l.json -o r.html
    [ ! -e r.html ] || fault "a page was written"
}

report_of_many_lines_tells_them_apart() {
    need_json
    command -v python3 >/dev/null || skip "no python3"
    python3 - >c.json <<'PY'
import json
rows = [{"part": "latency", "way": "cpu", "batches": "full", "frames_at_once": 2 ** k, "load_hz": hz, "latency": {"p50_ns": 1000 + k}}
        for k in range(13) for hz in (1000, 2000)]
print(json.dumps({"machine": {}, "command": ["word"] * 200000, "rows": rows}))
PY
    passes "$saccade" report c.json -o r.html
    python3 - r.html <<'PY' || fault "two lines look the same"
import re, sys
page = open(sys.argv[1]).read()
looks = re.findall(r'<path class="(line [^"]*)" d="M\d+ \d+ h28"/>', page)
assert len(looks) == 13 == len(set(looks)), looks
marks = {(c, re.sub(r"M[-0-9. ]*", "", d)) for c, d in re.findall(r'<path class="(dot [^"]*)" d="([^"]*)"', page)}
assert len(marks) == 13, marks
PY
}

report_times_of_rows_have_units() {
    need_json
    echo '{"machine": {}, "rows": [{"read_ns": 6039730, "n": 6039730, "list": [{"a": 1, "b_ns": 2e9}, {"a": 2}, 3]}]}' >a.json
    passes "$saccade" report a.json -o r.html
    grep -q '>6.04 ms<' r.html && grep -q '>6039730<' r.html || fault "a time is not what it should be"
    grep -q '>a: 1, b_ns: 2.00 s; a: 2; 3<' r.html || fault "members run together"
}

report_opens_in_a_browser_without_requests() {
    need_json
    local chromium
    chromium=$(command -v chromium || command -v chromium-browser) || skip "no Chromium"
    passes "$saccade" ladder equalize --only scan_u64 --seconds 0.0001 --json ladder.json
    passes "$saccade" info --json info.json
    passes "$saccade" report ladder.json info.json -o r.html
    HOME=$PWD timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --disable-background-networking --disable-component-update --disable-features=NetworkTimeServiceQuerying \
        --host-resolver-rules="MAP * ~NOTFOUND" --no-first-run --user-data-dir="$PWD/profile" \
        --enable-logging=stderr --log-net-log="$PWD/net.json" --dump-dom "file://$PWD/r.html" >dom 2>log ||
        skip "Chromium does not run here: $(tail -n 1 log)"
    grep -q 'kogge-stone' dom || fault "the page did not open: $(head -c 300 dom)"
    ! grep -q 'CONSOLE' log || fault "on the console: $(grep CONSOLE log)"
    ! grep -Eo '"url":"(https?|ftp|wss?):[^"]*"' net.json | grep -v '"url":"https\?://[a-z0-9.]*\(google\|gvt1\)[a-z.]*/' ||
        fault "it asks for something"
}
