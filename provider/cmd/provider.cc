#include "provider/cmd/provider.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "apis/model/kinds.h"
#include "apis/registry/registry.h"
#include "provider/access/config_reconciler.h"
#include "provider/access/probe.h"
#include "provider/access/scope.h"
#include "provider/access/secret_watch.h"
#include "provider/base/backoff.h"
#include "provider/base/clock.h"
#include "provider/base/status.h"
#include "provider/base/uuid.h"
#include "provider/cmd/cluster_id.h"
#include "provider/cmd/crd_gate.h"
#include "provider/cmd/object_states.h"
#include "provider/cmd/telemetry.h"
#include "provider/cmd/watches.h"
#include "provider/http/address_rules.h"
#include "provider/http/observed.h"
#include "provider/http/server.h"
#include "provider/kinds/kinds.h"
#include "provider/kube/client.h"
#include "provider/kube/config.h"
#include "provider/kube/events.h"
#include "provider/kube/lease.h"
#include "provider/kube/store.h"
#include "provider/managed/objects.h"
#include "provider/managed/reconciler.h"
#include "provider/openstack/transports.h"
#include "provider/runtime/health.h"
#include "provider/runtime/log.h"
#include "provider/runtime/metrics.h"
#include "provider/runtime/token_bucket.h"
#include "provider/runtime/work_queue.h"
#include "provider/runtime/workers.h"

namespace kupen::cmd {
namespace {

using runtime::Key;
using runtime::Outcome;
using runtime::Priority;

constexpr char kName[] = "provider-kupenstack";
constexpr char kLeaseName[] = "crossplane-leader-election-provider-kupenstack";
constexpr char kDefaultNamespace[] = "crossplane-system";

// One cloud may have half of them, and another a quarter while that one does not answer (runtime/shares.h): enough for all that
// the rate allows.
constexpr int kMaxWorkers = 48;
constexpr int kConfigWorkers = 4;
// CRDs are large, and at the start there is one to read for each kind.
constexpr int kCrdWorkers = 4;
// How long a reconcile may take before the process counts as stuck.
constexpr absl::Duration kStuckAfter = absl::Minutes(15);
// How long to wait for the caches before the first reconcile. One watch that is refused, or asked to come back in a second as
// those of brand-new CRDs are, must not hold up all other kinds. What is not known yet is waited for where it matters.
constexpr absl::Duration kCachesLimit = absl::Milliseconds(500);
constexpr absl::Duration kCachesPause = absl::Milliseconds(10);
// How long what is under way may take after a stop. Kubernetes kills after 30 s.
constexpr absl::Duration kGrace = absl::Seconds(20);

std::string Hostname() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : kName;
}

std::string PodNamespace() {
  const char* const ns = std::getenv("POD_NAMESPACE");
  return ns == nullptr || *ns == '\0' ? kDefaultNamespace : ns;
}

runtime::MetricsOptions MetricsOf(const apis::Kinds& kinds, const runtime::WorkQueue& queue) {
  runtime::MetricsOptions options{.version = KUPEN_VERSION, .kinds = {}, .queue = &queue};
  options.kinds.reserve(kinds.all().size());
  for (const apis::Kind& kind : kinds.all()) {
    options.kinds.push_back(
        {kind.reference(), kind.managed() ? absl::StrCat(kind.group, "/", kind.version, ", Kind=", kind.name) : ""});
  }
  return options;
}

// Tries until there is an id, or a stop: an API server that is being restarted is no reason to give up.
absl::StatusOr<std::string> AwaitClusterId(const kube::Client& client, const std::string& ns, Clock& clock,
                                           const std::stop_token& stop) {
  Backoff backoff;
  while (true) {
    absl::StatusOr<std::string> id = FindOrMakeClusterId(client, ns, stop);
    if (id.ok() || absl::IsFailedPrecondition(id.status())) return id;
    if (stop.stop_requested()) return absl::CancelledError("stopped");
    log::Warning("cannot start yet; trying again", {{"error", id.status()}});
    clock.SleepFor(backoff.Next(), stop);
  }
}

// Everything that runs, in the order in which it is made.
class Provider {
 public:
  Provider(const Flags& flags, absl::Time started, std::shared_ptr<http::Transport> api_server,
           std::shared_ptr<const http::AddressRules> addresses)
      : flags_(flags), started_(started), addresses_(std::move(addresses)), api_server_(Counted(std::move(api_server))) {}

  absl::Status Run(const std::stop_token& stop);

 private:
  // Puts the parts together.
  absl::Status Build(const std::stop_token& stop);
  void BuildReconcilers(std::string cluster_id);
  void AddHandlers();
  void AddHealthChecks();
  std::shared_ptr<http::Transport> Counted(std::shared_ptr<http::Transport> transport);
  openstack::Transports CountedTransports();

