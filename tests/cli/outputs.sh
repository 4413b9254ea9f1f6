# Tests of what outputs may be called: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

outputs_into_one_file_exit_2() {
    ppm a.ppm 8 8
    mkdir sub
    ln -s "$PWD" link
    local at listening=("$saccade" meltpool --listen udp://127.0.0.1:0 --calibration pixels)
    for at in '' ./ sub/../ link/ "$PWD/"; do # the files are not there yet
        fails 2 "${at}b.h5 can take one of -o, --record and --json" "${listening[@]}" -o b.h5 --record "${at}b.h5"
        fails 2 "b.h5 can take one" "${listening[@]}" --record "${at}b.h5" --json b.h5
        fails 2 "${at}b.csv can take one" "$saccade" meltpool a.h5 -o b.csv --json "${at}b.csv"
        fails 2 "${at}b.ppm can take one" "$saccade" jitter --json b.ppm --plot "${at}b.ppm"
        fails 2 "${at}b.svg can take one" "$saccade" ladder meltpool --curves --json b.svg --plot "${at}b.svg"
        fails 2 "${at}b.ppm can take one" "$saccade" equalize a.ppm -o b.ppm --stats "${at}b.ppm"
        fails 2 "${at}b.svg can take one" "$saccade" equalize a.ppm -o b.ppm --stats b.svg --plot "${at}b.svg"
        fails 2 "${at}sub/a.ppm can take one" "$saccade" equalize a.ppm -o sub --stats "${at}sub/a.ppm"
        fails 2 "${at}b.y4m can take one" "$saccade" heatmap a.y4m -o b.y4m --json "${at}b.y4m"
        fails 2 "${at}b.sdv can take one" "$saccade" delta encode a.y4m -o b.sdv --json "${at}b.sdv"
        fails 2 "${at}b.npy can take one" "$saccade" beamform a.h5 -o b.npy --json "${at}b.npy"
    done
    echo >sub/c.csv
    ln -s sub/c.csv c.csv
    fails 2 'sub/c.csv can take one' "${listening[@]}" -o c.csv --json sub/c.csv
    ln -s d.csv e.csv
    fails 1 'a symbolic link to nothing' "${listening[@]}" -o d.csv --json e.csv
    echo >key
    fails 2 'sub/../key is read' "${listening[@]}" --key key --json sub/../key
    fails 2 './key is read' "$saccade" simulate meltpool --to udp://127.0.0.1:9 --key key --json ./key
    fails 2 './c.csv is read' "$saccade" simulate meltpool --to udp://127.0.0.1:9 --input sub/c.csv --json ./c.csv
    local plot
    plot_to /dev/null
    passes "$saccade" equalize a.ppm -o b.ppm --stats /dev/null "${plot[@]}"
    passes "$saccade" equalize a.ppm -o b.ppm --stats sub/b.ppm
    [ -s b.ppm ] && [ -s sub/b.ppm ] || fault "one name in two folders is not two files"
    "$saccade" equalize a.ppm -o - --stats ./- >c.ppm 2>.err || fault "standard output and a file named -: $(cat .err)"
    same b.ppm c.ppm "file and standard output"
}

# Files are known by what they are, not by how they are spelled.
outputs_over_what_is_read_exit_2() {
    ppm a.ppm 8 8
    mkdir sub pics
    ln a.ppm hard.ppm
    ln -s a.ppm soft.ppm
    ln -s "$PWD" link
    local name
    for name in a hard soft link/a "$PWD/hard"; do
        fails 2 "$name.ppm is read" "$saccade" equalize a.ppm -o $name.ppm
        fails 2 "$name.ppm is read" "$saccade" equalize soft.ppm -o b.ppm --stats "$name.ppm"
        fails 2 "$name.ppm is read" "$saccade" heatmap hard.ppm -o $name.ppm
    done
    name=link/soft
    fails 2 "$name.ppm is read" "$saccade" noise hard.ppm -o b.y4m --json "$name.ppm"
    fails 2 "$name.ppm is read" "$saccade" denoise hard.ppm -o "$name.ppm"
    fails 2 "$name.ppm is read" "$saccade" ladder equalize --input a.ppm --json "$name.ppm"
    fails 2 "$name.ppm is read" "$saccade" delta encode a.ppm -o b.sdv --json "$name.ppm"
    fails 2 "$name.ppm is read" "$saccade" delta decode hard.ppm -o "$name.ppm"
    fails 2 "$name.ppm is read" "$saccade" measure a.ppm --points --json "$name.ppm"
    fails 2 "$name.ppm is read" "$saccade" meltpool b.h5 -o b.csv --model a.ppm --json "$name.ppm"
    fails 2 "$name.ppm is read" "$saccade" meltpool --listen udp://127.0.0.1:0 --model a.ppm --json "$name.ppm"
    fails 2 'a.ppm is read' "$saccade" equalize a.ppm -o .
    ppm sub/b.ppm 8 8
    fails 2 'is read' "$saccade" equalize a.ppm sub/b.ppm hard.ppm -o sub
    fails 2 'hard.ppm is read' with_input a.ppm "$saccade" equalize - -o hard.ppm

    # The JSON beside an NPY is its metadata, there or not.
    echo >r.npy
    fails 2 'r.json would be read as the metadata of r.npy' "$saccade" beamform r.npy -o b.h5 --json ./r.json
    echo >r.json
    ln r.json other
    for name in r.json link/r.json other; do
        fails 2 "$name is the metadata of ./r.npy" "$saccade" beamform ./r.npy -o b.h5 --json $name
        fails 2 "$name is the metadata of r.npy" "$saccade" beamform r.npy --delays 0,10 -o $name
    done

    # Folders and patterns of pictures.
    for name in 0 1 2; do ppm pics/in-00$name.ppm 8 8; done
    cp pics/in-000.ppm pics/frame-000001.ppm
    fails 2 'pics/in-00' "$saccade" heatmap pics/in-%03d.ppm -o pics/in-%03d.ppm
    fails 2 'link/pics/in-00' "$saccade" noise pics/in-%03d.ppm -o link/pics/in-%03d.ppm
    fails 2 'pics/in-00' "$saccade" denoise pics -o pics/in-%03d.ppm
    fails 2 'pics/in-002.ppm is read' "$saccade" denoise pics/in-%03d.ppm -o b.y4m --json pics/in-002.ppm
    fails 2 'pics/frame-000001.ppm is read' "$saccade" noise pics -o pics/
    fails 2 'sub/ is read' "$saccade" noise sub -o sub/
    fails 2 'no-%d.ppm is read' "$saccade" noise no-%d.ppm -o ./no-%d.ppm
    ln pics/in-002.ppm sub/frame-000007.ppm
    fails 2 'sub/frame-000007.ppm is read' "$saccade" noise pics/in-%03d.ppm -o sub
    passes "$saccade" noise pics/in-%03d.ppm -o pics/out-%03d.ppm
    passes "$saccade" equalize a.ppm -o /dev/null --format ppm --stats /dev/null
}

with_input() { # with_input FILE COMMAND...
    local file=$1
    shift
    "$@" <"$file"
}
