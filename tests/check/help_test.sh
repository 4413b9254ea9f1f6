#!/bin/sh
# help_test.sh ROOT BUILD: `./check --help` names every test of the build that it leaves to --full, with a text.
# SPDX-License-Identifier: Apache-2.0
set -eu
help=$("$1/check" --help)
missing=0
# Not by ctest -N, which would begin the log anew of the run that this is part of.
for test in $(find "$2" -name CTestTestfile.cmake -exec grep -hE 'LABELS "([^"]*;)?long[;"]' {} + |
    sed -E 's/^set_tests_properties\("?\[?=*\[?([a-z0-9_]+).*/\1/'); do
    echo "$help" | grep -qE "^ +$test: .+" || {
        echo "$test has the label long, but no line in ./check --help: see sac_long in tests/CMakeLists.txt" >&2
        missing=1
    }
done
exit $missing
