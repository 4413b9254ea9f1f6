/*
 * saccade convert: ultrasound channel data from one file format into another.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "outputs.h"
#include "recordings.h"

typedef struct convert_options {
    size_t struct_size;
    cli_recording_options recording;
} convert_options;

#define FIELD(name) offsetof(convert_options, name)

static const sac_param params[] = {CLI_ROWS_RECORDING};

static const sac_param_table own_options = CLI_TABLE("convert", convert_options, params);

static void print_summary(const sac_recording *recording, const char *output)
{
    const sac_array s = sac_recording_get_array(recording);
    printf("%s: %" PRId64 " frame%s, %" PRId64 " transmit%s, %" PRId64 " element%s, %" PRId64
           " samples of %s\n",
           output, s.shape[0], cli_s(s.shape[0]), s.shape[1], cli_s(s.shape[1]), s.shape[2],
           cli_s(s.shape[2]), s.shape[3], sac_dtype_name(s.dtype));
}

static int convert(const char *input, const char *output, const sac_recording_desc *desc)
{
    sac_error err = {0};
    sac_recording *recording = NULL;
    int status = cli_recording_read(&recording, input, desc);
    if (status != CLI_DONE) {
        return status;
    }
    const sac_array samples = sac_recording_get_array(recording);
    int64_t n_truth = 0;
    const sac_scatterer *truth = sac_recording_get_truth(recording, &n_truth);
    if (sac_recording_write(output, &samples, sac_recording_get_acquisition(recording), truth,
                            n_truth, &err) == SAC_OK) {
        char where[CLI_SAMPLE_TEXT];
        if (cli_recording_bad_sample(where, &samples) >= 0) {
            cli_warn("`%s`: samples: %s: saccade beamform refuses these", input, where);
        }
        cli_recording_tell_lost(output, sac_recording_get_acquisition(recording), n_truth);
        print_summary(recording, output);
    } else {
        status = cli_error(&err);
    }
    sac_recording_close(&recording);
    return status;
}

static int run(int argc, char **argv)
{
    convert_options options;
    sac_recording_desc desc;
    sac_error err = {0};
    int status = cli_parse(&cli_convert, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (argc != 2) {
        return cli_misuse(&cli_convert, "expected IN and OUT, got %d operand%s", argc, cli_s(argc));
    }
    const char *const read[] = {argv[0]}, *const written[] = {argv[1]};
    status = cli_recording_parse(&desc, &cli_convert, &options.recording);
    status = status ? status : cli_inputs_kept(&cli_convert, read, 1, written, 1);
    if (status == CLI_DONE && sac_recording_can_write(argv[1], &err) != SAC_OK) {
        status = cli_error(&err);
    }
    return status ? status : convert(argv[0], argv[1], &desc);
}

static const char *const examples[] = {
    "channel data of MUST for USTB",
    "saccade convert PWI_disk.mat disk.uff",
    "a Verasonics workspace, with all that beamform needs, as HDF5",
    "saccade convert workspace.mat workspace.h5",
    "ten frames as samples that NumPy reads, and metadata in frames.json",
    "saccade convert recording.uff frames.npy --frames 0:10",
    NULL};

const cli_command cli_convert = {
    .name = "convert",
    .summary = "ultrasound channel data from one file format into another",
    .usage = "IN OUT [OPTION]...",
    .about =
        "Reads channel data as saccade beamform does and writes it, with its metadata, in the\n"
        "format of OUT's ending: .h5 (saccade's schema), .uff (USTB) or .npy with a .json of the\n"
        "same name. IN is MAT of MUST or PyMUST, a Verasonics workspace, UFF, HDF5 of PICMUS, zea\n"
        "or saccade, or NPY (docs/formats.md). Options override IN's metadata. What the new\n"
        "format has no place for is named in a warning.",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
};
