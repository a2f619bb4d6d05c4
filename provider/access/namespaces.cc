#include "provider/access/namespaces.h"

#include <algorithm>
#include <utility>

#include "provider/json/json.h"
#include "provider/kube/object.h"
#include "rapidjson/document.h"

namespace kupen::access {
namespace {

// Not by Object::Label(): a label that is empty differs from one that is not there.
bool HasAll(const kube::Object& object, const std::map<std::string, std::string>& labels) {
  const absl::StatusOr<rapidjson::Document> parsed = json::Parse(object.json());
  if (!parsed.ok()) return false;
  return std::all_of(labels.begin(), labels.end(), [&parsed](const auto& label) {
    const rapidjson::Value* value = json::Find(*parsed, {"metadata", "labels", label.first});
    return value != nullptr && json::String(*value) == label.second;
  });
}

}  // namespace

Namespaces::Namespaces(const kube::Client& client, Clock& clock, std::function<void()> on_change)
    : client_(client), clock_(clock), on_change_(std::move(on_change)) {}

absl::StatusOr<std::set<std::string>> Namespaces::WithLabels(const std::map<std::string, std::string>& labels) {
  {
    const std::lock_guard guard(mutex_);
    if (watcher_ == nullptr) Start();
    if (!store_.synced()) return problem_.ok() ? absl::UnavailableError("the namespaces are being read") : problem_;
  }
  std::set<std::string> names;
  for (const kube::ObjectPtr& object : store_.All()) {
    if (HasAll(*object, labels)) names.emplace(object->name());
  }
  return names;
}

void Namespaces::Start() {
  store_.AddHandler([this](const kube::ObjectKey&, kube::Store::Change change) {
    // The first list is one change, told below.
    if (change != kube::Store::Change::kInitial) on_change_();
  });
  watcher_ = std::make_unique<kube::Watcher>(
      client_, clock_,
      kube::WatcherOptions{.resource = {.version = "v1", .plural = "namespaces", .namespaced = false},
                           .scope = {.metadata_only = true}},
      [this](const kube::WatchEvent& event) {
        store_.Take(event);
        if (event.type == kube::WatchEvent::Type::kInitDone) on_change_();
      },
      [this](const absl::Status& problem) { TakeProblem(problem); });
  thread_ = std::jthread([this](const std::stop_token& stop) { watcher_->Run(stop); });
}

void Namespaces::TakeProblem(const absl::Status& problem) {
  absl::Status shown = absl::UnavailableError(problem.message());
  if (absl::IsPermissionDenied(problem)) {
    shown = absl::PermissionDeniedError(
        "spec.namespaceSelector.matchLabels needs the right to list and watch namespaces, which Crossplane does not give to "
        "providers: kubectl apply -f install/ gives it; or use matchNames instead");
  }
  bool is_news = false;
  {
    const std::lock_guard guard(mutex_);
    is_news = std::exchange(problem_, shown) != shown;
  }
  if (is_news) on_change_();
}

}  // namespace kupen::access
