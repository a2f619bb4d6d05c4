// The provider dies at any time, a thousand times and more; KUPENSTACK_DEATHS sets another number.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "test/lab/lab.h"
#include "test/lab/lives.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

// Of the provider: sometimes enough to believe two lists, at this poll and latency, but not for much else.
constexpr char kLongestLife[] = "2s";
constexpr absl::Duration kLatency = absl::Milliseconds(300);
constexpr char kPause[] = "--lost-create-pause=200ms";
constexpr absl::Duration kLimit = absl::Minutes(6);
constexpr int kDeaths = 1000;
// Each ends by itself; more of them than this, and the provider does not die any more.
constexpr int kMostRounds = 1000;

int WantedDeaths() {
  int wanted = 0;
  const char* given = std::getenv("KUPENSTACK_DEATHS");
  return given != nullptr && absl::SimpleAtoi(given, &wanted) ? wanted : kDeaths;
}

// Every third: of more than ten of a kind that are gone at once the provider is slow to believe it, and does not live long
// enough.
std::vector<Life> ThirdOfTheLives(int round) {
  std::vector<Life> third;
  for (const Life& life : Lives()) {
    if (++round % 3 == 0) third.push_back(life);
  }
  return third;
}

TEST(CrashSoak, RandomDeathsLeakNothingAndDoubleNothing) {
  Lab lab({.latency = kLatency});
  ASSERT_OK(lab.status());
  lab.environment()["KUPENSTACK_CRASH_WITHIN"] = kLongestLife;
  lab.arguments() = {kPause};
  int rounds = 0;
  for (; lab.deaths() < WantedDeaths() && rounds < kMostRounds; ++rounds) {
    LiveAll(lab, ThirdOfTheLives(rounds), kLimit);
    if (HasFailure()) return;
    std::cout << lab.deaths() << " deaths in " << rounds + 1 << " rounds\n" << std::flush;
  }
  EXPECT_GE(lab.deaths(), WantedDeaths());
}

}  // namespace
}  // namespace kupen::test
