# For AArch64 on another machine, its programs run by qemu-user: Debian's gcc-aarch64-linux-gnu and qemu-user. Libraries
# of AArch64 are looked for in /usr/aarch64-linux-gnu alone; with others, set CMAKE_FIND_ROOT_PATH and PKG_CONFIG_LIBDIR.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
find_program(SAC_AARCH64_CXX aarch64-linux-gnu-g++) # for the headers' tests alone
mark_as_advanced(SAC_AARCH64_CXX)
set(CMAKE_CXX_COMPILER ${SAC_AARCH64_CXX})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
if(NOT CMAKE_FIND_ROOT_PATH)
  set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
if(NOT DEFINED ENV{PKG_CONFIG_LIBDIR})
  set(ENV{PKG_CONFIG_LIBDIR} /usr/aarch64-linux-gnu/lib/pkgconfig)
endif()
