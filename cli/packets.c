/*
 * Delta streams: which files are, their packets, and the frames that these give.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "packets.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outputs.h"

/* Bytes that tell a packet: its header, and some; as few as its magic number and version may do. */
enum { BEGINNING = 64, LEAST = 5 };

/* What is there of a pipe, which keeps it: a copy, by way of another. */
static ssize_t peek_pipe(unsigned char bytes[BEGINNING], int fd)
{
    int copy[2];
    if (pipe2(copy, O_CLOEXEC) != 0) {
        return 0;
    }
    ssize_t n = tee(fd, copy[1], BEGINNING, SPLICE_F_NONBLOCK);
    n = n > 0 ? read(copy[0], bytes, BEGINNING) : n;
    close(copy[0]);
    close(copy[1]);
    return n;
}

/* The first bytes of standard input, which keeps them; waits for some, or to be interrupted. */
static ssize_t peek_input(unsigned char bytes[BEGINNING])
{
    const int fd = STDIN_FILENO;
    struct pollfd waits[] = {{.fd = fd, .events = POLLIN}, {.fd = cli_stop_fd(), .events = POLLIN}};
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return 0;
    }
    if (S_ISREG(info.st_mode)) {
        return pread(fd, bytes, BEGINNING, lseek(fd, 0, SEEK_CUR));
    }
    if (!S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode)) {
        return 0;
    }
    while (poll(waits, 2, -1) < 0 && errno == EINTR) {
    }
    return S_ISSOCK(info.st_mode) ? recv(fd, bytes, BEGINNING, MSG_PEEK | MSG_DONTWAIT)
                                  : peek_pipe(bytes, fd);
}

/* The same of a file; of what is none, or cannot be read, nothing. */
static ssize_t read_beginning(unsigned char bytes[BEGINNING], const char *path)
{
    struct stat info;
    const bool is_file = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    const int fd = is_file ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t n = fd >= 0 ? read(fd, bytes, BEGINNING) : 0;
    if (fd >= 0) {
        close(fd);
    }
    return n;
}

bool cli_packets_is(const char *path)
{
    static const char *const endings[] = {".sdv", NULL};
    unsigned char bytes[BEGINNING];
    sac_delta_packet packet;
    const ssize_t n = cli_is_dash(path) ? peek_input(bytes) : read_beginning(bytes, path);
    const sac_status st = n >= LEAST
                              ? sac_delta_peek(&packet, bytes, (size_t)n, CLI_PACKETS_PIXELS, NULL)
                              : SAC_E_FORMAT;
    return st == SAC_OK || st == SAC_AGAIN ||
           (cli_ends_in(path, endings) && !cli_is_folder(path) && !sac_video_is_y4m(path));
}

static sac_status open_plan(cli_packets *p, sac_error *err)
{
    sac_delta_decode_close(&p->plan);
    p->frame = (sac_delta_frame){0};
    return sac_delta_decode_open(&p->plan, &p->desc, err);
}

sac_status cli_packets_open(cli_packets *p, const char *path, const sac_delta_decode_desc *desc,
                            sac_error *err)
{
    *p = (cli_packets){.path = path, .desc = *desc};
    p->desc.max_pixels = CLI_PACKETS_PIXELS;
    sac_status st = sac_sdv_reader_open_stoppable(&p->reader, path, cli_stop_fd(), err);
    st = st ? st : sac_sdv_reader_limit(p->reader, CLI_PACKETS_PIXELS, err);
    return st ? st : open_plan(p, err);
}

/* SAC_AGAIN where the bytes are no packet. */
static sac_status read_packet(cli_packets *p, sac_delta_packet *packet, sac_error *err)
{
    const int64_t start_ns = cli_clock_ns();
    const sac_status st = sac_sdv_read(p->reader, packet, err);
    cli_frame_lap(&p->read_ns, start_ns);
    if (st == SAC_E_FORMAT) {
        p->fault = p->n_faults++ ? p->fault : *err;
        return SAC_AGAIN;
    }
    return st;
}

sac_status cli_packets_next(cli_packets *p, sac_error *err)
{
    sac_delta_packet packet;
    sac_error refused = {0};
    const uint64_t last = p->frame.frame;
    sac_status st = read_packet(p, &packet, err);
    if (st != SAC_OK) {
        return st;
    }
    const int64_t start_ns = cli_clock_ns();
    st = sac_delta_decode_run(p->plan, &p->frame, packet.data, packet.size, &refused);
    cli_frame_lap(&p->run_ns, start_ns);
    p->n_packets++;
    p->n_keys += packet.is_key;
    p->packet_bytes += packet.size;
    if (st == SAC_E_NOMEM || st == SAC_E_DEVICE) {
        *err = refused;
        return st;
    }
    if (st != SAC_OK) {
        p->frame.frame = last;
        return SAC_AGAIN;
    }
    p->gap = p->n_frames > 0 && p->frame.frame > last ? p->frame.frame - last - 1 : 0;
    p->n_frames++;
    p->raw_bytes += (uint64_t)sac_array_count(&p->frame.picture);
    return SAC_OK;
}

