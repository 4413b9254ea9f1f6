#!/bin/sh
# skipped_test.sh ROOT: what tests leave out is listed with its reason, by scripts/skipped; and every test of the
# tree that can leave something out gives one.
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=0

same() { # same WHAT GOT WANTED
    [ "$2" = "$3" ] && return
    printf '%s: wanted:\n%s\ngot:\n%s\n' "$1" "$3" "$2" >&2
    faults=$((faults + 1))
}

# add FOLDER NAME COMMAND: a test of a project that CMake did not make.
add() {
    mkdir -p "$work/$1"
    printf 'add_test(%s sh -c [[%s]])\nset_tests_properties(%s PROPERTIES SKIP_RETURN_CODE 77)\n' \
        "$2" "$3" "$2" >>"$work/$1/CTestTestfile.cmake"
}

run() { # run FOLDER
    ctest --test-dir "$work/$1" --output-junit tests.xml >/dev/null
}

add one passes 'echo passed'
add one part 'seq 1 9999; echo "SKIPPED: no frobnicator"; echo done'
add one whole 'echo "SKIPPED: no frobnicator"; exit 77'
add one mute 'exit 77'
add two whole 'echo "SKIPPED: no frobnicator"; exit 77'
add two indented 'echo "  SKIPPED: not a line of its own"'
for i in 1 2 3 4 5; do
    add many "gpu_$i" 'echo "SKIPPED: no GPU"; exit 77'
done
add none passes true
for folder in one two many none; do
    run $folder
done
skipped=$root/scripts/skipped

same 'one build' "$("$skipped" "$work/one")" 'skipped: part, whole: no frobnicator
skipped: mute: it does not say why'
same 'two builds' "$("$skipped" "$work/one" "$work/two")" 'skipped: part (one), whole: no frobnicator
skipped: mute (one): it does not say why'
same 'many tests' "$("$skipped" "$work/many")" 'skipped: gpu_1, gpu_2, gpu_3 and 2 more: no GPU'
same 'many tests, all' "$("$skipped" --all "$work/many")" 'skipped: gpu_1, gpu_2, gpu_3, gpu_4, gpu_5: no GPU'
same 'no test' "$("$skipped" "$work/none")" 'nothing was skipped'

# What would leave something out without a line of its own: see tests/skip.h.
cd "$root"
same 'tests that skip without a reason' \
    "$(grep -rnE '\bskip\(\);|return 77;|return SKIPPED;|sys\.exit\(77\)|^ *exit 77|puts\("skipped' tests \
        --include='*.c' --include='*.h' --include='*.py' --include='*.sh' -B1 |
        awk '/SKIPPED: |skip_part|has_delta|tests\/skip\.h|tests\/check\/skipped_test\.sh/ { told = 1; next }
             /^--$/ { told = 0; next }
             /skip\(\);|return 77;|return SKIPPED;|exit\(77\)|exit 77|skipped/ { if (!told) print; told = 0; next }
             { told = 0 }')" ''
exit $((faults > 0))
