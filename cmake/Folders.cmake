# graspd_folder(<name> [FOLDERS <ours>...] [LIBRARIES <outside>...])
#
# src/<name>/*.cpp becomes the library graspd_<name>; src/<name>/*_test.cpp becomes <name>_test.
#
# The standard headers are compiled once for all libraries and once for all tests: core's are
# reused by the others. In a release build sources are compiled in batches (CMakePresets.json), and
# tests without optimisation: their code runs once, and half of the build would be optimising it.
set(graspd_headers
  <algorithm> <array> <atomic> <chrono> <cstdint> <deque> <filesystem> <functional> <map> <memory>
  <mutex> <optional> <set> <span> <string> <string_view> <thread> <utility> <variant> <vector>
  <fmt/format.h>)

# Each of these takes as long as a batch, or longer.
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/net/server_web_socket.cpp ${CMAKE_SOURCE_DIR}/src/net/web_socket_client.cpp
  ${CMAKE_SOURCE_DIR}/src/app/cli.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

function(graspd_precompile target owner)
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

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
    graspd_precompile(graspd_${name} graspd_core ${graspd_headers})
  else()
    add_library(graspd_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(graspd_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(graspd_${name} ${scope} ${ARG_FOLDERS} ${ARG_LIBRARIES} Threads::Threads)

  if(GRASPD_TESTS AND tests)
    add_executable(${name}_test ${tests})
    graspd_precompile(${name}_test core_test ${graspd_headers} <gtest/gtest.h>)
    target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O0>)
    target_link_libraries(${name}_test PRIVATE graspd_${name} GTest::gtest_main)
    include(GoogleTest)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 240)
  endif()
endfunction()
