/*
 * PNM and PAM of every kind (P1 to P7), stretched to the full range of 8 or 16 bits.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/picture/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Widest number that a header may hold; max_pixels is checked apart. */
#define MAX_NUMBER INT32_MAX
#define MAX_MAXVAL 65535

/* Bytes that may pass without a number: comments, white space, zeros before it. A pipe of nothing
 * else would have no end. */
#define MAX_GAP 65536

#define MAX_PAM_LINES 256

typedef struct header {
    int kind; /* '1' to '7' */
    uint32_t w, h, maxval, n_channels;
} header;

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_plain(const header *hd)
{
    return hd->kind <= '3';
}

static bool is_bitmap(const header *hd)
{
    return hd->kind == '1' || hd->kind == '4';
}

static sac_status truncated(const sac_in *in, sac_error *err)
{
    return sac_in_fail(in, "PNM: ends too early", err);
}

static sac_status no_number(const sac_in *in, const char *what, sac_error *err)
{
    return sac_fail(err, SAC_E_FORMAT, "%s: PNM: %s: no number within %d bytes", in->name, what,
                    MAX_GAP);
}

static sac_status unexpected(const sac_in *in, const char *what, int c, sac_error *err)
{
    if (c < 0)
        return truncated(in, err);
    if (c > ' ' && c < 0x7f)
        return sac_fail(err, SAC_E_FORMAT, "%s: PNM: %s: expected a number, got `%c`", in->name,
                        what, c);
    return sac_fail(err, SAC_E_FORMAT, "%s: PNM: %s: expected a number, got byte 0x%02x", in->name,
                    what, (unsigned)c);
}

/* A byte of the text part, where a comment counts as the end of line behind it. *gap loses what it
 * takes, and is below 0 where that was too much. */
static int text_byte(sac_in *in, int *gap)
{
    int c = sac_in_byte(in);
    --*gap;
    if (c == '#')
        do
            c = sac_in_byte(in);
        while (c >= 0 && c != '\n' && c != '\r' && --*gap >= 0);
    return c;
}

static int skip_space(sac_in *in, int *gap)
{
    int c;
    do
        c = text_byte(in, gap);
    while (is_space(c) && *gap >= 0);
    return c;
}

/* A decimal number of at most `max`, and the one white space behind it. */
static sac_status number(uint32_t *out, sac_in *in, const char *what, uint32_t max, sac_error *err)
{
    int gap = MAX_GAP;
    int c = skip_space(in, &gap);
    if (gap < 0)
        return no_number(in, what, err);
    if (!is_digit(c))
        return unexpected(in, what, c, err);
    uint64_t value = 0;
    for (; is_digit(c) && gap >= 0; c = text_byte(in, &gap)) {
        value = 10 * value + (uint64_t)(c - '0');
        if (value > max)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: PNM: %s: expected at most %" PRIu32 ", got more", in->name, what,
                            max);
    }
    if (gap < 0)
        return no_number(in, what, err);
    if (c >= 0 && !is_space(c))
        return unexpected(in, what, c, err);
    *out = (uint32_t)value;
    return SAC_OK;
}

static sac_status read_pnm_header(header *hd, sac_in *in, sac_error *err)
{
    hd->n_channels = hd->kind == '3' || hd->kind == '6' ? 3 : 1;
    hd->maxval = 1;
    sac_status st = number(&hd->w, in, "width", MAX_NUMBER, err);
    st = st ? st : number(&hd->h, in, "height", MAX_NUMBER, err);
    if (st == SAC_OK && !is_bitmap(hd))
        st = number(&hd->maxval, in, "maxval", MAX_MAXVAL, err);
    return st;
}

/* A line of a PAM header without its end; false where the file ends or the line is too long. */
static bool read_line(char *line, size_t size, sac_in *in)
{
    size_t n = 0;
    int c;
    while ((c = sac_in_byte(in)) >= 0 && c != '\n') {
        if (n + 1 == size)
            return false;
        if (c != '\r')
            line[n++] = (char)c;
    }
    line[n] = '\0';
    return c == '\n';
}

/* Tuple types that mean gray or RGB; others (CMYK, ...) have the same depths. */
static bool known_type(const char *type, uint32_t depth)
{
    static const struct {
        const char *name;
        uint32_t depth;
    } types[] = {{"BLACKANDWHITE", 1},   {"GRAYSCALE", 1}, {"BLACKANDWHITE_ALPHA", 2},
                 {"GRAYSCALE_ALPHA", 2}, {"RGB", 3},       {"RGB_ALPHA", 4}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(type, types[i].name) == 0)
            return types[i].depth == depth;
    return type[0] == '\0' && depth >= 1 && depth <= SAC_IO_MAX_CHANNELS;
}

