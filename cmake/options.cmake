# Flags that every target of the project takes, through saccade_options.
add_library(saccade_options INTERFACE)
target_include_directories(saccade_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_compile_definitions(saccade_options INTERFACE _GNU_SOURCE SAC_CUDA=${SAC_CUDA})
# Products and sums are rounded as written; fma only where a contract names it. Nothing reads errno after a square root,
# or what traps: without the two, roots and choices become vectors.
target_compile_options(saccade_options INTERFACE $<$<COMPILE_LANGUAGE:C>:
  -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes
  -ffp-contract=off -fno-math-errno -fno-trapping-math>)
# nvcc's own host code is not pedantic.
target_compile_options(saccade_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:
  -fmad=false --compiler-options=-Wall,-Wextra,-Wno-missing-field-initializers,-Wshadow,-ffp-contract=off,-fno-exceptions,-fno-threadsafe-statics>)
if(SACCADE_WERROR)
  target_compile_options(saccade_options INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
if(SACCADE_SANITIZE)
  target_compile_options(saccade_options INTERFACE
    -fsanitize=${SACCADE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(saccade_options INTERFACE -fsanitize=${SACCADE_SANITIZE})
  if(SACCADE_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # From gcc 13 on this is on, and a frame with vectors of 64 bytes is then placed at 32: stores to it fault.
    target_compile_options(saccade_options INTERFACE --param=asan-use-after-return=0)
  endif()
  if(SACCADE_SANITIZE MATCHES "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # That it does not follow fences: those of src/stream order memory between processes, which it does not see either.
    # And gcc 13 sees overflows that are none, where every load is a call.
    target_compile_options(saccade_options INTERFACE -Wno-tsan -Wno-stringop-overflow)
  endif()
endif()
