#include "provider/kinds/image/pipe.h"

#include <atomic>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::kinds {
namespace {

TEST(Pipe, HandsOverAllInOrderWithLittleInMemory) {
  constexpr size_t kPieces = 10'000;
  constexpr size_t kPieceSize = 1'000;
  Pipe pipe({});
  const std::jthread writer([&pipe] {
    for (size_t i = 0; i < kPieces; ++i) EXPECT_TRUE(pipe.Write(std::string(kPieceSize, static_cast<char>('a' + i % 26))));
    pipe.CloseWriting(absl::OkStatus());
  });
  size_t total = 0;
  bool in_order = true;
  while (true) {
    const absl::StatusOr<std::string> piece = pipe.Read();
    ASSERT_TRUE(piece.ok()) << piece.status();
    if (piece->empty()) break;
    EXPECT_LT(piece->size(), 300'000U);
    for (const char c : *piece) in_order = in_order && c == static_cast<char>('a' + total++ / kPieceSize % 26);
  }
  EXPECT_EQ(total, kPieces * kPieceSize);
  EXPECT_TRUE(in_order);
}

TEST(Pipe, AnErrorIsNoEnd) {
  Pipe pipe({});
  EXPECT_TRUE(pipe.Write("half of it"));
  pipe.CloseWriting(absl::UnavailableError("the connection broke"));
  EXPECT_EQ(pipe.Read().status().message(), "the connection broke");
}

TEST(Pipe, WriterLearnsThatNobodyReads) {
  Pipe pipe({});
  const std::jthread reader([&pipe] {
    EXPECT_TRUE(pipe.Read().ok());
    pipe.CloseReading();
  });
  while (pipe.Write(std::string(100'000, 'x'))) {
  }
  EXPECT_TRUE(pipe.reading_closed());
}

TEST(Pipe, AStopEndsBothWaits) {
  const std::stop_source stop;
  Pipe full(stop.get_token());
  Pipe empty(stop.get_token());
  const std::jthread writer([&full] {
    while (full.Write(std::string(100'000, 'x'))) {
    }
  });
  const std::jthread reader([&empty] { EXPECT_TRUE(absl::IsCancelled(empty.Read().status())); });
  stop.request_stop();
}

}  // namespace
}  // namespace kupen::kinds
