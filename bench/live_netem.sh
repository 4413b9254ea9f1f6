#!/bin/bash
# live_netem.sh BENCH_LIVE CLIP [SECONDS]: bench_live on networks with faults, by tc netem in a network namespace of its
# own. As root, where the kernel has sch_netem; ends with 77 where it has not.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
[ $# -ge 2 ] || { echo 'usage: live_netem.sh BENCH_LIVE CLIP [SECONDS]' >&2 && exit 2; }
bench=$1
clip=$2
seconds=${3:-30}
space=saccade-$$

ip netns add $space 2>/dev/null || { echo 'SKIPPED: no network namespaces (ip netns add, as root)' && exit 77; }
trap 'ip netns del $space' EXIT
inside() {
    ip netns exec $space "$@"
}
inside ip link set lo mtu 1500 up
inside tc qdisc add dev lo root netem delay 0ms 2>/dev/null ||
    { echo 'SKIPPED: tc has no netem here (the kernel module sch_netem)' && exit 77; }

# row "FAULTS OF NETEM" OPTION...: faults are each way.
row() {
    local faults=$1
    shift
    # shellcheck disable=SC2086 # words of netem
    inside tc qdisc change dev lo root netem $faults limit 100000
    echo "== $faults: $*"
    inside "$bench" "$clip" --check --seconds "$seconds" "$@"
}

for transport in udp tcp srt; do
    row 'delay 0ms' --transport $transport
    row 'loss 5% delay 10ms' --transport $transport
    row 'loss 5% delay 20ms 20ms duplicate 1% reorder 2%' --transport $transport --receivers 2 --join 3
    (
        for ((i = 0; i < seconds / 10; i++)); do
            sleep 8
            inside tc qdisc change dev lo root netem loss 100%
            sleep 2
            inside tc qdisc change dev lo root netem delay 5ms
        done
    ) &
    row 'delay 5ms' --transport $transport
    wait
done
