/*
 * Pictures within the page, as they are in their files.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "html.h"
#include "outputs.h"
#include "parts.h"

static bool begins(const char *bytes, size_t size, size_t at, const char *with)
{
    const size_t n = strlen(with);
    return size >= at + n && memcmp(bytes + at, with, n) == 0;
}

/* SVG is text: an element of that name comes early, behind comments and a declaration. */
static bool is_svg(const char *bytes, size_t size)
{
    char start[1025];
    const size_t n = size < sizeof start - 1 ? size : sizeof start - 1;
    memcpy(start, bytes, n);
    start[n] = '\0';
    return strlen(start) == n && strspn(start, " \t\r\n") == strcspn(start, "<") &&
           strstr(start, "<svg") != NULL;
}

const char *cli_report_picture_type(const char *bytes, size_t size)
{
    if (begins(bytes, size, 0, "\x89PNG\r\n\x1a\n")) {
        return "image/png";
    }
    if (begins(bytes, size, 0, "\xff\xd8\xff")) {
        return "image/jpeg";
    }
    if (begins(bytes, size, 0, "RIFF") && begins(bytes, size, 8, "WEBP")) {
        return "image/webp";
    }
    return is_svg(bytes, size) ? "image/svg+xml" : NULL;
}

static void put_base64(FILE *page, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t n = size - i < 3 ? size - i : 3;
        const unsigned word = (unsigned)bytes[i] << 16 | (n > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                              (n > 2 ? bytes[i + 2] : 0u);
        fputc(digits[word >> 18], page);
        fputc(digits[word >> 12 & 63], page);
        fputc(n > 1 ? digits[word >> 6 & 63] : '=', page);
        fputc(n > 2 ? digits[word & 63] : '=', page);
    }
}

void cli_report_picture(FILE *page, const cli_report_input *in)
{
    fprintf(page, "<figure><img src=\"data:%s;base64,", in->picture);
    put_base64(page, (const unsigned char *)in->bytes, in->size);
    fputs("\" alt=\"", page);
    cli_html_text(page, cli_base_name(in->path));
    fputs("\"></figure>\n", page);
}
