# Formats and kernels here are little-endian.
if(CMAKE_C_BYTE_ORDER STREQUAL "BIG_ENDIAN")
  message(FATAL_ERROR "saccade needs a little-endian processor, and ${CMAKE_SYSTEM_PROCESSOR} is big-endian")
endif()