  // Lets them run.
  void StartWatches(const std::stop_token& stop);
  void Open(const apis::Kind& kind);
  bool AwaitLease(const std::stop_token& stop);
  void AwaitCaches(const std::stop_token& stop);
  void Work(const std::stop_token& stop);
  void Resync();
  void EndWork();

  // How many of them.
  int Workers() const { return std::min(flags_.max_reconcile_rate, kMaxWorkers); }
  bool CachesAreFilled() const;
  Outcome Observe(const Key& key, const std::function<Outcome()>& reconcile);
  std::string MetricsText();

  const Flags flags_;
  const absl::Time started_;
  const std::shared_ptr<const http::AddressRules> addresses_;
  const apis::Kinds& kinds_ = apis::Registry();
  const std::string namespace_ = PodNamespace();
  const std::string hostname_ = Hostname();
  Clock& clock_ = SystemClock();

  runtime::WorkQueue queue_{clock_};
  runtime::WorkQueue config_queue_{clock_};
  runtime::WorkQueue crd_queue_{clock_};
  runtime::Metrics metrics_{MetricsOf(kinds_, queue_)};
  runtime::Health health_;
  const std::shared_ptr<http::Transport> api_server_;
  const kube::Client client_{*api_server_, kName};
  kube::EventRecorder events_{
      client_, clock_, {.component = kName, .instance = hostname_, .on_problem = [](const absl::Status& problem) {
                          log::Warning("an event was dropped", {{"error", problem}});
                        }}};
  kube::Lease lease_{client_, clock_, {.key = {namespace_, kLeaseName}, .identity = absl::StrCat(hostname_, "_", NewUuid())}};
  managed::Objects objects_{kinds_};
  ObjectStates states_{kinds_, objects_, clock_, flags_.poll_state_metric};
  access::Scopes scopes_;
  runtime::TokenBucket rate_{clock_, static_cast<double>(flags_.max_reconcile_rate),
                             static_cast<double>(flags_.max_reconcile_rate)};
  std::unique_ptr<managed::Reconciler> reconciler_;
  std::unique_ptr<access::ConfigReconciler> configs_;
  CrdGate gate_{kinds_, client_, crd_queue_, [this](const apis::Kind& kind) { Open(kind); }};

  // The kinds whose watch has been started.
  mutable std::mutex mutex_;
  std::vector<const kube::Store*> opened_;

