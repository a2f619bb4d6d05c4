#include "provider/runtime/log.h"

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::log {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST(Log, PlainWordsAreNotQuoted) {
  EXPECT_EQ(Format("watching", {{"kind", "network.Network"}, {"objects", 12}, {"took", absl::Milliseconds(1500)}}),
            "watching kind=network.Network objects=12 took=1.5s");
}

TEST(Log, OtherValuesAreQuoted) {
  EXPECT_EQ(Format("x", {{"empty", ""}, {"spaces", "a b"}, {"quote", "say \"hi\""}, {"pair", "a=b"}}),
            "x empty=\"\" spaces=\"a b\" quote=\"say \\\"hi\\\"\" pair=\"a=b\"");
  EXPECT_EQ(Format("x", {{"error", absl::NotFoundError("there's no größe")}}), "x error=\"NOT_FOUND: there's no größe\"");
}

TEST(Log, NoTextBeginsALineOfItsOwn) {
  EXPECT_EQ(Format("two\nlines", {{"error", "first\n2026-01-01T00:00:00.000Z info forged\x1b[0m"}}),
            "two\\nlines error=\"first\\n2026-01-01T00:00:00.000Z info forged\\033[0m\"");
}

TEST(Log, LineHasTimeAndLevel) {
  testing::internal::CaptureStderr();
  Warning("disk full", {{"free", 0}});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z warning disk full free=0\n"));
}

TEST(Log, LevelDecidesWhatIsWritten) {
  testing::internal::CaptureStderr();
  Debug("too small");
  Info("seen");
  SetLevel(Level::kDebug);
  Debug("small but wanted");
  SetLevel(Level::kInfo);
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_THAT(written, Not(HasSubstr("too small")));
  EXPECT_THAT(written, HasSubstr("info seen\n"));
  EXPECT_THAT(written, HasSubstr("debug small but wanted\n"));
}

}  // namespace
}  // namespace kupen::log