/* Takes `line` for `key` where it is "KEY NUMBER". */
static bool take_number(uint32_t *out, const char *line, const char *key, uint32_t max)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0 || !is_space(line[length]))
        return false;
    char *end = NULL;
    while (is_space(line[length]))
        length++;
    unsigned long value = is_digit(line[length]) ? strtoul(line + length, &end, 10) : 0;
    if (value == 0 || value > max)
        return false;
    while (is_space(*end))
        end++;
    *out = (uint32_t)value;
    return *end == '\0';
}

static sac_status read_pam_header(header *hd, sac_in *in, sac_error *err)
{
    char line[256];
    char type[sizeof line] = "";
    hd->w = hd->h = hd->maxval = hd->n_channels = 0;
    for (int n_lines = 0;; n_lines++) {
        if (n_lines == MAX_PAM_LINES || !read_line(line, sizeof line, in))
            return sac_fail(err, SAC_E_FORMAT, "%s: PAM: no line ENDHDR", in->name);
        if (strcmp(line, "ENDHDR") == 0)
            break;
        if (line[0] == '\0' || line[0] == '#' || take_number(&hd->w, line, "WIDTH", MAX_NUMBER) ||
            take_number(&hd->h, line, "HEIGHT", MAX_NUMBER) ||
            take_number(&hd->n_channels, line, "DEPTH", MAX_NUMBER) ||
            take_number(&hd->maxval, line, "MAXVAL", MAX_MAXVAL))
            continue;
        if (strncmp(line, "TUPLTYPE ", 9) != 0)
            return sac_fail(err, SAC_E_FORMAT, "%s: PAM: unusable line `%.60s`", in->name, line);
        memcpy(type, line + 9, strlen(line + 9) + 1);
    }
    if (!known_type(type, hd->n_channels))
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: PAM: expected gray or RGB, with or without alpha; got depth %" PRIu32
                        " `%.40s`",
                        in->name, hd->n_channels, type);
    return SAC_OK;
}

static sac_status read_header(header *hd, sac_in *in, sac_error *err)
{
    int magic = sac_in_byte(in);
    hd->kind = sac_in_byte(in);
    if (magic != 'P' || hd->kind < '1' || hd->kind > '7')
        return sac_fail(err, SAC_E_FORMAT, "%s: not PNM", in->name);
    if (hd->kind != '7')
        return read_pnm_header(hd, in, err);
    int c = sac_in_byte(in);
    if (c != '\n')
        return unexpected(in, "P7", c, err);
    return read_pam_header(hd, in, err);
}

static size_t sample_size(const header *hd)
{
    return hd->maxval > 255 ? 2 : 1;
}

/* The fewest bytes that the pixels can take; sac_picture_check_size keeps it below 2^63. */
static uint64_t least_bytes(const header *hd)
{
    uint64_t pixels = (uint64_t)hd->w * hd->h;
    if (hd->kind == '1')
        return pixels;
    if (hd->kind == '4')
        return (hd->w + UINT64_C(7)) / 8 * hd->h;
    uint64_t samples = pixels * hd->n_channels;
    return is_plain(hd) ? 2 * samples - 1 : samples * sample_size(hd);
}

/* What can be known before there are pixels. */
static sac_status check_header(const header *hd, const sac_in *in, const sac_picture_limits *limits,
                               sac_error *err)
{
    sac_status st = sac_picture_check_size(in->name, hd->w, hd->h, limits, err);
    if (st != SAC_OK)
        return st;
    if (hd->maxval == 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: PNM: maxval: expected 1..65535, got 0", in->name);
    if (least_bytes(hd) > sac_in_left(in))
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: PNM: ends too early: %" PRIu32 " x %" PRIu32 " pixels need %" PRIu64
                        " bytes, %" PRIu64 " are there",
                        in->name, hd->w, hd->h, least_bytes(hd), sac_in_left(in));
    return SAC_OK;
}

static sac_status too_large(const sac_in *in, const header *hd, sac_error *err)
{
    return sac_fail(err, SAC_E_FORMAT, "%s: PNM: a sample is larger than maxval, %" PRIu32,
                    in->name, hd->maxval);
}

/* value / maxval of full, rounded half up. */
static uint32_t stretch(uint64_t value, uint32_t maxval, uint32_t full)
{
    return (uint32_t)((2 * value * full + maxval) / (UINT64_C(2) * maxval));
}

static sac_status read_bits(uint8_t *to, sac_in *in, const header *hd, sac_error *err)
{
    for (uint32_t y = 0; y < hd->h; y++) {
        int byte = 0;
        for (uint32_t x = 0; x < hd->w; x++) {
            if (x % 8 == 0 && (byte = sac_in_byte(in)) < 0)
                return truncated(in, err);
            *to++ = byte >> (7 - x % 8) & 1 ? 0 : 255; /* 1 is black */
        }
    }
    return SAC_OK;
}

