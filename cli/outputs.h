/*
 * Where each input's output goes: one file, standard output, or a folder that keeps names; and
 * what no output may be.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "command.h"

/* What follows the last '/'. */
const char *cli_base_name(const char *path);

/* Whether a folder is there, or its name ends in '/'. */
bool cli_is_folder(const char *path);

/* Whether both paths (NULL: none) lead to one file or folder. */
bool cli_is_same_file(const char *a, const char *b);

/* Whether both are one name in one folder: the file need not be there yet. */
bool cli_is_same_name(const char *a, const char *b);

/* Refuses one file, be it there yet or not, and standard output for two of n outputs (NULL: none);
 * `options` names those that write them. Returns an exit status. */
int cli_outputs_apart(const cli_command *command, const char *const *written, int n,
                      const char *options);

/*
 * Refuses an output (NULL: none) that would replace a file which is read (NULL: none), or the JSON
 * beside an NPY which is read: by links of both kinds, through standard input, and where either is
 * a folder or a pattern of pictures. Every command asks this before it works. An exit status.
 */
int cli_inputs_kept(const cli_command *command, const char *const *read, int n_read,
                    const char *const *written, int n_written);

/* The first of n other files (NULL: none) whose name a series of pictures ("a.png": a-0000.png,
 * ...; "a-%04d.png") may give one of its own; NULL: none. */
const char *cli_series_clash(const char *series, const char *const *others, int n);

/* Refuses such a series where there is one that is read or written. An exit status. */
int cli_series_apart(const cli_command *command, const char *series, const char *const *others,
                     int n);

/* The JSON with the metadata of an NPY (NULL: none); free() it. NULL: the name is of no NPY. */
char *cli_outputs_beside(const char *path);

/*
 * Names an output for each of n inputs: `output` itself, or where that is a folder (existing, or
 * ending in '/') the input's name in it, its ending replaced by `format` where that is not NULL.
 * Refuses several inputs without a folder, two inputs with one output, standard input into a
 * folder. The names are in *out (n), to be freed by cli_outputs_free. Returns CLI_DONE or
 * CLI_USAGE, with *out NULL.
 */
int cli_outputs_name(char ***out, const cli_command *command, char **inputs, int n,
                     const char *output, const char *format);

/*
 * Makes the folder where `output` ends in '/' and is not there; *made says whether. Returns an exit
 * status.
 */
int cli_outputs_folder(bool *made, const char *output);

/* The format of a plot, "png", "svg" or "pdf", by its ending; "svg" where it has none, or for "-";
 * NULL: another ending. */
const char *cli_plot_format(const char *path);

/* Why a build without Cairo cannot draw: SAC_E_UNSUPPORTED. */
sac_status cli_no_cairo(sac_error *err);

/* Whether a --plot (NULL: none) could be drawn there: by its ending, by this build, and on the
 * disk. Asked before long work. An exit status. */
int cli_plot_check(const cli_command *command, const char *path);

void cli_outputs_free(char **outputs, int n);

#endif