  std::once_flag first_reconcile_;
  // Requested when what is under way after a stop takes too long.
  std::stop_source abandon_;
  Watches watches_{client_, clock_, health_};
  std::unique_ptr<http::Server> telemetry_;
  std::optional<runtime::Workers> crd_workers_;
  std::jthread configs_synced_;
  std::jthread lease_holder_;
  std::optional<runtime::Workers> config_workers_;
  std::optional<runtime::Workers> workers_;
};

absl::Status Provider::Run(const std::stop_token& stop) {
  RETURN_IF_ERROR(Build(stop));
  StartWatches(stop);
  if (flags_.leader_election && !AwaitLease(stop)) return absl::OkStatus();
  metrics_.SetLeader(true);
  AwaitCaches(stop);
  Work(stop);
  EndWork();
  return absl::OkStatus();
}

absl::Status Provider::Build(const std::stop_token& stop) {
  AddHealthChecks();
  absl::StatusOr<std::unique_ptr<http::Server>> telemetry =
      ServeTelemetry(flags_.metrics_address, health_, [this] { return MetricsText(); });
  if (!telemetry.ok()) return telemetry.status();
  telemetry_ = *std::move(telemetry);
  ASSIGN_OR_RETURN(std::string cluster_id, AwaitClusterId(client_, namespace_, clock_, stop));
  log::Debug("cluster id", {{"id", cluster_id}, {"configmap", absl::StrCat(namespace_, "/", kClusterIdMap)}});
  BuildReconcilers(std::move(cluster_id));
  AddHandlers();
  return absl::OkStatus();
}

void Provider::BuildReconcilers(std::string cluster_id) {
  reconciler_ = std::make_unique<managed::Reconciler>(managed::ReconcilerOptions{.kinds = kinds_,
                                                                                 .objects = objects_,
                                                                                 .scopes = scopes_,
                                                                                 .client = client_,
                                                                                 .events = events_,
                                                                                 .queue = queue_,
                                                                                 .rate = rate_,
                                                                                 .clock = clock_,
                                                                                 .cluster_id = std::move(cluster_id),
                                                                                 .metrics = &metrics_,
                                                                                 .poll = flags_.poll,
                                                                                 .lost_create_pause = flags_.lost_create_pause,
                                                                                 .workers = Workers()});
  kinds::AddHooks(*reconciler_, {.clock = clock_, .allowed = addresses_});

  using access::ConfigRef;
  configs_ = std::make_unique<access::ConfigReconciler>(access::ConfigReconcilerOptions{
      .provider_configs = *objects_.StoreOf(access::kProviderConfig),
      .cluster_provider_configs = *objects_.StoreOf(access::kClusterProviderConfig),
      .client = client_,
      .events = events_,
      .queue = config_queue_,
      .scopes = scopes_,
      .clock = clock_,
      .transports = CountedTransports(),
      .scope_events = {.on_change = [this](const std::string& kind,
                                           const openstack::MirrorChange& change) { reconciler_->OnCloudChange(kind, change); },
                       .on_doubt =
                           [](const std::string& kind, const std::string& message) {
                             log::Warning("too much is missing to be believed", {{"kind", kind}, {"message", message}});
                           }},
      .service_types = access::ServiceTypesOf(kinds_),
      .count_users = [this](const ConfigRef& config) { return objects_.CountUsersOf(config); },
      .users_of = [this](const ConfigRef& config) { return objects_.UsersOf(config); },
      .users_known = [this] { return CachesAreFilled(); },
      .on_scope_change = [this](const ConfigRef& config) { reconciler_->OnScopeChange(config); },
      .on_problem =
          [](const ConfigRef& config, const absl::Status& problem) {
            log::Warning("cannot use a configuration; trying again", {{"config", config.ToString()}, {"error", problem}});
          }});
}

void Provider::AddHandlers() {
  objects_.SetUsersHandler([this](const access::ConfigRef& config) { configs_->OnUsersChange(config); });
  for (const apis::Kind& kind : kinds_.all()) {
    objects_.StoreOf(kind.reference())
        ->AddHandler([this, name = kind.reference(), is_managed = kind.managed()](const kube::ObjectKey& object,
                                                                                  kube::Store::Change change) {
          const Key key{.kind = name, .object_namespace = object.ns, .name = object.name};
          runtime::WorkQueue& queue = is_managed ? queue_ : config_queue_;
          queue.Add(key, change == kube::Store::Change::kInitial ? Priority::kInitial : Priority::kChange);
          if (is_managed) reconciler_->OnObjectChange(key);
        });
  }
}

void Provider::AddHealthChecks() {
  health_.AddLiveness("workers", [this] {
    const absl::Duration longest = std::max(queue_.LongestHeld(), config_queue_.LongestHeld());
    if (longest <= kStuckAfter) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat("a reconcile takes ", absl::FormatDuration(longest)));
  });
  // A replica that waits for the lease is ready, too: it is what a rolling update waits for.
  health_.AddReadiness("caches", [this] {
    return CachesAreFilled() ? absl::OkStatus() : absl::UnavailableError("not all objects have been read yet");
  });
}

std::shared_ptr<http::Transport> Provider::Counted(std::shared_ptr<http::Transport> transport) {
  return std::make_shared<http::ObservedTransport>(std::move(transport), [this](const http::Request& request, int status) {
    metrics_.CountApiServerRequest(request.method, status);
  });
}

openstack::Transports Provider::CountedTransports() {
  return [this, inside = openstack::HttpTransports(addresses_)](
             const std::string& origin, const openstack::Tls& tls) -> absl::StatusOr<std::shared_ptr<http::Transport>> {
    ASSIGN_OR_RETURN(std::shared_ptr<http::Transport> transport, inside(origin, tls));
    return std::make_shared<http::ObservedTransport>(std::move(transport), [this](const http::Request& request, int status) {
      metrics_.CountOpenStackRequest(request.service, request.method, status);
    });
  };
}

void Provider::StartWatches(const std::stop_token& stop) {
  crd_workers_.emplace(crd_queue_, runtime::Workers::Options{.threads = kCrdWorkers},
                       [this, stop](const Key& key) { return gate_.Reconcile(key, stop); });
  watches_.Start("CustomResourceDefinition", CrdGate::WatcherOptions(),
                 [this](const kube::WatchEvent& event) { gate_.Take(event); });
  watches_.Start("Secret", access::SecretWatch::WatcherOptions(), [this](const kube::WatchEvent& event) {
    configs_->secrets().Take(event);
    reconciler_->OnSecretEvent(event);
  });
  configs_synced_ = std::jthread([this](const std::stop_token& ended) {
    for (const absl::string_view kind : {access::kProviderConfig, access::kClusterProviderConfig}) {
      if (!objects_.StoreOf(kind)->AwaitSynced(ended)) return;
    }
    configs_->OnSynced();
  });
}

void Provider::Open(const apis::Kind& kind) {
  log::Info("watching", {{"kind", kind.reference()}});
  kube::Store* const store = objects_.StoreOf(kind.reference());
  {
    const std::lock_guard guard(mutex_);
    opened_.push_back(store);
  }
  watches_.Start(kind.reference(), {.resource = managed::ResourceOf(kind)},
                 [store](const kube::WatchEvent& event) { store->Take(event); });
}

