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
    passes "$saccade" equalize a.ppm -o b.ppm --stats /dev/null --plot /dev/null
    passes "$saccade" equalize a.ppm -o b.ppm --stats sub/b.ppm
    [ -s b.ppm ] && [ -s sub/b.ppm ] || fault "one name in two folders is not two files"
    "$saccade" equalize a.ppm -o - --stats ./- >c.ppm 2>.err || fault "standard output and a file named -: $(cat .err)"
    same b.ppm c.ppm "file and standard output"
}

# A command that would work first runs into the time limit, with another exit status.
plot_names_say_what_is_drawn() {
    ppm a.ppm 8 8
    local name ending
    for name in h.png h.PDF h.svgz h.svg.png ./h. link.svg/h.jpg; do
        fails 2 "the ending .svg, got \`$name\`" "$saccade" equalize a.ppm -o b.ppm --plot "$name"
        fails 2 "the ending .svg, got \`$name\`" timeout 30 "$saccade" ladder meltpool --curves --seconds 900 --plot "$name"
    done
    for name in h.SVG ./h; do
        passes "$saccade" equalize a.ppm -o b.ppm --plot $name
        head -c 4 $name | grep -q '<svg' || fault "$name begins with '$(head -c 40 $name)'"
    done
    for name in h.svg h.pdf h.pgm ./h. h .ppm ppm; do
        fails 2 ".ppm, .pnm, .pam; got \`$name\`" "$saccade" meltpool a.h5 -o b.csv --plot $name
        fails 2 ".ppm, .pnm, .pam; got \`$name\`" timeout 30 "$saccade" jitter --seconds 900 --plot $name
    done
    sed -n 's/.* one of \(.*\); got .*/\1/p' .err | tr -d ',\n' >endings
    for ending in $(sed -E 's/ \.(jxl|avif|heic)//g' endings); do # those have threads and time of their own
        passes "$saccade" jitter --seconds 0.01 --plot "j$ending"
        [ -s "j$ending" ] || fault "nothing in j$ending"
    done
    [ ! -e j.png ] || head -c 4 j.png | grep -q PNG || fault "j.png begins with '$(head -c 4 j.png | od -An -c)'"
}
