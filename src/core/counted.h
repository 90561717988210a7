// Numbers with what they count, as people write them: "1 event", "2 events", "0 events".
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace graspd::core {

// `many` where an s is not enough: counted(n, "repository", "repositories").
std::string counted(std::uint64_t number, std::string_view one, std::string_view many = {});

// The word alone, for a verb or a number written elsewhere: numbered(n, "is", "are").
constexpr std::string_view numbered(std::uint64_t number, std::string_view one,
                                    std::string_view many) {
  return number == 1 ? one : many;
}

}  // namespace graspd::core
