# Tests of completion in zsh and fish: functions for cli_test.sh, which reads this file.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $saccade is cli_test.sh's

# completes_to WANTED GOT LINE
completes_to() {
    [ "$2" = "$1" ] || fault "'$3' completes to '$2', wanted '$1'"
}

# By an interactive zsh with nothing but this completion: tab, enter, and a `saccade` that prints its words.
completion_of_zsh_offers_what_there_is() {
    local lines=('eq' 'equalize --scale mi' 'equalize -o dar' 'delta --thresh' 'meltpool --devi' 'meltpool --device cu')
    local wanted=('equalize' 'equalize --scale minmax' 'equalize -o dark.png' 'delta --threshold' 'meltpool --device'
        'meltpool --device cuda')
    command -v zsh >/dev/null || skip "no zsh"
    passes "$saccade" reference zsh
    cp .out _saccade
    zsh -n _saccade 2>.err || fault "_saccade: $(cat .err)"
    : >dark.png
    cat >ask.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -D; \
    saccade() { print -r -- \"<\$*>\" }; print ready-\$((1 + 1))"
zpty -r shell out '*ready-2*'
for line in "$@"; do
    zpty -w -n shell "saccade $line"$'\t\n'
    zpty -r shell out '*<*>*' || exit 1
    out=${out##*<}
    print -r -- "${out%%>*}"
done
ZSH
    timeout 60 zsh -f ask.zsh "${lines[@]}" >got 2>.err || fault "zsh gave no answer: $(cat .err)"
    mapfile -t got <got
    for i in "${!lines[@]}"; do
        completes_to "${wanted[i]}" "${got[i]-}" "${lines[i]}"
    done
    "$saccade" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -vx saccade | sort -u >commands
    while read -r command; do
        grep -q "^            '$command:" _saccade || fault "zsh knows no $command"
        grep -q "^    $command)" _saccade || fault "zsh knows no options of $command"
    done <commands
}

completion_of_fish_offers_what_there_is() {
    command -v fish >/dev/null || skip "no fish"
    passes "$saccade" reference fish
    cp .out saccade.fish
    fish -n saccade.fish 2>.err || fault "saccade.fish: $(cat .err)"
    : >dark.png
    ask() { # ask LINE: the candidates without their texts
        HOME=$PWD timeout 60 fish --no-config -c "source saccade.fish; complete -C '$1'" 2>.err | cut -f1 | paste -sd' '
    }
    completes_to equalize "$(ask 'saccade eq')" 'saccade eq'
    completes_to 'max minmax' "$(ask 'saccade equalize --scale m')" 'saccade equalize --scale m'
    completes_to '--clahe --clip' "$(ask 'saccade equalize --cl')" 'saccade equalize --cl'
    completes_to dark.png "$(ask 'saccade equalize -o d')" 'saccade equalize -o d'
    completes_to 'cpu cuda' "$(ask 'saccade meltpool --device ')" 'saccade meltpool --device '
}
