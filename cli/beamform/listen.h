/*
 * saccade beamform --listen at work: a receiver thread, the stream's worker that runs the plan, and
 * a stream each for images and channel data that are kept, so that no frame waits for a file.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_BEAMFORM_LISTEN_H
#define CLI_BEAMFORM_LISTEN_H

#include <sys/types.h>

#include "job.h"
#include "listening.h"
#include "view/beamform/live.h"

typedef struct cli_beamform_listen_options {
    size_t struct_size;
    cli_listening_options at;
    const char *like, *output, *record, *to;
    int32_t mtu;
    const char *grid, *grid3, *sector, *apex, *picture;
    cli_recording_options recording;
    cli_view_options view; /* its port -1: nobody looks */
} cli_beamform_listen_options;

#define CLI_BEAMFORM_PLANS 8 /* at most */

/* What the pipeline's and the stream's options fill in. */
typedef struct cli_beamform_listen_plan {
    size_t struct_size;
    sac_beamform_desc beamform;
    sac_stream_desc stream;
} cli_beamform_listen_plan;

/* A frame's: of those that came, and as its sender counts. */
typedef struct cli_beamform_numbers {
    uint64_t came, sent;
} cli_beamform_numbers;

/* Items of one size that are kept: in a file that grows, as pictures in files, or, for a format
 * that is written as a whole, in a file without a name until the end. */
typedef struct cli_beamform_keeper {
    sac_stream *stream; /* NULL: nothing is kept */
    cli_listening *at;
    const char *path;
    dev_t disk;              /* that it is on */
    size_t bytes;            /* of an item; its numbers are behind it in a slot */
    int64_t most, n;         /* items that there may be; those that are kept */
    int64_t wanted;          /* --frames; 0: all */
    uint64_t next;           /* what its sender counts after the last one kept */
    bool has_gaps;           /* frames are missing between those that are kept */
    sac_image_growing *file; /* a file of them, */
    cli_beamform_film *film; /* or pictures, */
    int64_t n_pictures;      /* of each image */
    sac_array item;          /* (1, ...), its data in a slot */
    sac_error error;         /* until its stream has stopped, as all of this */
    _Atomic bool is_full;    /* the disk, or what a file can hold */
    sac_stream_counts counts;
    const char *cut; /* why it ended before all was kept, though nothing failed; NULL: it did not */
    bool is_spooled; /* (n) items in a file without a name, */
    int spool;
    char *spool_name;       /* or with this one, where the file system has none without */
    uint8_t *data;          /* at the end: all that is in it */
    double copy_bytes;      /* that an item of it will have in its own file */
    _Atomic int64_t n_kept; /* n, for the other one, which leaves room for these files too */
    const struct cli_beamform_keeper *other;
} cli_beamform_keeper;

typedef struct cli_beamform_live {
    cli_beamform_listen_options options;
    cli_beamform_listen_plan plan;
    cli_beamform_job job;
    cli_listening at;
    sac_recording *like;
    sac_array frame; /* (1, n_transmits, n_elements, n_samples), its data in a slot */
    char *expects;
    sac_beamform
        *plans[CLI_BEAMFORM_PLANS];    /* for 1, 4, 16, ... frames at once, which share delays */
    int32_t sizes[CLI_BEAMFORM_PLANS]; /* how many each runs */
    uint8_t *together;                 /* frames of a run that is not full, as one array */
    int n_plans;
    sac_array image; /* the worker's: (1, ...), with memory for as many as the last plan makes */
    size_t frame_bytes, image_bytes;
    sac_frame_sender *sender;         /* NULL: images are not sent on */
    _Atomic int64_t unclean;          /* frames with samples that are not finite */
    sac_error work_error, send_error; /* the worker's, until its stream has stopped */
    sac_frame_sent sent;              /* when all is over */
    cli_beamform_keeper images, channels;
    beamform_view *view; /* NULL: nobody may look */
    beamform_tap *tap;   /* the worker's, of it */
    bool has_warned;     /* the main thread, of frames that are not taken */
} cli_beamform_live;

/* Listens until it is interrupted or has seen what the options want. Returns an exit status. */
int cli_beamform_listen_run(cli_beamform_live *l);

/* The worker, whose context is a cli_beamform_live. */
void cli_beamform_listen_work(void *ctx, sac_stream_frame *frames, int32_t n);

/* Opens the stream of a keeper, whose item's size and limit are set. */
SAC_NODISCARD sac_status cli_beamform_keep_open(cli_beamform_keeper *k, cli_listening *at,
                                                sac_error *err);

/* The file without a name of a keeper, beside the one to be written. SAC_E_IO. */
SAC_NODISCARD sac_status cli_beamform_spool_open(cli_beamform_keeper *k, sac_error *err);

/* Whether its disk has room for another item, and then for what both write at the end. */
bool cli_beamform_has_room(const cli_beamform_keeper *k);

/* One more; false: the disk is full, or k->error says what else. */
bool cli_beamform_spool_add(cli_beamform_keeper *k, const void *item);

/* All that is in it as k->data, of at least one item; false: errno says why it cannot be. */
bool cli_beamform_spool_map(cli_beamform_keeper *k);

/* Gives it a name that stays, and says which: its own file could not be written. */
void cli_beamform_spool_rescue(cli_beamform_keeper *k);
void cli_beamform_spool_close(cli_beamform_keeper *k);

/* Hands it an item, and never waits. */
void cli_beamform_keep(cli_beamform_keeper *k, const void *item, cli_beamform_numbers numbers);

/* Writes what was kept, whatever became of the rest, and tells what is not there. Returns `status`,
 * or where that is CLI_DONE, an exit status. */
int cli_beamform_listen_write(cli_beamform_live *l, int status);

/* What is told at the end. */
void cli_beamform_listen_print(const cli_beamform_live *l);
int cli_beamform_listen_json(const cli_beamform_live *l);

#endif
