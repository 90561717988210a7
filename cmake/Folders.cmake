# graspd_folder(<name> [FOLDERS <ours>...] [LIBRARIES <outside>...] [OPTIONS <of the compiler>...]
#               [BATCH <sources>] [ASIO] [TESTS <folders that only the tests use>...])
#
# src/<name>/*.cpp becomes the library graspd_<name>; src/<name>/*_test.cpp becomes <name>_test. A
# room of a folder is named with its path: serve/relay becomes graspd_serve_relay, serve_relay_test.
#
# The headers that most include are compiled once for all libraries and once for all tests: core's
# are reused by the others, net's by those that use Asio with it. In a release build sources are
# compiled in batches (CMakePresets.json), smaller ones where a source takes long, so that a change
# is compiled within seconds; and tests without optimisation: their code runs once, and half of the
# build would be optimising it.
set(graspd_headers
  <algorithm> <array> <atomic> <chrono> <cstdint> <deque> <filesystem> <functional> <map> <memory>
  <mutex> <optional> <set> <span> <string> <string_view> <thread> <utility> <variant> <vector>
  <fmt/format.h>)

# Each of these takes as long as a batch.
set(graspd_singles net/boost net/client_handshake net/server_handshake net/server_web_socket
  net/web_socket_client app/cli)
list(TRANSFORM graspd_singles REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/src/\\1.cpp")
set_source_files_properties(${graspd_singles} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

function(graspd_precompile target owner)
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

function(graspd_folder path)
  cmake_parse_arguments(ARG "ASIO" "BATCH" "FOLDERS;LIBRARIES;OPTIONS;TESTS" ${ARGN})
  file(GLOB all CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${path}/*.cpp)
  string(REPLACE "/" "_" name ${path})
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/main\\.cpp$")
  list(TRANSFORM ARG_FOLDERS PREPEND graspd_)
  list(TRANSFORM ARG_FOLDERS REPLACE "/" "_")
  list(TRANSFORM ARG_TESTS PREPEND graspd_)
  list(TRANSFORM ARG_TESTS REPLACE "/" "_")

  set(headers ${graspd_headers})
  set(precompiled core)
  if(ARG_ASIO)
    list(APPEND headers <boost/asio/awaitable.hpp>)
    set(precompiled net)
  endif()

  set(scope PUBLIC)
  if(sources)
    add_library(graspd_${name} STATIC ${sources})
    target_compile_options(graspd_${name} PRIVATE ${ARG_OPTIONS})
    graspd_harden(graspd_${name})
    if(ARG_BATCH AND NOT GRASPD_LARGE_BATCHES)
      set_target_properties(graspd_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${ARG_BATCH})
    endif()
    graspd_precompile(graspd_${name} graspd_${precompiled} ${headers})
  else()
    add_library(graspd_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(graspd_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(graspd_${name} ${scope} ${ARG_FOLDERS} ${ARG_LIBRARIES} Threads::Threads)

  if(GRASPD_TESTS AND tests)
    add_executable(${name}_test ${tests})
    graspd_precompile(${name}_test ${precompiled}_test ${headers} <gtest/gtest.h>)
    target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O0>)
    target_link_libraries(${name}_test PRIVATE graspd_${name} ${ARG_TESTS} GTest::gtest_main)
    include(GoogleTest)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 240)
  endif()
endfunction()
