#include "provider/runtime/metrics.h"

#include <array>
#include <sstream>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "prometheus/text_serializer.h"
#include "provider/runtime/process_metrics.h"

namespace kupen::runtime {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;

// Those of crossplane-runtime.
Histogram::BucketBoundaries LifeBuckets() { return {1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600}; }
Histogram::BucketBoundaries ReactionBuckets() { return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10}; }
// Those of controller-runtime, but the finest.
Histogram::BucketBoundaries ReconcileBuckets() { return {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}; }

constexpr const char* kQueueName = "provider-kupenstack";
constexpr std::array<const char*, 3> kResultNames = {"success", "requeue_after", "error"};

// As client-go has it for a request that was not answered.
std::string CodeOf(int status) { return status == 0 ? "<error>" : absl::StrCat(status); }

Family<Histogram>& CrossplaneHistogram(prometheus::Registry& registry, absl::string_view name, const char* help) {
  return BuildHistogram().Name(absl::StrCat("crossplane_managed_resource_", name, "_seconds")).Help(help).Register(registry);
}

Family<Gauge>& CrossplaneGauge(prometheus::Registry& registry, absl::string_view name, const char* help) {
  return BuildGauge().Name(absl::StrCat("crossplane_managed_resource_", name)).Help(help).Register(registry);
}

std::vector<prometheus::MetricFamily> QueueMetrics(const WorkQueue& queue) {
  const Labels name = {{"name", kQueueName}};
  using Type = prometheus::MetricType;
  return {
      MakeMetric("workqueue_depth", "Objects whose time has come and that wait for a worker", Type::Gauge,
                 static_cast<double>(queue.Ready()), name),
      MakeMetric("workqueue_adds_total", "Objects that were put into the queue", Type::Counter,
                 static_cast<double>(queue.Adds()), name),
      MakeMetric("workqueue_longest_running_processor_seconds", "How long the longest reconcile under way has run", Type::Gauge,
                 absl::ToDoubleSeconds(queue.LongestHeld()), name),
      MakeMetric("controller_runtime_active_workers", "Reconciles under way", Type::Gauge, static_cast<double>(queue.Held())),
  };
}

}  // namespace

class Metrics::Impl {
 public:
  explicit Impl(const MetricsOptions& options) : queue_(options.queue) {
    kinds_.reserve(options.kinds.size());
    // All series are there from the start: a rate over one that begins with its first event would miss that event.
    for (const MetricsKind& kind : options.kinds) AddKind(kind);
    BuildGauge()
        .Name("kupenstack_build_info")
        .Help("Always 1; the labels say what is running")
        .Register(registry_)
        .Add({{"version", options.version}})
        .Set(1);
    leader_.Set(0);
  }

  // The series of one kind; those of managed resources are null for others.
  struct OfKind {
    std::array<Counter*, kResultNames.size()> reconciles = {};
    Histogram* reconcile_time = nullptr;
    Histogram* first_reconcile = nullptr;
    Histogram* first_ready = nullptr;
    Histogram* deletion = nullptr;
    Histogram* drift = nullptr;
    Gauge* exists = nullptr;
    Gauge* ready = nullptr;
    Gauge* synced = nullptr;
  };

  // Null if it was not named at the start.
  const OfKind* Find(absl::string_view kind) const {
    const auto found = kinds_.find(kind);
    return found == kinds_.end() ? nullptr : &found->second;
  }

  void Observe(absl::string_view kind, Histogram* OfKind::* histogram, absl::Duration duration) const {
    const OfKind* series = Find(kind);
    if (series != nullptr && series->*histogram != nullptr) (series->*histogram)->Observe(absl::ToDoubleSeconds(duration));
  }

  std::string Text() const {
    std::vector<prometheus::MetricFamily> families = registry_.Collect();
    for (prometheus::MetricFamily& family : ProcessMetrics()) families.push_back(std::move(family));
    if (queue_ != nullptr) {
      for (prometheus::MetricFamily& family : QueueMetrics(*queue_)) families.push_back(std::move(family));
    }
    std::ostringstream text;
    prometheus::TextSerializer().Serialize(text, families);
    return std::move(text).str();
  }

  Family<Counter>& openstack_requests() { return openstack_requests_; }
  Family<Counter>& api_server_requests() { return api_server_requests_; }
  Gauge& leader() { return leader_; }

