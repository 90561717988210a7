// The page of one repository, and the one for addresses that have none.
//
//   R1  A repository without a name goes by its identifier.
//   R2  What is announced but has no git data yet says so, and how it gets some.
//   R3  The default branch is named even where the list of branches does not reach it.
//   R4  When its git data was synced and verified is said, or what is wrong with it; and what of it
//       is looked for, from where, with what success.
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
