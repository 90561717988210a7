// What is remembered about the verification of a repository, and its format: a note of several
// lines, each with a name and a value.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "git/fingerprint.h"
#include "grasp/coordinate.h"
#include "grasp/git_health.h"
#include "grasp/policy.h"
#include "store/event_store.h"

namespace graspd::grasp {

struct VerificationRecord {
  GitHealth health;
  Ruling ruling;  // when it was last looked at
  core::UnixSeconds looked_at = 0;
  // What was looked at: the record is about this and nothing else. None: it does not count.
  std::optional<git::Fingerprint> made_from = {};
};

inline constexpr std::string_view kVerificationPrefix = "verified/";

// No record: what was remembered is forgotten.
store::Note verification_note(const Coordinate& repo,
                              const std::optional<VerificationRecord>& record);

struct KeptVerification {
  Coordinate repo;
  VerificationRecord record;
};
// nullopt: it cannot be read. What a later version wrote besides is read over.
std::optional<KeptVerification> parse_verification(std::string_view key, std::string_view value);

}  // namespace graspd::grasp
