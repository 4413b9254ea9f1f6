# Tests of one run by several processes: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

# Open MPI's mpirun waits a second or two after a failure before it ends the others, refuses root and more processes than
# cores, and copies between processes in a way that containers forbid. It leaves memory behind.
need_ranks() {
    need_hdf5
    command -v mpirun >/dev/null || skip "no mpirun"
    "$saccade" info | grep -q '^MPI  *[0-9]' || skip "this build has no MPI"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_MCA_odls_base_sigkill_timeout=0 OMPI_MCA_btl_vader_single_copy_mechanism=none
    export ASAN_OPTIONS=detect_leaks=0
    timeout 60 mpirun -n 2 true >.out 2>&1 </dev/null || skip "mpirun starts nothing here: $(head -n 3 .out)"
}

# In the background with --foreground: else timeout sends a signal to all of its group, and the ranks get it twice.
by_ranks() { # by_ranks N COMMAND...
    local n=$1
    shift
    timeout 300 mpirun -n "$n" "$@"
}

# The launcher has words of its own.
fails_by_ranks() { # fails_by_ranks N WORD COMMAND...: one line of ours, with WORD
    local n=$1 word=$2
    shift 2
    by_ranks "$n" "$@" >.out 2>.err </dev/null && fault "exit status 0: $*"
    [ "$(grep -c 'saccade: ' .err)" -eq 1 ] || fault "wanted one line, got '$(cat .err)': $*"
    grep -qF -- "$word" .err || fault "wanted '$word' in '$(cat .err)': $*"
    ! grep -q ' frames of ' .out || fault "says '$(cat .out)': $*"
}

