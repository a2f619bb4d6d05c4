// One request to a simulated service, and the answer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/http/transport.h"
#include "rapidjson/document.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"
#include "test/simulator/faults.h"
#include "test/simulator/options.h"
#include "test/simulator/schedule.h"
#include "test/simulator/store.h"

namespace kupen::simulator {

using Answer = http::Response;

// Whom a token is for.
struct Caller {
  std::string user_id;
  std::string user_name;
  std::string project_id;
  std::string project_name;
  bool is_admin = false;
};

// What all services share.
struct World {
  explicit World(SimulatorOptions given) : options(std::move(given)), faults(options.seed) {}

  absl::Time Now() const { return options.clock->Now(); }
  // Whose quotas hold for a caller; null for a project that nobody was given.
  const Account* AccountOf(const Caller& caller) const;

  SimulatorOptions options;
  // "http://127.0.0.1:8080", known once the simulator listens.
  std::string url;
  Store store;
  Schedule schedule;
  FaultPlan faults;
};

struct Call {
  std::string_view method() const { return request->method; }
  // The part of the path that the route's pattern has in braces, by its number.
  const std::string& Parameter(size_t index) const { return parameters.at(index); }
  // The first value of a parameter in the query, or empty.
  absl::string_view Query(absl::string_view name) const;
  bool HasQuery(absl::string_view name) const;
  // The object inside the body's envelope; null if there is none.
  const rapidjson::Value* Envelope(absl::string_view name) const;

  // Lets something happen later, unless a fault keeps it from ever happening.
  void Later(absl::Duration after, Schedule::Action action) const;

  World* world = nullptr;
  const http::Request* request = nullptr;
  Caller caller;
  // Below the version: "/servers/detail".
  std::string path;
  std::string query_text;
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::string> parameters;
  rapidjson::Document body;
  // The minor part of the microversion that was asked for.
  int microversion = 0;
  FaultEffects faults;
  // Beside the answer's own.
  absl::Duration delay = absl::ZeroDuration();
};

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

// Builds an answer's body.
class Json {
 public:
  Json() : writer_(buffer_) {}

  Writer& writer() { return writer_; }
  Json& Key(absl::string_view name);
  Json& Text(absl::string_view name, absl::string_view text);
  Json& Value(absl::string_view name, const rapidjson::Value& value);
  std::string Take() const { return {buffer_.GetString(), buffer_.GetSize()}; }

 private:
  rapidjson::StringBuffer buffer_;
  Writer writer_;
};

Answer JsonAnswer(int status, std::string body);

// "a=b&c" with its escapes undone.
std::vector<std::pair<std::string, std::string>> ParseQuery(absl::string_view text);
std::string Unescape(absl::string_view text);

// "2026-11-16T19:12:12Z", as Nova, Neutron and Glance write it.
std::string TimeText(absl::Time time);
// "2026-11-16T19:12:12.000000", as Cinder does, and Nova in places.
std::string LongTimeText(absl::Time time);
// 32 digits, as Keystone's ids are.
std::string NewHexId();

bool IsUuid(absl::string_view text);

}  // namespace kupen::simulator
