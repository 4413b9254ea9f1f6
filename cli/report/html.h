/*
 * A page of HTML with no script, that asks for nothing elsewhere. All text that comes from files is
 * escaped here.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_HTML_H
#define CLI_REPORT_HTML_H

#include <stdio.h>

#include <saccade/base.h>

/* The text as it is shown: what HTML would read becomes entities, what is no UTF-8 U+FFFD. */
void cli_html_text(FILE *page, const char *text);

/* The page's head up to the title above it, and its end. */
void cli_html_open(FILE *page, const char *title);
void cli_html_close(FILE *page);

/* A table: its caption, heads (n; one that begins with '<' is aligned left), rows and cells. */
void cli_html_table(FILE *page, const char *caption, const char *const *heads, int n);
void cli_html_row(FILE *page);
void cli_html_cell(FILE *page, const char *text);   /* of words*/
void cli_html_number(FILE *page, const char *text); /* aligned right */
void cli_html_head(FILE *page, const char *text);   /* the head of a row */
void cli_html_end_row(FILE *page);
void cli_html_end_table(FILE *page);

#endif
