#include "sync/job_requests.h"

#include "gtest/gtest.h"
#include "sync/history_testing.h"

namespace graspd::sync {
namespace job_requests_test {

using namespace parts_testing;

struct Ready : HistoryBench {
  Ready() {
    for (std::uint32_t i = 0; i < 20; ++i) context.index.add_root(id(100 + i), {}, 0);
  }
  Wire::Purpose send() {
    EXPECT_TRUE(requests.send_next(now));
    return wires.find(Sub{context.subs})->purpose;
  }
};

TEST(JobRequests, SendSweepsBeforePagesAndWithASlotMore) {  // R1
  Ready one;
  one.peer.budget.transients_max = 2;
  for (std::uint32_t i = 0; i < 3; ++i) one.add(page_job(i));
  for (std::uint32_t i = 0; i < 2; ++i)
    one.add({.method = Job::Method::Sweep, .slices = {slice(FilterClass::RootE, 2, i)}});
  EXPECT_EQ(one.send(), Wire::Purpose::Sweep);
  EXPECT_EQ(one.send(), Wire::Purpose::Sweep);
  EXPECT_FALSE(one.requests.send_next(one.now));  // no slot for pages
  one.add({.method = Job::Method::Sweep, .slices = {slice(FilterClass::RootE, 2, 7)}});
  EXPECT_EQ(one.send(), Wire::Purpose::Sweep);
}

TEST(JobRequests, TryOneReconciliationFirst) {  // R2
  Ready one;
  for (int i = 0; i < 3; ++i) one.add({.method = Job::Method::Reconcile, .slices = {{}}});
  EXPECT_EQ(one.send(), Wire::Purpose::Reconcile);
  EXPECT_FALSE(one.requests.send_next(one.now));
  one.memory.lessons.negentropy_worked = true;
  EXPECT_EQ(one.send(), Wire::Purpose::Reconcile);
}

TEST(JobRequests, ShareARequestWhereReadsEndAlike) {  // R3
  Ready one;
  const JobKey first = one.add(page_job(0, true));
  one.add_to(first.batch, page_job(1, true));
  one.add_to(first.batch, page_job(2));
  EXPECT_EQ(one.send(), Wire::Purpose::Proof);
  EXPECT_EQ(one.send(), Wire::Purpose::Page);
  EXPECT_FALSE(one.requests.send_next(one.now));
}

TEST(JobRequests, WaitForWhatIsPausedOrNotDue) {
  Ready one;
  const JobKey key = one.add(page_job(0));
  one.batches.again(key, one.now.instant + 5s);
  EXPECT_FALSE(one.requests.send_next(one.now));
  one.pass(5s);
  one.refusals.unwelcome(one.now, RequestClass::Roots, "blocked: no threads");
  EXPECT_FALSE(one.requests.send_next(one.now));
  one.pass(24h);
  EXPECT_EQ(one.send(), Wire::Purpose::Page);
}

}  // namespace job_requests_test
}  // namespace graspd::sync
