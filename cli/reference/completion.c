/*
 * Completions for bash, zsh and fish: commands, options, and the words or files that may follow
 * one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "reference.h"

/* What may follow an option. */
typedef enum value_kind { NO_VALUE, ANY_VALUE, FILE_VALUE, WORD_VALUE } value_kind;

static value_kind kind_of(const sac_param *param)
{
    if (param->type == SAC_PARAM_BOOL) {
        return NO_VALUE;
    }
    if (cli_option_is_o(param) || !strncmp(param->metavar, "FILE", 4)) {
        return FILE_VALUE;
    }
    bool is_word = param->type == SAC_PARAM_DEVICE || param->type == SAC_PARAM_CHOICE;
    return is_word ? WORD_VALUE : ANY_VALUE;
}

/* The words of a WORD_VALUE. */
static void put_words(const sac_param *param)
{
    if (param->type == SAC_PARAM_DEVICE) {
        fputs("cpu cuda", stdout);
        return;
    }
    for (int i = 0; param->choices[i]; i++) {
        printf("%s%s", i ? " " : "", param->choices[i]);
    }
}

/* Text within single quotes of zsh or fish: each of `special` behind `escape`. zsh has no escape
 * within single quotes, so there a quote ends them and begins them again. */
static void put_quoted(const char *text, const char *special, bool is_zsh)
{
    for (; *text; text++) {
        if (is_zsh && *text == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(special, *text)) {
            putchar('\\');
        }
        putchar(*text);
    }
}

/* An option that an earlier form of the command has, too: shells want it once. */
typedef struct search {
    const char *name;
    bool is_there;
} search;

static void look_at(void *ctx, const sac_param *param, const cli_option_text *text)
{
    (void)text;
    search *s = ctx;
    s->is_there = s->is_there || !strcmp(param->name, s->name);
}

typedef struct place {
    const cli_command *command, *form;
} place;

static bool is_repeated(const place *p, const char *name)
{
    search s = {name, false};
    for (const cli_command *form = p->command; form != p->form; form = form->next) {
        cli_each_option(form, look_at, &s);
    }
    return s.is_there;
}

/* Calls visit with a place for each option of the command, once. */
static void each_option(const cli_command *command, cli_option_fn *visit)
{
    for (const cli_command *form = command; form; form = form->next) {
        place p = {command, form};
        cli_each_option(form, visit, &p);
    }
}

static void bash_word(void *ctx, const sac_param *param, const cli_option_text *text)
{
    (void)text;
    if (!is_repeated(ctx, param->name)) {
        printf(" --%s", param->name);
    }
}

static void bash_value(void *ctx, const sac_param *param, const cli_option_text *text)
{
    const place *p = ctx;
    const char *name = p->command->name;
    value_kind kind = kind_of(param);
    (void)text;
    if (kind == NO_VALUE || is_repeated(p, param->name)) {
        return;
    }
    printf("        %s:--%s", name, param->name);
    if (cli_option_is_o(param)) {
        printf("|%s:-o", name);
    }
    if (kind == WORD_VALUE) {
        fputs(") words='", stdout);
        put_words(param);
        puts("' ;;");
    } else {
        puts(kind == FILE_VALUE ? ") files=1 ;;" : ") return ;;");
    }
}

void cli_print_bash(void)
{
    fputs("# bash completion for saccade\n"
          "_saccade()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local sub=${COMP_WORDS[1]} words='' files=''\n"
          "    COMPREPLY=()\n"
          "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
          "        COMPREPLY=($(compgen -W '--help --version",
          stdout);
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf(" %s", (*command)->name);
    }
    fputs("' -- \"$cur\"))\n        return\n    fi\n    case $sub:$prev in\n", stdout);
    for (const cli_command *const *command = cli_commands; *command; command++) {
        each_option(*command, bash_value);
    }
    fputs("    esac\n"
          "    if [[ -z $words && -z $files && $cur == -* ]]; then\n"
          "        case $sub in\n",
          stdout);
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf("        %s) words='--help", (*command)->name);
        each_option(*command, bash_word);
        fputs("' ;;\n", stdout);
    }
    fputs("        esac\n    fi\n"
          "    if [[ -n $words ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "    else\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    fi\n}\ncomplete -F _saccade saccade\n",
          stdout);
}

