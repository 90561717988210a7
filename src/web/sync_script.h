// The script of the page /sync: updates the page without a reload.
//
//   R1  Words of peers become text, never markup: textContent and attributes only.
//   R2  Only changed elements are touched; rows keep their elements.
//   R3  If the server does not answer, the page says so and keeps asking.
#pragma once
#include <string_view>

namespace graspd::web {

std::string_view sync_script();

}  // namespace graspd::web
