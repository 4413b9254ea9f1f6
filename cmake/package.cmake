# Debian packages: cpack in a folder built for /usr (cmake --preset package). A package a library, for a program needs
# no more of them than it is linked to; what programs are built with is libsaccade-dev, the command is saccade.
set(so ${SAC_SOVERSION})
set(package_of_core libsaccade${so})
set(package_of_delta libsaccade-delta${so})
set(package_of_io libsaccade-io${so})
set(package_of_ladder libsaccade-ladder${so})
set(package_of_development libsaccade-dev)
set(about_core "core library: plans that run on the CPU and on NVIDIA GPUs")
set(about_delta "video as packets of what changes")
set(about_io "pictures, recordings, video and frames from and to files")
set(about_ladder "every variant of the kernels, checked and timed")
set(about_development "headers, static libraries, CMake and pkg-config files")
set(about_command "the command, its manual page, completions and documents")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME saccade)
set(CPACK_PACKAGE_CONTACT "saccade developers <saccade@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "real-time imaging")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL core delta io ladder development command)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src) # our own, not installed here yet
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(dev_needs)
foreach(part core delta io ladder)
  string(TOUPPER ${part} PART)
  set(CPACK_DEBIAN_${PART}_PACKAGE_NAME ${package_of_${part}})
  set(CPACK_DEBIAN_${PART}_PACKAGE_SECTION libs)
  if(NOT part STREQUAL "core")
    set(CPACK_DEBIAN_${PART}_PACKAGE_DEPENDS "${package_of_core} (= ${PROJECT_VERSION})")
  endif()
  list(APPEND dev_needs "${package_of_${part}} (= ${PROJECT_VERSION})")
endforeach()
list(JOIN dev_needs ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsaccade-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
  "saccade, libc6-dev, pkg-config, libcjson-dev, libhdf5-dev, liblz4-dev, libmatio-dev, libsodium-dev, libvips-dev, libxxhash-dev, libzstd-dev")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME saccade)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION graphics)

foreach(part ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${part} PART)
  set(CPACK_COMPONENT_${PART}_DESCRIPTION
"${about_${part}}
saccade turns sensor samples into pictures and decisions in real time.")
  if(package_of_${part}) # the command's lies with its documents
    install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_of_${part}} RENAME copyright
      COMPONENT ${part} EXCLUDE_FROM_ALL)
  endif()
endforeach()

set(CPACK_SAC_IS_FOR_DEBIAN ${SAC_IS_FOR_DEBIAN})
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_check.cmake)
include(CPack)
