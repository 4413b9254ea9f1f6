/*
 * Headers of Y4M: "YUV4MPEG2 W1920 H1080 F30:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED".
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/video/parts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const chroma_names[] = {"444", "422", "420jpeg", "420mpeg2", "420paldv", "mono"};

bool sac_y4m_read_line(char line[SAC_Y4M_LINE], sac_in *in)
{
    for (size_t n = 0; n < SAC_Y4M_LINE; n++) {
        int c = sac_in_byte(in);
        line[n] = c > 0 && c != '\n' ? (char)c : '\0';
        if (c <= 0 || c == '\n')
            return c == '\n';
    }
    line[SAC_Y4M_LINE - 1] = '\0';
    return false;
}

bool sac_y4m_is_long(const char line[SAC_Y4M_LINE])
{
    return strlen(line) == SAC_Y4M_LINE - 1;
}

/* A decimal number of `text`, at most INT32_MAX; NULL where there is none, else what follows. */
static const char *parse_number(int64_t *out, const char *text)
{
    int64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = 10 * value + (*at - '0');
        if (value > INT32_MAX)
            return NULL;
    }
    *out = value;
    return at == text ? NULL : at;
}

static sac_status bad_tag(const char *tag, const char *wanted, const char *name, sac_error *err)
{
    return sac_fail(err, SAC_E_FORMAT, "%s: Y4M header: expected %s, got `%.24s`", name, wanted,
                    tag);
}

static bool parse_whole(int64_t *out, const char *text)
{
    const char *end = parse_number(out, text);
    return end && !*end;
}

/* "30000:1001"; 0 on one side stands for an unknown one. */
static bool parse_ratio(int64_t *num, int64_t *den, const char *text)
{
    const char *colon = parse_number(num, text);
    if (!colon || *colon != ':' || !parse_whole(den, colon + 1))
        return false;
    if (*num == 0 || *den == 0)
        *num = *den = 0;
    return true;
}

static sac_status parse_chroma(sac_video_info *info, const char *tag, const char *name,
                               sac_error *err)
{
    const char *text = tag + 1;
    if (strcmp(text, "420") == 0)
        text = "420jpeg";
    for (size_t i = 0; i < sizeof chroma_names / sizeof *chroma_names; i++) {
        if (strcmp(text, chroma_names[i]) == 0) {
            info->chroma = (sac_video_chroma)i;
            return SAC_OK;
        }
    }
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "%s: Y4M of `%.20s`: 420, 422, 444 and mono of 8 bits can be read (ffmpeg "
                    "-pix_fmt yuv420p)",
                    name, text);
}

static sac_status parse_tag(sac_video_info *info, char *interlace, const char *tag,
                            const char *name, sac_error *err)
{
    switch (tag[0]) {
    case 'W':
        return parse_whole(&info->w, tag + 1) ? SAC_OK : bad_tag(tag, "W and a width", name, err);
    case 'H':
        return parse_whole(&info->h, tag + 1) ? SAC_OK : bad_tag(tag, "H and a height", name, err);
    case 'F':
        return parse_ratio(&info->rate_num, &info->rate_den, tag + 1)
                   ? SAC_OK
                   : bad_tag(tag, "F and a rate as 25:1", name, err);
    case 'A':
        return parse_ratio(&info->aspect_num, &info->aspect_den, tag + 1)
                   ? SAC_OK
                   : bad_tag(tag, "A and a ratio as 1:1", name, err);
    case 'I':
        *interlace = tag[1];
        return strchr("ptbm?", tag[1]) && tag[1] ? SAC_OK
                                                 : bad_tag(tag, "I and one of ptbm?", name, err);
    case 'C':
        return parse_chroma(info, tag, name, err);
    case 'X':
        if (strcmp(tag, "XCOLORRANGE=FULL") == 0)
            info->full_range = true;
        if (strcmp(tag, "XCOLORRANGE=LIMITED") == 0)
            info->full_range = false;
        return SAC_OK; /* others are anybody's own */
    default:
        return bad_tag(tag, "W, H, F, I, A, C or X", name, err);
    }
}

/* Gray is of full range where nobody says otherwise, as FFmpeg has it. */
static bool says_range(const char *line)
{
    return strstr(line, " XCOLORRANGE=") != NULL;
}

sac_status sac_y4m_parse_header(sac_video_info *info, const char *line, const char *name,
                                sac_error *err)
{
    char tag[SAC_Y4M_LINE];
    char interlace = 'p';
    const char *at = line + strlen(SAC_Y4M_MAGIC);
    *info = (sac_video_info){.struct_size = sizeof *info,
                             .format = SAC_VIDEO_Y4M,
                             .matrix = info->matrix,
                             .chroma = SAC_CHROMA_420JPEG};
    if (strncmp(line, SAC_Y4M_MAGIC, strlen(SAC_Y4M_MAGIC)) != 0 || (*at && *at != ' '))
        return sac_fail(err, SAC_E_FORMAT, "%s: is not Y4M: it does not begin with " SAC_Y4M_MAGIC,
                        name);
    while (*(at += strspn(at, " "))) {
        size_t length = strcspn(at, " ");
        for (size_t i = 0; i < length; i++) /* what errors print is for a terminal */
            tag[i] = at[i] > ' ' && at[i] <= '~' ? at[i] : '?';
        tag[length] = '\0';
        at += length;
        sac_status st = parse_tag(info, &interlace, tag, name, err);
        if (st != SAC_OK)
            return st;
    }
    if (info->chroma == SAC_CHROMA_MONO && !says_range(line))
        info->full_range = true;
    bool rows_mix = info->chroma >= SAC_CHROMA_420JPEG && info->chroma != SAC_CHROMA_MONO;
    if (interlace != 'p' && interlace != '?' && rows_mix)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: interlaced 4:2:0 cannot be read (ffmpeg -vf yadif)", name);
    return sac_video_check_size(name, info->w, info->h, err);
}

size_t sac_y4m_header(char line[SAC_Y4M_LINE], const sac_video_info *info)
{
    int length = snprintf(line, SAC_Y4M_LINE,
                          SAC_Y4M_MAGIC " W%" PRId64 " H%" PRId64 " F%" PRId64 ":%" PRId64
                                        " Ip A%" PRId64 ":%" PRId64 " C%s XCOLORRANGE=%s\n",
                          info->w, info->h, info->rate_num, info->rate_den, info->aspect_num,
                          info->aspect_den, chroma_names[info->chroma],
                          info->full_range ? "FULL" : "LIMITED");
    return (size_t)length;
}

bool sac_video_is_y4m(const char *path)
{
    uint8_t start[SAC_IN_KEPT];
    size_t magic = strlen(SAC_Y4M_MAGIC), n = 0;
    if (path && strcmp(path, "-") == 0) {
        n = sac_in_peek_stdin(start, magic);
    } else if (path) {
        struct stat st;
        int fd =
            stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t got = fd >= 0 ? read(fd, start, magic) : 0;
        n = got > 0 ? (size_t)got : 0;
        if (fd >= 0)
            close(fd);
    }
    return n == magic && memcmp(start, SAC_Y4M_MAGIC, magic) == 0;
}
