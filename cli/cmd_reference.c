/*
 * saccade reference: the manual page, the bash completion and the documentation's option tables,
 * from the same tables as the options themselves. For the build; not in --help.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

/* Text for roff: a backslash and a hyphen keep their meaning, a leading dot or quote is no macro.
 */
static void put_roff(const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) {
            fputs("\\&", stdout);
        }
        if (*text == '-' || *text == '\\') {
            fputs(*text == '-' ? "\\-" : "\\e", stdout);
        } else {
            putchar(*text);
        }
        line_start = *text == '\n';
    }
}

static void man_option(void *ctx, const sac_param *param, const char *def)
{
    (void)ctx;
    char head[80];
    char range[120];
    cli_option_head(head, sizeof head, param);
    cli_option_range(range, sizeof range, param);
    fputs(".TP\n.B ", stdout);
    put_roff(head);
    putchar('\n');
    put_roff(param->doc);
    fputs(".\n", stdout);
    if (range[0]) {
        put_roff(range);
        fputs(".\n", stdout);
    }
    if (def[0]) {
        fputs("Default: ", stdout);
        put_roff(def);
        puts(".");
    }
}

static void man_command(const cli_command *command)
{
    printf(".SS saccade %s ", command->name);
    put_roff(command->usage);
    printf("\n");
    put_roff(command->about);
    fputs("\n", stdout);
    cli_each_option(command, man_option, NULL);
    fputs(".PP\nExamples:\n", stdout);
    for (const char *const *example = command->examples; *example; example += 2) {
        fputs(".PP\n", stdout);
        put_roff(example[0]);
        fputs(":\n.PP\n.RS 4\n.nf\n", stdout);
        put_roff(example[1]);
        fputs("\n.fi\n.RE\n", stdout);
    }
}

static void print_man(void)
{
    printf(".TH SACCADE 1 \"\" \"saccade %s\" \"User Commands\"\n"
           ".SH NAME\nsaccade \\- sensor samples into pictures and decisions, in real time\n"
           ".SH SYNOPSIS\n.B saccade\nCOMMAND [OPTION]... [OPERAND]...\n.br\n"
           ".B saccade\n\\-\\-help | \\-\\-version\n.br\n"
           ".B saccade\nCOMMAND \\-\\-help\n.SH COMMANDS\n",
           cli_build().version);
    for (const cli_command *const *command = cli_commands; *command; command++) {
        for (const cli_command *form = *command; form; form = form->next) {
            man_command(form);
        }
    }
    fputs(".SH EXIT STATUS\n", stdout);
    put_roff(cli_exit_statuses);
    fputs("\n.SH ENVIRONMENT\n"
          ".TP\n.B SAC_CPU_MASK\nInstruction sets that may be used: none, all, or names joined by\n"
          "commas, as saccade info lists them.\n"
          ".TP\n.B SAC_VARIANT\nForces variants, as \\-\\-variant does: NAME or "
          "ROOM:NAME,ROOM:NAME.\n",
          stdout);
}

/* One command's options as words. */
static void bash_word(void *ctx, const sac_param *param, const char *def)
{
    (void)ctx;
    (void)def;
    printf(" --%s", param->name);
}

/* What may follow an option: known words, files, or nothing that is known. */
static void bash_value(void *ctx, const sac_param *param, const char *def)
{
    const cli_command *const *command = ctx;
    const char *name = (*command)->name;
    (void)def;
    if (param->type == SAC_PARAM_BOOL) {
        return;
    }
    printf("        %s:--%s", name, param->name);
    if (cli_option_is_o(param)) {
        printf("|%s:-o) files=1 ;;\n", name);
    } else if (!strncmp(param->metavar, "FILE", 4)) {
        puts(") files=1 ;;");
    } else if (param->type == SAC_PARAM_DEVICE) {
        puts(") words='cpu cuda' ;;");
    } else if (param->type == SAC_PARAM_CHOICE) {
        fputs(") words='", stdout);
        for (int i = 0; param->choices[i]; i++) {
            printf("%s%s", i ? " " : "", param->choices[i]);
        }
        puts("' ;;");
    } else {
        puts(") return ;;");
    }
}

static void print_bash(void)
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
        const cli_command *current = *command;
        for (const cli_command *form = current; form; form = form->next) {
            cli_each_option(form, bash_value, &current);
        }
    }
    fputs("    esac\n"
          "    if [[ -z $words && -z $files && $cur == -* ]]; then\n"
          "        case $sub in\n",
          stdout);
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf("        %s) words='--help", (*command)->name);
        for (const cli_command *form = *command; form; form = form->next) {
            cli_each_option(form, bash_word, NULL);
        }
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

/* A cell of a Markdown table. */
static void put_cell(const char *text)
{
    for (; *text; text++) {
        printf("%s%c", *text == '|' ? "\\" : "", *text);
    }
}

static void markdown_option(void *ctx, const sac_param *param, const char *def)
{
    (void)ctx;
    char head[80];
    char range[120];
    cli_option_head(head, sizeof head, param);
    cli_option_range(range, sizeof range, param);
    printf("| `%s` | %s | %s | ", head, range, def);
    put_cell(param->doc);
    puts(" |");
}

static void markdown_command(const cli_command *command)
{
    printf("### saccade %s %s\n\n%c%s.\n\n| option | range | default | meaning |\n"
           "|---|---|---|---|\n",
           command->name, command->usage, toupper(command->summary[0]), command->summary + 1);
    cli_each_option(command, markdown_option, NULL);
    putchar('\n');
}

/* One command, or all where `name` is NULL. */
static void print_markdown(const char *name)
{
    for (const cli_command *const *command = cli_commands; *command; command++) {
        if (name && strcmp(name, (*command)->name) != 0) {
            continue;
        }
        for (const cli_command *form = *command; form; form = form->next) {
            markdown_command(form);
        }
    }
}

int cli_reference(int argc, char **argv)
{
    const char *form = argc > 1 ? argv[1] : "nothing";
    if (argc == 2 && !strcmp(form, "man")) {
        print_man();
    } else if (argc == 2 && !strcmp(form, "bash")) {
        print_bash();
    } else if ((argc == 2 || argc == 3) && !strcmp(form, "markdown")) {
        print_markdown(argc == 3 ? argv[2] : NULL);
    } else {
        return cli_misuse(NULL, "reference: expected man, bash or markdown [COMMAND], got %s",
                          form);
    }
    return CLI_DONE;
}
