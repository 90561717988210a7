// The answer to a push: what happened to each ref, in words that git shows to the user.
//
//   R1  `unpack ok` or `unpack <error>`, then `ok <ref>` or `ng <ref> <reason>` each, then a flush.
//   R2  A text is one line without control bytes, cut to 4000 bytes: it can neither forge a line
//       nor overflow a packet.
//   R3  With side-band, the report is in band 1 and the progress text in band 2, with a flush at
//       the end. Without side-band only the report is sent. A client that wants neither gets
//       nothing.
//   R4  No line of a progress text begins with "fatal:" or "error:": some clients take such a line
//       for the outcome.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "git/push_request.h"
#include "git/ref_name.h"

namespace graspd::git {

struct Result {
  RefName ref;
  std::optional<std::string> refusal;

  bool operator==(const Result&) const = default;
};

std::vector<Result> refuse_all(std::span<const Command> commands, const std::string& reason);

std::string report_status(std::string_view unpack, const std::vector<Result>& results);

// The whole body of the response.
std::string push_answer(const Capabilities& capabilities, std::string_view unpack,
                        const std::vector<Result>& results, std::string_view progress_text);

// Fit for band 2 (R4): whole lines.
std::string calm_progress(std::string_view text);

struct Report {
  std::string unpack;
  std::map<RefName, std::optional<std::string>> results;  // a reason: refused
};

// Reads git's own report, without side-band, with or without the option lines of version 2.
core::Result<Report, std::string> parse_report_status(std::string_view bytes);

}  // namespace graspd::git
