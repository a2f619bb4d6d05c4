#include "test/simulator/simulator.h"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "provider/base/status.h"
#include "provider/base/uuid.h"
#include "provider/json/json.h"
#include "test/simulator/cinder.h"
#include "test/simulator/glance.h"
#include "test/simulator/neutron.h"
#include "test/simulator/nova.h"
#include "test/simulator/octavia.h"
#include "test/simulator/placement.h"

namespace kupen::simulator {
namespace {

constexpr size_t kImageSize = 1 << 20;

void Ensure(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << status << "\n";
  std::exit(1);
}

// "/network/v2.0/networks" with the prefix "/network": "/v2.0/networks".
bool ConsumeSegment(absl::string_view* path, absl::string_view prefix) {
  absl::string_view rest = *path;
  if (!absl::ConsumePrefix(&rest, prefix) || (!rest.empty() && rest[0] != '/')) return false;
  *path = rest;
  return true;
}

}  // namespace

Simulator::Simulator(Unstarted /*unstarted*/, SimulatorOptions options) : world_(std::move(options)) {
  auto keystone = std::make_unique<Keystone>(world_);
  auto neutron = std::make_unique<Neutron>(world_);
  auto glance = std::make_unique<Glance>(world_);
  auto cinder = std::make_unique<Cinder>(world_, *glance);
  auto nova = std::make_unique<Nova>(world_, *neutron, *glance, *cinder);
  keystone_ = keystone.get();
  const std::string admin = keystone_->ProjectId("admin");
  neutron->Seed(admin, keystone_->ProjectId("demo"));
  nova->SeedFlavor("m1.tiny", /*ram=*/512, /*vcpus=*/1, /*disk=*/1);
  nova->SeedFlavor("m1.small", /*ram=*/2048, /*vcpus=*/1, /*disk=*/20);
  glance->SeedImage(admin, "cirros", kImageSize);
  services_.push_back(std::make_unique<Octavia>(world_, *neutron));
  services_.push_back(std::make_unique<Placement>(world_));
  services_.push_back(std::move(keystone));
  services_.push_back(std::move(neutron));
  services_.push_back(std::move(glance));
  services_.push_back(std::move(cinder));
  services_.push_back(std::move(nova));
}

Simulator::Simulator(SimulatorOptions options) : Simulator(Unstarted(), std::move(options)) { Ensure(Listen()); }

absl::StatusOr<std::unique_ptr<Simulator>> Simulator::Start(SimulatorOptions options) {
  std::unique_ptr<Simulator> simulator(new Simulator(Unstarted(), std::move(options)));
  RETURN_IF_ERROR(simulator->Listen());
  return simulator;
}

Simulator::~Simulator() = default;

absl::Status Simulator::Listen() {
  const std::lock_guard guard(mutex_);
  const SimulatorOptions& options = world_.options;
  ASSIGN_OR_RETURN(server_, EventServer::Start(options.address, options.port,
                                               [this](const http::Request& request) { return Handle(request); }));
  world_.url = options.public_url.empty() ? absl::StrCat("http://", options.address, ":", server_->port()) : options.public_url;
  return absl::OkStatus();
}

std::string Simulator::CloudsYaml() const {
  std::string text = "clouds:\n";
  for (const Account& account : world_.options.accounts) {
    absl::StrAppend(&text, "  ", account.user, ":\n    region_name: ", world_.options.region,
                    "\n    auth:\n      auth_url: ", url(), "/identity/v3\n      username: ", account.user,
                    "\n      password: ", account.password, "\n      project_name: ", account.project,
                    "\n      user_domain_name: Default\n      project_domain_name: Default\n");
  }
  return text;
}

EventServer::Reply Simulator::Handle(const http::Request& request) {
  const std::lock_guard guard(mutex_);
  world_.schedule.RunDue(world_.Now());
  absl::string_view path = absl::string_view(request.target).substr(0, request.target.find('?'));
  if (ConsumeSegment(&path, "/simulator")) return {.response = HandleAdmin(path, request)};
  for (const std::unique_ptr<Service>& service : services_) {
    if (ConsumeSegment(&path, service->names().prefix)) return Serve(*service, path, request);
  }
  return {.response = JsonAnswer(404, R"({"message":"no service has this path"})")};
}

EventServer::Reply Simulator::Serve(Service& service, absl::string_view rest, const http::Request& request) {
  Call call;
  call.world = &world_;
  call.request = &request;
  const bool below_version = service.names().version.empty() || ConsumeSegment(&rest, service.names().version);
  if (service.names().project_in_path && below_version && rest.size() > 1) {
    const size_t slash = rest.find('/', 1);
    rest = slash == absl::string_view::npos ? absl::string_view() : rest.substr(slash);
  }
  const bool root = rest.empty() || rest == "/";
  call.path = root ? "" : std::string(absl::StripSuffix(rest, "/"));
  if (const size_t question = request.target.find('?'); question != std::string::npos) {
    call.query_text = request.target.substr(question + 1);
    call.query = ParseQuery(call.query_text);
  }
  const std::optional<Caller> caller = keystone_->WhoHas(http::Find(request.headers, "X-Auth-Token"));
  if (caller.has_value()) call.caller = *caller;
  call.faults = world_.faults.Apply(service.names().type, request.method, call.path, call.caller.user_name);

  Answer answer;
  if (call.faults.refuse != 0) {
    answer = service.Refuse(call.faults.refuse, "The simulator was told to refuse this.");
  } else if (!call.faults.drop) {
    const bool allowed = caller.has_value() || service.IsPublic(call);
    answer = allowed ? Dispatch(service, call, root, below_version)
                     : service.Refuse(401, "The request you have made requires authentication.");
    if (call.faults.refuse_after != 0) {
      answer = service.Refuse(call.faults.refuse_after, "The simulator was told to say so, though it was done.");
    }
  }
  if (call.faults.retry_after > 0) answer.headers.emplace_back("Retry-After", absl::StrCat(call.faults.retry_after));
  service.AddHeaders(call, answer);
  answer.headers.emplace_back("X-Openstack-Request-Id", absl::StrCat("req-", NewUuid()));
  const bool hang_up = call.faults.drop || call.faults.drop_after;
  log_.Note(http::Find(request.headers, "User-Agent"), service.names().type, request.method, call.path, call.query_text,
            hang_up ? 0 : answer.status);
  return {.response = std::move(answer), .delay = world_.options.latency + call.faults.delay + call.delay, .hang_up = hang_up};
}

Answer Simulator::Dispatch(Service& service, Call& call, bool root, bool below_version) {
  if (root) return service.Versions(call, below_version);
  if (!below_version) return service.Refuse(404, "The resource could not be found.");
  if (std::optional<Answer> wrong = service.CheckVersion(call)) return *std::move(wrong);
  if (!call.request->body.empty() && absl::StrContains(call.request->content_type, "json")) {
    absl::StatusOr<rapidjson::Document> body = json::Parse(call.request->body);
    if (!body.ok()) return service.Refuse(400, "Malformed request body");
    call.body = *std::move(body);
  }
  return service.Handle(call);
}

void Simulator::AddFault(Fault fault) {
  const std::lock_guard guard(mutex_);
  world_.faults.Add(std::move(fault));
}

void Simulator::SetFaults(std::vector<Fault> faults) {
  const std::lock_guard guard(mutex_);
  world_.faults.Replace(std::move(faults));
  world_.schedule.Release(world_.Now());
}

std::vector<Fault> Simulator::faults() const {
  const std::lock_guard guard(mutex_);
  return world_.faults.faults();
}

void Simulator::ExpireTokens() {
  const std::lock_guard guard(mutex_);
  keystone_->ExpireTokens();
}

void Simulator::SetLatency(absl::Duration latency) {
  const std::lock_guard guard(mutex_);
  world_.options.latency = latency;
}

std::vector<RequestCount> Simulator::Requests() const {
  const std::lock_guard guard(mutex_);
  return log_.Counts();
}

int Simulator::CountRequests() const {
  int sum = 0;
  for (const RequestCount& one : Requests()) sum += one.count;
  return sum;
}

void Simulator::ResetRequests() {
  const std::lock_guard guard(mutex_);
  log_.Reset();
}

size_t Simulator::CountObjects(const std::string& collection) const {
  size_t count = 0;
  ForEachObject(collection, [&](const rapidjson::Value&) { ++count; });
  return count;
}

void Simulator::ForEachObject(const std::string& collection,
                              const std::function<void(const rapidjson::Value& body)>& each) const {
  const std::lock_guard guard(mutex_);
  world_.schedule.RunDue(world_.Now());
  const auto found = world_.store.find(collection);
  if (found == world_.store.end()) return;
  for (const auto& [order, object] : found->second.rows()) each(object->body());
}

bool Simulator::RemoveObject(const std::string& collection, const std::string& id) {
  const std::lock_guard guard(mutex_);
  if (world_.store[collection].Find(id) == nullptr) return false;
  world_.store[collection].Remove(id);
  return true;
}

bool Simulator::ChangeObject(const std::string& collection, const std::string& id, absl::string_view member,
                             absl::string_view json_value) {
  const std::lock_guard guard(mutex_);
  Object* object = world_.store[collection].Find(id);
  if (object == nullptr) return false;
  object->SetJson(member, json_value);
  object->updated = world_.Now();
  return true;
}

}  // namespace kupen::simulator
