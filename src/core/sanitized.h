// Is this a build with sanitizers? Code runs ten to twenty times slower there, so that tests with
// many random lives run fewer of them.
#pragma once

namespace graspd::core {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GRASPD_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GRASPD_SANITIZED 1
#endif

#ifdef GRASPD_SANITIZED
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace graspd::core
