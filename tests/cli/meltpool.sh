# Tests of saccade simulate meltpool: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034 # $saccade and $mounted are cli_test.sh's

# A build of some frames: build -o FILE OPTION...
build() {
    "$saccade" simulate meltpool --frames 200 "$@"
}

build_or_skip() {
    build -o probe.h5 >/dev/null 2>&1 || skip "this build writes no HDF5"
    rm -f probe.h5
}

simulate_meltpool_wrong_usage_exits_2() {
    fails 2 'no output' build
    fails 2 'got more' build more -o a.h5
    fails 2 'both' build -o a.h5 --layers 2
    fails 2 '--frames' build -o a.h5 --frames -1
    fails 2 '--layers' build -o a.h5 --layers 100001
    fails 2 'keyhole' build -o a.h5 --regime ghost
    fails 2 'unknown option --elements' build -o a.h5 --elements 3
    build_or_skip
    fails 2 '.hdf5' build -o a.npy
    fails 2 '.hdf5' build -o -
}

simulate_meltpool_bad_output_exits_1() {
    build_or_skip
    mkdir folder.h5
    fails 1 no/such build -o no/such/a.h5
    fails 1 folder.h5 build -o folder.h5
}

simulate_meltpool_writes_the_same_for_a_seed() {
    build_or_skip
    passes "$saccade" simulate meltpool --help
    for part in Usage: Options: Examples: 'Exit status:'; do
        grep -q "^$part" .out || fault "--help has no '$part'"
    done
    local n
    for n in 1 2; do
        passes build -o $n.h5 --seed 3
        grep -q '200 frames of 96 x 96 in 1 layer' .out || fault "says '$(cat .out)'"
    done
    same 1.h5 2.h5 "twice the same"
    passes build -o 3.h5 --seed 4
    ! cmp -s 1.h5 3.h5 || fault "another seed gave the same"
    passes "$saccade" simulate meltpool -o 4.h5 --layers 1 --regime keyhole
    grep -Eq '8[0-9]{3} frames .* (9|10|11)\.[0-9] % empty; nominal 0 %, keyhole (89|90|91) %' .out ||
        fault "says '$(cat .out)'"
}

simulate_meltpool_to_a_full_disk_leaves_nothing() {
    build_or_skip
    mkdir full
    mount -t tmpfs -o size=1m tmpfs full 2>/dev/null || skip "a small tmpfs cannot be mounted here"
    mounted=$work/full
    fails 1 full/b.h5 build -o full/b.h5
    [ -z "$(ls -A full)" ] || fault "on the full disk remained: $(ls -A full)"
    echo old >full/b.h5
    fails 1 full/b.h5 build -o full/b.h5
    [ "$(cat full/b.h5)" = old ] || fault "the old output was harmed"
    [ "$(ls -A full)" = b.h5 ] || fault "on the full disk remained: $(ls -A full)"
}
