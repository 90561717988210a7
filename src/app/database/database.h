// The database of `settings`, for commands that work on it without serving.
#pragma once
#include <memory>
#include <string>

#include "app/config/settings.h"
#include "core/result.h"
#include "lmdb/lmdb_store.h"

namespace graspd::app {

enum class Access { Read, Write };

// The failure is a sentence for the operator.
core::Result<std::unique_ptr<lmdb::LmdbStore>, std::string> open_database(const Settings& settings,
                                                                          Access access);
// A command that needs a database on disk cannot work with the memory backend.
core::Result<core::Done, std::string> require_disk(const Settings& settings);

// Says it on stderr; returns the exit code 1.
int fail(std::string_view sentence);

}  // namespace graspd::app
