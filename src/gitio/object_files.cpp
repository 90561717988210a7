#include "gitio/object_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <unistd.h>

#include "gitio/files.h"

namespace graspd::gitio {

namespace fs = std::filesystem;

namespace {

bool is_hex(std::string_view text, std::size_t size) {
  return text.size() == size && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// A pack's files in the order they must come (R1). Not `.keep`: that is the receiver's lock. Not
// `.bitmap`: it belongs to a pack that is whole, which another repository's may be part of.
constexpr std::string_view kPackEndings[] = {".pack", ".rev", ".mtimes", ".idx"};

core::Result<core::Done, std::string> transfer_file(const fs::path& from, const fs::path& to,
                                                    Transfer how) {
  if (auto synced = sync_to_disk(from); !synced) return synced;
  if (how == Transfer::Move) {
    if (::rename(from.c_str(), to.c_str()) != 0) return failed("cannot move", from);
  } else if (::link(from.c_str(), to.c_str()) != 0 && errno != EEXIST) {
    return failed("cannot link", from);
  }
  return core::Done{};
}

core::Result<core::Done, std::string> transfer_pack(const fs::path& index, const fs::path& to,
                                                    Transfer how) {
  std::error_code ignored;
  for (const std::string_view ending : kPackEndings) {
    fs::path file = index;
    file.replace_extension(ending);
    if (!fs::exists(file, ignored)) continue;
    if (auto done = transfer_file(file, to / file.filename(), how); !done) return done;
  }
  return core::Done{};
}

core::Result<core::Done, std::string> transfer_loose(const fs::path& folder, const fs::path& to,
                                                     Transfer how) {
  if (auto made = make_folders(to); !made) return made;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path name = entry.path().filename();
    if (!is_hex(name.native(), 38)) continue;
    if (auto done = transfer_file(entry.path(), to / name, how); !done) return done;
  }
  return sync_to_disk(to);
}

core::Result<core::Done, std::string> transfer_all_loose(const fs::path& from, const fs::path& to,
                                                         Transfer how) {
  std::error_code ignored;
  bool any = false;
  for (const auto& entry : fs::directory_iterator(from / "objects", ignored)) {
    const fs::path name = entry.path().filename();
    if (!is_hex(name.native(), 2)) continue;
    if (auto done = transfer_loose(entry.path(), to / "objects" / name, how); !done) return done;
    any = true;
  }
  return any ? sync_to_disk(to / "objects") : core::Done{};
}

}  // namespace

core::Result<core::Done, std::string> transfer_objects(const fs::path& from, const fs::path& to,
                                                       Transfer how) {
  const fs::path packs = to / "objects" / "pack";
  if (auto made = make_folders(packs); !made) return made;  // of what was lost
  if (auto done = transfer_all_loose(from, to, how); !done) return done;
  for (const fs::path& index : pack_indexes(from)) {
    if (auto done = transfer_pack(index, packs, how); !done) return done;
  }
  return sync_to_disk(packs);
}

std::vector<fs::path> pack_indexes(const fs::path& repository) {
  std::vector<fs::path> indexes;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(repository / "objects" / "pack", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("pack-") && name.ends_with(".idx")) indexes.push_back(entry.path());
  }
  std::sort(indexes.begin(), indexes.end());
  return indexes;
}

core::Result<core::Done, std::string> link_pack(const fs::path& index, const fs::path& to) {
  const fs::path packs = to / "objects" / "pack";
  if (auto done = transfer_pack(index, packs, Transfer::Link); !done) return done;
  return sync_to_disk(packs);
}

std::uint64_t object_bytes(const fs::path& repository) {
  std::uint64_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(repository / "objects", error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code gone;  // git renames and removes meanwhile
    if (!entry->is_regular_file(gone)) continue;
    const std::uintmax_t size = entry->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

std::uint64_t pack_bytes(const std::filesystem::path& repository) {
  std::uint64_t bytes = 0;
  std::error_code error;
  std::filesystem::directory_iterator entries(repository / "objects" / "pack", error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    std::error_code gone;  // a repack has taken it away
    const auto size = entries->path().extension() == ".pack" ? entries->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace graspd::gitio
