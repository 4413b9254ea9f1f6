# Each file test_NAME.py is a test, python_NAME.
file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/test_*.py)
foreach(test ${tests})
  get_filename_component(name ${test} NAME_WE)
  string(REPLACE test_ python_ name ${name})
  if(SAC_PYTHON_WHY)
    sac_test_left_out(${name} "${SAC_PYTHON_WHY}")
  else()
    add_test(NAME ${name} COMMAND ${SAC_PYTHON} ${test})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 ENVIRONMENT
      "PYTHONPATH=${CMAKE_CURRENT_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1;SACCADE=$<TARGET_FILE:saccade_command>")
  endif()
  set_property(TEST ${name} APPEND PROPERTY LABELS python)
endforeach()
