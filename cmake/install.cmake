# What is installed, and the .deb (run cpack in the build folder).
include(CMakePackageConfigHelpers)

set(SAC_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/saccade)
set(SAC_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Libraries and headers. An installed tree may be moved: everything finds its neighbours relative to itself.
set(libraries)
foreach(part saccade saccade_delta saccade_io saccade_ladder)
  list(APPEND libraries ${part}_shared ${part}_static)
  set_target_properties(${part}_shared PROPERTIES INSTALL_RPATH "\$ORIGIN")
endforeach()
install(TARGETS ${libraries} saccade_command EXPORT saccadeTargets)
install(DIRECTORY include/saccade TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

# CMake package: find_package(saccade), targets saccade::saccade, saccade::saccade-static, saccade::saccade-io, ...
install(EXPORT saccadeTargets NAMESPACE saccade:: DESTINATION ${SAC_CMAKE_DIR})
get_property(SAC_IO_FIND GLOBAL PROPERTY SAC_IO_FIND)
get_property(delta_find GLOBAL PROPERTY SAC_DELTA_FIND)
list(APPEND SAC_IO_FIND ${delta_find})
list(JOIN SAC_IO_FIND "\n" SAC_IO_FIND)
configure_package_config_file(cmake/saccadeConfig.cmake.in ${PROJECT_BINARY_DIR}/saccadeConfig.cmake
  INSTALL_DESTINATION ${SAC_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/saccadeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/saccadeConfig.cmake ${PROJECT_BINARY_DIR}/saccadeConfigVersion.cmake
  DESTINATION ${SAC_CMAKE_DIR})

# pkg-config. What a library needs inside itself matters to static linking alone, so it stands in Libs.private: in
# Requires.private it would ask everyone for the development files of libvips.
file(RELATIVE_PATH SAC_PC_PREFIX ${CMAKE_INSTALL_PREFIX}/${SAC_PKGCONFIG_DIR} ${CMAKE_INSTALL_PREFIX})
cmake_path(NORMAL_PATH SAC_PC_PREFIX)
function(sac_pkg_config name description requires private)
  string(JOIN " " private ${private})
  configure_file(cmake/saccade.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${SAC_PKGCONFIG_DIR})
endfunction()
set(core_private -lm -pthread)
if(SAC_CUDA)
  list(APPEND core_private -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt)
endif()
sac_pkg_config(saccade "${PROJECT_DESCRIPTION}" "" "${core_private}")
get_property(io_private GLOBAL PROPERTY SAC_IO_LDFLAGS)
sac_pkg_config(saccade-io "Pictures and recordings from and to files, for saccade" saccade "${io_private};-lm")
get_property(delta_private GLOBAL PROPERTY SAC_DELTA_LDFLAGS)
sac_pkg_config(saccade-delta "Video as packets of what changes, for saccade" saccade "${delta_private}")
sac_pkg_config(saccade-ladder "Every variant of saccade's kernels, checked and timed" saccade "-lm;-pthread")

# The command's manual page and completion, as it writes them itself.
if(NOT CMAKE_CROSSCOMPILING)
  set(man ${PROJECT_BINARY_DIR}/saccade.1)
  set(completion ${PROJECT_BINARY_DIR}/completions/saccade)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completions)
  add_custom_command(OUTPUT ${man} ${completion}
    COMMAND saccade_command reference man > ${man}
    COMMAND saccade_command reference bash > ${completion}
    DEPENDS saccade_command COMMENT "Manual page and bash completion" VERBATIM)
  add_custom_target(saccade_reference ALL DEPENDS ${man} ${completion})
  install(FILES ${man} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()

# Models, and what trains, scores and converts them.
install(FILES models/meltpool-simulated.safetensors models/labelled.py models/meltpool_model.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade/models)
install(PROGRAMS models/from_onnx.py models/score.py models/train.py DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade/models)

install(FILES README.md CHANGELOG.md TYPE DOC)
install(FILES LICENSE TYPE DOC RENAME copyright)
install(DIRECTORY docs TYPE DOC FILES_MATCHING PATTERN "*.md")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME saccade)
set(CPACK_PACKAGE_CONTACT "saccade developers <saccade@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "real-time imaging: library and command")
set(CPACK_PACKAGE_DESCRIPTION
"saccade turns sensor samples into pictures and decisions in real time.
This package has the command, the libraries (shared and static), the headers
and the documentation.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libc6-dev, pkg-config, libcjson-dev, libhdf5-dev, liblz4-dev, libmatio-dev, libsodium-dev, libvips-dev, libxxhash-dev, libzstd-dev")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