/* One line of _arguments. */
static void zsh_option(void *ctx, const sac_param *param, const cli_option_text *text)
{
    value_kind kind = kind_of(param);
    const char *equals = kind == NO_VALUE ? "" : "=";
    (void)text;
    if (is_repeated(ctx, param->name)) {
        return;
    }
    fputs(" \\\n            ", stdout);
    if (cli_option_is_o(param)) {
        printf("'(-o --%s)'{-o+,--%s=}'[", param->name, param->name);
    } else {
        printf("'--%s%s[", param->name, equals);
    }
    put_quoted(param->doc, "[]", true);
    putchar(']');
    if (kind != NO_VALUE) {
        putchar(':');
        put_quoted(param->metavar, ":", true);
        putchar(':');
    }
    if (kind == WORD_VALUE) {
        putchar('(');
        put_words(param);
        putchar(')');
    } else if (kind == FILE_VALUE) {
        fputs("_files", stdout);
    }
    putchar('\'');
}

void cli_print_zsh(void)
{
    fputs("#compdef saccade\n"
          "# zsh completion for saccade\n"
          "_saccade()\n{\n"
          "    local -a commands options=(--help --version)\n"
          "    if (( CURRENT == 2 )); then\n"
          "        commands=(\n",
          stdout);
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf("            '%s:", (*command)->name);
        put_quoted((*command)->summary, ":", true);
        puts("'");
    }
    fputs("        )\n"
          "        _describe -t commands 'saccade command' commands\n"
          "        _describe -o option options\n"
          "        return\n"
          "    fi\n"
          "    local sub=$words[2]\n"
          "    (( CURRENT-- ))\n"
          "    shift words\n"
          "    case $sub in\n",
          stdout);
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf(
            "    %s)\n        _arguments '(-h --help)'{-h,--help}'[what it does, and its options]'",
            (*command)->name);
        each_option(*command, zsh_option);
        fputs(" \\\n            '*:file:_files' ;;\n", stdout);
    }
    fputs("    esac\n}\n_saccade \"$@\"\n", stdout);
}

static void fish_option(void *ctx, const sac_param *param, const cli_option_text *text)
{
    const place *p = ctx;
    static const char *const values[] = {
        [NO_VALUE] = "", [ANY_VALUE] = " -x", [FILE_VALUE] = " -r -F", [WORD_VALUE] = " -x -a '"};
    value_kind kind = kind_of(param);
    (void)text;
    if (is_repeated(p, param->name)) {
        return;
    }
    printf("complete -c saccade -n '__fish_seen_subcommand_from %s' -l %s%s%s", p->command->name,
           param->name, cli_option_is_o(param) ? " -s o" : "", values[kind]);
    if (kind == WORD_VALUE) {
        put_words(param);
        putchar('\'');
    }
    fputs(" -d '", stdout);
    put_quoted(param->doc, "'\\", false);
    puts("'");
}

void cli_print_fish(void)
{
    puts("# fish completion for saccade\n"
         "complete -c saccade -n __fish_use_subcommand -f -l help -d 'what there is'\n"
         "complete -c saccade -n __fish_use_subcommand -f -l version -d 'the version'");
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf("complete -c saccade -n __fish_use_subcommand -f -a %s -d '", (*command)->name);
        put_quoted((*command)->summary, "'\\", false);
        printf("'\ncomplete -c saccade -n '__fish_seen_subcommand_from %s' -s h -l help -d 'what "
               "it does, "
               "and its options'\n",
               (*command)->name);
        each_option(*command, fish_option);
    }
}
