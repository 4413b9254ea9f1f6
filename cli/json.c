/*
 * JSON: objects and arrays nested as calls come; strings escaped, and kept valid UTF-8.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "json.h"

#include <errno.h> /* program_invocation_short_name */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <saccade/device.h>
#include <saccade/io.h>

#define ROWS_DEPTH 2          /* of a row in the envelope */
#define SPILL_BYTES (1 << 20) /* what is longer goes to a temporary file */

void cli_json_open(cli_json *json)
{
    *json = (cli_json){0};
    json->file = open_memstream(&json->text, &json->size);
    if (!json->file) {
        exit(cli_fail("out of memory"));
    }
}

static void put_string(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text) {
        int n = cli_utf8_length(text);
        if (n == 0) {
            fputs("\\ufffd", file);
            n = 1;
        } else if (*text == '"' || *text == '\\') {
            fprintf(file, "\\%c", *text);
        } else if ((unsigned char)*text < 0x20) {
            fprintf(file, "\\u%04x", (unsigned)*text);
        } else {
            fwrite(text, 1, (size_t)n, file);
        }
        text += n;
    }
    fputc('"', file);
}

/* A temporary file without a name, or NULL. */
static FILE *temporary(void)
{
    const char *folder = getenv("TMPDIR");
    char *name = cli_text("%s/saccade-XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = mkstemp(name);
    if (fd >= 0) {
        (void)unlink(name);
    }
    free(name);
    return fd >= 0 ? fdopen(fd, "w+") : NULL;
}

/* Long text leaves memory; where there is no place for a file, it stays. */
static void spill(cli_json *json)
{
    FILE *file = NULL;
    if (json->is_spilled || ftell(json->file) < SPILL_BYTES || !(file = temporary())) {
        return;
    }
    fclose(json->file);
    fwrite(json->text, 1, json->size, file);
    free(json->text);
    json->text = NULL;
    json->file = file;
    json->is_spilled = true;
}

/* Ends the program where text got lost. */
static void settle(cli_json *json)
{
    if (fflush(json->file) != 0 || ferror(json->file)) {
        exit(json->is_spilled
                 ? cli_fail("rows of JSON in a temporary file: %s (TMPDIR names another folder)",
                            strerror(errno))
                 : cli_fail("out of memory"));
    }
}

/* Comma, line and name before an element. */
static void put_name(cli_json *json, const char *name)
{
    if (json->filled) {
        fputc(',', json->file);
    }
    if (json->inlined) {
        fputs(json->filled ? " " : "", json->file);
    } else if (json->depth > 0) {
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
    if (name) {
        put_string(json->file, name);
        fputs(": ", json->file);
    }
    json->filled = true;
}

static void begin(cli_json *json, const char *name, char bracket)
{
    put_name(json, name);
    fputc(bracket, json->file);
    json->depth++;
    json->filled = false;
}

static void end(cli_json *json, char bracket)
{
    json->depth--;
    if (json->filled && !json->inlined) {
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
    fputc(bracket, json->file);
    json->filled = true;
}

void cli_json_object(cli_json *json, const char *name)
{
    begin(json, name, '{');
}

void cli_json_array(cli_json *json, const char *name)
{
    begin(json, name, '[');
}

void cli_json_end_object(cli_json *json)
{
    end(json, '}');
}

void cli_json_end_array(cli_json *json)
{
    end(json, ']');
}

void cli_json_line(cli_json *json)
{
    begin(json, NULL, '{');
    json->inlined = true;
}

void cli_json_end_line(cli_json *json)
{
    end(json, '}');
    json->inlined = false;
    spill(json);
}

void cli_json_string(cli_json *json, const char *name, const char *value)
{
    put_name(json, name);
    if (value) {
        put_string(json->file, value);
    } else {
        fputs("null", json->file);
    }
}

void cli_json_int(cli_json *json, const char *name, int64_t value)
{
    put_name(json, name);
    fprintf(json->file, "%" PRId64, value);
}

void cli_json_uint(cli_json *json, const char *name, uint64_t value)
{
    put_name(json, name);
    fprintf(json->file, "%" PRIu64, value);
}

void cli_json_real(cli_json *json, const char *name, double value)
{
    put_name(json, name);
    if (isfinite(value)) {
        fprintf(json->file, "%.12g", value);
    } else {
        fputs("null", json->file);
    }
}

void cli_json_bool(cli_json *json, const char *name, bool value)
{
    put_name(json, name);
    fputs(value ? "true" : "false", json->file);
}

void cli_json_times(cli_json *json, double median_ns, double p10_ns, double p90_ns)
{
    cli_json_real(json, "median_ns", median_ns);
    cli_json_real(json, "p10_ns", p10_ns);
    cli_json_real(json, "p90_ns", p90_ns);
}

void cli_json_uints(cli_json *json, const char *name, const uint64_t *values, int32_t n)
{
    cli_json_array(json, name);
    json->inlined = true;
    for (int32_t i = 0; i < n; i++) {
        cli_json_uint(json, NULL, values[i]);
    }
    cli_json_end_array(json);
    json->inlined = false;
}

static void put_gpu(cli_json *json, sac_device device)
{
    sac_gpu_info gpu = {.struct_size = sizeof gpu};
    sac_device each[SAC_MAX_DEVICES];
    int32_t n = 0;
    if (device.kind != SAC_DEVICE_CPU && sac_device_list(each, &n, device, NULL) == SAC_OK &&
        sac_gpu_describe(&gpu, each[0].index, NULL) == SAC_OK) {
        cli_json_string(json, "gpu", gpu.name);
        cli_json_string(json, "driver", gpu.driver);
        if (device.kind == SAC_DEVICE_CUDA_SET) {
            cli_json_int(json, "gpus", n);
        }
    }
}

void cli_json_open_rows(cli_json *json, double copy_b_s, sac_device device)
{
    char cpu[128];
    cli_json_open(json);
    cli_json_object(json, NULL);
    sac_build build = cli_build();
    cli_json_string(json, "saccade", build.version);
    cli_json_string(json, "commit", build.commit);
    cli_json_array(json, "command");
    json->inlined = true;
    for (int i = 0; i < cli_argc; i++) {
        cli_json_string(json, NULL, i == 0 ? program_invocation_short_name : cli_argv[i]);
    }
    cli_json_end_array(json);
    json->inlined = false;
    cli_json_object(json, "machine");
    cli_json_string(json, "cpu", sac_cpu_model(cpu, sizeof cpu));
    cli_json_int(json, "cores", sac_cpu_count());
    if (copy_b_s > 0) {
        cli_json_real(json, "copy_gb_s", copy_b_s * 1e-9);
    }
    put_gpu(json, device);
    cli_json_end_object(json);
    cli_json_array(json, "rows");
}

void cli_json_discard(cli_json *json)
{
    if (json->file) {
        fclose(json->file);
    }
    free(json->text);
    *json = (cli_json){0};
}

/* The text of a temporary file to `path`. */
static sac_status write_spilled(const cli_json *json, const char *path, sac_error *err)
{
    const size_t size = (size_t)ftello(json->file);
    void *text = mmap(NULL, size, PROT_READ, MAP_SHARED, fileno(json->file), 0);
    if (text == MAP_FAILED) {
        exit(cli_fail("rows of JSON in a temporary file: %s", strerror(errno)));
    }
    sac_status st = sac_file_write(path, text, size, err);
    munmap(text, size);
    return st;
}

int cli_json_write(cli_json *json, const char *path)
{
    sac_error err = {0};
    cli_json_end_array(json);
    cli_json_end_object(json);
    fputc('\n', json->file);
    settle(json);
    fflush(stdout);
    sac_status st = json->is_spilled ? write_spilled(json, path, &err)
                                     : sac_file_write(path, json->text, json->size, &err);
    cli_json_discard(json);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

int cli_json_end(cli_json *json, const char *path)
{
    if (path) {
        return cli_json_write(json, path);
    }
    cli_json_discard(json);
    return CLI_DONE;
}

cli_json *cli_json_begin_row(cli_json *own, cli_json *shared, sac_device device)
{
    if (!shared) {
        cli_json_open_rows(own, 0, device);
    }
    cli_json_object(shared ? shared : own, NULL);
    return shared ? shared : own;
}

void cli_json_open_part(cli_json *part)
{
    cli_json_open(part);
    part->depth = ROWS_DEPTH;
    part->filled = true; /* by the row that it follows */
}

void cli_json_append(cli_json *json, cli_json *part)
{
    char block[1 << 14];
    settle(part);
    const size_t comma = !json->filled; /* that the part begins with: not before the first row */
    if (!part->is_spilled && part->size > comma) {
        fwrite(part->text + comma, 1, part->size - comma, json->file);
        json->filled = true;
    }
    if (part->is_spilled) {
        fseeko(part->file, (off_t)comma, SEEK_SET);
        json->filled = true;
    }
    for (size_t n; part->is_spilled && (n = fread(block, 1, sizeof block, part->file)) > 0;
         spill(json)) {
        fwrite(block, 1, n, json->file);
    }
    if (ferror(part->file)) {
        exit(cli_fail("rows of JSON in a temporary file: %s", strerror(errno)));
    }
    spill(json);
}

int cli_json_end_row(cli_json *own, cli_json *shared, cli_json *part, const char *path)
{
    cli_json *json = shared ? shared : own;
    cli_json_end_object(json);
    if (part && part->file) {
        cli_json_append(json, part);
    }
    return shared ? CLI_DONE : cli_json_write(own, path);
}
