# Tests of saccade simulate, beamform and measure: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

# A phantom of one wave that takes no time: simulate -o FILE OPTION...
simulate() {
    "$saccade" simulate ultrasound --elements 16 --transmits plane:1:0 --region -1:1,5:9 "$@"
}

# Where HDF5 is left out of the build, its tests are skipped.
need_hdf5() {
    simulate -o probe.h5 >/dev/null 2>&1 || skip "this build writes no HDF5"
    rm -f probe.h5
}

simulate_wrong_usage_exits_2() {
    fails 2 'ultrasound' "$saccade" simulate -o a.npy
    fails 2 'got sonar' "$saccade" simulate sonar -o a.npy
    fails 2 'got more' "$saccade" simulate ultrasound more -o a.npy
    fails 2 'no output' "$saccade" simulate ultrasound
    fails 2 'cyst' simulate -o a.npy --phantom ghost
    fails 2 'matrix' simulate -o a.npy --array round
    fails 2 '--noise' simulate -o a.npy --noise nan
    fails 2 '--frames' simulate -o a.npy --frames 0
    fails 2 '--bandwidth' simulate -o a.npy --bandwidth 0
    local out=a.npy
    has_json || out=a.h5
    simulate -o probe${out#a} >/dev/null 2>.err || skip "this build writes no recordings: $(cat .err)"
    fails 2 'plane:N:DEG' simulate -o $out --transmits plane:0:16
    fails 2 'transmits' simulate -o $out --transmits sideways
    fails 2 '--region' simulate -o $out --region 1:-1,5:9
    fails 2 '--region' simulate -o $out --region 5
    fails 2 '--region' simulate -o $out --region nan:1,5:9
    fails 2 '--at' simulate -o $out --phantom cyst --at 5
    fails 2 'no room' simulate -o $out --phantom cyst --radius 100
    fails 2 '--elevation: expected MM' simulate -o $out --elevation 5:x
    fails 2 '--elevation: is for' simulate -o $out --elevation 5:20 --array matrix --elements 4x4
    fails 2 'layers: expected MM:M_S,...,M_S' simulate -o $out --layers 5:1450
    fails 2 'lens: expected MM:M_S' simulate -o $out --lens 1
    fails 2 'no room' simulate -o $out --phantom cyst --at nan,5
    fails 2 '--elements' simulate -o $out --array matrix --elements 4096x4096
    fails 2 'GB' simulate -o $out --samples 2000000000 --frames 1000
}

simulate_sampled_too_slowly_warns() {
    simulate -o probe.npy >/dev/null 2>.err || skip "this build writes no JSON: $(cat .err)"
    simulate -o a.npy --fc 5 --fs 10 >.out 2>.err || fault "$(cat .err)"
    grep -q '^saccade: warning: --fs: 10 MHz is less than twice .* 5.825 MHz, which folds' .err || fault "says '$(cat .err)'"
}

simulate_bad_output_exits_1() {
    mkdir folder.npy
    fails 1 no/such simulate -o no/such/a.npy
    fails 1 folder.npy simulate -o folder.npy
}

simulate_writes_the_same_for_a_seed() {
    simulate -o probe.npy >/dev/null 2>.err || skip "this build writes no JSON: $(cat .err)"
    local n
    for n in 1 2; do
        passes simulate -o $n.npy --phantom cyst --radius 1 --noise 40 --seed 3 --threads $n
        grep -q '16 elements' .out || fault "says '$(cat .out)'"
    done
    same 1.npy 2.npy "one and two threads"
    passes simulate -o 3.npy --phantom cyst --radius 1 --noise 40 --seed 4
    ! cmp -s 1.npy 3.npy || fault "another seed gave the same"
}

measure_wrong_usage_exits_2() {
    fails 2 'no image' "$saccade" measure --points
    fails 2 '--points or --cyst' "$saccade" measure a.h5
    fails 2 '--points or --cyst' "$saccade" measure a.h5 --points --cyst
    fails 2 'one image' "$saccade" measure a.h5 b.h5 --points
    fails 2 '--frame' "$saccade" measure a.h5 --points --frame -1
    echo >a.h5
    fails 2 'a.h5 is read' "$saccade" measure a.h5 --points --json a.h5
}

measure_bad_input_exits_1() {
    fails 1 missing.h5 "$saccade" measure missing.h5 --points
    fails 1 no/such "$saccade" measure missing.h5 --points --json no/such/a.json
    : >empty.h5
    fails 1 empty.h5 "$saccade" measure empty.h5 --points
    echo 'no image' >text.h5
    fails 1 text.h5 "$saccade" measure text.h5 --cyst
    need_hdf5
    simulate -o a.h5 >/dev/null
    fails 1 a.h5 "$saccade" measure a.h5 --points # a recording
    head -c 3000 a.h5 >half.h5
    fails 1 half.h5 "$saccade" measure half.h5 --points
}

measure_finds_what_was_simulated() {
    need_hdf5
    passes "$saccade" simulate ultrasound --elements 64 --transmits plane:5:10 --region -3:3,15:25 -o p.h5
    passes "$saccade" beamform p.h5 -o i.h5 --kind envelope --band wide
    passes "$saccade" measure i.h5 --points --json p.json
    # A tenth of the wavelength is 0.0296 mm; -6 dB widths, of the pulse itself (--band wide), are in docs/numerics.md.
    awk '/^Mean of 20/ { good = $5 > 0.4 && $5 < 0.8 && $8 > 0.3 && $8 < 0.5 && $12 < 0.0296 }
         END { exit !good }' .out || fault "measured '$(tail -n 1 .out)'"
    [ "$(grep -c '"lateral_mm"' p.json)" -eq 20 ] || fault "p.json has not 20 rows"
    passes "$saccade" measure i.h5 --points --at 1,15
    [ "$(wc -l <.out)" -eq 2 ] || fault "--at printed: $(cat .out)"
    fails 1 'does not show that place' "$saccade" measure i.h5 --points --at 80,20
    fails 1 'no truth about a cyst' "$saccade" measure i.h5 --cyst
    fails 1 'inside' "$saccade" measure i.h5 --cyst --at 0,20,0.01
    fails 2 'X,Z,R' "$saccade" measure i.h5 --cyst --at 0,20
    fails 2 'X,Z in mm' "$saccade" measure i.h5 --points --at 0,20,3
    fails 2 '--frame' "$saccade" measure i.h5 --points --frame 1
    passes "$saccade" simulate ultrasound --phantom cyst --elements 64 --transmits plane:1:0 \
        --region -5:5,15:25 --radius 2 -o c.h5
    passes "$saccade" beamform c.h5 -o ci.h5 --kind envelope
    passes "$saccade" measure ci.h5 --cyst
    awk 'NR == 2 { good = $3 == 2 && $4 < -6 && $7 > 0.5 && $8 > 1.4 && $8 < 2.4 }
         END { exit !good }' .out || fault "measured '$(tail -n 1 .out)'"
}

beamform_wrong_usage_exits_2() {
    fails 2 'no input' "$saccade" beamform -o a.png
    fails 2 'folder' "$saccade" beamform a.h5 b.h5 -o a.png
    fails 2 'one input' "$saccade" beamform a.h5 b.h5 --delays 0,5
    fails 2 '--kind envelope' "$saccade" beamform a.h5 --output envelope
    fails 2 '--kind gray' "$saccade" beamform a.h5 -o a.npy --output gray
    fails 2 'did you mean --output' "$saccade" beamform a.h5 --out a.npy
    fails 2 '--kind' "$saccade" beamform a.h5 -o a.npy --kind picture
    fails 2 '--grid' "$saccade" beamform a.h5 -o a.npy --grid nan:1:5,5:9:3
    fails 2 '--grid' "$saccade" beamform a.h5 -o a.npy --grid 0:1:5,5:inf:3
    fails 2 'no output' "$saccade" beamform a.h5
    fails 2 '--grid' "$saccade" beamform a.h5 -o a.npy --grid 0:1:5
    fails 2 '--grid' "$saccade" beamform a.h5 -o a.npy --grid 0:1:0,5:9:3
    fails 2 'exclude' "$saccade" beamform a.h5 -o a.npy --grid 0:1:2,5:9:3 --grid3 0:1:2,0:1:2,5:9:3
    fails 2 '--frames' "$saccade" beamform a.h5 -o a.npy --frames 3:2
    fails 2 '--pitch' "$saccade" beamform a.h5 -o a.npy --pitch -0.3
    fails 2 '--fs' "$saccade" beamform a.h5 -o a.npy --fs nan
    fails 2 '--t0' "$saccade" beamform a.h5 -o a.npy --t0 soon
    fails 2 '--delays' "$saccade" beamform a.h5 --delays 5
    fails 2 '--delays' "$saccade" beamform a.h5 --delays nan,5
    fails 2 'exclude' "$saccade" beamform a.h5 --delays 0,5 --json a.json
    fails 2 'bmode' "$saccade" beamform a.h5 -o a.ppm --kind envelope
    fails 2 'f-number' "$saccade" beamform a.h5 -o a.npy --f-number -1
    fails 2 'interp' "$saccade" beamform a.h5 -o a.npy --interp spline
    fails 2 'is for --reduction mv' "$saccade" beamform a.h5 -o a.npy --reduction cf --reduction-loading 5
    fails 2 'is for --reduction mv' "$saccade" beamform a.h5 -o a.npy --reduction-loading 5
}

beamform_bad_input_exits_1() {
    fails 1 missing.npy "$saccade" beamform missing.npy -o a.npy
    fails 1 no/such "$saccade" beamform missing.npy -o no/such/a.npy
    : >empty.mat
    fails 1 empty.mat "$saccade" beamform empty.mat -o a.npy
    echo 'not channel data' >text.h5
    fails 1 text.h5 "$saccade" beamform text.h5 -o a.npy
    need_hdf5
    simulate -o a.h5 >/dev/null
    head -c 5000 a.h5 >half.h5
    fails 1 half.h5 "$saccade" beamform half.h5 -o a.npy
    fails 2 'a.h5 is read' "$saccade" beamform a.h5 -o a.h5
    fails 2 '--durable' "$saccade" beamform a.h5 -o a.npy --durable some
    fails 1 't0' "$saccade" beamform a.h5 -o a.npy --t0 100000 --grid -1:1:3,5:9:3
    fails 1 'no echo' "$saccade" beamform a.h5 -o a.npy --grid -1:1:3,-9:-5:3
    if simulate -o n.npy >/dev/null 2>&1; then # the last sample becomes NaN
        printf '\0\0\300\177' | dd of=n.npy bs=1 seek=$(($(stat -c %s n.npy) - 4)) conv=notrunc 2>.err
        fails 1 'another checksum' "$saccade" beamform n.npy -o b.npy
        sed -i 's/"samples":/"changed":/' n.json # on purpose
        fails 1 'element 15' "$saccade" beamform n.npy -o b.npy
        "$saccade" convert n.npy n.h5 >/dev/null 2>.err || fault "convert: $(cat .err)"
        grep -q 'warning: .*element 15.*refuses' .err || fault "not a word of NaN: $(cat .err)"
        dd if=/dev/zero of=n.npy bs=4 seek=32 count=$(($(stat -c %s n.npy) / 4 - 32)) conv=notrunc 2>.err
        for kind in iq envelope bmode gray; do
            "$saccade" beamform n.npy -o b.npy --kind $kind >/dev/null 2>.err || fault "$(cat .err)"
            grep -q 'warning: .*dark' .err || fault "$kind: not a word of a dark image: $(cat .err)"
        done
        sed -i 's/"phase_sign":/"pitch_m": 0.001, "phase_sign":/' n.json # its elements are 0.3 mm apart
        fails 1 'contradicts' "$saccade" beamform n.npy -o b.npy
    fi
    fails 2 'grid' "$saccade" beamform a.h5 -o a.npy --grid -5:5:100000,5:9:10000
    fails 2 '--grid: ' "$saccade" beamform a.h5 -o a.npy --grid -5:5:99999999999999999999,5:9:10000
    fails 2 'apodization' "$saccade" beamform a.h5 -o a.npy --apodization blackman
    fails 2 'transmits' "$saccade" beamform a.h5 -o a.npy --transmits sideways
    fails 2 'variant' "$saccade" beamform a.h5 -o a.npy --variant das_rf_f32:nosuch
    fails 2 't0' "$saccade" beamform a.h5 -o a.npy --t0 -1e9
    fails 1 'device' "$saccade" beamform a.h5 -o a.npy --device cuda:99
    fails 1 'device' "$saccade" beamform a.h5 -o a.npy --device cuda:99 --kind gray --lri
    fails 2 'frame' "$saccade" beamform a.h5 -o a.npy --frames 7:9
    fails 2 'fs / 2' "$saccade" beamform a.h5 -o a.npy --fs 10 --fc 5
    fails 2 'fs / 2' "$saccade" beamform a.h5 -o a.npy --fs 10 --fc 4.9
    mkdir none
    fails 1 'none' "$saccade" beamform none -o out/
    fails 1 'x*.h5' "$saccade" beamform 'x*.h5' -o out/
}

# What would fill the memory is not begun; 2^28 points of 400 frames are 429 GB.
beamform_of_a_huge_grid_stops_first() {
    need_hdf5
    simulate -o a.h5 --frames 400 >/dev/null
    fails 1 '16384 x 1 x 16384 points of 400 frames take' "$saccade" beamform a.h5 -o a.npy --grid -5:5:16384,5:9:16384
    grep -q ' GB, about .* --yes' .err || fault "says '$(cat .err)'"
}

# A point behind 4 mm of 1400 m/s, seen 4 mm (1540 / 1400 - 1) = 0.4 mm too deep without.
beamform_layers_put_points_in_place() {
    need_hdf5
    passes "$saccade" simulate ultrasound --elements 64 --transmits plane:3:6 --region -3:3,9:12 --layers 4:1400,1540 \
        --elevation 5:9 -o a.h5
    passes "$saccade" beamform a.h5 --grid -1.5:1.5:121,8:10:161 --kind envelope -o plain.h5
    passes "$saccade" beamform a.h5 --grid -1.5:1.5:121,8:10:161 --kind envelope --layers 4:1400,1540 -o layered.h5
    passes "$saccade" measure plain.h5 --points --at -1,9.4
    awk 'NR == 2 { good = $4 > 9.37 && $4 < 9.44 } END { exit !good }' .out || fault "plain: $(cat .out)"
    passes "$saccade" measure layered.h5 --points --at -1,9
    awk 'NR == 2 { good = $4 > 8.98 && $4 < 9.02 } END { exit !good }' .out || fault "layered: $(cat .out)"
    passes "$saccade" beamform a.h5 --layers 4:1400,1540 --delays 0,9 -o delays.csv
    fails 2 'layers: expected' "$saccade" beamform a.h5 --layers 4 -o a.pgm
    fails 1 'need a grid that lies before' "$saccade" beamform a.h5 --layers 4:1400,1540 --grid -1:1:8,0:10:8 -o b.npy
    # A phased array's default grid is a sector, parts of which lie beside the array.
    passes "$saccade" simulate ultrasound --array phased --transmits diverging:5:30 --lens 1:1000 -o p.h5
    passes "$saccade" beamform p.h5 --lens 1:1000 --kind envelope -o sector.h5
    passes "$saccade" measure sector.h5 --points
    awk '/largest error/ { good = $(NF - 1) < 0.15 } END { exit !good }' .out || fault "sector: $(cat .out)"
}

beamform_numbered_pictures_replace_nothing() {
    need_hdf5
    passes "$saccade" simulate ultrasound --elements 8 --transmits plane:1:0 --frames 2 -o a.h5
    cp a.h5 a-0001.h5
    cp a.h5 a-0000.pgm
    mkdir out
    fails 2 'a-0001.pgm may be one of the numbered pictures of a.pgm' "$saccade" beamform a.h5 -o a.pgm --json a-0001.pgm
    fails 2 'a-0001.pgm may be one of' "$saccade" beamform a.h5 -o a-%04d.pgm --json ./a-0001.pgm
    fails 2 'a-0000.pgm may be one of' "$saccade" beamform a-0000.pgm -o a.pgm
    fails 2 'out/a-0001.pgm may be one of the numbered pictures of out/a.pgm' "$saccade" beamform a.h5 a-0001.h5 -o out/ --format pgm
    fails 2 'a-0000.pgm may be one of' "$saccade" beamform --listen udp://127.0.0.1:0 --like a-0000.pgm -o a.pgm
    passes "$saccade" beamform a.h5 a-0001.h5 -o out/ --format npy --grid -1:1:3,9:10:3
    passes "$saccade" beamform a.h5 -o a.pgm --json a-1.json --grid -1:1:3,9:10:3
    passes "$saccade" beamform a.h5 a-0001.h5 -o out/ --format pgm --frames 0:1 --grid -1:1:3,9:10:3
    [ -e out/a.pgm ] && [ -e out/a-0001.pgm ] || fault "one frame each: $(ls out)"
    fails 2 'b-12345.pgm may be one of' "$saccade" beamform a.h5 -o b-%04d.pgm --json b-12345.pgm
    passes "$saccade" beamform a.h5 -o b-%04d.pgm --json b-7.pgm --grid -1:1:3,9:10:3
    passes "$saccade" beamform a.h5 --delays 0,9
    passes "$saccade" beamform a.h5 -o - --format npy --delays 0,9
}

beamform_many_inputs_bad_one_spares_others() {
    need_hdf5
    mkdir in
    simulate -o in/b.h5 >/dev/null
    simulate -o in/a.h5 --seed 2 >/dev/null
    echo text >in/notes.txt
    passes "$saccade" beamform in -o out/ --kind envelope --json j.json
    [ "$(cd out && echo *)" = 'a.h5 b.h5' ] || fault "out/ has: $(ls -A out)"
    [ "$(grep -c '"output": "out/' j.json)" -eq 2 ] || fault "j.json: $(grep output j.json)"
    passes "$saccade" beamform in/a.h5 -o a.h5 --kind envelope
    cmp -s a.h5 out/a.h5 || fault "alone and among others differ"
    echo 'not channel data' >in/aa.h5
    "$saccade" beamform 'in/*.h5' -o pictures/ --format pgm >.out 2>.err
    [ $? -eq 1 ] || fault "wanted exit 1 with a bad input among good ones"
    [ "$(wc -l <.err)" -eq 1 ] || fault "wanted one line, got '$(cat .err)'"
    [ "$(cd pictures && echo *)" = 'a.pgm b.pgm' ] || fault "pictures/ has: $(ls -A pictures)"
    fails 2 'folder' "$saccade" beamform 'in/b*.h5' -o b.pgm
}

beamform_grid_that_falls_is_turned_with_a_word() {
    need_hdf5
    simulate -o a.h5 >/dev/null
    passes "$saccade" beamform a.h5 -o a.npy --grid -1:1:11,5:9:21
    "$saccade" beamform a.h5 -o b.npy --grid -1:1:11,9:5:21 >.out 2>.err || fault "$(cat .err)"
    [ "$(cat .err)" = 'saccade: warning: --grid: z goes from 9 down to 5 mm: taken as 5:9' ] || fault "says '$(cat .err)'"
    same a.npy b.npy "rising and falling z"
}

below_title() { # below_title FILE: the samples of a picture (P5) without those beside its title
    local w
    w=$(sed -n 2p "$1" | cut -d' ' -f1)
    tail -c +$(($(head -n 3 "$1" | wc -c) + 24 * w + 1)) "$1"
}

# The same values under another name, number or plane: the pictures differ in their titles.
beamform_pictures_have_titles() {
    need_hdf5
    simulate -o a.h5 --frames 2 >/dev/null
    cp a.h5 b.h5
    for name in a b; do
        passes "$saccade" beamform $name.h5 -o $name.pgm --grid -1:1:11,5:9:21 --frames 0:1
    done
    has_cairo && cmp -s a.pgm b.pgm && fault "the picture does not name its file"
    cmp -s <(below_title a.pgm) <(below_title b.pgm) || fault "not only the title differs"
    passes "$saccade" beamform a.h5 -o v.pgm --grid3 -1:1:11,0:0:1,5:9:21 --frames 0:1
    same a.pgm v.pgm "a plane and a volume of one plane"
    grep -q '^v.pgm: 1 frame of 11 x 21 points, beamformed in .*frames a second' .out || fault "says '$(cat .out)'"
    passes "$saccade" beamform a.h5 -o w.pgm --grid3 -1:1:11,0:0:3,5:9:21 --frames 0:1
    has_cairo && cmp -s <(head -c 20000 a.pgm) <(head -c 20000 w.pgm) && fault "the picture does not name the volume's plane"
}

beamform_movies_have_every_frame() {
    need_hdf5
    simulate -o a.h5 --frames 12 >/dev/null
    passes "$saccade" beamform a.h5 -o a.y4m --grid -1:1:11,5:9:21
    grep -q '^a.y4m: a movie of 12 pictures' .out || fault "says '$(cat .out)'"
    head -n 1 a.y4m | grep -q '^YUV4MPEG2 W[0-9]* H[0-9]* F25:1 .*Cmono' || fault "begins '$(head -n 1 a.y4m)'"
    [ "$(grep -ao FRAME a.y4m | wc -l)" = 12 ] || fault "$(grep -ao FRAME a.y4m | wc -l) frames"
    passes "$saccade" beamform a.h5 -o 'b-%03d.pgm' --grid -1:1:11,5:9:21 --frames 1:3
    [ "$(echo b-*.pgm)" = 'b-001.pgm b-002.pgm' ] || fault "series: $(echo b-*.pgm)"
    passes "$saccade" beamform a.h5 -o c.pgm --grid -1:1:11,5:9:21 --frames 1:3
    same b-001.pgm c-0001.pgm "a series by a pattern"
    same b-002.pgm c-0002.pgm "a series by a pattern"
    fails 2 'one %d or %04d' "$saccade" beamform a.h5 -o 'b-%s.pgm' --grid -1:1:11,5:9:21
    fails 2 'one %d or %04d' "$saccade" beamform a.h5 -o 'b-%d-%d.pgm' --grid -1:1:11,5:9:21
    fails 2 'bmode or gray' "$saccade" beamform a.h5 -o a2.y4m --grid -1:1:11,5:9:21 --kind iq
    fails 1 no/such "$saccade" beamform a.h5 -o no/such/a.y4m --grid -1:1:11,5:9:21
}

beamform_in_parts_is_the_whole() {
    need_hdf5
    simulate -o a.h5 --frames 70 >/dev/null
    passes "$saccade" beamform a.h5 -o all.npy --grid -1:1:11,5:9:21 --kind iq
    grep -q '^all.npy: 70 frames' .out || fault "says '$(cat .out)'"
    for range in 0:32 32:64 64:70 5:69; do
        passes "$saccade" beamform a.h5 -o some.npy --grid -1:1:11,5:9:21 --kind iq --frames $range
        from=${range%:*} to=${range#*:} frame=$((11 * 21 * 8))
        tail -c $(((to - from) * frame)) some.npy >some
        tail -c $((70 * frame)) all.npy | tail -c +$((from * frame + 1)) | head -c $(((to - from) * frame)) >wanted
        same some wanted "frames $range"
    done
    passes "$saccade" beamform a.h5 -o all.h5 --grid -1:1:11,5:9:21 --kind iq --json -
    grep -q '"shape": "70x' .out || fault "JSON: $(cat .out)"
    grep -q '"variant": "demodulate_f32:[a-z0-9_]* pack_c64:' .out || fault "variant: $(cat .out)"
    grep -q "\"points\": $((70 * 11 * 21 * 16)),\$" .out || fault "points: $(cat .out)"
    fails 2 '66 from number 5 on are asked for, and it has 70' "$saccade" beamform a.h5 -o b.npy --frames 5:71
    [ -z "$(find . -name '.*.part' -o -name '.*.done')" ] || fault "left: $(ls -A)"
    fails 2 'h5 and npy alone' "$saccade" beamform a.h5 -o a.pgm --grid -1:1:11,5:9:21 --resume
    fails 2 'exclude' "$saccade" beamform a.h5 --delays 0,5 --resume
}

has_parts() { # has_parts FILE N: at least so many are written, or all
    [ -e "$1" ] || [ "$(tail -n 1 ".$1.done" | tr -dc 1 | wc -c)" -ge "$2" ]
}

# Killed after each part, again and again; what is whole in the end is what an undisturbed run writes.
beamform_cut_off_goes_on_with_resume() {
    need_hdf5
    simulate -o a.h5 --frames 150 >/dev/null
    local how=(--grid -2:2:81,5:9:81 --kind iq --threads 1)
    passes "$saccade" beamform a.h5 -o whole.h5 "${how[@]}"
    for i in 1 2 3 4; do
        "$saccade" beamform a.h5 -o cut.h5 "${how[@]}" --resume >/dev/null 2>&1 &
        holds has_parts cut.h5 $i
        kill -KILL $! 2>/dev/null
        wait $! 2>/dev/null
        [ ! -e cut.h5 ] || { same cut.h5 whole.h5 "after kill $i" && rm cut.h5; }
    done
    "$saccade" beamform a.h5 -o cut.h5 "${how[@]}" --resume >.out 2>.err || fault "$(cat .err)"
    same cut.h5 whole.h5 "resumed"
    [ -z "$(find . -name '.*.part' -o -name '.*.done')" ] || fault "left: $(ls -A)"
    # Of what is damaged nothing is taken over.
    printf 'saccade image parts 1\noffset00000000000000000001\nc64\n0' >.cut.h5.done
    fails 1 'remove it to begin anew' "$saccade" beamform a.h5 -o cut.h5 "${how[@]}" --resume
    passes "$saccade" beamform a.h5 -o cut.h5 "${how[@]}"
    same cut.h5 whole.h5 "begun anew"
}

ends_after_64() { # ends_after_64 COMMAND...: two of three parts are there
    "$@" >.out 2>.err && fault "exit status 0: $*"
    tail -n 1 .err | grep -q '; 64 of 70 frames are done$' || fault "says '$(cat .err)': $*"
}

# The last sample is another than its JSON has it, so that each run ends after two of three parts.
beamform_resume_refuses_what_is_of_another_image() {
    need_hdf5
    need_json
    simulate -o a.h5 --frames 70 >/dev/null
    passes "$saccade" convert a.h5 a.npy
    printf '\0\0\300\177' | dd of=a.npy bs=1 seek=$(($(wc -c <a.npy) - 4)) conv=notrunc 2>/dev/null
    local zeros=0000000000000000000000 layers='' other='another input or command'
    for _ in 1 2 3 4 5 6 7 8; do layers+=0.00001$zeros:1540,; done
    local how=("$saccade" beamform a.npy -o b.npy --grid -1:1:11,5:9:21 --kind iq --resume)
    ends_after_64 "${how[@]}" --layers "${layers}5:1500,1540"
    fails 2 "$other" "${how[@]}" --layers "${layers}5:1400,1540"
    rm .b.npy.*
    ends_after_64 "${how[@]}"
    cp a.json kept.json
    sed -i 's/"c_m_s":[^,]*,/"c_m_s": 1480,/' a.json
    cmp -s a.json kept.json && fault "c_m_s is the same"
    fails 2 "$other" "${how[@]}"
    cp kept.json a.json
    fails 2 "$other" env SAC_VARIANT=ref "${how[@]}"
    fails 2 "$other" "${how[@]}" --f-number 1.000000000000002
    ends_after_64 "${how[@]}" # none of these took it away
    grep -q '64 of 70 frames were done' .err || fault "says '$(cat .err)'"
    printf nonsense >.b.npy.done
    fails 1 'remove it to begin anew' "${how[@]}"
    rm .b.npy.*
    printf mine >mine
    ln -s mine .b.npy.part
    fails 1 'no file of an earlier run' "${how[@]}"
    [ "$(cat mine)" = mine ] || fault "wrote into another file"
}

# By the slowest kernels a part takes long, and ends before its time.
beamform_interrupted_ends_within_a_part() {
    need_hdf5
    simulate -o a.h5 --frames 40 >/dev/null
    "$saccade" beamform a.h5 -o b.npy --grid -2:2:1000,5:9:1000 --threads 1 --variant ref --yes >.out 2>.err &
    holds test -e .b.npy.done
    kill -TERM $!
    ended $! && fault "exit status 0"
    grep -q 'interrupted$' .err || fault "says '$(cat .err)'"
    [ -z "$(find . -name '.b.*')" ] || fault "left: $(ls -A)"
}

beamform_writes_every_form() {
    need_hdf5
    simulate -o a.h5 --frames 2 >/dev/null
    passes "$saccade" beamform a.h5 -o a.pgm --grid -1:1:11,5:9:21 --json a.json
    [ "$(echo a-*.pgm)" = 'a-0000.pgm a-0001.pgm' ] || fault "series: $(echo a-*.pgm)"
    grep -q '"variant": "demodulate_f32:[a-z0-9_]* pack_c64:[a-z0-9_]* das_iq_f32:' a.json || fault "no variants in a.json"
    passes "$saccade" beamform a.h5 -o b.pgm --grid -1:1:11,5:9:21 --frames 1:2
    cmp -s <(below_title b.pgm) <(below_title a-0001.pgm) || fault "frame 1 alone and in the series differ"
    passes "$saccade" beamform a.h5 -o a1.npy --grid -1:1:11,5:9:21 --threads 1
    passes "$saccade" beamform a.h5 -o a2.npy --grid -1:1:11,5:9:21 --threads 2
    same a1.npy a2.npy "one and two threads"
    [ "$(wc -c <a1.npy)" -eq $((128 + 2 * 21 * 11 * 4)) ] || fault "a1.npy has $(wc -c <a1.npy) bytes"
    passes "$saccade" beamform a.h5 -o v.npy --grid3 -1:1:5,-1:1:3,5:9:7 --kind iq
    [ "$(wc -c <v.npy)" -eq $((128 + 2 * 7 * 3 * 5 * 8)) ] || fault "v.npy has $(wc -c <v.npy) bytes"
    passes "$saccade" beamform a.h5 -o g.npy --grid -1:1:11,5:9:21 --kind gray
    [ "$(wc -c <g.npy)" -eq $((128 + 2 * 21 * 11)) ] || fault "g.npy has $(wc -c <g.npy) bytes"
    passes "$saccade" beamform a.h5 -o g.h5 --grid -1:1:11,5:9:21 --kind gray
    fails 1 'gray' "$saccade" measure g.h5 --points
    passes "$saccade" beamform a.h5 -o g.pgm --grid -1:1:11,5:9:21 --kind gray --frames 0:1
    [ "$(wc -c <g.pgm)" -eq "$(wc -c <b.pgm)" ] || fault "g.pgm has $(wc -c <g.pgm) bytes"
    passes "$saccade" beamform a.h5 --delays 0.5,7
    [ "$(wc -l <.out)" -eq 17 ] || fault "--delays: $(wc -l <.out) lines"
    cp .out delays.csv
    passes "$saccade" beamform a.h5 --delays 0.5,7 -o again.csv
    same delays.csv again.csv "delays to standard output and to a file"
    grep -q '^again.csv: delays of 1 transmit x 16 elements$' .out || fault "says '$(cat .out)'"
    cp delays.csv .out
    # 7 mm out and back to element 0 at -2.25 mm, less t0.
    awk -F, 'NR == 2 { good = $1 == 0 && $2 == 0 && $3 > 0 } END { exit !good }' .out ||
        fault "--delays: $(sed -n 2p .out)"
}

# A recording of a few scan lines of a convex array: lines -o FILE OPTION...
simulate_lines() {
    "$saccade" simulate ultrasound --array curved --elements 64 --transmits lines:128:30 --tx-f-number 3 \
        --region -8:8,20:40 "$@"
}

# Polar values, their picture, and a file that says which of both it holds.
beamform_sector_of_a_curved_array_is_converted() {
    need_hdf5
    passes simulate_lines -o c.h5
    grep -q '128 transmits x 64 elements' .out || fault "says '$(cat .out)'"
    passes "$saccade" beamform c.h5 -o polar.h5 --kind envelope --band wide --tx-f-number 3 --json j.json
    grep -q '"sector": "[0-9]*x1x[0-9]*"' j.json || fault "no sector: $(cat j.json)"
    grep -q '"picture"' j.json && fault "converted without being asked"
    passes "$saccade" measure polar.h5 --points --json p.json
    # 3.57 MHz: a tenth of the wavelength is 0.0431 mm
    awk '/^Mean of 20/ { good = $5 > 0.8 && $5 < 2 && $8 > 0.5 && $8 < 0.7 && $12 < 0.0431 }
         END { exit !good }' .out || fault "measured '$(tail -n 1 .out)'"
    passes "$saccade" beamform c.h5 -o p.npy --sector -10:10:41,19:41:101 --kind envelope
    [ "$(wc -c <p.npy)" -eq $((128 + 41 * 101 * 4)) ] || fault "p.npy has $(wc -c <p.npy) bytes"
    passes "$saccade" beamform c.h5 -o f.npy --sector -10:10:41,19:41:101 --picture -9:9:31,18:41:51 --kind gray
    [ "$(wc -c <f.npy)" -eq $((128 + 31 * 51)) ] || fault "f.npy has $(wc -c <f.npy) bytes"
    [ "$(tail -c +129 f.npy | head -c 1 | od -An -tu1)" -eq 0 ] || fault "the corner is not outside"
    passes "$saccade" beamform c.h5 -o f.h5 --sector -10:10:401,19:41:401 --picture auto --kind envelope --tx-f-number 3
    passes "$saccade" measure f.h5 --points # those within 10 degrees
    awk '/^Mean of/ { good = $12 < 0.1 } END { exit !good }' .out || fault "measured '$(tail -n 1 .out)'"
    passes "$saccade" beamform c.h5 -o f.uff --sector -10:10:401,19:41:401 --kind envelope --tx-f-number 3
    passes "$saccade" measure f.uff --points --at 0,30 # in mm, which angles are not
    passes "$saccade" beamform c.h5 -o s.pgm --sector -10:10:41,19:41:101 --tx-apodization lines
    grep -q '^s.pgm: 1 frame of [0-9]* x [0-9]* points' .out || fault "says '$(cat .out)'"
    passes "$saccade" beamform c.h5 --delays 0,30 --tx-apodization lines
    [ "$(awk -F, '$2 == 0 && $6 == 1' .out | wc -l)" -eq 1 ] || fault "one line: $(awk -F, '$2 == 0' .out)"
}

beamform_sector_that_is_none_is_refused() {
    fails 2 '--sector' "$saccade" beamform a.h5 -o a.npy --sector -10:10:41
    fails 2 'exclude' "$saccade" beamform a.h5 -o a.npy --sector -1:1:4,5:9:3 --grid 0:1:5,5:9:3
    fails 2 '--apex' "$saccade" beamform a.h5 -o a.npy --sector -1:1:4,5:9:3 --apex 0,5
    fails 2 '--apex: is for' "$saccade" beamform a.h5 -o a.npy --apex 0,0,5
    fails 2 '--picture' "$saccade" beamform a.h5 -o a.npy --picture some
    fails 2 '--picture: is for' "$saccade" beamform a.h5 -o a.npy --picture auto --grid 0:1:5,5:9:3
    need_hdf5
    fails 2 'lines:N:DEPTH_MM' simulate -o a.h5 --transmits lines:5
    fails 2 '--curvature' simulate -o a.npy --curvature 30
    fails 2 '--curvature' simulate -o a.npy --array curved --curvature 1
    simulate -o a.h5 >/dev/null
    fails 2 '--picture' "$saccade" beamform a.h5 -o a.npy --picture auto
    fails 2 'iq' "$saccade" beamform a.h5 -o a.npy --kind iq --sector -5:5:41,5:9:31 --picture auto
    fails 2 'iq' "$saccade" beamform a.h5 -o a.uff --kind iq --sector -5:5:41,5:9:31
    fails 2 'nothing of the sector, whose x' "$saccade" beamform a.h5 -o a.npy --sector -5:5:41,5:9:31 --picture 50:60:9,5:9:9
    fails 2 'nothing of the sector, whose z' "$saccade" beamform a.h5 -o a.npy --sector -5:5:41,5:9:31 --picture -1:1:9,15:19:9
    "$saccade" beamform a.h5 -o a.npy --sector 5:-5:41,5:9:31 >.out 2>.err || fault "$(cat .err)"
    [ "$(cat .err)" = 'saccade: warning: --sector: angle goes from 5 down to -5 degrees: taken as -5:5' ] ||
        fault "says '$(cat .err)'"
    fails 2 'azimuths' "$saccade" beamform a.h5 -o a.npy --sector -200:5:41,5:9:31
    fails 2 'tx-apodization' "$saccade" beamform a.h5 -o a.npy --tx-apodization dots
    fails 2 'tx-f-number' "$saccade" beamform a.h5 -o a.npy --tx-f-number -1
}

# The amplitudes of elements go through both kinds of file, and make no difference there.
beamform_apertures_survive_the_file() {
    need_hdf5
    passes simulate_lines -o c.h5
    simulate_lines -o c.npy >.out 2>.err || skip "this build writes no JSON: $(cat .err)"
    grep -q '"apodization"' c.json || fault "no apodization in c.json"
    for form in h5 npy; do
        passes "$saccade" beamform c.$form -o $form.npy --sector -10:10:41,19:41:101 --tx-apodization lines --kind iq
    done
    mv h5.npy a.npy
    same a.npy npy.npy "HDF5 and NPY"
}

# A row-column array from nothing to a volume, its picture and its points.
beamform_row_column_array_makes_a_volume() {
    need_hdf5
    passes "$saccade" simulate ultrasound --array row-column --elements 24x16 --transmits plane:3:8 --region -1:1,6:9 -o r.h5
    passes "$saccade" beamform r.h5 -o r.npy --json r.json
    grep -q '"grid": "16x24x' r.json || fault "the grid is not of the array: $(cat r.json)"
    passes "$saccade" beamform r.h5 -o r.pgm
    passes "$saccade" beamform r.h5 --delays 0.5,-0.5,7
    # 3 waves from 24 rows to 16 columns, and 3 the other way round: who sends does not receive.
    [ "$(wc -l <.out) $(grep -c nan .out)" = '241 120' ] || fault "$(wc -l <.out) lines, $(grep -c nan .out) of nan"
    grep -q '^0,24,9\.' .out || fault "no delay of 9 us to the first column: $(sed -n 26p .out)"
    fails 1 'uff' "$saccade" convert r.h5 r.uff
    fails 1 'device' "$saccade" beamform r.h5 -o a.npy --device cuda
    fails 1 'tx_f_number' "$saccade" beamform r.h5 -o a.npy --tx-f-number 2
    fails 2 '--transmits' "$saccade" beamform r.h5 -o a.npy --transmits plane:6:8
    fails 2 '--line-taper' simulate -o a.h5 --line-taper 0.5
    fails 2 '--tx-f-number' "$saccade" simulate ultrasound --array row-column --tx-f-number 2 -o a.h5
}

# The same bytes on every run, and gray levels at most one off the CPU's.
beamform_on_cuda_shows_the_same() {
    "$saccade" info | grep -q '^cuda:0' || skip "no GPU, or a build without CUDA"
    local output data=a.h5
    simulate -o $data --frames 20 >/dev/null 2>.err || data=a.npy
    [ $data = a.h5 ] || simulate -o $data --frames 20 >/dev/null 2>.err || skip "this build writes no recordings: $(cat .err)"
    for output in iq envelope bmode gray; do
        passes "$saccade" beamform $data -o 1.npy --kind $output --device cuda --json a.json
        passes "$saccade" beamform $data -o 2.npy --kind $output --device cuda:0
        same 1.npy 2.npy "two runs, $output"
    done
    grep -q '"variant": "demodulate_f32:cuda .*das_iq_f32:' a.json || fault "no variants in a.json"
    passes "$saccade" beamform $data -o cpu.npy --kind gray
    [ "$(wc -c <cpu.npy)" = "$(wc -c <1.npy)" ] || fault "the GPU's picture is of another size"
    cmp -l cpu.npy 1.npy | awk '{ d = int($2 / 100) * 64 + int($2 % 100 / 10) * 8 + $2 % 10
                                  e = int($3 / 100) * 64 + int($3 % 100 / 10) * 8 + $3 % 10
                                  off += d - e > 1 || e - d > 1 }
                                END { exit off > 0 }' || fault "cpu and cuda differ"
    passes "$saccade" beamform $data -o fast.npy --kind gray --device cuda --tier fast
    [ "$(tail -c +129 fast.npy | od -An -v -tu1 -w1 | sort -u | wc -l)" -gt 40 ] || fault "blank in half precision"
    passes "$saccade" beamform $data -o a.pgm --device cuda --frames 3:5 --grid3 -1:1:9,-1:1:5,5:9:21
    [ "$(echo a-*.pgm)" = 'a-0003.pgm a-0004.pgm' ] || fault "series: $(echo a-*.pgm)"
    fails 1 'variant' "$saccade" beamform $data -o b.npy --device cuda --variant points
}
