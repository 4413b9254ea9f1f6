# saccade tune, and what plans then choose. Sourced by cli_test.sh.
# shellcheck shell=bash

tune_wrong_usage_exits_2() {
    fails 2 'tune: nothing is chosen in `no-such`' "$saccade" tune no-such --dry-run
    grep -q 'on this machine, only in .*meltpool' .err || [ -n "${SAC_CPU_MASK-}" ] || fault "says $(cat .err)"
    fails 2 '--seconds' "$saccade" tune --seconds 61 --dry-run
    fails 2 'without --quick' "$saccade" tune --verify 3 --quick
    fails 2 'is for --verify' "$saccade" tune --seed 3 --dry-run
    fails 2 'one pipeline at most' "$saccade" tune flow motion --verify 3
    fails 1 'SAC_WISDOM is empty' "$saccade" tune meltpool
    mkdir w
    SAC_WISDOM=$PWD/w fails 1 'w' "$saccade" tune meltpool --quick --seconds 0.000001
    mkfifo fifo && ln -s none link
    SAC_WISDOM=$PWD/fifo fails 1 'no regular file' "$saccade" tune meltpool --quick --seconds 0.000001
    SAC_WISDOM=$PWD/link fails 1 'no regular file' "$saccade" tune meltpool --quick --seconds 0.000001
    fails 1 'no/such' "$saccade" tune meltpool --dry-run --json no/such/x.json
}

tune_writes_what_plans_go_by() {
    command -v python3 >/dev/null || skip "no python3"
    export SAC_WISDOM=$PWD/new/folder/w
    passes "$saccade" tune meltpool --quick --seconds 0.000001 --json t.json
    grep -q 'shapes measured' .out || fault "says $(cat .out)"
    passes "$saccade" info
    grep -q "^variants  *by [0-9]* measured times in $SAC_WISDOM" .out || fault "info says $(grep ^variants .out)"
    python3 - t.json "$SAC_WISDOM" <<'PY' || fault "the rows or the file are not what they should be"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
lines = open(sys.argv[2]).read().splitlines()
assert lines[0] == "saccade wisdom 1" and lines[-1] == f"end {len(lines) - 5}", lines
assert {r["room"] for r in rows} == {line.split()[0] for line in lines[4:-1]}
assert all(0 < r["fastest_ns"] <= (r["chosen_ns"] or 1e99) for r in rows), rows
PY
    SAC_WISDOM=$PWD/dry passes "$saccade" tune meltpool --quick --seconds 0.000001 --dry-run
    [ ! -e dry ] || fault "--dry-run wrote a file"
    passes "$saccade" tune meltpool --verify 3 --seed 7 --seconds 0.000001
    grep -q 'Within 5 % of the fastest variant: [0-3] of 3 shapes' .out || fault "says $(tail -n 1 .out)"
}

chosen_by() { # chosen_by [OPTION]...: the variant of vhist_u8 that equalize takes
    "$saccade" equalize a.ppm -o b.ppm --stats - "$@" | sed -n 's/.*"variant": "vhist_u8:\([a-z0-9_]*\).*/\1/p'
}

tune_choice_comes_behind_what_is_forced() {
    ppm a.ppm 40 30
    local table
    table=$(chosen_by)
    [ "$table" != ref ] && [ "$table" != plain ] || skip "a CPU of which saccade knows nothing"
    export SAC_WISDOM=$PWD/w
    passes "$saccade" tune meltpool --quick --seconds 0.000001
    { sed -n 1,4p w && printf 'vhist_u8 3 1200 ref 1000\nvhist_u8 3 1200 %s 9000\nend 2\n' "$table"; } >x && mv x w
    [ "$(chosen_by)" = ref ] || fault "measured times are not gone by: $(chosen_by)"
    [ "$(chosen_by --variant vhist_u8:plain)" = plain ] || fault "--variant does not come first"
    [ "$(SAC_VARIANT=vhist_u8:plain chosen_by)" = plain ] || fault "SAC_VARIANT does not come first"
    [ "$(SAC_WISDOM='' chosen_by)" = "$table" ] || fault "an empty SAC_WISDOM does not turn it off"
    mkdir -p cache/saccade && cp w cache/saccade/wisdom
    [ "$(unset SAC_WISDOM && XDG_CACHE_HOME=$PWD/cache chosen_by)" = ref ] || fault "the cache's file is not found"
    mkdir .cache && cp -r cache/saccade .cache
    [ "$(unset SAC_WISDOM XDG_CACHE_HOME && HOME=$PWD chosen_by)" = ref ] || fault "the home's file is not found"
}

tune_files_that_are_damaged_or_foreign_are_ignored() {
    ppm a.ppm 40 30
    local table fault_of
    table=$(chosen_by)
    export SAC_WISDOM=$PWD/w
    passes "$saccade" tune meltpool --quick --seconds 0.000001
    mv w good
    for fault_of in 's/^build /&x/:another build' 's/^cpu /&x/:another CPU' '1s/1/2/:line 1' '$d:damaged' \
        '5s/ / x/:line 5: damaged'; do
        sed "${fault_of%%:*}" good >w
        [ "$(chosen_by)" = "$table" ] || fault "${fault_of%%:*}: another choice than the table's"
        passes "$saccade" info
        grep -q "^variants .*$SAC_WISDOM is ignored: .*${fault_of#*:}" .out || fault "info says $(grep ^variants .out)"
    done
    rm w && mkfifo w
    passes "$saccade" info
    grep -q 'is ignored: no file' .out || fault "a pipe: info says $(grep ^variants .out)"
}
