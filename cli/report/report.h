/*
 * saccade report: results of commands, and pictures, as one page.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

/* Writes a page of n files, whole or not at all. Returns an exit status. A build without cJSON
 * refuses. */
int cli_report_make(char *const *paths, int n, const char *title, const char *output);

#endif
