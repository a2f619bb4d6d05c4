#include "provider/cmd/object_states.h"

#include <string>

#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "apis/registry/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "provider/kube/store.h"
#include "provider/kube/watcher.h"
#include "provider/managed/objects.h"
#include "provider/runtime/metrics.h"
#include "test/fakes/fake_clock.h"

namespace kupen::cmd {
namespace {

using testing::HasSubstr;

class ObjectStatesTest : public testing::Test {
 protected:
  void Put(absl::string_view name, absl::string_view ready, absl::string_view synced) {
    const rapidjson::Document object = *json::Parse(absl::Substitute(
        R"({"metadata":{"name":"$0","namespace":"n","resourceVersion":"1"},"spec":{},
            "status":{"conditions":[{"type":"Ready","status":"$1"},{"type":"Synced","status":"$2"}]}})",
        name, ready, synced));
    objects_.StoreOf("network.Network")->Take({.type = kube::WatchEvent::Type::kApply, .object = &object});
  }
  std::string Text() {
    states_.Update(metrics_);
    return metrics_.Text();
  }

  test::FakeClock clock_;
  managed::Objects objects_{apis::Registry()};
  runtime::Metrics metrics_{{.version = "1", .kinds = {{"network.Network", "G"}}}};
  ObjectStates states_{apis::Registry(), objects_, clock_, absl::Seconds(5)};
};

TEST_F(ObjectStatesTest, CountsByCondition) {
  Put("a", "True", "True");
  Put("b", "False", "True");
  Put("c", "Unknown", "False");
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("crossplane_managed_resource_exists{gvk=\"G\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("crossplane_managed_resource_ready{gvk=\"G\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("crossplane_managed_resource_synced{gvk=\"G\"} 2\n"));
}

TEST_F(ObjectStatesTest, CountsAnewOnlyWhenTheLastCountIsTooOld) {
  EXPECT_THAT(Text(), HasSubstr("exists{gvk=\"G\"} 0\n"));
  Put("a", "True", "True");
  clock_.Advance(absl::Seconds(4));
  EXPECT_THAT(Text(), HasSubstr("exists{gvk=\"G\"} 0\n"));
  clock_.Advance(absl::Seconds(1));
  EXPECT_THAT(Text(), HasSubstr("exists{gvk=\"G\"} 1\n"));
}

}  // namespace
}  // namespace kupen::cmd
