# graspd_folder(<name> [FOLDERS <ours>...] [LIBRARIES <outside>...])
#
# src/<name>/*.cpp becomes the library graspd_<name>; src/<name>/*_test.cpp becomes <name>_test.
add_library(graspd_pch INTERFACE)
target_precompile_headers(graspd_pch INTERFACE
  <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <set>
  <span> <string> <string_view> <utility> <variant> <vector>)

function(graspd_folder name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/main\\.cpp$")
  list(TRANSFORM ARG_FOLDERS PREPEND graspd_)

  set(scope PUBLIC)
  if(sources)
    add_library(graspd_${name} STATIC ${sources})
    target_link_libraries(graspd_${name} PRIVATE graspd_pch)
  else()
    add_library(graspd_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(graspd_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(graspd_${name} ${scope} ${ARG_FOLDERS} ${ARG_LIBRARIES} Threads::Threads)

  if(GRASPD_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_precompile_headers(${name}_test PRIVATE <gtest/gtest.h> <string> <vector> <map>)
    target_link_libraries(${name}_test PRIVATE graspd_${name} GTest::gtest_main)
    include(GoogleTest)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 240)
  endif()
endfunction()
