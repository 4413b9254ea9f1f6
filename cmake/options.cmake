# Flags that every target of the project takes, through saccade_options.
add_library(saccade_options INTERFACE)
target_include_directories(saccade_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_compile_definitions(saccade_options INTERFACE _GNU_SOURCE)
# Products and sums are rounded as written; fma only where a contract names it.
target_compile_options(saccade_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -ffp-contract=off)
if(SACCADE_WERROR)
  target_compile_options(saccade_options INTERFACE -Werror)
endif()
if(SACCADE_SANITIZE)
  target_compile_options(saccade_options INTERFACE
    -fsanitize=${SACCADE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(saccade_options INTERFACE -fsanitize=${SACCADE_SANITIZE})
endif()
