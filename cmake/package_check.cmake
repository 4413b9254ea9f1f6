# What cpack reads first: libraries of a package lie in Debian's folder for the architecture.
if(CPACK_GENERATOR STREQUAL "DEB" AND NOT CPACK_SAC_IS_FOR_DEBIAN)
  message(FATAL_ERROR "packages are made on Debian or Ubuntu of a build for /usr: cmake --preset package && "
          "cmake --build --preset package, then cpack in build/package")
endif()
