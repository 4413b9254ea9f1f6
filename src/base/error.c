/*
 * Status names, error text, log lines, build information.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/struct.h"
#include "build_info.h"

#define STRING(x) #x
#define VALUE(x) STRING(x)

const char *sac_status_name(sac_status status)
{
    switch (status) {
    case SAC_OK:
        return "SAC_OK";
    case SAC_AGAIN:
        return "SAC_AGAIN";
    case SAC_END:
        return "SAC_END";
    case SAC_CANCELLED:
        return "SAC_CANCELLED";
    case SAC_E_INVALID:
        return "SAC_E_INVALID";
    case SAC_E_SHAPE:
        return "SAC_E_SHAPE";
    case SAC_E_FORMAT:
        return "SAC_E_FORMAT";
    case SAC_E_NOMEM:
        return "SAC_E_NOMEM";
    case SAC_E_DEVICE:
        return "SAC_E_DEVICE";
    case SAC_E_UNSUPPORTED:
        return "SAC_E_UNSUPPORTED";
    case SAC_E_IO:
        return "SAC_E_IO";
    }
    return "not a status";
}

void sac_build_info(sac_build *build)
{
#if defined(__clang__)
    const char *compiler = "clang " __clang_version__;
#else
    const char *compiler = "gcc " __VERSION__;
#endif
    sac_struct_give(build, &(sac_build){
                               .struct_size = sizeof(sac_build),
                               .version = VALUE(SAC_VERSION_MAJOR) "." VALUE(
                                   SAC_VERSION_MINOR) "." VALUE(SAC_VERSION_PATCH),
                               .commit = SAC_BUILD_COMMIT,
                               .compiler = compiler,
                               .options = SAC_BUILD_OPTIONS,
                           });
}

/* One line for a terminal, whatever a damaged file put into the words that are quoted. */
static void make_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

sac_status(sac_fail)(sac_error *err, sac_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        make_one_line(err->text);
    }
    return status;
}

void sac_log_line(const sac_log *log, sac_log_level level, const char *format, ...)
{
    if (!log || !log->write)
        return;
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    log->write(log->ctx, level, line);
}
