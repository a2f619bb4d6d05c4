// Reads HTTP/1.1 requests from the bytes of one connection, as they come.
//
//   parser.Add(bytes);
//   if (parser.Next(&request) == RequestParser::Result::kRequest) …
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "provider/http/transport.h"

namespace kupen::simulator {

class RequestParser {
 public:
  enum class Result : uint8_t { kIncomplete, kRequest, kMalformed };

  void Add(absl::string_view bytes) { buffer_.append(bytes.data(), bytes.size()); }

  // Takes the first request off the buffer once all of it is there.
  Result Next(http::Request* request);

  // Whether the client waits for "100 Continue" before it sends the body; true once for each request.
  bool TakeExpectation();

 private:
  Result ReadHead();
  Result ReadBody();
  Result ReadChunks();

  std::string buffer_;
  // Of the request that is being read; an empty method means that its head is not there yet.
  http::Request head_;
  bool has_head_ = false;
  bool chunked_ = false;
  size_t content_length_ = 0;
  bool expects_continue_ = false;
};

}  // namespace kupen::simulator
