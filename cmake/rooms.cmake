# How a kernel room is built. In src/<pipeline>/kernels/<room>/CMakeLists.txt:
#
#   sac_room(<room>
#     SOURCES <files>      the table, the reference, plain C
#     AUTO    <file>...    <room>_<name>.c, whose one entry point is sac_<room>_<name>: built again as
#                          sac_<room>_auto_v3 and _auto_v4, the same C at -O3 for x86-64-v3 and -v4
#     SIMD    <file>...    <room>_simd.c, written with src/simd, whose one entry point is sac_<room>_simd: built as
#                          sac_<room>_avx2, _avx512 and _neon, but for a set that has a file of its own in the lists
#                          below: <room>_avx512.c
#     NEON    <files>      built on AArch64 alone
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
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(SAC_ARM TRUE)
else()
  set(SAC_ARM FALSE)
endif()

set(SAC_FLAGS_V3 -march=x86-64-v3)
set(SAC_FLAGS_V4 -march=x86-64-v4 -mprefer-vector-width=512)
set(SAC_FLAGS_AVX512 -march=x86-64-v4 -mavx512vbmi -mavx512vbmi2 -mavx512vnni -mprefer-vector-width=512)
if(SACCADE_SANITIZE) # beyond -O1, checks in vector code take minutes to compile
  foreach(set V3 V4 AVX512)
    list(APPEND SAC_FLAGS_${set} -O1)
  endforeach()
endif()

# A room without a line in rooms.def would be built, and neither checked nor timed.
file(STRINGS ${PROJECT_SOURCE_DIR}/src/room/rooms.def SAC_ROOM_LINES REGEX "^SAC_ROOM\\(")
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${PROJECT_SOURCE_DIR}/src/room/rooms.def)

# sac_again(<file> <set> <entry point> <flag>...): a file once more, for a set of instructions, its entry point renamed.
function(sac_again file set entry)
  cmake_path(GET file STEM stem)
  set(target ${stem}_${set})
  sac_objects(${target} core)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  target_compile_options(${target} PRIVATE -O3 ${ARGN})
  target_compile_definitions(${target} PRIVATE sac_${stem}=${entry})
endfunction()

# sac_simd(<room> <file> <set> <flags> <file of its own>...)
function(sac_simd room file set flags)
  if(NOT "${room}_${set}.c" IN_LIST ARGN)
    sac_again(${file} ${set} sac_${room}_${set} ${flags})
  endif()
endfunction()

# sac_simd_sources(<library> <flags> <files>)
function(sac_simd_sources library flags)
  if(ARGN)
    sac_sources(${library} ${ARGN})
    set_source_files_properties(${ARGN} TARGET_DIRECTORY saccade_${SAC_FOLDER}_${library}
      PROPERTIES COMPILE_OPTIONS "${flags}")
  endif()
endfunction()

function(sac_room room)
  cmake_parse_arguments(ROOM "" "" "SOURCES;AUTO;SIMD;NEON;AVX2;V4;AVX512;LADDER;LADDER_AVX512;CUDA;LADDER_CUDA;CHECK" ${ARGN})
  if(NOT "${SAC_ROOM_LINES}" MATCHES ", *${room}\\)")
    message(FATAL_ERROR "${room}: src/room/rooms.def has no line SAC_ROOM(<pipeline>, ${room}), so nothing would check it")
  endif()
  sac_sources(core ${ROOM_SOURCES} ${ROOM_AUTO})
  sac_sources(ladder ${ROOM_LADDER} ${ROOM_CHECK})
  if(SAC_CUDA)
    sac_sources(core ${ROOM_CUDA})
    sac_sources(ladder ${ROOM_LADDER_CUDA})
  endif()
  if(SAC_X86)
    foreach(file ${ROOM_AUTO})
      sac_again(${file} auto_v3 sac_${room}_auto_v3 ${SAC_FLAGS_V3})
      sac_again(${file} auto_v4 sac_${room}_auto_v4 ${SAC_FLAGS_V4})
    endforeach()
    foreach(file ${ROOM_SIMD})
      sac_simd(${room} ${file} avx2 "${SAC_FLAGS_V3}" ${ROOM_AVX2})
      sac_simd(${room} ${file} avx512 "${SAC_FLAGS_AVX512}" ${ROOM_AVX512} ${ROOM_V4})
    endforeach()
    sac_simd_sources(core "${SAC_FLAGS_V3}" ${ROOM_AVX2})
    sac_simd_sources(core "${SAC_FLAGS_V4}" ${ROOM_V4})
    sac_simd_sources(core "${SAC_FLAGS_AVX512}" ${ROOM_AVX512})
    sac_simd_sources(ladder "${SAC_FLAGS_AVX512}" ${ROOM_LADDER_AVX512})
  elseif(SAC_ARM)
    sac_sources(core ${ROOM_NEON})
    foreach(file ${ROOM_SIMD})
      sac_simd(${room} ${file} neon "" ${ROOM_NEON})
    endforeach()
  endif()
endfunction()
