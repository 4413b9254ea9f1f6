/*
 * Patterns and folders among the operands, sorted, so that runs are alike.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "videos.h"
#include "outputs.h"
#include "ranks/ranks.h"
#include "share.h"

static void add(cli_inputs *inputs, char *path)
{
    size_t n = (size_t)inputs->n;
    inputs->path = cli_grow(inputs->path, n, n + 1, sizeof *inputs->path);
    inputs->path[inputs->n++] = path;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ".h5, .mat or .npy" */
static char *list_of(const char *const *endings)
{
    char *list = cli_text("%s", endings[0]);
    for (int i = 1; endings[i]; i++) {
        char *longer = cli_text("%s%s%s", list, endings[i + 1] ? ", " : " or ", endings[i]);
        free(list);
        list = longer;
    }
    return list;
}

static int add_folder(cli_inputs *inputs, const char *path, const char *const *endings)
{
    const int first = inputs->n;
    const char *joint = path[strlen(path) - 1] == '/' ? "" : "/";
    DIR *folder = opendir(path);
    if (!folder) {
        return cli_fail("`%s`: %s", path, strerror(errno));
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (cli_ends_in(entry->d_name, endings)) {
            add(inputs, cli_text("%s%s%s", path, joint, entry->d_name));
        }
    }
    closedir(folder);
    if (inputs->n == first) {
        char *list = list_of(endings);
        cli_fail("`%s`: is a folder without any file that ends in %s", path, list);
        free(list);
        return CLI_FAILED;
    }
    qsort(inputs->path + first, (size_t)(inputs->n - first), sizeof *inputs->path, compare);
    return CLI_DONE;
}

static int add_pattern(cli_inputs *inputs, const char *pattern)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) {
        return cli_fail("`%s`: no file has a name like this", pattern);
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        add(inputs, cli_text("%s", found.gl_pathv[i]));
    }
    globfree(&found);
    return CLI_DONE;
}

static int add_operand(cli_inputs *inputs, const char *path, const char *const *endings)
{
    struct stat info;
    const bool is_there = strcmp(path, "-") != 0 && stat(path, &info) == 0;
    int status = CLI_DONE;
    if (is_there && S_ISDIR(info.st_mode) && endings) {
        inputs->are_many = true;
        status = add_folder(inputs, path, endings);
    } else if (!is_there && strpbrk(path, "*?[")) {
        inputs->are_many = true;
        status = add_pattern(inputs, path);
    } else {
        add(inputs, cli_text("%s", path));
    }
    return status;
}

int cli_inputs_open(cli_inputs *inputs, const cli_command *command, char **operands, int n,
                    const char *const *endings)
{
    *inputs = (cli_inputs){.are_many = n > 1};
    int status = n > 0 ? CLI_DONE : cli_misuse(command, "no input given");
    for (int i = 0; i < n && status == CLI_DONE; i++) {
        status = add_operand(inputs, operands[i], endings);
    }
    int n_dashes = 0;
    for (int i = 0; i < inputs->n; i++) {
        n_dashes += strcmp(inputs->path[i], "-") == 0;
    }
    if (status == CLI_DONE && n_dashes > 1) {
        status = cli_misuse(command, "standard input is named %d times", n_dashes);
    }
    if (status == CLI_DONE && cli_ranks() > 1 && command->shared == CLI_SHARES_INPUTS &&
        (!inputs->are_many || n_dashes > 0)) {
        status = cli_misuse(command, "%d processes were started, which share input files, and %s",
                            (int)cli_ranks(),
                            n_dashes > 0 ? "standard input cannot be shared"
                                         : "there is one: run it without the launcher");
    }
    if (status) {
        cli_inputs_close(inputs);
    }
    return status;
}

void cli_inputs_close(cli_inputs *inputs)
{
    cli_outputs_free(inputs->path, inputs->n);
    *inputs = (cli_inputs){0};
}

/* Where each input's output goes; NULL for each where nothing is written. */
static int name_outputs(char ***out, const cli_inputs *inputs, const cli_many *many)
{
    *out = NULL;
    if (!many->output) {
        *out = cli_grow(NULL, 0, (size_t)inputs->n, sizeof **out);
        return CLI_DONE;
    }
    if (inputs->are_many && !cli_is_folder(many->output)) {
        return cli_misuse(
            many->command,
            "%d input%s need%s a folder for -o, and %s is not one (a name that ends in "
            "/ is created)",
            inputs->n, cli_s(inputs->n), inputs->n == 1 ? "s" : "", many->output);
    }
    return cli_outputs_name(out, many->command, inputs->path, inputs->n, many->output,
                            many->format);
}

/* That there is such a device: once, not for each input. A description, which takes milliseconds,
 * only for what it says where there is none. */
static int check_device(sac_device device)
{
    sac_gpu_info gpu = {.struct_size = sizeof gpu};
    sac_error err = {0};
    sac_device each[SAC_MAX_DEVICES];
    int32_t n;
    if (device.kind == SAC_DEVICE_CUDA_SET) {
        return sac_device_list(each, &n, device, &err) == SAC_OK ? CLI_DONE : cli_error(&err);
    }
    return device.kind == SAC_DEVICE_CPU || (device.index >= 0 && device.index < sac_gpu_count()) ||
                   sac_gpu_describe(&gpu, device.index, &err) == SAC_OK
               ? CLI_DONE
               : cli_error(&err);
}

