#!/bin/sh
# help_test.sh ROOT BUILD: `./check --help` names every test of the build that it leaves to --full, with a text.
# SPDX-License-Identifier: Apache-2.0
set -eu
help=$("$1/check" --help)
missing=0
for test in $(ctest --test-dir "$2" -N -L '^long$' | sed -n 's/^ *Test *#[0-9]*: //p'); do
    echo "$help" | grep -qE "^ +$test: .+" || {
        echo "$test has the label long, but no line in ./check --help: see sac_long in tests/CMakeLists.txt" >&2
        missing=1
    }
done
exit $missing