bool Provider::AwaitLease(const std::stop_token& stop) {
  const auto on_problem = [](const absl::Status& problem) {
    log::Warning("cannot get or renew the lease; trying again", {{"lease", kLeaseName}, {"error", problem}});
  };
  log::Info("waiting for the lease", {{"lease", absl::StrCat(namespace_, "/", kLeaseName)}});
  if (!lease_.Acquire(on_problem, stop)) return false;
  log::Info("holding the lease");
  lease_holder_ = std::jthread([this, on_problem](const std::stop_token& ended) {
    const absl::Status lost = lease_.Hold(on_problem, ended);
    if (lost.ok()) return;
    log::Error("lost the lease: another replica may act now, so this one ends", {{"error", lost}});
    // At once: in ten seconds at most another acts, and two of us must not.
    std::_Exit(EXIT_FAILURE);
  });
  return true;
}

void Provider::AwaitCaches(const std::stop_token& stop) {
  const absl::Time limit = clock_.Now() + kCachesLimit;
  while (!CachesAreFilled() && clock_.Now() < limit && clock_.SleepFor(kCachesPause, stop)) {
  }
  log::Info("ready to reconcile", {{"since_start", clock_.Now() - started_}, {"all_read", CachesAreFilled() ? "yes" : "no"}});
}

void Provider::Work(const std::stop_token& stop) {
  config_workers_.emplace(config_queue_, runtime::Workers::Options{.threads = kConfigWorkers}, [this](const Key& key) {
    return Observe(key, [&] { return configs_->Reconcile(key, abandon_.get_token()); });
  });
  workers_.emplace(queue_, runtime::Workers::Options{.threads = Workers()}, [this](const Key& key) {
    return Observe(key, [&] { return reconciler_->Reconcile(key, abandon_.get_token()); });
  });
  while (clock_.SleepFor(flags_.sync, stop)) Resync();
}

void Provider::Resync() {
  for (const apis::Kind& kind : kinds_.all()) {
    for (const kube::ObjectPtr& object : objects_.StoreOf(kind.reference())->All()) {
      const Key key{
          .kind = kind.reference(), .object_namespace = std::string(object->ns()), .name = std::string(object->name())};
      (kind.managed() ? queue_ : config_queue_).Add(key, Priority::kInitial);
    }
  }
}

void Provider::EndWork() {
  log::Info("stopping", {{"under_way", queue_.Held() + config_queue_.Held()}});
  const std::jthread impatience([this](const std::stop_token& ended) {
    if (clock_.SleepFor(kGrace, ended)) abandon_.request_stop();
  });
  workers_.reset();
  config_workers_.reset();
  if (!lease_holder_.joinable()) return;
  lease_holder_.request_stop();
  lease_holder_.join();
  if (const absl::Status released = lease_.Release(); !released.ok()) {
    log::Warning("could not give back the lease; others wait for it to run out", {{"error", released}});
  }
}

bool Provider::CachesAreFilled() const {
  if (!gate_.settled()) return false;
  const std::lock_guard guard(mutex_);
  return std::all_of(opened_.begin(), opened_.end(), [](const kube::Store* store) { return store->synced(); });
}

Outcome Provider::Observe(const Key& key, const std::function<Outcome()>& reconcile) {
  const absl::Time start = clock_.Now();
  std::call_once(first_reconcile_, [&] { log::Info("first reconcile", {{"since_start", start - started_}}); });
  const Outcome outcome = reconcile();
  const absl::Duration took = clock_.Now() - start;
  using Result = runtime::Metrics::Result;
  const Result result = outcome.failed() ? Result::kError : outcome.comes_back() ? Result::kRequeueAfter : Result::kSuccess;
  metrics_.ObserveReconcile(key.kind, result, took);
  log::Debug("reconciled", {{"kind", key.kind}, {"namespace", key.object_namespace}, {"name", key.name}, {"took", took}});
  return outcome;
}

std::string Provider::MetricsText() {
  states_.Update(metrics_);
  return metrics_.Text();
}

}  // namespace

absl::Status RunProvider(const Flags& flags, absl::Time started, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(http::AddressRules addresses,
                   http::AddressRules::Create({.allowed = flags.allow_address, .denied = flags.deny_address}));
  ASSIGN_OR_RETURN(const kube::Config config, kube::LoadConfig(flags.kubeconfig));
  ASSIGN_OR_RETURN(std::shared_ptr<http::Transport> api_server, kube::Connect(config));
  log::Info("starting", {{"version", KUPEN_VERSION}, {"api_server", config.server}});
  // Never deleted: see the header.
  auto* const provider =
      new Provider(flags, started, std::move(api_server), std::make_shared<const http::AddressRules>(std::move(addresses)));
  return provider->Run(stop);
}

}  // namespace kupen::cmd
