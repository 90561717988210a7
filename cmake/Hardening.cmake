# What makes a mistake in memory end the process instead of serving whoever found it. The release
# preset turns it on (GRASPD_HARDEN); tools/hardening.py checks what came of it. Not for sanitizers,
# which have their own versions of the same functions, and not for tests, which are not optimised.
option(GRASPD_HARDEN "Build the server with stack protector, FORTIFY, assertions, RELRO and CET" OFF)

if(GRASPD_HARDEN AND (GRASPD_SANITIZE OR GRASPD_FUZZ))
  message(FATAL_ERROR "GRASPD_HARDEN does not go with sanitizers or fuzzing: turn one of them off")
endif()

function(graspd_harden target)
  if(NOT GRASPD_HARDEN)
    return()
  endif()
  target_compile_options(${target} PRIVATE
    -fstack-protector-strong -fstack-clash-protection
    # Some compilers define it by themselves, and a second definition would be a warning.
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(${target} PRIVATE -fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    target_compile_options(${target} PRIVATE -mbranch-protection=standard)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_options(${target} PRIVATE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
  endif()
endfunction()
