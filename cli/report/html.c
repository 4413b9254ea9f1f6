/*
 * Escaped text, tables, and the page around them: its style for light and dark.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "html.h"

#include <string.h>

#include "command.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#c9ced6;--soft:#f3f5f8;"
    "--dim:#515a66;--c0:#0063a3;--c1:#b34a00;--c2:#00734f;--c3:#a23b78;--c4:#7a5c00;--c5:#5a4fcf}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8ebef;--paper:#14171b;--line:#3b424b;"
    "--soft:#1e2329;--dim:#a9b2bd;--c0:#56b4e9;--c1:#ff9a4d;--c2:#2fc795;--c3:#e79ac3;"
    "--c4:#e6c84a;--c5:#a99cff}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}main{max-width:66rem;margin:0 auto;padding:1.5rem}"
    "h1,h2,h3{line-height:1.25}h2{margin-top:2.5rem;border-top:1px solid var(--line);"
    "padding-top:1rem;overflow-wrap:anywhere}h3{margin-top:2rem;overflow-wrap:anywhere}"
    "a{color:var(--c0)}figure{margin:1rem 0}figcaption,.dim{color:var(--dim)}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;"
    "font-variant-numeric:tabular-nums}caption{text-align:left;color:var(--dim);padding:.3rem 0}"
    "th,td{padding:.2rem .7rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}thead th{background:var(--soft)}tbody th{font-weight:600}"
    ".n{text-align:right;white-space:nowrap}img{max-width:100%;height:auto;"
    "border:1px solid var(--line);background:#fff}svg{max-width:100%;height:auto}"
    "svg text{fill:var(--ink);font:12px "
    "system-ui,sans-serif;paint-order:stroke;stroke:var(--paper);stroke-width:3px}svg "
    ".dim{fill:var(--dim)}"
    "svg .grid{stroke:var(--line);stroke-width:1;fill:none}"
    "svg .roof{stroke:var(--dim);stroke-width:2;fill:none}svg .line{stroke-width:2;fill:none}"
    "svg .dashed0{stroke-dasharray:5 4}svg .t1{stroke-dasharray:1 3}"
    "svg .t2{stroke-dasharray:11 3 2 3}svg .hollow{fill:none!important;stroke-width:1.5}"
    ".s0{--c:var(--c0)}.s1{--c:var(--c1)}.s2{--c:var(--c2)}.s3{--c:var(--c3)}.s4{--c:var(--c4)}"
    ".s5{--c:var(--c5)}svg .line,svg .hollow{stroke:var(--c)}svg .bar,svg .dot{fill:var(--c)}"
    "footer{margin-top:3rem;border-top:1px solid var(--line);padding-top:1rem}"
    "code{overflow-wrap:anywhere}@media print{.wide{overflow:visible}}";

void cli_html_text(FILE *page, const char *text)
{
    while (*text) {
        int n = cli_utf8_length(text);
        if (n == 0) {
            fputs("\xef\xbf\xbd", page);
            n = 1;
        } else if (strchr("&<>\"'", *text)) {
            fprintf(page, "&#%d;", *text);
        } else if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            fputc(*text == '\n' || *text == '\t' ? ' ' : '?', page);
        } else {
            fwrite(text, 1, (size_t)n, page);
        }
        text += n;
    }
}

void cli_html_open(FILE *page, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; img-src data:\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          page);
    cli_html_text(page, title);
    fprintf(page, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
    cli_html_text(page, title);
    fputs("</h1>\n", page);
}

void cli_html_close(FILE *page)
{
    fputs("</main>\n</body>\n</html>\n", page);
}

void cli_html_table(FILE *page, const char *caption, const char *const *heads, int n)
{
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"", page);
    cli_html_text(page, caption);
    fputs("\"><table>\n<caption>", page);
    cli_html_text(page, caption);
    fputs("</caption>\n<thead><tr>", page);
    for (int i = 0; i < n; i++) {
        fprintf(page, "<th scope=\"col\"%s>", heads[i][0] == '<' ? "" : " class=\"n\"");
        cli_html_text(page, heads[i] + (heads[i][0] == '<'));
        fputs("</th>", page);
    }
    fputs("</tr></thead>\n<tbody>\n", page);
}

static void put_cell(FILE *page, const char *begin, const char *text, const char *end)
{
    fputs(begin, page);
    cli_html_text(page, text);
    fputs(end, page);
}

void cli_html_row(FILE *page)
{
    fputs("<tr>", page);
}

void cli_html_head(FILE *page, const char *text)
{
    put_cell(page, "<th scope=\"row\">", text, "</th>");
}

void cli_html_cell(FILE *page, const char *text)
{
    put_cell(page, "<td>", text, "</td>");
}

void cli_html_number(FILE *page, const char *text)
{
    put_cell(page, "<td class=\"n\">", text, "</td>");
}

void cli_html_end_row(FILE *page)
{
    fputs("</tr>\n", page);
}

void cli_html_end_table(FILE *page)
{
    fputs("</tbody>\n</table></div>\n", page);
}
