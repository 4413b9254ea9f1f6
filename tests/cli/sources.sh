# Tests of docs/sources.md, each item of the four sources with its command: functions for cli_test.sh, which reads
# this file. A fault shows the row.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2016 # $saccade, $docs and others are cli_test.sh's; `code` is Markdown's

root=${docs%/docs}
cells=$'\x1f' # between the cells of a row

# Rows of the tables that have a column `command`, a line each: what where command published here record.
sources_rows() {
    awk -F ' *[|] ' -v OFS="$cells" '
        /^[|]/ && NF != 8 { sub(/ *[|]$/, " | ") }
        !/^[|]/ { is_on = 0 }
        /^[|]/ && $4 == "command" { is_on = 1; next }
        is_on && !/^[|]--/ { print $2, $3, $4, $5, $6, $7, NF }' "$docs/sources.md"
}

# Code spans of a cell, into the array `found`.
spans() {
    local rest=$1
    found=()
    while [[ $rest =~ ^[^\`]*\`([^\`]+)\`(.*)$ ]]; do
        found+=("${BASH_REMATCH[1]}")
        rest=${BASH_REMATCH[2]}
    done
}

# What the sources' tables name, into the map `named`: "PIPELINE ROOM NAME" of rungs and tasks, "PIPELINE * NAME" of
# what rooms share, "PIPELINE NAME" of either; and "PIPELINE ROOM" of rooms. Read once: a process a name takes minutes.
declare -A named
read_names() {
    local path name pipeline room
    while IFS=: read -r path name; do
        name=${name#*\"}
        name=${name%\"*}
        pipeline=${path%%/*}
        [ "$pipeline" != delta ] || pipeline=motion
        case $path in
        image/*) room='*' ;; # contents of any picture
        */kernels/das/*) room='*' ;;
        */kernels/*/*)
            room=${path#*/kernels/}
            room=${room%%/*}
            ;;
        */kernels/*) room='*' ;;
        */ladder/*) room=$pipeline ;;
        *) continue ;;
        esac
        named["$pipeline $room $name"]=1
        named["$pipeline $name"]=1
    done < <(cd "$root/src" && grep -roE '[{(]"[A-Za-z0-9-]+"|^ *"[A-Za-z0-9-]+",' \
        image beamform equalize motion delta meltpool --include='*.[ch]' --include='*.cu')
    while IFS='(), ' read -r _ pipeline room _; do
        named["$pipeline $room"]=1
    done < <(grep '^SAC_ROOM(' "$root/src/room/rooms.def")
    ! grep -q '"all"' "$root/include/saccade/ladder.h" || named['image * all']=1
}

has_name() { # has_name PIPELINE ROOM NAME: a rung or task
    [ -n "${named["$1 $2 $3"]-}${named["$1 * $3"]-}${named["image * $3"]-}" ]
}

# names_of ROW PIPELINE TASK ROOM[:RUNG]...: all of them are there
names_of() {
    local row=$1 pipeline=$2 task=$3 only
    shift 3
    for only in "$@"; do
        [ "${named["$pipeline ${only%%:*}"]-}" ] || fault "$pipeline has no room ${only%%:*}: $row"
        [ "${only#*:}" = "$only" ] || has_name "$pipeline" "${only%%:*}" "${only#*:}" ||
            fault "no rung $only of $pipeline: $row"
        [ -z "$task" ] || has_name "$pipeline" "${only%%:*}" "$task" || fault "no task $task of $only: $row"
    done
    [ $# -gt 0 ] || [ -z "$task" ] || [ "${named["$pipeline $task"]-}" ] || fault "no task $task of $pipeline: $row"
}

# The value that follows an option of a command, into `given`: value OPTION WORD...
value() {
    local option=$1
    shift
    given=
    while [ $# -gt 1 ]; do
        [ "$1" != "$option" ] || given=$2
        shift
    done
}

# names_of_saccade ROW COMMAND WORD...: a command of saccade, its options, and what a ladder is asked for
declare -A options
names_of_saccade() {
    local row=$1 command=$2 word task given
    shift 2
    [ "${options[$command]-}" ] || options[$command]=$("$saccade" reference markdown "$command" 2>.err)
    [ "${options[$command]}" ] || { fault "no command $command ($(cat .err)): $row" && return; }
    for word in "$@"; do
        case $word in
        --*) [[ ${options[$command]} =~ [\`\ ]${word%%=*}[\ \`] ]] || fault "$command has no option $word: $row" ;;
        -o) [[ ${options[$command]} =~ \`-o,\  ]] || fault "$command has no option -o: $row" ;;
        calibrate) [[ ${options[$command]} == *"### saccade $command $word "* ]] || fault "no $command $word: $row" ;;
        esac
    done
    [ "$command" = ladder ] && [ "$1" != --compare ] || return
    [ "${named["$1 $1"]-}${named["$1 heat_u8"]-}" ] || fault "no pipeline $1: $row"
    value --task "$@"
    task=$given
    value --only "$@"
    # shellcheck disable=SC2086 # one word, or none
    names_of "$row" "$1" "$task" $given
}

# names_of_script ROW SCRIPT WORD...: its options, and rooms and rungs for gpu-counters
names_of_script() {
    local row=$1 script=$2 given words=()
    shift 2
    [ -x "$root/$script" ] || { fault "no $script: $row" && return; }
    value --task "$@"
    while [ $# -gt 0 ]; do
        if [ "${1#--}" = "$1" ]; then
            words+=("$1")
        else
            grep -q "\"$1\"" "$root/$script" || fault "$script has no option $1: $row"
            shift # all of them take a value
        fi
        shift
    done
    [ "$script" != scripts/gpu-counters ] || names_of "$row" "${words[0]}" "$given" "${words[@]:1}"
}

names_of_command() { # names_of_command ROW WORD...
    local row=$1 first=$2 name
    shift 2
    case $first in
    saccade) names_of_saccade "$row" "$@" ;;
    scripts/*) names_of_script "$row" "$first" "$@" ;;
    bench_*)
        grep -q "^sac_bench(${first#bench_} " "$root/bench/CMakeLists.txt" || fault "no $first: $row"
        for name in "$@"; do
            [ "${name#--}" = "$name" ] || grep -rqE "\"(--)?${name#--}\"" "$root/bench" "$root/cli/options.h" ||
                fault "no option $name of $first: $row"
        done
        ;;
    nsys)
        name=" $*"
        # shellcheck disable=SC2086 # words
        names_of_saccade "$row" ${name#* saccade }
        ;;
    cuobjdump | nvidia-smi) ;;
    *) fault "$first is nothing that is known here: $row" ;;
    esac
}

# Whether a page has that heading: as GitHub makes anchors of headings.
has_anchor() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z0-9 _\n-' | tr ' ' '-' | grep -qxF -- "$2"
}

# Files and headings that the page links to.
sources_links() {
    local target page
    grep -oE '\]\([^)]+\)' "$docs/sources.md" | tr -d ']()' | sort -u | grep -v '^https:' >.targets
    while IFS= read -r target; do
        page=${target%%#*}
        page=$docs/${page:-sources.md}
        [ -e "$page" ] || fault "no file $target"
        [ "${target#*#}" = "$target" ] || has_anchor "$page" "${target#*#}" || fault "no heading $target"
    done <.targets
}

sources_rows_name_what_exists() {
    local n=0 where what command published here row cell width found
    read_names
    while IFS=$cells read -r where what command published here _ width; do
        n=$((n + 1))
        row="$where | $what | $command"
        [ "$width" -eq 8 ] || fault "$((width - 2)) cells instead of 6: $row"
        for cell in "$where" "$what" "$published" "$here"; do
            [ -n "$cell" ] || fault "an empty cell: $row"
        done
        if [ "$command" = none ]; then
            [[ $here =~ ^(out of scope|not built).*: ]] || fault "no command, and no reason: $row"
            continue
        fi
        spans "$command"
        [ ${#found[@]} -gt 0 ] || fault "no command: $row"
        for cell in "${found[@]}"; do
            # shellcheck disable=SC2086 # words
            names_of_command "$row" $cell
        done
    done < <(sources_rows)
    [ $n -ge 190 ] || fault "$n rows"
    sources_links
}

# What the page's commands read.
sources_inputs() {
    ppm photo.ppm 64 36
    y4m clip.y4m 16 16 444 768 768 768 768
    { printf 'YUV4MPEG2 W16 H16 F25:1 Ip C444\n' && for _ in 1 2 3 4 5 6 7 8; do
        printf 'FRAME\n' && bytes 768 1
    done; } >still.y4m
    local one=(simulate ultrasound --transmits plane:1:0 --region '-1:1,15:25' --durable none)
    if ! "$saccade" "${one[@]}" --elements 16 -o points.h5 >.out 2>.err ||
        ! "$saccade" "${one[@]}" --array matrix --elements 4x4 -o volume.h5 >.out 2>.err ||
        ! "$saccade" "${one[@]}" --array row-column --elements 4x4 -o cross.h5 >.out 2>.err ||
        ! "$saccade" simulate meltpool --frames 2000 --durable none -o build.h5 >.out 2>.err; then
        skip "this build writes no recordings: $(cat .err)"
    fi
    mkdir out
    "$saccade" ladder motion --only heat_u8:ref --size 64x36 --seconds 0.001 --json a.json >.out 2>.err ||
        fault "$(cat .err)"
    cp a.json b.json
}

# in_small WORD...: into the array `small` what runs it in seconds; fails where names are all that is tested.
in_small() {
    small=("$@")
    case " $* " in
    *' demo '*) return 1 ;; # demo_writes_pictures has it
    *' --compare '*) ;;
    *' ladder '*' --device cuda '*) return 1 ;; # of scripts/gpu
    *' --curves '*)
        [ -z "${laddered[curves]-}" ] || return 1
        laddered[curves]=1
        small+=(--seconds 0.01 --threads 1 --batch-max 2)
        ;;
    *' ladder beamform '*' --task 1d '*) small+=(--seconds 0.001) ;;
    *' ladder beamform '*) return 1 ;; # sizes are the tasks': minutes; sources_rows_name_what_exists has the names
    *' ladder '*)
        [ -z "${laddered[$2]-}" ] || return 1 # one of each pipeline: each measures the copy bandwidth first
        laddered[$2]=1
        small+=(--size 64x36 --seconds 0.001)
        ;;
    *' simulate meltpool '*) small+=(--frames 2000 --durable none) ;;
    *' --listen '*)
        small=("${small[@]/:5020/:0}")
        small+=(--seconds 0.05)
        ;;
    esac
}

sources_commands_run() {
    sources_inputs # or skips
    local span small n=0 has_gpu=
    local -A laddered
    ! "$saccade" info | grep -q '^cuda:0' || has_gpu=yes
    sources_rows | cut -d "$cells" -f 3 | grep -oE '`saccade [^`]+' | tr -d '`' | awk '!seen[$0]++' >.commands
    while IFS= read -r span; do
        # shellcheck disable=SC2086 # words
        in_small ${span#saccade } || continue
        n=$((n + 1))
        "$saccade" "${small[@]}" >.out 2>.err </dev/null && continue
        if grep -qiE 'this build|built without|without (Cairo|HDF5)' .err && [[ $span != *--device\ cuda* ]]; then
            skip_part "$(head -n 1 .err)"
        elif [[ $span != *--device\ cuda* ]] || [ $has_gpu ] || ! grep -qE 'CUDA|GPU|NVIDIA' .err; then
            fault "$(head -n 1 .err): $span"
        fi
    done <.commands
    [ $n -ge 35 ] || fault "$n commands"
}
