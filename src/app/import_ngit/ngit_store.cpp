#include "app/import_ngit/ngit_store.h"

#include <fmt/format.h>

#include "lmdb/directory.h"
#include "lmdb/page_check.h"

namespace graspd::lmdb {
namespace {

// Names of its other tables lie among the events; none is as long as an id.
constexpr std::size_t kIdBytes = nostr::EventId::kSize;

// [kind 2][author 32][length 1][identifier, filled up with zeros]
constexpr std::size_t kAuthorAt = 2, kLengthAt = 34, kIdentifierAt = 35;

template <class Visit>
void for_each_entry(const Txn& txn, const char* table, const Visit& visit) {
  MDB_dbi dbi = 0;
  const int code = mdb_dbi_open(txn.get(), table, 0, &dbi);
  if (code == MDB_NOTFOUND) return;
  check(code);
  DbCursor cursor(txn, dbi);
  MDB_val key{}, value{};
  for (bool there = cursor.move(MDB_FIRST, key, value); there;
       there = cursor.move(MDB_NEXT, key, value))
    visit(to_bytes(key), to_bytes(value));
}

std::optional<Refusals::Versions> parse_versions(Bytes key, Bytes value) {
  if (key.size() < kIdentifierAt || value.size() != sizeof(std::uint64_t)) return std::nullopt;
  const std::size_t length = key[kLengthAt];
  if (length > key.size() - kIdentifierAt) return std::nullopt;
  std::uint64_t until = 0;
  std::memcpy(&until, value.data(), sizeof until);
  if (until > static_cast<std::uint64_t>(std::numeric_limits<core::UnixSeconds>::max()))
    return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(key.data() + kIdentifierAt);
  return Refusals::Versions{
      {nostr::Kind{static_cast<std::uint16_t>(load_big<2>(key.data()))},
       nostr::PublicKey::from_span(key.subspan(kAuthorAt).first<nostr::PublicKey::kSize>()),
       std::string(text, length)},
      static_cast<core::UnixSeconds>(until)};
}

}  // namespace

core::Result<NgitStore, std::string> NgitStore::open(const std::string& directory) {
  const auto failed = [&](std::string_view why) {
    return core::Failure{fmt::format("cannot read the database in {}: {}", directory, why)};
  };
  const std::string file = data_file(directory);
  if (auto there = expect_database(directory); !there) return failed(there.error());
  if (auto good = check_beginning(file); !good) return failed(good.error());
  try {
    auto env = std::make_unique<Env>(Env::Options{directory, MDB_RDONLY | MDB_NOLOCK, 0, 16});
    const Txn txn(*env, Txn::Mode::Read);
    auto sound = check_pages(file, txn.base(), PageDepth::Everything);
    if (!sound) return failed(fmt::format("it is damaged: {}", sound.error()));
    return NgitStore(std::move(env));
  } catch (const Failed& failure) {
    return failed(sentence(failure.code));
  }
}

core::Result<core::Done, std::string> NgitStore::for_each(
    const std::function<void(Bytes)>& visit) const {
  try {
    const Txn txn(*env_, Txn::Mode::Read);
    for_each_entry(txn, nullptr, [&](Bytes key, Bytes value) {
      if (key.size() == kIdBytes) visit(value);
    });
    return core::Done{};
  } catch (const Failed& failure) {
    return core::Failure{sentence(failure.code)};
  }
}

core::Result<Refusals, std::string> NgitStore::refusals() const {
  Refusals found;
  try {
    const Txn txn(*env_, Txn::Mode::Read);
    for_each_entry(txn, "deleted-ids", [&](Bytes key, Bytes) {
      if (key.size() == kIdBytes)
        found.ids.push_back(nostr::EventId::from_span(key.first<kIdBytes>()));
    });
    for_each_entry(txn, "deleted-coordinates", [&](Bytes key, Bytes value) {
      if (auto versions = parse_versions(key, value)) found.addresses.push_back(*versions);
    });
    return found;
  } catch (const Failed& failure) {
    return core::Failure{sentence(failure.code)};
  }
}

}  // namespace graspd::lmdb
