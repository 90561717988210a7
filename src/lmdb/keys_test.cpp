#include "lmdb/keys.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::lmdb {
namespace keys_test {

nostr::EventId some_id(core::Rng& rng) {
  nostr::EventId::Bytes bytes{};
  bytes[0] = static_cast<std::uint8_t>(rng.below(3));
  bytes[31] = static_cast<std::uint8_t>(rng.below(256));
  return nostr::EventId(bytes);
}

Entry some_entry(core::Rng& rng) {
  const auto time = static_cast<core::UnixSeconds>(rng.one_in(2) ? rng.next() : rng.below(3));
  return {{time, some_id(rng)},
          {static_cast<std::uint16_t>(rng.below(65'536))},
          rng.one_in(2),
          rng.below(kSerialMax + 1)};
}

TEST(Entry, ComesBackAsItWas) {
  core::Rng rng(1);
  for (int i = 0; i < 1'000; ++i) {
    const Entry entry = some_entry(rng);
    EXPECT_EQ(decode(encode(entry)), entry);
    EXPECT_EQ(with_id(without_id(encode(entry)), entry.position.id), encode(entry));
  }
}

TEST(Entry, BytesCompareAsPositionsDo) {  // R1
  core::Rng rng(2);
  for (int i = 0; i < 10'000; ++i) {
    const Entry a = some_entry(rng), b = some_entry(rng);
    EXPECT_EQ(compare_positions(encode(a), encode(b)) < 0,
              store::comes_before(a.position, b.position));
  }
}

TEST(Entry, BoundsLieWhereTheySay) {
  core::Rng rng(3);
  for (int i = 0; i < 1'000; ++i) {
    const Entry entry = some_entry(rng);
    EXPECT_LE(first_at(entry.position.created_at), encode(entry));
    EXPECT_GT(just_behind(entry.position), encode(entry));
  }
}

TEST(Keys, TellLettersAndValuesApart) {  // R3
  EXPECT_FALSE(tag_key('a', "x") == tag_key('b', "x"));
  EXPECT_FALSE(tag_key('a', "x") == tag_key('a', "y"));
  EXPECT_EQ(tag_key('a', std::string(100'000, 'x')).size, tag_key('a', "").size);
}

TEST(Keys, ExpirationsSortByTimeThenSerial) {  // R1
  EXPECT_LT(expiration_key(255, 9), expiration_key(256, 1));
  EXPECT_LT(expiration_key(256, 255), expiration_key(256, 256));
  EXPECT_EQ(decode_expiration_key(expiration_key(256, 7).view()).time, 256);
  EXPECT_EQ(decode_expiration_key(expiration_key(256, 7).view()).serial, 7u);
}

TEST(Keys, AuthorKindTellsItsKind) {
  const Key key = author_kind_key(nostr::PublicKey(), {30'617});
  EXPECT_EQ(kind_of_author_kind_key(key.view()), (nostr::Kind{30'617}));
}

}  // namespace keys_test
}  // namespace graspd::lmdb
