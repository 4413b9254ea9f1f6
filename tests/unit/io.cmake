# Readers and writers of pictures. The libvips tests are there where libvips is.
sac_test(io_pnm unit/test_io_pnm.c)
sac_test(io_files unit/test_io_files.c)
if(TARGET PkgConfig::VIPS)
  sac_test(io_vips unit/test_io_vips.c)
  target_link_libraries(io_vips PRIVATE PkgConfig::VIPS)
endif()
