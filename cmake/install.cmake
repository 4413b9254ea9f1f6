# What is installed, and in which parts.
include(CMakePackageConfigHelpers)

set(SAC_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/saccade)
set(SAC_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# A build for /usr of Debian: its libraries lie in a folder of the architecture (GNUInstallDirs), as packages want it.
set(SAC_IS_FOR_DEBIAN FALSE)
if(CMAKE_INSTALL_PREFIX MATCHES "^/usr/?$" AND EXISTS /etc/debian_version)
  set(SAC_IS_FOR_DEBIAN TRUE)
endif()

# Parts of what is installed (cmake --install --component), each a package: the shared libraries one by one, since
# what libsaccade-io links to is much; `development`, and `command`.
set(SAC_PARTS saccade saccade_delta saccade_io saccade_ladder)
set(part_of_saccade core)
set(part_of_saccade_delta delta)
set(part_of_saccade_io io)
set(part_of_saccade_ladder ladder)

# Libraries and headers. An installed tree may be moved: everything finds its neighbours relative to itself. The
# command is linked statically to the libraries, and needs none of them.
foreach(library ${SAC_PARTS})
  set_target_properties(${library}_shared PROPERTIES INSTALL_RPATH "\$ORIGIN")
  install(TARGETS ${library}_shared EXPORT saccadeTargets
    LIBRARY COMPONENT ${part_of_${library}} NAMELINK_COMPONENT development)
  install(TARGETS ${library}_static EXPORT saccadeTargets ARCHIVE COMPONENT development)
endforeach()
set_target_properties(saccade_command PROPERTIES EXPORT_NAME command)
install(TARGETS saccade_command EXPORT saccadeCommandTargets RUNTIME COMPONENT command)
install(DIRECTORY include/saccade TYPE INCLUDE COMPONENT development FILES_MATCHING PATTERN "*.h")

# CMake package: find_package(saccade), targets saccade::saccade, saccade::saccade-static, saccade::saccade-io, ...
install(EXPORT saccadeTargets NAMESPACE saccade:: DESTINATION ${SAC_CMAKE_DIR} COMPONENT development)
install(EXPORT saccadeCommandTargets NAMESPACE saccade:: DESTINATION ${SAC_CMAKE_DIR} COMPONENT command)
foreach(PART IO DELTA)
  get_property(SAC_${PART}_FIND GLOBAL PROPERTY SAC_${PART}_FIND)
  list(JOIN SAC_${PART}_FIND "\n" SAC_${PART}_FIND)
  string(REPLACE "\n" "\n  " SAC_${PART}_FIND "${SAC_${PART}_FIND}")
endforeach()
configure_package_config_file(cmake/saccadeConfig.cmake.in ${PROJECT_BINARY_DIR}/saccadeConfig.cmake
  INSTALL_DESTINATION ${SAC_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/saccadeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/saccadeConfig.cmake ${PROJECT_BINARY_DIR}/saccadeConfigVersion.cmake
  DESTINATION ${SAC_CMAKE_DIR} COMPONENT development)

# pkg-config. What a library needs inside itself matters to static linking alone, so it stands in Libs.private: in
# Requires.private it would ask everyone for the development files of libvips.
file(RELATIVE_PATH SAC_PC_PREFIX ${CMAKE_INSTALL_PREFIX}/${SAC_PKGCONFIG_DIR} ${CMAKE_INSTALL_PREFIX})
cmake_path(NORMAL_PATH SAC_PC_PREFIX)
function(sac_pkg_config name description requires private)
  string(JOIN " " private ${private})
  configure_file(cmake/saccade.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${SAC_PKGCONFIG_DIR} COMPONENT development)
endfunction()
set(core_private -lm -pthread -ldl)
if(SAC_CUDA)
  list(APPEND core_private -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt)
endif()
sac_pkg_config(saccade "${PROJECT_DESCRIPTION}" "" "${core_private}")
get_property(io_private GLOBAL PROPERTY SAC_IO_LDFLAGS)
sac_pkg_config(saccade-io "Pictures and recordings from and to files, for saccade" saccade "${io_private};-lm")
get_property(delta_private GLOBAL PROPERTY SAC_DELTA_LDFLAGS)
sac_pkg_config(saccade-delta "Video as packets of what changes, for saccade" saccade "${delta_private}")
sac_pkg_config(saccade-ladder "Every variant of saccade's kernels, checked and timed" saccade "-lm;-pthread")

# The command's manual page and completions, as it writes them itself. Debian's zsh looks for those of packages in
# a folder of its own; any zsh looks in /usr/local/share/zsh/site-functions.
if(NOT CMAKE_CROSSCOMPILING)
  set(written ${PROJECT_BINARY_DIR}/reference)
  file(MAKE_DIRECTORY ${written})
  add_custom_command(OUTPUT ${written}/saccade.1 ${written}/saccade ${written}/_saccade ${written}/saccade.fish
    COMMAND saccade_command reference man > ${written}/saccade.1
    COMMAND saccade_command reference bash > ${written}/saccade
    COMMAND saccade_command reference zsh > ${written}/_saccade
    COMMAND saccade_command reference fish > ${written}/saccade.fish
    DEPENDS saccade_command COMMENT "Manual page and completions" VERBATIM)
  add_custom_target(saccade_reference ALL DEPENDS ${written}/saccade.1)
  set(zsh_folder site-functions)
  if(SAC_IS_FOR_DEBIAN)
    set(zsh_folder vendor-completions)
  endif()
  install(FILES ${written}/saccade.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  install(FILES ${written}/saccade DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
  install(FILES ${written}/_saccade DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder} COMPONENT command)
  install(FILES ${written}/saccade.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
endif()

# Models, and what trains, scores and converts them.
install(FILES models/meltpool-simulated.safetensors models/labelled.py models/meltpool_model.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade/models COMPONENT command)
install(PROGRAMS models/from_onnx.py models/score.py models/train.py DESTINATION ${CMAKE_INSTALL_DATADIR}/saccade/models
  COMPONENT command)

install(FILES README.md CHANGELOG.md TYPE DOC COMPONENT command)
install(FILES LICENSE TYPE DOC RENAME copyright COMPONENT command)
install(DIRECTORY docs TYPE DOC COMPONENT command FILES_MATCHING PATTERN "*.md")

# Where programs find the shared libraries: said, or done, at the end.
configure_file(cmake/after_install.cmake.in ${PROJECT_BINARY_DIR}/after_install.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/after_install.cmake COMPONENT after)

include(cmake/package.cmake)
