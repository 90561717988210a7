#include "app/server/log_redaction.h"

#include <gtest/gtest.h>

namespace graspd::app {
namespace log_redaction_test {

const std::string kSomebody = "npub1" + std::string(58, 'q');
const std::string kSomeId(64, 'a');
const std::string kSomeCommit(40, '1');

TEST(LogRedaction, LeavesOutKeysIdsAndCommits) {  // R1
  EXPECT_EQ(redacted("the event " + kSomeId + " of kind 1"), "the event *** of kind 1");
  EXPECT_EQ(redacted("by " + kSomebody), "by ***");
  EXPECT_EQ(redacted(kSomeCommit + "," + kSomeCommit), "***,***");
}

TEST(LogRedaction, LeavesOutNamesOfRepositories) {  // R2
  EXPECT_EQ(redacted("removed /data/git/" + kSomebody + "/my secret: plan.git"),
            "removed /data/git/***");
  EXPECT_EQ(redacted("git: " + kSomebody + "/my plan has again what it had"), "git: ***");
  EXPECT_EQ(redacted("maintenance of " + kSomebody + "/plan failed: no disk"),
            "maintenance of ***: no disk");
  EXPECT_EQ(redacted("about 30617:" + kSomeId + ":plan: gone"), "about 30617:***: gone");
  EXPECT_EQ(redacted("from https://git.example/" + kSomebody + "/a%20b.git here"),
            "from https://git.example/*** here");
  EXPECT_EQ(redacted(kSomebody + ": gone"), "***: gone");
}

TEST(LogRedaction, LeavesOutRefs) {  // R3
  EXPECT_EQ(redacted("cannot lock ref 'refs/heads/secret': exists"),
            "cannot lock ref 'refs/***': exists");
}

TEST(LogRedaction, LeavesTheRestAlone) {
  for (const char* line : {"", "graspd 0.1.0 serves wss://git.example on 127.0.0.1:7334",
                           "sync: connected to wss://relay.example, starting from the beginning",
                           "npub1 is how keys begin", "deadbeef"})
    EXPECT_EQ(redacted(line), line);
}

}  // namespace log_redaction_test
}  // namespace graspd::app