 private:
  void AddKind(const MetricsKind& kind) {
    OfKind& series = kinds_[kind.reference];
    for (size_t result = 0; result < kResultNames.size(); ++result) {
      series.reconciles[result] = &reconciles_.Add({{"controller", kind.reference}, {"result", kResultNames[result]}});
    }
    series.reconcile_time = &reconcile_time_.Add({{"controller", kind.reference}}, ReconcileBuckets());
    if (kind.gvk.empty()) return;
    const Labels gvk = {{"gvk", kind.gvk}};
    series.first_reconcile = &first_reconcile_.Add(gvk, ReactionBuckets());
    series.first_ready = &first_ready_.Add(gvk, LifeBuckets());
    series.deletion = &deletion_.Add(gvk, LifeBuckets());
    series.drift = &drift_.Add(gvk, ReactionBuckets());
    series.exists = &exists_.Add(gvk);
    series.ready = &ready_.Add(gvk);
    series.synced = &synced_.Add(gvk);
  }

  const WorkQueue* const queue_;
  prometheus::Registry registry_;
  Family<Counter>& reconciles_ =
      BuildCounter().Name("controller_runtime_reconcile_total").Help("Reconciles, by how they ended").Register(registry_);
  Family<Histogram>& reconcile_time_ =
      BuildHistogram().Name("controller_runtime_reconcile_time_seconds").Help("How long a reconcile took").Register(registry_);
  Family<Histogram>& first_reconcile_ =
      CrossplaneHistogram(registry_, "first_time_to_reconcile", "From an object's creation to its first reconcile");
  Family<Histogram>& first_ready_ =
      CrossplaneHistogram(registry_, "first_time_to_readiness", "From an object's creation to its first Ready");
  Family<Histogram>& deletion_ = CrossplaneHistogram(registry_, "deletion", "From the request to delete an object to its end");
  Family<Histogram>& drift_ =
      CrossplaneHistogram(registry_, "drift", "How long ago an object that is no longer as it should be was last seen to be");
  Family<Gauge>& exists_ = CrossplaneGauge(registry_, "exists", "Objects that exist");
  Family<Gauge>& ready_ = CrossplaneGauge(registry_, "ready", "Objects with Ready True");
  Family<Gauge>& synced_ = CrossplaneGauge(registry_, "synced", "Objects with Synced True");
  Family<Counter>& openstack_requests_ = BuildCounter()
                                             .Name("kupenstack_openstack_requests_total")
                                             .Help("Requests to OpenStack, by service, method and status of the answer")
                                             .Register(registry_);
  Family<Counter>& api_server_requests_ = BuildCounter()
                                              .Name("rest_client_requests_total")
                                              .Help("Requests to the Kubernetes API server, by method and status of the answer")
                                              .Register(registry_);
  Gauge& leader_ = BuildGauge()
                       .Name("leader_election_master_status")
                       .Help("1 if this process acts, 0 if it waits for the lease")
                       .Register(registry_)
                       .Add({{"name", kQueueName}});
  absl::flat_hash_map<std::string, OfKind> kinds_;
};

Metrics::Metrics(const MetricsOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Metrics::~Metrics() = default;

void Metrics::ObserveReconcile(absl::string_view kind, Result result, absl::Duration took) {
  if (const Impl::OfKind* series = impl_->Find(kind)) series->reconciles.at(static_cast<size_t>(result))->Increment();
  impl_->Observe(kind, &Impl::OfKind::reconcile_time, took);
}

void Metrics::ObserveFirstReconcile(absl::string_view kind, absl::Duration since_creation) {
  impl_->Observe(kind, &Impl::OfKind::first_reconcile, since_creation);
}

void Metrics::ObserveFirstReady(absl::string_view kind, absl::Duration since_creation) {
  impl_->Observe(kind, &Impl::OfKind::first_ready, since_creation);
}

void Metrics::ObserveDeletion(absl::string_view kind, absl::Duration since_request) {
  impl_->Observe(kind, &Impl::OfKind::deletion, since_request);
}

void Metrics::ObserveDrift(absl::string_view kind, absl::Duration since_last_seen_good) {
  impl_->Observe(kind, &Impl::OfKind::drift, since_last_seen_good);
}

void Metrics::SetStates(absl::string_view kind, size_t exists, size_t ready, size_t synced) {
  const Impl::OfKind* series = impl_->Find(kind);
  if (series == nullptr || series->exists == nullptr) return;
  series->exists->Set(static_cast<double>(exists));
  series->ready->Set(static_cast<double>(ready));
  series->synced->Set(static_cast<double>(synced));
}

void Metrics::CountOpenStackRequest(absl::string_view service, absl::string_view method, int status) {
  impl_->openstack_requests()
      .Add({{"service", std::string(service)}, {"method", std::string(method)}, {"status", CodeOf(status)}})
      .Increment();
}

void Metrics::CountApiServerRequest(absl::string_view method, int status) {
  impl_->api_server_requests().Add({{"method", std::string(method)}, {"code", CodeOf(status)}}).Increment();
}

void Metrics::SetLeader(bool leader) { impl_->leader().Set(leader ? 1 : 0); }

std::string Metrics::Text() const { return impl_->Text(); }

}  // namespace kupen::runtime
