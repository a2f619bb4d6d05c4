#include "test/provider/managed/world.h"

#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "provider/json/json.h"

namespace kupen::test {
namespace {

access::ConfigRef Config() { return {.kind = std::string(access::kClusterProviderConfig), .ns = "", .name = "default"}; }

}  // namespace

World::World() : metrics({.version = "test", .kinds = {{"network.Network", "Kind=Network"}}}) {
  cloud.Serve([this](const http::Request& request) { return service.Handle(request); });
  service.SetDefaults("networks",
                      R"({"status":"ACTIVE","admin_state_up":true,"mtu":1450,"project_id":"p1","description":"","tags":[]})");
  service.SetDefaults("subnets", R"({"project_id":"p1","description":"","enable_dhcp":true,"tags":[]})");
  for (const apis::Kind& kind : apis::Registry().all()) {
    objects.StoreOf(kind.reference())
        ->AddHandler([this, name = kind.reference()](const kube::ObjectKey& key, kube::Store::Change) {
          const runtime::Key changed{.kind = name, .object_namespace = key.ns, .name = key.name};
          queue_->Add(changed, runtime::Priority::kChange);
          reconciler_->OnObjectChange(changed);
        });
  }
  Start();
}

World::~World() { Stop(); }

void World::Stop() {
  scopes_.reset();
  reconciler_.reset();
}

void World::Start() {
  queue_ = std::make_unique<runtime::WorkQueue>(clock);
  events_ = std::make_unique<kube::EventRecorder>(client_, clock, kube::EventOptions{.component = "test"});
  rate_ = std::make_unique<runtime::TokenBucket>(clock, 1000, 1000);
  scopes_ = std::make_unique<access::Scopes>();
  SetScope();
  scopes_->SetComplete();
  reconciler_ =
      std::make_unique<managed::Reconciler>(managed::ReconcilerOptions{.kinds = apis::Registry(),
                                                                       .objects = objects,
                                                                       .scopes = *scopes_,
                                                                       .client = client_,
                                                                       .events = *events_,
                                                                       .queue = *queue_,
                                                                       .rate = *rate_,
                                                                       .clock = clock,
                                                                       .cluster_id = "c1057e40-0000-4000-8000-000000000000",
                                                                       .metrics = &metrics});
  running_ = reconciler_.get();
}

void World::SetScope() {
  auto scope = std::make_shared<access::Scope>(
      cloud.config(), cloud.transports(), clock,
      access::ScopeEvents{.on_change = [this](const std::string& kind,
                                              const openstack::MirrorChange& change) { running_->OnCloudChange(kind, change); },
                          .on_doubt = [this](const std::string&, const std::string&) { ++doubts; }});
  scopes_->Set(Config(), std::move(scope), [](absl::string_view) { return true; });
}

void World::ReplaceScope() {
  SetScope();
  reconciler_->OnScopeChange(Config());
}

void World::Restart() {
  kube.CatchUp();
  Stop();
  Start();
  for (const apis::Kind& kind : apis::Registry().all()) {
    if (!kind.managed()) continue;
    for (const kube::ObjectPtr& object : objects.StoreOf(kind.reference())->All()) {
      queue_->Add(
          {.kind = kind.reference(), .object_namespace = std::string(object->ns()), .name = std::string(object->name())},
          runtime::Priority::kInitial);
    }
  }
}

void World::Settle() {
  while (queue_->Ready() > 0) {
    const std::optional<runtime::Key> key = queue_->Take(stop_.get_token());
    const runtime::Outcome outcome = reconciler_->Reconcile(*key, stop_.get_token());
    queue_->Done(*key);
    if (const std::optional<absl::Duration> delay = outcome.delay())
      queue_->AddAfter(*key, runtime::Priority::kRequeue, *delay);
  }
}

void World::SettleAfter(absl::Duration time) {
  clock.Advance(time);
  Settle();
}

bool World::SettleUntil(const std::function<bool()>& is_so) {
  constexpr absl::Duration kLimit = absl::Seconds(10);
  const absl::Time deadline = absl::Now() + kLimit;
  do {
    Settle();
    if (is_so()) return true;
    std::this_thread::yield();
  } while (absl::Now() < deadline);
  return false;
}

void World::TellOfSecret(const std::string& name) {
  rapidjson::Document secret = kube.GetSecret(kNamespace, name);
  const bool gone = secret.IsNull();
  if (gone) secret = *json::Parse(absl::StrCat(R"({"metadata":{"namespace":"team","name":")", name, R"("}})"));
  reconciler_->OnSecretEvent(
      {.type = gone ? kube::WatchEvent::Type::kDelete : kube::WatchEvent::Type::kApply, .object = &secret});
}

std::string World::Condition(const std::string& kind, const std::string& name, const std::string& type) const {
  const rapidjson::Document object = kube.Get(kind, kNamespace, name);
  for (const rapidjson::Value& condition : json::Array(object, {"status", "conditions"})) {
    if (json::String(condition, {"type"}) != type) continue;
    const absl::string_view message = json::String(condition, {"message"});
    return absl::StrCat(json::String(condition, {"status"}), " ", json::String(condition, {"reason"}),
                        message.empty() ? "" : " ", message);
  }
  return "";
}

std::string World::ExternalName(const std::string& kind, const std::string& name) const {
  return std::string(
      json::String(kube.Get(kind, kNamespace, name), {"metadata", "annotations", "crossplane.io/external-name"}));
}

}  // namespace kupen::test
