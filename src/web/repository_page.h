// The page of a repository, and the page for addresses without one.
//
//   R1  A repository without a name is shown by its identifier.
//   R2  An announced repository without git data says so, and how it gets some.
//   R3  The default branch is named even if the list of branches is cut before it.
//   R4  The page says when git data was synced and verified, or what is wrong with it; and which
//       data is missing, which servers were asked, and with what result.
#pragma once
#include <string_view>
#include <vector>

#include "grasp/repository_card.h"
#include "http/message.h"
#include "sync/fetch_report.h"
#include "web/home.h"

namespace graspd::web {

http::Response repository_page(const grasp::RepositoryCard& card, const Home& home,
                               const std::vector<sync::FetchStatus>& fetches = {});

// `path` is what was asked for.
http::Response missing_repository_page(std::string_view path, const Home& home);

}  // namespace graspd::web