sac_status cli_packets_seek(cli_packets *p, uint64_t number, sac_error *err)
{
    const sac_status st = sac_sdv_seek(p->reader, number, err);
    return st ? st : open_plan(p, err);
}

uint64_t cli_packets_missing(const cli_packets *p)
{
    sac_delta_counts counts = {.struct_size = sizeof counts};
    sac_delta_decode_get_counts(p->plan, &counts);
    return counts.lost + p->gap; /* in front of the last frame none is lost yet */
}

sac_status cli_packets_none(const cli_packets *p, sac_error *err)
{
    if (p->fault.status) {
        *err = p->fault;
    } else if (p->n_packets == 0) {
        snprintf(err->text, sizeof err->text, "%s: has no packet of a delta stream", p->path);
    } else {
        snprintf(err->text, sizeof err->text, "%s: no frame came of %" PRIu64 " packet%s", p->path,
                 p->n_packets, cli_s((int64_t)p->n_packets));
    }
    return err->status = SAC_E_FORMAT;
}

static int32_t channels_of(const sac_delta_frame *frame)
{
    return frame->picture.n_dims == 2 ? 1 : (int32_t)frame->picture.shape[2];
}

/* What the stream's pixels are. One that does not tell is taken to be as `wanted`. */
static sac_video_pixel pixel_of(const sac_delta_frame *frame, sac_video_pixel wanted)
{
    const int32_t n = channels_of(frame);
    const bool is_blue = frame->order == SAC_ORDER_UNKNOWN
                             ? cli_frame_order(wanted) == SAC_ORDER_BGR
                             : frame->order == SAC_ORDER_BGR;
    return n == 1   ? SAC_PIXEL_GRAY
           : n == 3 ? (is_blue ? SAC_PIXEL_BGR : SAC_PIXEL_RGB)
                    : (is_blue ? SAC_PIXEL_BGRX : SAC_PIXEL_RGBA);
}

sac_status cli_packets_info(sac_video_info *info, const cli_packets *p, int32_t format,
                            sac_error *err)
{
    sac_video_info wanted = {0};
    static const int32_t no_size[2] = {0, 0};
    const sac_array *picture = &p->frame.picture;
    (void)cli_frame_wanted(&wanted, "", no_size, format);
    if (format && (wanted.planes > SAC_PLANES_PACKED ||
                   sac_video_channels(wanted.pixel) != channels_of(&p->frame))) {
        err->status = SAC_E_SHAPE;
        snprintf(err->text, sizeof err->text, "--format %s: the stream has %d channels",
                 cli_frame_inputs[format], channels_of(&p->frame));
        return err->status;
    }
    const sac_video_pixel pixel = format ? wanted.pixel : pixel_of(&p->frame, SAC_PIXEL_RGB);
    const bool is_gray = pixel == SAC_PIXEL_GRAY;
    *info = (sac_video_info){.struct_size = sizeof *info,
                             .pixel = pixel,
                             .w = picture->shape[1],
                             .h = picture->shape[0],
                             .chroma = is_gray ? SAC_CHROMA_MONO : SAC_CHROMA_444,
                             .full_range = is_gray};
    return SAC_OK;
}

static void swap_red_and_blue(const sac_array *frame)
{
    uint8_t *at = frame->data, *end = at + sac_array_count(frame);
    for (; at < end; at += frame->shape[2]) {
        const uint8_t red = at[0];
        at[0] = at[2];
        at[2] = red;
    }
}

sac_status cli_packets_copy(const sac_array *to, const cli_packets *p, const sac_video_info *info,
                            sac_error *err)
{
    const sac_array *from = &p->frame.picture;
    const sac_video_pixel pixel = pixel_of(&p->frame, info->pixel);
    if (from->n_dims != to->n_dims || from->shape[0] != to->shape[0] ||
        from->shape[1] != to->shape[1] || (to->n_dims == 3 && from->shape[2] != to->shape[2])) {
        err->status = SAC_E_FORMAT;
        snprintf(err->text, sizeof err->text, "the stream's pictures change in size or channels");
        return err->status;
    }
    for (int64_t y = 0; y < to->shape[0]; y++) {
        memcpy((char *)to->data + y * to->stride[0], (const char *)from->data + y * from->stride[0],
               (size_t)to->stride[0]);
    }
    if (cli_frame_order(pixel) != cli_frame_order(info->pixel)) {
        swap_red_and_blue(to);
    }
    return SAC_OK;
}

void cli_packets_close(cli_packets *p)
{
    sac_delta_decode_close(&p->plan);
    sac_sdv_reader_close(&p->reader);
}
