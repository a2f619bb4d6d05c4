#include "provider/cmd/object_states.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/json/json.h"
#include "provider/kube/object.h"
#include "rapidjson/document.h"

namespace kupen::cmd {
namespace {

bool IsTrue(const rapidjson::Value& object, absl::string_view type) {
  for (const rapidjson::Value& condition : json::Array(object, {"status", "conditions"})) {
    if (json::String(condition, {"type"}) == type) return json::String(condition, {"status"}) == "True";
  }
  return false;
}

}  // namespace

void ObjectStates::Update(runtime::Metrics& metrics) {
  const std::lock_guard guard(mutex_);
  if (clock_.Now() - counted_ < max_age_) return;
  counted_ = clock_.Now();
  for (const apis::Kind& kind : kinds_.all()) {
    if (!kind.managed()) continue;
    size_t exists = 0;
    size_t ready = 0;
    size_t synced = 0;
    for (const kube::ObjectPtr& object : objects_.StoreOf(kind.reference())->All()) {
      ++exists;
      const absl::StatusOr<rapidjson::Document> document = json::Parse(object->json());
      if (!document.ok()) continue;
      ready += IsTrue(*document, "Ready") ? 1 : 0;
      synced += IsTrue(*document, "Synced") ? 1 : 0;
    }
    metrics.SetStates(kind.reference(), exists, ready, synced);
  }
}

}  // namespace kupen::cmd
