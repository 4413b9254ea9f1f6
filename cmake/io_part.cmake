# Optional libraries of libsaccade-io, libsaccade-delta and the command.
#
#   sac_io_part(<PREFIX> <name> <pkg-config names>
#     DEBIAN  <package>  that has it
#     SOURCES <files>    what uses it
#     NONE    <file>     what says that it is missing
#     ALL                all of those names are needed, not one of them
#     OF      <part>     delta, for libsaccade-delta, or command; io where it is left out
#     LOADED             when it is first needed: only its headers are used here, and nobody links it
#     PACKAGE <target>   of find_package(<PREFIX>), where pkg-config does not know it
#     TSAN_OFF)          AUTO leaves it out of a build with ThreadSanitizer, which does not see its locks
#
# The option SACCADE_<PREFIX> is AUTO, ON or OFF. Global properties gather what was found: SAC_IO_LIBRARIES (targets),
# SAC_IO_PARTS (names and versions), SAC_IO_LDFLAGS (for pkg-config) and SAC_IO_FIND (for saccadeConfig.cmake);
# with OF delta, SAC_DELTA_LIBRARIES and so on.
function(sac_part_sources library)
  if(library STREQUAL "command")
    target_sources(saccade_command PRIVATE ${ARGN})
  else()
    sac_sources(${library} ${ARGN})
  endif()
endfunction()

function(sac_io_part prefix name modules)
  cmake_parse_arguments(PART "ALL;LOADED;TSAN_OFF" "DEBIAN;NONE;OF;PACKAGE" "SOURCES" ${ARGN})
  if(NOT PART_OF)
    set(PART_OF io)
  endif()
  set(library ${PART_OF})
  set(user saccade_${SAC_FOLDER}_${library})
  if(library STREQUAL "command")
    set(user saccade_command)
  endif()
  string(TOUPPER ${PART_OF} PART_OF)
  set(option ${SACCADE_${prefix}})
  if(NOT option MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "SACCADE_${prefix} is `${option}`; expected AUTO, ON or OFF")
  endif()
  if(option STREQUAL "OFF")
    set(why "SACCADE_${prefix} is OFF")
  elseif(option STREQUAL "AUTO" AND PART_TSAN_OFF AND SACCADE_SANITIZE MATCHES "thread")
    set(why "ThreadSanitizer does not see its locks")
  else()
    set(search pkg_search_module)
    set(or " or ")
    if(PART_ALL)
      set(search pkg_check_modules)
      set(or " and ")
    endif()
    list(JOIN modules "${or}" why)
    set(why "pkg-config does not find ${why}")
    set(target PkgConfig::${prefix})
    if(PkgConfig_FOUND)
      cmake_language(CALL ${search} ${prefix} QUIET IMPORTED_TARGET GLOBAL ${modules})
    endif()
    set(flags ${${prefix}_LDFLAGS})
    list(JOIN modules " " find)
    set(find "if(PkgConfig_FOUND)\n  ${search}(${prefix} QUIET IMPORTED_TARGET ${find})\nendif()")
    if(NOT TARGET ${target} AND PART_PACKAGE AND NOT CMAKE_CROSSCOMPILING) # h5cc here tells of this machine's
      set(target ${PART_PACKAGE})
      find_package(${prefix} QUIET GLOBAL COMPONENTS C)
      set(flags ${${prefix}_C_LIBRARIES})
      set(find "find_package(${prefix} QUIET COMPONENTS C)")
    endif()
  endif()

  if(target AND TARGET ${target})
    list(GET modules 0 first)
    string(REGEX REPLACE "[<>=].*" "" first ${first})
    set(version ${${prefix}_VERSION}${${prefix}_${first}_VERSION}) # the second where several are needed
    message(STATUS "${name} ${version}")
    sac_part_sources(${library} ${PART_SOURCES})
    set_property(GLOBAL APPEND PROPERTY SAC_${PART_OF}_PARTS "${name} ${version}")
    if(PART_LOADED)
      target_include_directories(${user} SYSTEM PRIVATE ${${prefix}_INCLUDE_DIRS})
      set_property(GLOBAL APPEND PROPERTY SAC_${PART_OF}_LIBRARIES ${CMAKE_DL_LIBS})
      return()
    endif()
    target_link_libraries(${user} PRIVATE ${target})
    set_property(GLOBAL APPEND PROPERTY SAC_${PART_OF}_LIBRARIES ${target})
    set_property(GLOBAL APPEND PROPERTY SAC_${PART_OF}_LDFLAGS ${flags})
    set_property(GLOBAL APPEND PROPERTY SAC_${PART_OF}_FIND ${find})
  elseif(option STREQUAL "ON")
    message(FATAL_ERROR "SACCADE_${prefix} is ON, but ${why} (Debian and Ubuntu: ${PART_DEBIAN})")
  else()
    message(STATUS "${name} is left out: ${why}")
    sac_part_sources(${library} ${PART_NONE})
  endif()
endfunction()
