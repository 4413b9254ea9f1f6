# CUDA: looked for, set up, or left out. Sets SAC_CUDA and, where that is on, enables the language and finds the
# runtime, which is linked statically: a build with CUDA starts on a machine without a driver.
set(SACCADE_CUDA AUTO CACHE STRING "GPUs through CUDA: AUTO, ON or OFF")
set_property(CACHE SACCADE_CUDA PROPERTY STRINGS AUTO ON OFF)
# PTX is for chips that came later than any listed here, which the driver then compiles for. It is that of 9.0,
# because that of 12.0 would leave out 10.x and 11.0, and that of 7.5 would take the slower branches on all of them.
set(SACCADE_CUDA_ARCHITECTURES "75-real;80-real;86-real;87-real;89-real;90;120-real" CACHE STRING
    "GPUs to compile for, as CMAKE_CUDA_ARCHITECTURES takes them (90-real, native, ...)")

set(SAC_CUDA 0)
# The host sanitizers know nothing of device memory, and an nvcc found here compiles for this machine.
if(SACCADE_CUDA STREQUAL "OFF" OR (SACCADE_CUDA STREQUAL "AUTO" AND (SACCADE_SANITIZE OR CMAKE_CROSSCOMPILING)))
  return()
endif()

# /usr/local/cuda is seldom on the PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(SAC_NVCC nvcc HINTS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(SAC_NVCC)
  if(SAC_NVCC)
    set(ENV{CUDACXX} ${SAC_NVCC})
  endif()
endif()
set(CMAKE_CUDA_ARCHITECTURES ${SACCADE_CUDA_ARCHITECTURES})
set(ENV{CUDAARCHS} "${SACCADE_CUDA_ARCHITECTURES}") # what check_language asks nvcc to compile for
if(NOT CMAKE_CUDA_COMPILER)
  unset(CMAKE_CUDA_COMPILER CACHE) # a search that found nothing is not the last
endif()
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  find_package(CUDAToolkit 12)
endif()
if(NOT CMAKE_CUDA_COMPILER OR NOT CUDAToolkit_FOUND)
  if(SACCADE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SACCADE_CUDA is ON, but no nvcc of CUDA 12 or later was found that compiles for ${SACCADE_CUDA_ARCHITECTURES}: "
            "set CUDACXX or SACCADE_CUDA_ARCHITECTURES; it needs g++, too")
  endif()
  message(STATUS "No nvcc of CUDA 12 or later that compiles for ${SACCADE_CUDA_ARCHITECTURES}: CUDA is left out")
  return()
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
# The runtime is linked by name, and nothing of C++: a .cu file is C but for its kernels.
set(CMAKE_CUDA_RUNTIME_LIBRARY None)
set(CMAKE_CUDA_IMPLICIT_LINK_LIBRARIES "")
set(SAC_CUDA 1)
