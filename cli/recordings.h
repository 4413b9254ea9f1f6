/*
 * What commands that read recordings share: options that override the file's metadata.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RECORDINGS_H
#define CLI_RECORDINGS_H

#include <saccade/recording.h>

#include "command.h"
#include "rows.h"

/* As they are given; NULL where they are not. A command's options have them as `recording`. */
typedef struct cli_recording_options {
    const char *frames, *transmits, *fs, *fc, *fd, *c, *t0, *pitch, *bandwidth;
} cli_recording_options;

/* Their rows in a table: all, or those of metadata, without --frames. */
#define CLI_ROWS_RECORDING                                                                         \
    {"frames", CLI_STRING(recording.frames), "A:B",                                                \
     "frames A to B - 1 only, counted from 0; default: all"},                                      \
        CLI_ROWS_METADATA
#define CLI_ROWS_METADATA                                                                          \
    {"transmits", CLI_STRING(recording.transmits), "WAVES",                                        \
     "the transmits, instead of the file's: plane:N:DEG, diverging:N[:MM], focused:N[:MM], "       \
     "lines:N:MM[:DEG] or sa (every element, one after the other)"},                               \
        {"fs", CLI_STRING(recording.fs), "MHZ",                                                    \
         "sampling frequency in MHz, instead of the file's"},                                      \
        {"fc", CLI_STRING(recording.fc), "MHZ",                                                    \
         "center frequency of the pulse in MHz, instead of the file's"},                           \
        {"fd", CLI_STRING(recording.fd), "MHZ",                                                    \
         "demodulation frequency in MHz: of IQ data instead of the file's; for RF the frequency "  \
         "to "                                                                                     \
         "use"},                                                                                   \
        {"c", CLI_STRING(recording.c), "M_S", "speed of sound in m/s, instead of the file's"},     \
        {"t0", CLI_STRING(recording.t0), "US",                                                     \
         "time of the first sample in microseconds, instead of the file's"},                       \
        {"pitch", CLI_STRING(recording.pitch), "MM",                                               \
         "distance of neighbouring elements of a linear array in mm, instead of the file's"},      \
    {                                                                                              \
        "bandwidth", CLI_STRING(recording.bandwidth), "FRACTION",                                  \
            "of the pulse at -6 dB as a fraction of fc, instead of the file's"                     \
    }

/* What they say of the recording. Returns an exit status. */
int cli_recording_parse(sac_recording_desc *desc, const cli_command *command,
                        const cli_recording_options *options);

/* sac_recording_read, with a warning of what sac_recording_get_note says. Returns an exit status.
 */
int cli_recording_read(sac_recording **out, const char *path, const sac_recording_desc *desc);

/* The first sample that is NaN or infinite, -1: none; `text`, unless NULL, says what
 * and where. */
#define CLI_SAMPLE_TEXT 160
int64_t cli_recording_bad_sample(char text[CLI_SAMPLE_TEXT], const sac_array *samples);

/* A warning for each thing that a recording has and the format of `output`, which it was written
 * to, has no place for. */
void cli_recording_tell_lost(const char *output, const sac_acquisition *acquisition,
                             int64_t n_truth);

#endif
