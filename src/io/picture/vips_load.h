/*
 * libvips' functions. It is loaded when the first picture needs it: it brings a hundred libraries,
 * which would take most of the time in which the command starts.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_PICTURE_VIPS_LOAD_H
#define SAC_IO_PICTURE_VIPS_LOAD_H

#include <stdbool.h>

#include <vips/vips.h>

/* Those that are called here, also by macros of its headers. */
/* clang-format off */
#define SAC_VIPS_FUNCTIONS(X) \
    X(g_free) X(g_log) X(g_log_set_handler) X(g_object_unref) X(g_signal_connect_data) \
    X(g_type_check_instance_cast) X(vips_band_format_get_type) X(vips_colourspace) \
    X(vips_enum_nick) X(vips_error) X(vips_error_buffer_copy) X(vips_error_clear) \
    X(vips_foreign_find_save_buffer) X(vips_foreign_find_save_target) X(vips_gifload_source) \
    X(vips_heifload_source) X(vips_image_get_int) X(vips_image_get_typeof) \
    X(vips_image_guess_interpretation) X(vips_image_init_fields) X(vips_image_invalidate_all) \
    X(vips_image_map) X(vips_image_new) X(vips_image_new_from_memory) X(vips_image_remove) \
    X(vips_image_set) X(vips_image_set_int) X(vips_image_write) X(vips_image_write_to_buffer) \
    X(vips_image_write_to_target) X(vips_init) X(vips_jp2kload_source) X(vips_jpegload_source) \
    X(vips_jxlload_source) X(vips_pngload_source) X(vips_source_new_from_descriptor) \
    X(vips_source_new_from_memory) X(vips_target_custom_new) X(vips_target_get_type) \
    X(vips_tiffload_source) X(vips_version) X(vips_webpload_source)
/* clang-format on */

#define SAC_VIPS_SLOT(function) __typeof__(&function) function;
typedef struct sac_vips_functions {
    SAC_VIPS_FUNCTIONS(SAC_VIPS_SLOT)
} sac_vips_functions;

/* Valid once sac_vips_load has returned true. */
extern sac_vips_functions sac_vips;

/* False where libvips is not installed. */
bool sac_vips_load(void);

/* The same names, by the table; vips_load.c looks them up. */
#ifndef SAC_VIPS_LOAD
#undef g_free
#define g_free sac_vips.g_free
#undef g_log
#define g_log sac_vips.g_log
#undef g_log_set_handler
#define g_log_set_handler sac_vips.g_log_set_handler
#undef g_object_unref
#define g_object_unref sac_vips.g_object_unref
#undef g_signal_connect_data
#define g_signal_connect_data sac_vips.g_signal_connect_data
#undef g_type_check_instance_cast
#define g_type_check_instance_cast sac_vips.g_type_check_instance_cast
#undef vips_band_format_get_type
#define vips_band_format_get_type sac_vips.vips_band_format_get_type
#undef vips_colourspace
#define vips_colourspace sac_vips.vips_colourspace
#undef vips_enum_nick
#define vips_enum_nick sac_vips.vips_enum_nick
#undef vips_error
#define vips_error sac_vips.vips_error
#undef vips_error_buffer_copy
#define vips_error_buffer_copy sac_vips.vips_error_buffer_copy
#undef vips_error_clear
#define vips_error_clear sac_vips.vips_error_clear
#undef vips_foreign_find_save_buffer
#define vips_foreign_find_save_buffer sac_vips.vips_foreign_find_save_buffer
#undef vips_foreign_find_save_target
#define vips_foreign_find_save_target sac_vips.vips_foreign_find_save_target
#undef vips_gifload_source
#define vips_gifload_source sac_vips.vips_gifload_source
#undef vips_heifload_source
#define vips_heifload_source sac_vips.vips_heifload_source
#undef vips_image_get_int
#define vips_image_get_int sac_vips.vips_image_get_int
#undef vips_image_get_typeof
#define vips_image_get_typeof sac_vips.vips_image_get_typeof
#undef vips_image_guess_interpretation
#define vips_image_guess_interpretation sac_vips.vips_image_guess_interpretation
#undef vips_image_init_fields
#define vips_image_init_fields sac_vips.vips_image_init_fields
#undef vips_image_invalidate_all
#define vips_image_invalidate_all sac_vips.vips_image_invalidate_all
#undef vips_image_map
#define vips_image_map sac_vips.vips_image_map
#undef vips_image_new
#define vips_image_new sac_vips.vips_image_new
#undef vips_image_new_from_memory
#define vips_image_new_from_memory sac_vips.vips_image_new_from_memory
#undef vips_image_remove
#define vips_image_remove sac_vips.vips_image_remove
#undef vips_image_set
#define vips_image_set sac_vips.vips_image_set
#undef vips_image_set_int
#define vips_image_set_int sac_vips.vips_image_set_int
#undef vips_image_write
#define vips_image_write sac_vips.vips_image_write
#undef vips_image_write_to_buffer
#define vips_image_write_to_buffer sac_vips.vips_image_write_to_buffer
#undef vips_image_write_to_target
#define vips_image_write_to_target sac_vips.vips_image_write_to_target
#undef vips_init
#define vips_init sac_vips.vips_init
#undef vips_jp2kload_source
#define vips_jp2kload_source sac_vips.vips_jp2kload_source
#undef vips_jpegload_source
#define vips_jpegload_source sac_vips.vips_jpegload_source
#undef vips_jxlload_source
#define vips_jxlload_source sac_vips.vips_jxlload_source
#undef vips_pngload_source
#define vips_pngload_source sac_vips.vips_pngload_source
#undef vips_source_new_from_descriptor
#define vips_source_new_from_descriptor sac_vips.vips_source_new_from_descriptor
#undef vips_source_new_from_memory
#define vips_source_new_from_memory sac_vips.vips_source_new_from_memory
#undef vips_target_custom_new
#define vips_target_custom_new sac_vips.vips_target_custom_new
#undef vips_target_get_type
#define vips_target_get_type sac_vips.vips_target_get_type
#undef vips_tiffload_source
#define vips_tiffload_source sac_vips.vips_tiffload_source
#undef vips_version
#define vips_version sac_vips.vips_version
#undef vips_webpload_source
#define vips_webpload_source sac_vips.vips_webpload_source
#endif
#endif