int cli_inputs_check_reports(const cli_command *command, const char *option, const char *path)
{
    return path && cli_ranks() > 1
               ? cli_misuse(command, "--%s: is of one process, and %d were started", option,
                            (int)cli_ranks())
               : CLI_DONE;
}

/* No file is written twice, and none that is read. */
static int check_all(const cli_inputs *inputs, char **outputs, const cli_many *many)
{
    const char *const *read = (const char *const *)inputs->path;
    int status = CLI_DONE;
    for (int i = 0; i < inputs->n && !status; i++) {
        const char *const written[] = {outputs[i], many->json};
        status = cli_outputs_apart(many->command, written, 2, "-o and --json");
        status = status ? status : cli_inputs_kept(many->command, read, inputs->n, written, 2);
        if (status == CLI_DONE && outputs[i] && many->is_series && many->is_series(outputs[i])) {
            const char *const *all = (const char *const *)outputs;
            status = cli_series_apart(many->command, outputs[i], read, inputs->n);
            /* One picture has no number. */
            if (!status && cli_series_clash(outputs[i], all, inputs->n) &&
                many->is_several(many->ctx, inputs->path[i])) {
                status = cli_series_apart(many->command, outputs[i], all, inputs->n);
            }
            status = status ? status : cli_series_apart(many->command, outputs[i], &many->json, 1);
        }
        if (status == CLI_DONE && many->check) {
            status = many->check(many->ctx, inputs->path[i], outputs[i]);
        }
    }
    status = status ? status : cli_report_check(many->json);
    return status ? status : check_device(many->device);
}

/* Of all inputs one. */
typedef struct one_of {
    const cli_inputs *inputs;
    char **outputs;
    const cli_many *many;
    cli_json *json;
} one_of;

static int run_one(void *ctx, void **own, sac_device device, int i, cli_json *rows)
{
    const one_of *all = ctx;
    (void)own;
    return all->many->one(all->many->ctx, device, all->inputs->path[i], all->outputs[i],
                          all->json ? rows : NULL);
}

static int run_on_gpus(one_of *all, int *n_left)
{
    const cli_share share = {.device = all->many->device,
                             .n_workers = all->many->n_workers,
                             .n = all->inputs->n,
                             .what = "inputs",
                             .json = all->json,
                             .ctx = all,
                             .one = run_one};
    return cli_share_run(&share, n_left);
}

static int run_in_turn(one_of *all, int *n_left)
{
    const cli_inputs *inputs = all->inputs;
    int worst = CLI_DONE;
    for (int i = 0; i < inputs->n; i++) {
        if (!cli_ranks_has(i)) {
            continue;
        }
        if (cli_interrupted() || cli_ranks_stopped()) {
            ++*n_left;
            worst = worst ? worst : CLI_FAILED;
            continue;
        }
        int status = run_one(all, NULL, all->many->device, i, all->json);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static int run_all(const cli_inputs *inputs, char **outputs, const cli_many *many, int *n_left)
{
    const bool is_shared = many->json && inputs->are_many;
    const bool by_gpus =
        many->device.kind == SAC_DEVICE_CUDA_SET && many->command->shared == CLI_SHARES_INPUTS;
    cli_json json;
    if (is_shared) {
        cli_json_open_rows(&json, 0, many->device);
    }
    one_of all = {inputs, outputs, many, is_shared ? &json : NULL};
    int worst = by_gpus ? run_on_gpus(&all, n_left) : run_in_turn(&all, n_left);
    if (is_shared) {
        int written = cli_json_end(&json, cli_rank() == 0 ? many->json : NULL);
        worst = written > worst ? written : worst;
    }
    return worst;
}

/* Rank 0 tells for all what was left, and removes a folder that was made when nobody writes any
 * more. */
static int end(const cli_inputs *inputs, const cli_many *many, int status, int n_left, bool made)
{
    const bool is_shared = many->command->shared == CLI_SHARES_INPUTS;
    int64_t sums[] = {n_left, made, 1};
    if (is_shared) {
        status = cli_ranks_agree("the end of its inputs", status, sums, 3);
        if (cli_rank() > 0) {
            return status;
        }
    }
    const bool all_ended = !is_shared || sums[2] == cli_ranks();
    if (sums[0] > 0 && (is_shared || cli_interrupted())) {
        cli_fail("interrupted: %s%d of %d inputs were not begun", all_ended ? "" : "at least ",
                 (int)sums[0], inputs->n);
    } else if (sums[0] > 0 && inputs->n > 1) {
        cli_note("%d of %d inputs were not begun", (int)sums[0], inputs->n);
    }
    if (sums[1] > 0 && status && all_ended) {
        rmdir(many->output); /* goes only if nothing came into it */
    }
    return status;
}

int cli_inputs_run(const cli_inputs *inputs, const cli_many *many)
{
    char **outputs = NULL;
    bool made = false;
    int n_left = 0, status = name_outputs(&outputs, inputs, many);
    if (status == CLI_DONE && many->output && cli_is_folder(many->output)) {
        status = cli_outputs_folder(&made, many->output);
    }
    status = status ? status : check_all(inputs, outputs, many);
    if (many->command->shared == CLI_SHARES_INPUTS) {
        status = status ? status : cli_inputs_check_reports(many->command, "json", many->json);
        status = status ? status : cli_ranks_part_inputs();
    }
    if (status == CLI_DONE) {
        status = run_all(inputs, outputs, many, &n_left);
        status = end(inputs, many, status, n_left, made);
    } else if (made) {
        rmdir(many->output);
    }
    cli_outputs_free(outputs, inputs->n);
    return status;
}
