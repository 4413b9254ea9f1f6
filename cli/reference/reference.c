/*
 * saccade reference: the manual page and the documentation's option tables, from the same tables as
 * the options themselves; so are the completions. For the build; not in --help.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "reference.h"

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

static void man_option(void *ctx, const sac_param *param, const cli_option_text *text)
{
    (void)ctx;
    fputs(".TP\n.B ", stdout);
    put_roff(text->head);
    putchar('\n');
    put_roff(param->doc);
    fputs(".\n", stdout);
    if (text->range[0]) {
        put_roff(text->range);
        fputs(".\n", stdout);
    }
    if (text->def[0]) {
        fputs("Default: ", stdout);
        put_roff(text->def);
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
          ".TP\n.B SAC_CUSOLVER, SAC_LAPACK\nThe libraries that flow \\-\\-eigen loads,\n"
          "instead of the system's.\n"
          ".TP\n.B SAC_NCCL\nHow beamform's processes that share the transmits of an image add up\n"
          "on GPUs: on, by NCCL; off, through the memory of the CPUs; else what is faster.\n"
          ".TP\n.B SAC_VARIANT\nForces variants, as \\-\\-variant does: NAME or "
          "ROOM:NAME,ROOM:NAME.\n"
          ".TP\n.B SAC_WISDOM\nThe file of measured times by which variants are chosen, that\n"
          "saccade tune writes; empty: none.\n",
          stdout);
}

/* A cell of a Markdown table. */
static void put_cell(const char *text)
{
    for (; *text; text++) {
        printf("%s%c", *text == '|' ? "\\" : "", *text);
    }
}

static void markdown_option(void *ctx, const sac_param *param, const cli_option_text *text)
{
    (void)ctx;
    printf("| `%s` | %s | %s | ", text->head, text->range, text->def);
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
        cli_print_bash();
    } else if (argc == 2 && !strcmp(form, "zsh")) {
        cli_print_zsh();
    } else if (argc == 2 && !strcmp(form, "fish")) {
        cli_print_fish();
    } else if ((argc == 2 || argc == 3) && !strcmp(form, "markdown")) {
        print_markdown(argc == 3 ? argv[2] : NULL);
    } else {
        return cli_misuse(NULL,
                          "reference: expected man, bash, zsh, fish or markdown [COMMAND], "
                          "got %s",
                          form);
    }
    return CLI_DONE;
}
