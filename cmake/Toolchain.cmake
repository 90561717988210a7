# Warnings are errors; ccache and lld when the machine has them.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Precompiled headers carry time stamps, which ccache must be told to overlook.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# Designated initialisers name what differs and leave the rest to the defaults of the struct.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wswitch -Werror
                    -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)  # lets ccache see through the precompiled header
  add_compile_options(--param=ggc-min-heapsize=1048576)  # 20 % more memory, a twentieth less time
  # g++ 12 reports these inside its own headers when coroutines or variants are inlined.
  add_compile_options(-Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
                      -Wno-array-bounds -Wno-dangling-pointer -Wno-mismatched-new-delete)
endif()

if(CMAKE_UNITY_BUILD)
  # In a batch every source is an included file, where a type with an unnamed part looks suspicious.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # clang reports that the stable sort of libstdc++ 12 uses a function deprecated there; g++ does not.
  add_compile_options(-Wno-deprecated-declarations)
endif()

find_program(LLD_PROGRAM NAMES ld.lld-19 ld.lld)
if(LLD_PROGRAM AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()

if(GRASPD_SANITIZE)
  add_compile_options(-fsanitize=${GRASPD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GRASPD_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND GRASPD_SANITIZE MATCHES "undefined")
    # Coroutine resumption calls through pointers whose type this check cannot know.
    add_compile_options(-fno-sanitize=function)
  endif()
endif()

if(GRASPD_FUZZ)
  # Coverage is measured in the code under test too, not only in the targets.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
