# The folders of src/. Each is compiled by itself and sees only those below it: under build/sees/<folder>/ lie links to
# them, and that is where its includes are searched. An include upwards does not compile.
#
#   sac_folder(<folder> [<folder it sees>...])   what is in src/<folder>
#   sac_sources(<library> <files>)               in its CMakeLists.txt: files that go into core, delta, io or ladder
#
# SAC_FOLDER is the folder whose CMakeLists.txt is read; the target saccade_<folder>_<library> has its files.
macro(sac_folder folder)
  set(SAC_FOLDER ${folder})
  set(SAC_SEES ${PROJECT_BINARY_DIR}/sees/${folder})
  file(REMOVE_RECURSE ${SAC_SEES})
  file(MAKE_DIRECTORY ${SAC_SEES})
  foreach(seen ${folder} ${ARGN})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${seen} ${SAC_SEES}/${seen} SYMBOLIC)
  endforeach()
  add_subdirectory(${folder})
endmacro()

# sac_objects(<target> <library>): what is compiled by itself for a library: a folder's files, or a file once more.
function(sac_objects target library)
  add_library(${target} OBJECT)
  target_link_libraries(${target} PRIVATE saccade_options Threads::Threads)
  target_include_directories(${target} PRIVATE ${SAC_SEES})
  if(SAC_CUDA)
    target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  endif()
  set_property(GLOBAL APPEND PROPERTY SAC_OBJECTS_OF_${library} $<TARGET_OBJECTS:${target}>)
endfunction()

function(sac_sources library)
  set(target saccade_${SAC_FOLDER}_${library})
  if(ARGN AND NOT TARGET ${target})
    sac_objects(${target} ${library})
  endif()
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  if(ARGN)
    target_sources(${target} PRIVATE ${ARGN})
  endif()
endfunction()
