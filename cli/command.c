/*
 * Errors, memory and time for every subcommand.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include <saccade/io.h>

#include "options.h"

int cli_argc;
char **cli_argv;

sac_build cli_build(void)
{
    sac_build build = {.struct_size = sizeof build};
    sac_build_info(&build);
    return build;
}

bool (*cli_overhears)(const char *first, const char *text);

enum { SAID, PRINTED };

static _Thread_local cli_heard *hearing;

/* The program ends in the middle, in this thread. */
static void tell_last(void)
{
    if (hearing) {
        cli_heard_tell(hearing);
    }
}

static void tell_at_exit(void)
{
    (void)atexit(tell_last);
}

void cli_hear(cli_heard *heard)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    hearing = heard;
    if (heard) {
        pthread_once(&once, tell_at_exit);
        *heard = (cli_heard){0};
        for (int i = 0; i < 2; i++) {
            heard->file[i] = open_memstream(&heard->text[i], &heard->size[i]);
            if (!heard->file[i]) {
                hearing = NULL;
                exit(cli_fail("out of memory"));
            }
        }
    }
}

bool cli_is_heard(void)
{
    return hearing != NULL;
}

void cli_hear_error(const sac_error *err)
{
    if (hearing && err->status == SAC_E_DEVICE) {
        hearing->lost = *err;
    }
}

FILE *cli_out(void)
{
    return hearing ? hearing->file[PRINTED] : stdout;
}

void cli_heard_tell(cli_heard *heard)
{
    for (int i = 0; i < 2; i++) {
        if (heard->file[i] && fflush(heard->file[i]) == 0) {
            fwrite(heard->text[i], 1, heard->size[i], i == SAID ? stderr : stdout);
        }
    }
}

void cli_heard_discard(cli_heard *heard)
{
    for (int i = 0; i < 2; i++) {
        if (heard->file[i]) {
            fclose(heard->file[i]);
        }
        free(heard->text[i]);
    }
    *heard = (cli_heard){0};
}

static void say(const char *first, const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0) {
        return;
    }
    if (hearing) {
        fprintf(hearing->file[SAID], "saccade: %s%s\n", first ? first : "", text);
    } else if (!cli_overhears || !cli_overhears(first, text)) {
        /* A progress bar may stand on a terminal's current line: it gives way. One write: lines of
         * several processes do not mix. */
        fprintf(stderr, "%ssaccade: %s%s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "",
                first ? first : "", text);
    }
    free(text);
}

int cli_say(const char *first, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(first, format, args);
    va_end(args);
    return CLI_FAILED;
}

int(cli_misuse)(const cli_command *command, const char *format, ...)
{
    char *text = NULL;
    const char *name = command ? command->name : "";
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) >= 0) {
        cli_fail("%s%s%s (see saccade %s%s--help)", name, command ? ": " : "", text, name,
                 command ? " " : "");
    }
    va_end(args);
    free(text);
    return CLI_USAGE;
}

const cli_command *(*cli_option_at_fault)(const char *text);

int cli_error(const sac_error *err)
{
    cli_hear_error(err);
    const cli_command *command = cli_option_at_fault ? cli_option_at_fault(err->text) : NULL;
    if (command && err->status == SAC_E_INVALID) {
        return cli_misuse(command, "--%s", err->text);
    }
    cli_fail("%s%s", command ? "--" : "", err->text);
    return err->status == SAC_E_INVALID ? CLI_USAGE : CLI_FAILED;
}

int cli_report_check(const char *path)
{
    sac_error err = {0};
    const char *any = "pnm"; /* a format that is always there: only the path is in question */
    return !path || sac_picture_can_write(path, any, &err) == SAC_OK ? CLI_DONE : cli_error(&err);
}

int cli_or_error(int status, sac_status st, const sac_error *err)
{
    return status == CLI_DONE && st != SAC_OK ? cli_error(err) : status;
}

void *cli_grow(void *memory, size_t old_count, size_t count, size_t size)
{
    char *grown = reallocarray(memory, count ? count : 1, size);
    if (!grown) {
        exit(cli_fail("out of memory (%zu elements of %zu bytes)", count, size));
    }
    if (count > old_count) {
        memset(grown + old_count * size, 0, (count - old_count) * size);
    }
    return grown;
}

bool cli_ends_in(const char *path, const char *const *endings)
{
    const size_t length = strlen(path);
    bool does = false;
    for (; *endings && !does; endings++) {
        const size_t n = strlen(*endings);
        does = length > n && strcasecmp(path + length - n, *endings) == 0;
    }
    return does;
}

char *cli_text(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0) {
        exit(cli_fail("out of memory"));
    }
    return text;
}

const char *cli_s(int64_t n)
{
    return n == 1 ? "" : "s";
}

int64_t cli_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int cli_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) {
        return 1;
    }
    int n = s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, and what lies behind U+10FFFF. */
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : n;
}
