// The script of the page /sync: keeps the first view up to date without a reload.
//
//   R1  What peers say becomes text, never markup: textContent and attributes only.
//   R2  Nothing is touched that did not change; rows keep their elements.
//   R3  When the server does not answer, the page says so and goes on asking.
#pragma once
#include <string_view>

namespace graspd::web {

std::string_view sync_script();

}  // namespace graspd::web
