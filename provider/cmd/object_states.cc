#include "provider/cmd/object_states.h"

#include "absl/status/statusor.h"
#include "provider/json/json.h"
#include "provider/kube/conditions.h"
#include "provider/kube/object.h"
#include "rapidjson/document.h"

namespace kupen::cmd {

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
      ready += kube::IsTrue(*document, "Ready") ? 1 : 0;
      synced += kube::IsTrue(*document, "Synced") ? 1 : 0;
    }
    metrics.SetStates(kind.reference(), exists, ready, synced);
  }
}

}  // namespace kupen::cmd
