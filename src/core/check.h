// Programmer errors. CHECK stays on in release builds: a wrong server must stop, not guess.
// Never used on input: what a stranger can cause is a Result, not a crash.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                               \
    }                                                                             \
  } while (false)
