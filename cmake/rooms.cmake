# How a kernel room is built. In src/kernels/<room>/CMakeLists.txt:
#
#   sac_room(<room>
#     SOURCES <files>      the table, the reference, plain C
#     AUTO    <file>...    <room>_<name>.c, whose one entry point is sac_<room>_<name>: built again as
#                          sac_<room>_auto_v3 and _auto_v4, the same C at -O3 for x86-64-v3 and -v4
#     AVX2    <files>      built for x86-64-v3
#     V4      <files>      built for x86-64-v4: variants that need SAC_CPU_V4 alone
#     AVX512  <files>      built for x86-64-v4 with VBMI, VBMI2 and VNNI
#     LADDER  <files>      rungs that never ship, for libsaccade-ladder
#     LADDER_AVX512 <files>  the same, built as AVX512
#     CUDA    <files>      .cu: in a build with CUDA (SAC_CUDA is 1) only
#     LADDER_CUDA <files>  the same, for libsaccade-ladder
#     CHECK   <file>)      what the harness asks, for libsaccade-ladder
#
# Baseline files never get an ISA flag, and a SIMD file has one symbol: its entry point.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(SAC_X86 TRUE)
else()
  set(SAC_X86 FALSE)
endif()

set(SAC_FLAGS_V3 -march=x86-64-v3)
set(SAC_FLAGS_V4 -march=x86-64-v4 -mprefer-vector-width=512)
set(SAC_FLAGS_AVX512 -march=x86-64-v4 -mavx512vbmi -mavx512vbmi2 -mavx512vnni -mprefer-vector-width=512)

function(sac_auto room file level)
  cmake_path(GET file STEM stem)
  set(target ${stem}_auto_${level})
  add_library(${target} OBJECT ${file})
  target_link_libraries(${target} PRIVATE saccade_options)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  string(TOUPPER ${level} LEVEL)
  target_compile_options(${target} PRIVATE -O3 ${SAC_FLAGS_${LEVEL}})
  target_compile_definitions(${target} PRIVATE sac_${stem}=sac_${room}_auto_${level})
  set_property(GLOBAL APPEND PROPERTY SAC_saccade_OBJECTS $<TARGET_OBJECTS:${target}>)
endfunction()

function(sac_room room)
  cmake_parse_arguments(ROOM "" "" "SOURCES;AUTO;AVX2;V4;AVX512;LADDER;LADDER_AVX512;CUDA;LADDER_CUDA;CHECK" ${ARGN})
  foreach(list SOURCES AUTO AVX2 V4 AVX512 LADDER LADDER_AVX512 CUDA LADDER_CUDA CHECK)
    list(TRANSFORM ROOM_${list} PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  endforeach()
  target_sources(saccade_objects PRIVATE ${ROOM_SOURCES} ${ROOM_AUTO})
  target_sources(saccade_ladder_objects PRIVATE ${ROOM_LADDER} ${ROOM_CHECK})
  if(SAC_CUDA)
    target_sources(saccade_objects PRIVATE ${ROOM_CUDA})
    target_sources(saccade_ladder_objects PRIVATE ${ROOM_LADDER_CUDA})
  endif()
  if(SAC_X86)
    foreach(file ${ROOM_AUTO})
      sac_auto(${room} ${file} v3)
      sac_auto(${room} ${file} v4)
    endforeach()
    target_sources(saccade_objects PRIVATE ${ROOM_AVX2} ${ROOM_V4} ${ROOM_AVX512})
    target_sources(saccade_ladder_objects PRIVATE ${ROOM_LADDER_AVX512})
    set_source_files_properties(${ROOM_LADDER_AVX512} TARGET_DIRECTORY saccade_ladder_objects
      PROPERTIES COMPILE_OPTIONS "${SAC_FLAGS_AVX512}")
    set_source_files_properties(${ROOM_AVX2} TARGET_DIRECTORY saccade_objects
      PROPERTIES COMPILE_OPTIONS "${SAC_FLAGS_V3}")
    set_source_files_properties(${ROOM_V4} TARGET_DIRECTORY saccade_objects
      PROPERTIES COMPILE_OPTIONS "${SAC_FLAGS_V4}")
    set_source_files_properties(${ROOM_AVX512} TARGET_DIRECTORY saccade_objects
      PROPERTIES COMPILE_OPTIONS "${SAC_FLAGS_AVX512}")
  endif()
endfunction()