beamform_by_ranks_writes_what_one_process_writes() {
    need_ranks
    simulate -o a.h5 --frames 150 >/dev/null
    local how=(--grid -2:2:41,5:9:81 --kind iq)
    for out in one.h5 one.npy; do
        passes "$saccade" beamform a.h5 -o $out "${how[@]}"
        passes by_ranks 4 "$saccade" beamform a.h5 -o four.${out#*.} "${how[@]}"
        [ "$(grep -c '^four.*: 150 frames of 41 x 81 points' .out)" -eq 1 ] || fault "says '$(cat .out)'"
        same $out four.${out#*.} "by 4 processes"
    done
    passes by_ranks 3 "$saccade" beamform a.h5 -o three.h5 "${how[@]}" --json -
    [ "$(grep -c '"shape": "150x' .out)" -eq 1 ] || fault "JSON: $(cat .out)"
    same one.h5 three.h5 "by 3 processes"
    passes by_ranks 1 "$saccade" beamform a.h5 -o alone.h5 "${how[@]}"
    same one.h5 alone.h5 "by one process of a launcher"
    simulate -o b.h5 --frames 100 --seed 2 >/dev/null
    passes by_ranks 3 "$saccade" beamform a.h5 b.h5 -o out/ --format h5 "${how[@]}" --json j.json
    [ "$(grep -c '"output": "out/' j.json)" -eq 2 ] || fault "j.json: $(grep output j.json)"
    same one.h5 out/a.h5 "among several"
    passes "$saccade" beamform b.h5 -o two.h5 "${how[@]}"
    same two.h5 out/b.h5 "among several"
    [ -z "$(find . -name '.*.part' -o -name '.*.done')" ] || fault "left: $(ls -A)"
}

floats_of() { # floats_of FILE N: the last N of it
    tail -c $(($2 * 4)) "$1" | od -An -v -w4 -tf4
}

# Of the largest value: the default tier's bound (docs/numerics.md) is larger.
beamform_by_ranks_of_few_frames_shares_transmits() {
    need_ranks
    simulate -o a.h5 --frames 3 --transmits plane:7:10 >/dev/null
    local n=$((3 * 81 * 41)) kind
    for kind in iq bmode; do
        local how=(--grid -2:2:41,5:9:81 --kind "$kind")
        passes "$saccade" beamform a.h5 -o one.npy "${how[@]}"
        passes by_ranks 4 "$saccade" beamform a.h5 -o four.npy "${how[@]}"
        passes by_ranks 4 "$saccade" beamform a.h5 -o again.npy "${how[@]}"
        same four.npy again.npy "the same once more, $kind"
        [ $kind = iq ] && n=$((n * 2)) || n=$((3 * 81 * 41))
        [ "$(floats_of one.npy $n | wc -l)" -eq "$n" ] || fault "one.npy has fewer values"
        paste <(floats_of one.npy $n) <(floats_of four.npy $n) | awk '
            { a = $1 < 0 ? -$1 : $1; d = $1 - $2; d = d < 0 ? -d : d; if (a > most) most = a; if (d > off) off = d }
            END { exit !(most > 0 && off <= 2e-6 * most) }' || fault "$kind: farther off than rounding"
    done
    # Samples of a format that is read otherwise.
    if has_json; then
        passes "$saccade" convert a.h5 a.npy
        passes by_ranks 4 "$saccade" beamform a.npy -o again.npy "${how[@]}"
        same four.npy again.npy "of NPY"
    fi
    passes "$saccade" beamform a.h5 -o one.npy --grid -2:2:41,5:9:81 --kind gray
    passes by_ranks 9 "$saccade" beamform a.h5 -o nine.npy --grid -2:2:41,5:9:81 --kind gray
    [ "$(cmp -l one.npy nine.npy | wc -l)" -le 9 ] || fault "gray: $(cmp -l one.npy nine.npy | wc -l) differ"
    # What is no sum of transmits is done by frames, and by who has none not at all.
    passes "$saccade" beamform a.h5 -o one.h5 --kind iq --reduction cf --resume
    by_ranks 2 "$saccade" beamform a.h5 -o two.h5 --kind iq --reduction cf >.out 2>.err || fault "$(cat .err)"
    [ "$(grep -c 'saccade: ' .err)" -eq 1 ] || fault "says '$(cat .err)'"
    grep -q '1 of 2 processes do nothing' .err || fault "says '$(cat .err)'"
    same one.h5 two.h5 "adaptive weights"
}

# The sum that goes from GPU to GPU has the bytes of that through the memory of the CPUs.
beamform_by_ranks_on_gpus_adds_up_from_gpu_to_gpu() {
    need_ranks
    "$saccade" info | grep -q '^NCCL  *[0-9]' || skip "this build has no NCCL"
    local n kind
    n=$("$saccade" info | grep -c '^cuda:[0-9]')
    [ "$n" -ge 2 ] || skip "needs two GPUs"
    simulate -o a.h5 --frames $((n > 2 ? 40 : 3)) --transmits plane:7:10 >/dev/null
    for kind in iq bmode; do
        local how=(--grid -2:2:41,5:9:81 --kind "$kind" --device cuda)
        SAC_NCCL=off passes by_ranks "$n" "$saccade" beamform a.h5 -o off.npy "${how[@]}"
        NCCL_DEBUG=INFO NCCL_DEBUG_FILE=nccl.%p \
            SAC_NCCL=on passes by_ranks "$n" "$saccade" beamform a.h5 -o on.npy "${how[@]}"
        grep -qi 'nccl' nccl.* || fault "NCCL has not worked: $(ls)"
        same off.npy on.npy "$kind, from GPU to GPU"
        rm nccl.*
    done
    # Ranks that share a GPU cannot.
    SAC_NCCL=on passes by_ranks 2 "$saccade" beamform a.h5 -o one.npy "${how[@]}" --device cuda:1
}

rank_pid() { # rank_pid N: of a run that goes on
    local pid
    for pid in $(pgrep -x saccade); do
        grep -qszx "PWD=$work" "/proc/$pid/environ" &&
            grep -qszxE "(OMPI_COMM_WORLD|PMI)_RANK=$1" "/proc/$pid/environ" && echo "$pid" && return
    done
    return 1
}

goes_on() { # the others of a run whose launcher was killed need a moment
    by_ranks "$@" >.out 2>.err </dev/null
}

# A process is killed, or the launcher; each time others go on, and in the end it is what one process writes.
beamform_by_ranks_cut_off_goes_on_with_resume() {
    need_ranks
    simulate -o a.h5 --frames 200 >/dev/null
    local how=(--grid -2:2:81,5:9:81 --kind iq --threads 1) cut=0 victim
    passes "$saccade" beamform a.h5 -o whole.h5 "${how[@]}" --variant ref
    for n in 4 2 3; do
        timeout --foreground 300 mpirun -n $n "$saccade" beamform a.h5 -o cut.h5 "${how[@]}" --variant ref --resume >/dev/null 2>&1 &
        cut=$((cut + 1))
        holds has_parts cut.h5 $cut
        victim=$(rank_pid $((n - 2)))
        [ $n -ne 3 ] || victim=$(pgrep -P $!)
        # shellcheck disable=SC2086 # a number, or none where it has ended
        [ -z "$victim" ] || kill -KILL $victim 2>/dev/null
        ended $! 2>/dev/null
        [ ! -e cut.h5 ] || { same cut.h5 whole.h5 "after cut $cut" && rm cut.h5; }
    done
    holds goes_on 2 "$saccade" beamform a.h5 -o cut.h5 "${how[@]}" --variant ref --resume
    same cut.h5 whole.h5 "resumed"
    [ -z "$(find . -name '.*.part' -o -name '.*.done')" ] || fault "left: $(ls -A)"
    # By one process what several began.
    timeout --foreground 300 mpirun -n 2 "$saccade" beamform a.h5 -o cut.h5 "${how[@]}" --variant ref >/dev/null 2>&1 &
    holds has_parts cut.h5 1
    victim=$(rank_pid 1)
    [ -z "$victim" ] || kill -KILL "$victim" 2>/dev/null
    ended $! 2>/dev/null
    [ -e cut.h5 ] || "$saccade" beamform a.h5 -o cut.h5 "${how[@]}" --variant ref --resume >.out 2>.err || fault "$(cat .err)"
    same cut.h5 whole.h5 "resumed by one process"
}

# The last of five parts, which the second of three processes does, has another sample than its JSON says.
beamform_by_ranks_ends_on_all_when_one_fails() {
    need_ranks
    need_json
    simulate -o a.h5 --frames 150 >/dev/null
    passes "$saccade" convert a.h5 a.npy
    printf '\0\0\300\177' | dd of=a.npy bs=1 seek=$(($(wc -c <a.npy) - 4)) conv=notrunc 2>/dev/null
    fails_by_ranks 3 'rank 1 on ' "$saccade" beamform a.npy -o b.npy --grid -1:1:11,5:9:21 --kind iq
    grep -q 'another checksum.*of 150 frames are done' .err || fault "says '$(cat .err)'"
    [ ! -e b.npy ] || fault "b.npy is there"
    [ -e .b.npy.done ] || fault "nothing to go on with"
    cp a.h5 z.h5
    by_ranks 3 "$saccade" beamform a.npy z.h5 -o out/ --format npy --grid -1:1:11,5:9:21 >.out 2>.err && fault "exit status 0"
    grep -qx 'saccade: 1 of 2 inputs were not begun' .err || fault "says '$(cat .err)'"
    # Of two parts four processes share the transmits: what one process has left they go on with.
    simulate -o c.h5 --frames 40 --transmits plane:7:10 >/dev/null
    passes "$saccade" convert c.h5 c.npy
    printf '\0\0\300\177' | dd of=c.npy bs=1 seek=$(($(wc -c <c.npy) - 4)) conv=notrunc 2>/dev/null
    "$saccade" beamform c.npy -o d.npy --grid -1:1:11,5:9:21 >.out 2>.err && fault "exit status 0"
    by_ranks 4 "$saccade" beamform c.npy -o d.npy --grid -1:1:11,5:9:21 --resume >.out 2>.err && fault "exit status 0"
    grep -q '32 of 40 frames were done' .err || fault "says '$(cat .err)'"
    [ "$(grep -c 'saccade: .*32 of 40 frames are done' .err)" -eq 1 ] || fault "says '$(cat .err)'"
    # A sample that one of them alone reads.
    passes "$saccade" convert c.h5 e.npy --frames 0:1
    rm e.json
    printf '\0\0\300\177' | dd of=e.npy bs=1 seek=$(($(wc -c <e.npy) - 4)) conv=notrunc 2>/dev/null
    fails_by_ranks 3 'rank 2 on ' "$saccade" beamform e.npy -o f.npy --fs 20 --fc 5 --pitch 0.3 --t0 0 --c 1540 --transmits plane:7:10 --grid -1:1:11,5:9:21
    grep -q 'frames from 0, transmits from 4 on: samples: nan in frame 0, transmit 2, ' .err || fault "says '$(cat .err)'"
    [ -z "$(find . -name '*f.npy*')" ] || fault "left: $(ls -A)"
    fails_by_ranks 3 'no-such.h5' "$saccade" beamform no-such.h5 -o b.npy
    fails_by_ranks 2 'several processes share h5 and npy alone' "$saccade" beamform a.h5 -o b.pgm
    fails_by_ranks 2 '--delays: is for one process' "$saccade" beamform a.h5 --delays 0,5
    fails_by_ranks 2 'expected' "$saccade" beamform a.h5 -o b.npy --grid 5
}

beamform_by_ranks_interrupted_says_so_once() {
    need_ranks
    simulate -o a.h5 --frames 100 >/dev/null
    export OMPI_MCA_odls_base_sigkill_timeout=3 # what they have to end in
    timeout --foreground 300 mpirun -n 2 "$saccade" beamform a.h5 -o b.npy --grid -2:2:1000,5:9:1000 --threads 1 --variant ref --yes >.out 2>.err &
    holds test -e .b.npy.done
    kill -TERM $!
    ended $! && fault "exit status 0"
    [ "$(grep -c 'saccade: ' .err)" -eq 1 ] || fault "says '$(cat .err)'"
    grep -q 'saccade: .*interrupted' .err || fault "says '$(cat .err)'"
    [ ! -e b.npy ] || fault "b.npy is there"
}

short_clip() { # short_clip FILE SEED
    { printf 'YUV4MPEG2 W16 H12 F25:1 Cmono\n' &&
        for _ in 1 2 3; do printf 'FRAME\n' && seq "$2" 999 | head -c 192; done; } >"$1"
}

# Each input by one of them.
inputs_by_ranks_are_those_of_one_process() {
    need_ranks
    local i
    mkdir pictures clips builds
    for i in 1 2 3 4 5; do
        ppm pictures/$i.ppm $((30 + i)) 20
        short_clip clips/$i.y4m $i
        "$saccade" simulate meltpool --frames $((30 + i)) --seed $i -o builds/$i.h5 >/dev/null || fault "simulate meltpool"
    done
    passes "$saccade" equalize 'pictures/*' -o one/
    passes by_ranks 3 "$saccade" equalize 'pictures/*' -o three/
    [ "$(grep -c '^three/: 5 pictures: ' .out)" -eq 1 ] || fault "says '$(cat .out)'"
    passes "$saccade" heatmap 'clips/*' -o one/
    passes by_ranks 3 "$saccade" heatmap 'clips/*' -o three/
    [ "$(wc -l <.out)" -eq 5 ] || fault "says '$(cat .out)'"
    passes "$saccade" meltpool builds -o one/ --model none
    passes by_ranks 3 "$saccade" meltpool builds -o three/ --model none
    [ "$(ls three)" = "$(ls one)" ] || fault "three/ has: $(ls three)"
    for i in one/*; do same "$i" "three/${i#one/}" "by three processes"; done
    # A bad one spares the others, and says so once.
    echo 'no picture' >pictures/3.ppm
    by_ranks 2 "$saccade" equalize 'pictures/*' -o two/ >.out 2>.err && fault "exit status 0"
    [ "$(grep -c 'saccade: ' .err)" -eq 1 ] || fault "says '$(cat .err)'"
    grep -q 'saccade: .*pictures/3.ppm' .err || fault "says '$(cat .err)'"
    [ "$(echo two/*)" = 'two/1.ppm two/2.ppm two/4.ppm two/5.ppm' ] || fault "two/ has: $(ls two)"
    fails_by_ranks 2 'and there is one: run it without the launcher' "$saccade" heatmap clips/1.y4m -o h.y4m
    fails_by_ranks 2 'standard input cannot be shared' "$saccade" heatmap clips/1.y4m - -o two/
    fails_by_ranks 2 '--stats: is of one process' "$saccade" equalize 'pictures/*' -o two/ --stats s.json
    fails_by_ranks 2 '--json: is of one process' "$saccade" meltpool builds -o two/ --json s.json
    fails_by_ranks 2 'no file has a name' "$saccade" equalize 'no/*' -o two/
}

says_bad() { # says_bad N...: the bad inputs, and nothing else yet
    local i
    for i in "$@"; do grep -q "in/$i.y4m" .err || return; done
}

# Bad inputs end while another process has some to do, of which it opens one when they are over.
late_input_by_ranks() { # late_input_by_ranks RANKS LATE BAD...: heatmap of in/, into out/, whose input LATE comes last
    local n=$1 late=$2 i
    shift 2
    rm -rf in out .err
    mkdir in
    for i in 1 2 3 4; do short_clip in/$i.y4m $i; done
    for i in "$@"; do echo 'no video' >"in/$i.y4m"; done
    mv "in/$late.y4m" held.y4m
    mkfifo "in/$late.y4m"
    timeout --foreground 300 mpirun -n "$n" "$saccade" heatmap in/1.y4m in/2.y4m in/3.y4m in/4.y4m -o out/ >.out 2>.err </dev/null &
    i=$!
    holds says_bad "$@"
    timeout 60 tee "in/$late.y4m" <held.y4m >/dev/null || fault "nobody reads input $late"
    ended $i && fault "exit status 0"
    [ "$(grep -c 'saccade: ' .err)" -eq $# ] || fault "says '$(cat .err)'"
}

inputs_by_ranks_outlast_bad_ones() {
    need_ranks
    late_input_by_ranks 2 2 1 3
    [ "$(echo out/*)" = 'out/2.y4m out/4.y4m' ] || fault "out/ has: $(ls out)"
}

# Any of them may have made it.
inputs_by_ranks_keep_a_folder_that_others_write_into() {
    need_ranks
    late_input_by_ranks 4 4 1 2 3
    [ "$(echo out/*)" = out/4.y4m ] || fault "out/ has: $(ls out)"
    late_input_by_ranks 4 1 2 3 4
    [ "$(echo out/*)" = out/1.y4m ] || fault "out/ has: $(ls out)"
    by_ranks 2 "$saccade" heatmap in/2.y4m in/3.y4m -o none/ >.out 2>.err && fault "exit status 0"
    [ ! -e none ] || fault "none/ is there"
}

rank_reads() { # rank_reads N FILE: and SIGTERM no longer ends it at once
    local pid
    pid=$(rank_pid "$1") && catches_term "$pid" && readlink "/proc/$pid/fd/"* | grep -q "/$2\$"
}

# The rest of both by one line. A process that takes longer than 0.4 s to end is not waited for, nor is the folder removed.
inputs_by_ranks_interrupted_say_so_once() {
    need_ranks
    mkfifo 1.y4m 2.y4m
    short_clip 3.y4m 3
    short_clip 4.y4m 4
    export OMPI_MCA_odls_base_sigkill_timeout=3 # what they have to end in
    timeout --foreground 300 mpirun -n 2 "$saccade" heatmap 1.y4m 2.y4m 3.y4m 4.y4m -o out/ >.out 2>.err &
    holds rank_reads 0 1.y4m
    holds rank_reads 1 2.y4m
    kill -TERM $!
    ended $! && fault "exit status 0"
    grep -qE 'saccade: interrupted: (2|at least 1) of 4 inputs were not begun' .err || fault "says '$(cat .err)'"
    [ "$(grep -c 'were not begun' .err)" -eq 1 ] || fault "says '$(cat .err)'"
    [ -z "$(ls -A out 2>/dev/null)" ] || fault "out/ has: $(ls -A out)"
}

# As a build without MPI, or one whose module is not installed, is started.
launched_processes_without_mpi_do_not_fight() {
    need_hdf5
    simulate -o a.h5 >/dev/null
    mkdir alone
    cp "$saccade" alone/saccade
    local names
    for names in OMPI_COMM_WORLD_SIZE,OMPI_COMM_WORLD_RANK PMI_SIZE,PMI_RANK SLURM_STEP_NUM_TASKS,SLURM_PROCID; do
        fails 1 '4 processes, which cannot share the work' \
            env "${names%,*}=4" "${names#*,}=0" alone/saccade beamform a.h5 -o b.h5
        env "${names%,*}=4" "${names#*,}=3" alone/saccade beamform a.h5 -o b.h5 >.out 2>.err && fault "rank 3: exit status 0"
        [ ! -s .err ] && [ ! -e b.h5 ] || fault "rank 3: '$(cat .err)'"
        passes env "${names%,*}=1" "${names#*,}=0" alone/saccade beamform a.h5 -o b.h5 --grid -1:1:11,5:9:21
        rm b.h5
    done
    # In the script of a job, which starts steps, there is one process. What is not shared is said.
    passes env SLURM_NTASKS=4 SLURM_PROCID=0 alone/saccade beamform a.h5 -o b.h5 --grid -1:1:11,5:9:21
    env PMI_SIZE=2 PMI_RANK=0 alone/saccade info >.out 2>.err || fault "$(cat .err)"
    grep -q 'warning: 2 processes were started.*does not share' .err || fault "says '$(cat .err)'"
    passes env PMI_SIZE=2 PMI_RANK=1 alone/saccade info
}
