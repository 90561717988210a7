#include "app/database/import_pipeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

#include "app/database/export_lines.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"
#include "store/testing/memory_store.h"

namespace graspd::app {
namespace import_pipeline_test {

constexpr core::UnixSeconds kNow = 1'700'000'000;

nostr::Keypair author() {
  nostr::SecretKey::Bytes bytes{};
  bytes.back() = 1;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

nostr::Event event_of(std::uint16_t kind, core::UnixSeconds created_at, std::string content,
                      nostr::Tags tags = {}) {
  nostr::Event event;
  event.kind = {kind};
  event.created_at = created_at;
  event.content = std::move(content);
  event.tags = std::move(tags);
  author().sign(event, {});
  return event;
}
std::string line_of(const nostr::Event& event) { return nostr::to_json(event) + "\n"; }

class ImportTest : public ::testing::Test {
 protected:
  ImportReport import(const std::string& text, std::size_t threads = 2, std::size_t batch = 7) {
    std::istringstream in(text);
    auto report = import_lines(in, {.store = store,
                                    .self = *nostr::RelayUrl::parse("wss://here.example"),
                                    .threads = threads,
                                    .batch_lines = batch,
                                    .now = [] { return kNow; },
                                    .progress = [this](const ImportReport&) { ++ticks; }});
    EXPECT_TRUE(report);
    return *report;
  }
  std::vector<std::string> exported(std::optional<nostr::Filter> filter = std::nullopt) {
    std::vector<std::string> lines;
    const ExportContext context{.store = store,
                                .now = kNow,
                                .write =
                                    [&](std::string_view json) {
                                      lines.emplace_back(json);
                                      return true;
                                    },
                                .progress = [](std::uint64_t) {}};
    const auto events = filter ? export_matching(context, *filter) : export_all(context);
    EXPECT_TRUE(events);
    EXPECT_EQ(*events, lines.size());
    return lines;
  }
  store::MemoryStore store;
  int ticks = 0;
};

TEST_F(ImportTest, StoresWhatIsValidInTheOrderOfTheFile) {  // R2
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; i < 50; ++i) {
    expected.push_back(nostr::to_json(event_of(1, kNow - i, fmt::format("note {}", i))));
    text += expected.back() + "\n";
  }
  const auto report = import(text);
  EXPECT_EQ(report.lines, 50U);
  EXPECT_EQ(report.stored, 50U);
  EXPECT_EQ(report.invalid, 0U);
  EXPECT_GT(ticks, 1);
  EXPECT_EQ(exported(), expected);
}

TEST_F(ImportTest, CountsEveryOutcome) {
  const auto newer = event_of(0, kNow - 1, "new profile");
  const auto older = event_of(0, kNow - 2, "old profile");
  const auto note = event_of(1, kNow - 9, "to be deleted");
  const auto deletion = event_of(5, kNow - 3, "", {{"e", note.id.hex()}});
  const auto expired = event_of(1, kNow - 9, "", {{"expiration", std::to_string(kNow - 1)}});
  const auto ephemeral = event_of(20'000, kNow, "");
  const auto report = import(line_of(newer) + line_of(older) + line_of(newer) + line_of(deletion) +
                             line_of(note) + line_of(expired) + line_of(ephemeral));
  EXPECT_EQ(report.lines, 7U);
  EXPECT_EQ(report.stored, 2U);
  EXPECT_EQ(report.superseded, 1U);
  EXPECT_EQ(report.duplicate, 1U);
  EXPECT_EQ(report.deleted, 1U);
  EXPECT_EQ(report.expired, 1U);
  EXPECT_EQ(report.ephemeral, 1U);
  EXPECT_EQ(report.invalid, 0U);
}

TEST_F(ImportTest, R4_RefusesWhatTheRelayWouldRefuse) {
  const auto ahead = event_of(1, kNow + 10 * 365 * 86'400, "");
  const auto secret = event_of(22'242, kNow, "");
  const auto own = event_of(1, kNow, "", {{"-"}});
  const auto report = import(line_of(ahead) + line_of(secret) + line_of(own));
  EXPECT_EQ(report.refused, 2U);
  EXPECT_EQ(report.stored, 1U);
  ASSERT_EQ(report.first_bad.size(), 2U);
  EXPECT_EQ(report.first_bad[0].reason,
            "invalid: created_at is more than 86400 seconds in the future");
}

TEST_F(ImportTest, HonoursARequestToVanishFromHere) {
  const auto note = event_of(1, kNow - 9, "");
  const auto vanish = event_of(62, kNow, "", {{"relay", "wss://here.example/"}});
  const auto report = import(line_of(vanish) + line_of(note));
  EXPECT_EQ(report.stored, 1U);
  EXPECT_EQ(report.vanished, 1U);
}

TEST_F(ImportTest, NamesBadLinesAndGoesOn) {
  auto forged = event_of(1, kNow, "forged");
  forged.content = "changed";
  auto stolen = event_of(1, kNow, "stolen");
  stolen.sig = event_of(1, kNow, "other").sig;
  const auto report = import("\nnot json\n" + line_of(forged) + "\r\n" + line_of(stolen) +
                             line_of(event_of(1, kNow, "good")));
  EXPECT_EQ(report.invalid, 3U);
  EXPECT_EQ(report.stored, 1U);
  ASSERT_EQ(report.first_bad.size(), 3U);
  EXPECT_EQ(report.first_bad[0].number, 2U);
  EXPECT_EQ(report.first_bad[1].number, 3U);
  EXPECT_EQ(report.first_bad[1].reason, "the id is not that of the event");
  EXPECT_EQ(report.first_bad[2].number, 5U);
  EXPECT_EQ(report.first_bad[2].reason, "the signature is wrong");
}

TEST_F(ImportTest, NamesOnlyTheFirstBadLines) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "{}\n";
  const auto report = import(text, 3, 10);
  EXPECT_EQ(report.invalid, 100U);
  EXPECT_EQ(report.first_bad.size(), ImportReport::kBadLinesShown);
  EXPECT_EQ(report.first_bad.back().number, ImportReport::kBadLinesShown);
}

TEST_F(ImportTest, ReadsAnEmptyFile) {
  EXPECT_EQ(import("").lines, 0U);
  EXPECT_EQ(import("\n\r\n\n").lines, 0U);
  EXPECT_TRUE(exported().empty());
}

TEST_F(ImportTest, ExportsWhatMatchesAFilterNewestFirst) {
  const auto first = event_of(1, kNow - 5, "first");
  const auto second = event_of(1, kNow - 4, "second");
  import(line_of(first) + line_of(second) + line_of(event_of(7, kNow, "+")));
  nostr::Filter filter;
  filter.kinds = {nostr::Kind{1}};
  EXPECT_EQ(exported(filter),
            (std::vector<std::string>{nostr::to_json(second), nostr::to_json(first)}));
}

TEST_F(ImportTest, StopsExportingWhenTheOutputFails) {
  import(line_of(event_of(1, kNow, "a")));
  const ExportContext context{.store = store,
                              .now = kNow,
                              .write = [](std::string_view) { return false; },
                              .progress = [](std::uint64_t) {}};
  EXPECT_FALSE(export_all(context));
  EXPECT_FALSE(export_matching(context, nostr::Filter{}));
}

}  // namespace import_pipeline_test
}  // namespace graspd::app