static sac_status read_plain(void *to, sac_in *in, const header *hd, size_t n, sac_error *err)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t value = 0;
        if (hd->kind == '1') { /* digits need no space between them */
            int gap = MAX_GAP;
            int c = skip_space(in, &gap);
            if (gap < 0)
                return no_number(in, "bit", err);
            if (c != '0' && c != '1')
                return unexpected(in, "bit", c, err);
            value = c == '0';
        } else {
            sac_status st = number(&value, in, "sample", hd->maxval, err);
            if (st != SAC_OK)
                return st;
        }
        if (sample_size(hd) == 1)
            ((uint8_t *)to)[i] = (uint8_t)stretch(value, hd->maxval, 255);
        else
            ((uint16_t *)to)[i] = (uint16_t)stretch(value, hd->maxval, 65535);
    }
    return SAC_OK;
}

/* Raw samples of 8 bits, read where they stay. */
static sac_status read_u8(uint8_t *to, sac_in *in, const header *hd, size_t n, sac_error *err)
{
    if (!sac_in_read(in, to, n))
        return truncated(in, err);
    if (hd->maxval == 255)
        return SAC_OK;
    uint8_t table[256];
    for (uint32_t v = 0; v <= hd->maxval; v++)
        table[v] = (uint8_t)stretch(v, hd->maxval, 255);
    for (size_t i = 0; i < n; i++) {
        if (to[i] > hd->maxval)
            return too_large(in, hd, err);
        to[i] = table[to[i]];
    }
    return SAC_OK;
}

/* Raw samples of 16 bits, high byte first, read where they stay. */
static sac_status read_u16(uint16_t *to, sac_in *in, const header *hd, size_t n, sac_error *err)
{
    if (!sac_in_read(in, to, 2 * n))
        return truncated(in, err);
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[2];
        memcpy(bytes, to + i, 2);
        uint32_t value = (uint32_t)bytes[0] << 8 | bytes[1];
        if (value > hd->maxval)
            return too_large(in, hd, err);
        to[i] = (uint16_t)(hd->maxval == 65535 ? value : stretch(value, hd->maxval, 65535));
    }
    return SAC_OK;
}

/* The picture that comes next. */
static sac_status read_one(sac_picture **out, sac_in *in, const sac_picture_limits *limits,
                           sac_error *err)
{
    header hd;
    sac_status st = read_header(&hd, in, err);
    st = st ? st : check_header(&hd, in, limits, err);
    sac_picture *picture = NULL;
    if (st == SAC_OK)
        st = sac_picture_new(&picture, sample_size(&hd) == 2 ? SAC_U16 : SAC_U8, hd.w, hd.h,
                             (int32_t)hd.n_channels, err);
    if (st != SAC_OK)
        return st;
    size_t n = (size_t)sac_array_count(&picture->array);
    void *to = picture->array.data;
    if (is_plain(&hd))
        st = read_plain(to, in, &hd, n, err);
    else if (is_bitmap(&hd))
        st = read_bits(to, in, &hd, err);
    else
        st = sample_size(&hd) == 2 ? read_u16(to, in, &hd, n, err) : read_u8(to, in, &hd, n, err);
    if (st != SAC_OK)
        sac_picture_close(&picture);
    *out = picture;
    return st;
}

/* Whether another picture stands right behind the last, as in what FFmpeg and netpbm put together.
 */
static bool goes_on(sac_in *in)
{
    return sac_in_peek(in, 2) >= 2 && in->next[0] == 'P' && in->next[1] >= '1' &&
           in->next[1] <= '7';
}

sac_status sac_pnm_read(sac_picture **out, sac_in *in, const sac_picture_limits *limits,
                        sac_error *err)
{
    *out = NULL;
    sac_status st = read_one(out, in, limits, err);
    for (int32_t page = 0; st == SAC_OK && page < limits->page; page++) {
        sac_picture_close(out);
        st = goes_on(in) ? read_one(out, in, limits, err)
                         : sac_picture_no_page(in->name, limits->page, page + 1, err);
    }
    if (st == SAC_OK && limits->page < 0 && goes_on(in)) {
        (*out)->n_pages = 0;
        sac_picture_note(*out, "there are more pages, only the first is read");
    }
    return st;
}

sac_status sac_pnm_parse(sac_picture **out, const uint8_t *data, size_t size, uint64_t max_pixels,
                         sac_error *err)
{
    sac_in in;
    sac_in_open_memory(&in, data, size);
    const sac_picture_limits limits = {max_pixels ? max_pixels : SAC_PICTURE_MAX_PIXELS, "", -1};
    return sac_pnm_read(out, &in, &limits, err);
}
