// The commands that work on the database without serving. Each returns its exit code.
//
// graspd import: events from JSON lines into the database.
//
//   R1  Every line is parsed, its id recomputed and its signature checked, as if a client had sent
//       it. Nothing else is trusted, so an export of any relay will do.
//   R2  Bad lines are counted and the first few are named; the others are still imported.
//   R3  Exits 0, or 1 if a line was invalid or the database failed.
#pragma once
#include <string>
#include <vector>

#include "app/config/settings.h"

namespace graspd::app {

struct ImportOptions {
  std::string file;                    // empty or "-": standard input
  std::vector<std::string> from_ngit;  // instead: the folders of an ngit-grasp (import_ngit.h)
  bool commit = false;                 // with from_ngit
};

int import_events(const Settings& settings, const ImportOptions& options);

// graspd export: events as JSON lines, in order of acceptance; with a filter, newest first.

struct ExportOptions {
  std::string file;    // empty or "-": standard output
  std::string filter;  // NIP-01 JSON; empty: everything
};

int export_events(const Settings& settings, const ExportOptions& options);

// graspd check: checks the integrity of the database. Exits 0 if it is sound, 1 if not.

struct CheckOptions {
  bool signatures = false;  // also every id and signature
};

int check_database(const Settings& settings, const CheckOptions& options);

// graspd compact: returns the space of removed events to the disk. The server must be stopped.

struct CompactOptions {};

int compact_database(const Settings& settings, const CompactOptions& options);

// graspd backup: a consistent copy of the database, even while the server runs.

struct BackupOptions {
  std::string directory;
  bool replace = false;
};

int backup_database(const Settings& settings, const BackupOptions& options);

}  // namespace graspd::app
