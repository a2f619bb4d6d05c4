// As much of an API server as configurations need: objects by path, with versions, finalizers and conflicts.
//
//   FakeApi api;
//   api.on_change = [&](const std::string& path, const rapidjson::Value* object) { … };
//   api.Put("/api/v1/namespaces/team-a/secrets/cloud", R"({"data": {…}})");
//   … code under test …
//   EXPECT_THAT(api.TakeWrites(), ElementsAre("PATCH /api/v1/namespaces/team-a/secrets/cloud"));
//
// Thread safety: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/http/transport.h"
#include "rapidjson/document.h"

namespace kupen::test {

class FakeApi final : public http::Transport {
 public:
  // The object's new state; null when it is gone. Called without a lock.
  std::function<void(const std::string& path, const rapidjson::Value* object)> on_change;

  // Creates the object or merges the text into it.
  void Put(const std::string& path, absl::string_view text);
  // As a user's delete: waits for finalizers.
  void Delete(const std::string& path);
  // Null if there is none.
  rapidjson::Document Get(const std::string& path) const;

  // Writes of objects but events, in their order, since the last call.
  std::vector<std::string> TakeWrites();
  // "Warning SecretNotFound: …": waits for that many.
  std::vector<std::string> AwaitEvents(size_t count);
  std::vector<std::string> events() const;
  // All bodies that were sent.
  std::string sent() const;

  // What a watch of namespaces gives before it waits for its end; a status other than 200 refuses it.
  void AnswerNamespaces(int status, std::string body);
  // Answers instead to requests with this method and path, until it is set to nothing.
  void Intercept(std::string method_and_path, http::Response answer);

  absl::StatusOr<http::Response> Send(const http::Request& request, const std::stop_token& stop) override;
  absl::StatusOr<http::Response> Stream(const http::Request& request, const http::ResponseSink& on_head,
                                        const http::BodySink& on_body, const std::stop_token& stop) override;

 private:
  http::Response Patch(const std::string& path, const rapidjson::Value& patch, bool status);
  http::Response Save(const std::string& path, rapidjson::Document object);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::string> objects_;
  int version_ = 0;
  std::vector<std::string> writes_;
  std::vector<std::string> events_;
  std::string sent_;
  int namespaces_status_ = 403;
  std::string namespaces_body_;
  std::string intercepted_;
  http::Response interception_;
};

}  // namespace kupen::test
