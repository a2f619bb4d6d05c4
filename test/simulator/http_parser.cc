#include "test/simulator/http_parser.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace kupen::simulator {
namespace {

constexpr size_t kLongestHead = 1 << 17;
constexpr char kLineEnd[] = "\r\n";
constexpr size_t kLineEndSize = 2;

}  // namespace

RequestParser::Result RequestParser::Next(http::Request* request) {
  if (!has_head_) {
    if (const Result head = ReadHead(); head != Result::kRequest) return head;
  }
  const Result body = chunked_ ? ReadChunks() : ReadBody();
  if (body != Result::kRequest) return body;
  *request = std::exchange(head_, {});
  has_head_ = false;
  return Result::kRequest;
}

bool RequestParser::TakeExpectation() { return std::exchange(expects_continue_, false); }

RequestParser::Result RequestParser::ReadHead() {
  const size_t end = buffer_.find("\r\n\r\n");
  if (end == std::string::npos) return buffer_.size() > kLongestHead ? Result::kMalformed : Result::kIncomplete;
  const std::string text = buffer_.substr(0, end);
  buffer_.erase(0, end + 4);
  const std::vector<absl::string_view> lines = absl::StrSplit(text, kLineEnd);
  const std::vector<absl::string_view> first = absl::StrSplit(lines[0], ' ');
  if (first.size() != 3 || !absl::StartsWith(first[1], "/")) return Result::kMalformed;
  head_ = {.method = std::string(first[0]), .target = std::string(first[1]), .content_type = ""};
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::pair<absl::string_view, absl::string_view> header = absl::StrSplit(lines[i], absl::MaxSplits(':', 1));
    head_.headers.emplace_back(header.first, absl::StripAsciiWhitespace(header.second));
  }
  head_.content_type = std::string(http::Find(head_.headers, "Content-Type"));
  chunked_ = absl::EqualsIgnoreCase(http::Find(head_.headers, "Transfer-Encoding"), "chunked");
  content_length_ = 0;
  const absl::string_view length = http::Find(head_.headers, "Content-Length");
  if (!length.empty() && !absl::SimpleAtoi(length, &content_length_)) return Result::kMalformed;
  expects_continue_ = absl::EqualsIgnoreCase(http::Find(head_.headers, "Expect"), "100-continue");
  has_head_ = true;
  return Result::kRequest;
}

RequestParser::Result RequestParser::ReadBody() {
  if (buffer_.size() < content_length_) return Result::kIncomplete;
  head_.body = buffer_.substr(0, content_length_);
  buffer_.erase(0, content_length_);
  return Result::kRequest;
}

RequestParser::Result RequestParser::ReadChunks() {
  size_t read = 0;
  Result result = Result::kIncomplete;
  while (result == Result::kIncomplete) {
    const size_t line_end = buffer_.find(kLineEnd, read);
    if (line_end == std::string::npos) break;
    uint64_t size = 0;
    const size_t digits_end = buffer_.find_first_of(";\r", read);
    if (!absl::SimpleHexAtoi(absl::string_view(buffer_).substr(read, digits_end - read), &size)) return Result::kMalformed;
    const size_t start = line_end + kLineEndSize;
    if (buffer_.size() < start + size + kLineEndSize) break;
    head_.body.append(buffer_, start, size);
    read = start + size + kLineEndSize;
    if (size == 0) result = Result::kRequest;
  }
  buffer_.erase(0, read);
  return result;
}

}  // namespace kupen::simulator
