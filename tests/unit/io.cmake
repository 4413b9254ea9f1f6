# Readers and writers of pictures. The libvips tests are there where libvips is.
sac_test(io_pnm unit/test_io_pnm.c)
sac_test(io_files unit/test_io_files.c)
sac_test(io_bmp unit/test_io_bmp.c)
if(TARGET PkgConfig::VIPS)
  sac_test(io_vips unit/test_io_vips.c)
  target_link_libraries(io_vips PRIVATE PkgConfig::VIPS)
else()
  sac_test_left_out(io_vips "this build has no libvips")
endif()
sac_test(io_video unit/test_video.c)
target_link_libraries(io_video PRIVATE m)

# Recordings and images of beamformers. What needs a library skips itself, or is left out where it makes files by it.
sac_test(io_transmits unit/test_transmits.c)
sac_test(io_recording unit/test_recording.c)
sac_test(io_image unit/test_image.c)
# libhdf5 before 1.14.5 leaks where a checksum is wrong.
sac_test(io_recording_damaged unit/test_recording_damaged.c)
set_property(TEST io_recording_damaged PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
if(TARGET PkgConfig::MATIO)
  sac_test(io_recording_mat unit/test_recording_mat.c)
  target_link_libraries(io_recording_mat PRIVATE PkgConfig::MATIO)
else()
  sac_test_left_out(io_recording_mat "this build has no libmatio")
endif()

# Files of frames and of records. libhdf5 leaks where a file is damaged, as above.
sac_test(io_frames unit/test_frames.c)
sac_test(io_records unit/test_records.c)
set_property(TEST io_frames PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
target_link_libraries(io_records PRIVATE m)
foreach(library PkgConfig::HDF5 hdf5::hdf5)
  if(TARGET ${library})
    foreach(test io_frames io_records)
      target_link_libraries(${test} PRIVATE ${library})
      target_compile_definitions(${test} PRIVATE SAC_TEST_HDF5)
    endforeach()
    break()
  endif()
endforeach()

sac_test(io_meltpool_model unit/test_meltpool_model.c)

# Frames over a network. `io_frame_assembler 10000000` gives it so many packets.
sac_test(io_frame_packets unit/test_frame_packets.c)
sac_test(io_frame_assembler unit/test_frame_assembler.c)
sac_test(io_frame_link unit/test_frame_link.c)
