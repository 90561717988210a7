#include "metrics/registry.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace graspd::metrics {
namespace registry_test {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Registry, RendersACounterWithItsHelpTypeAndLabels) {
  Registry registry;
  registry.counter("ngit_events_total", "Events taken.", {{"kind", "1"}}).inc(3);
  EXPECT_EQ(registry.render(),
            "# HELP ngit_events_total Events taken.\n"
            "# TYPE ngit_events_total counter\n"
            "ngit_events_total{kind=\"1\"} 3\n");
}

TEST(Registry, CountsWholeNumbersBeyondAMillionExactly) {
  Registry registry;
  registry.counter("bytes_total", "Bytes.").inc(123'456'789);
  EXPECT_TRUE(has_line(registry.render(), "bytes_total 123456789")) << registry.render();
}

TEST(Registry, GivesTheSameNumberForTheSameNameAndLabels) {  // R2
  Registry registry;
  registry.counter("c", "C.", {{"a", "1"}}).inc();
  registry.counter("c", "C.", {{"a", "1"}}).inc();
  EXPECT_EQ(registry.counter("c", "C.", {{"a", "1"}}).value(), 2U);
  EXPECT_EQ(registry.counter("c", "C.", {{"a", "2"}}).value(), 0U);
}

TEST(Registry, LosesNoCountBetweenThreads) {  // R1
  Registry registry;
  const Counter counter = registry.counter("c", "C.");
  const Gauge gauge = registry.gauge("g", "G.");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([=] {
      for (int n = 0; n < 10'000; ++n) {
        counter.inc();
        gauge.add(1);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(counter.value(), 40'000U);
  EXPECT_EQ(gauge.value(), 40'000);
}

TEST(Registry, SetsAndMovesAGauge) {
  Registry registry;
  const Gauge gauge = registry.gauge("ngit_connections", "Open connections.");
  gauge.set(5);
  gauge.add(-2);
  EXPECT_TRUE(has_line(registry.render(), "ngit_connections 3")) << registry.render();
}

TEST(Registry, CountsAHistogramCumulatively) {
  Registry registry;
  const Histogram histogram = registry.histogram("d_seconds", "Durations.", {0.5, 2});
  for (const double value : {0.25, 0.5, 1.0, 7.0}) histogram.observe(value);
  const std::string text = registry.render();
  EXPECT_TRUE(has_line(text, "d_seconds_count 4")) << text;
  EXPECT_TRUE(has_line(text, "d_seconds_sum 8.75")) << text;
  EXPECT_TRUE(has_line(text, "d_seconds_bucket{le=\"0.5\"} 2")) << text;
  EXPECT_TRUE(has_line(text, "d_seconds_bucket{le=\"2\"} 3")) << text;
  EXPECT_TRUE(has_line(text, "d_seconds_bucket{le=\"+Inf\"} 4")) << text;
}

TEST(Registry, AsksForKeptNumbersAtEachRender) {
  Registry registry;
  double level = 1;
  registry.read_gauge("level", "Level.", [&] { return level; });
  EXPECT_TRUE(has_line(registry.render(), "level 1"));
  level = 2;
  EXPECT_TRUE(has_line(registry.render(), "level 2"));
}

TEST(Registry, PutsTooManyLabelValuesTogetherUnderOther) {  // R3
  Registry registry;
  for (std::size_t i = 0; i < Registry::kSeriesMax + 50; ++i) {
    registry.counter("c", "C.", {{"relay", std::to_string(i)}}).inc();
  }
  EXPECT_TRUE(has_line(registry.render(), "c{relay=\"other\"} 50"));
  registry.counter("c", "C.", {{"relay", "7"}}).inc();
  EXPECT_TRUE(has_line(registry.render(), "c{relay=\"7\"} 2"));
}

TEST(Registry, EscapesWhatStrangersPutIntoLabels) {
  Registry registry;
  registry.counter("c", "C.", {{"name", "a\"b\\c\nd"}}).inc();
  EXPECT_TRUE(has_line(registry.render(), R"(c{name="a\"b\\c\nd"} 1)")) << registry.render();
}

TEST(Registry, ShowsGaugesThatComeAndGo) {
  Registry registry;
  std::vector<std::pair<std::string, double>> busiest{{"a", 2}, {"b", 1}};
  registry.read_gauges("busy", "Who is", "repo", [&] { return busiest; });
  EXPECT_NE(registry.render().find("busy{repo=\"a\"} 2"), std::string::npos);
  busiest = {{"c", 3}};
  EXPECT_EQ(registry.render().find("repo=\"a\""), std::string::npos);
  EXPECT_NE(registry.render().find("busy{repo=\"c\"} 3"), std::string::npos);
}

TEST(Registry, ShowsNumbersThatComeAndGoWithTheirLabels) {
  Registry registry;
  Samples now{{{{"relay", "a\"b"}, {"result", "ok"}}, 3}};
  registry.read_counters("calls_total", "Calls.", [&] { return now; });
  registry.read_gauges("level", "Level.", [&] { return now; });
  EXPECT_TRUE(has_line(registry.render(), R"(calls_total{relay="a\"b",result="ok"} 3)"))
      << registry.render();
  EXPECT_TRUE(has_line(registry.render(), "# TYPE calls_total counter"));
  EXPECT_TRUE(has_line(registry.render(), R"(level{relay="a\"b",result="ok"} 3)"));
  now.clear();
  EXPECT_EQ(registry.render().find("calls_total{"), std::string::npos);
}

}  // namespace registry_test
}  // namespace graspd::metrics
