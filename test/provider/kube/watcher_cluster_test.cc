// Watcher and store on a real API server.
#include <algorithm>
#include <memory>
#include <mutex>
#include <regex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/base/clock.h"
#include "provider/json/json.h"
#include "provider/kube/store.h"
#include "provider/kube/watcher.h"
#include "test/provider/kube/real_cluster.h"

namespace kupen::kube {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Passes everything on, remembers the targets, and can break a stream from outside and have the next ask for a version that the
// server no longer has.
class Spy final : public http::Transport {
 public:
  explicit Spy(http::Transport& real) : real_(real) {}

  absl::StatusOr<http::Response> Send(const http::Request& request, const std::stop_token& stop) override {
    Note(request);
    return real_.Send(request, stop);
  }
  absl::StatusOr<http::Response> Stream(const http::Request& request, const http::ResponseSink& on_head,
                                        const http::BodySink& on_body, const std::stop_token& stop) override {
    Note(request);
    const std::stop_source cut;
    http::Request sent = request;
    {
      const std::lock_guard guard(mutex_);
      cut_ = cut;
      const std::regex version("resourceVersion=[0-9]+");
      if (std::exchange(ask_for_old_, false)) sent.target = std::regex_replace(request.target, version, "resourceVersion=1");
    }
    const std::stop_callback also(stop, [&cut] { cut.request_stop(); });
    absl::StatusOr<http::Response> end = real_.Stream(sent, on_head, on_body, cut.get_token());
    if (absl::IsCancelled(end.status()) && !stop.stop_requested()) return absl::UnavailableError("cut by the test");
    return end;
  }

  void CutStream(bool ask_for_old = false) {
    const std::lock_guard guard(mutex_);
    ask_for_old_ = ask_for_old;
    cut_.request_stop();
  }
  std::vector<std::string> targets() const {
    const std::lock_guard guard(mutex_);
    return targets_;
  }

 private:
  void Note(const http::Request& request) {
    const std::lock_guard guard(mutex_);
    targets_.push_back(request.target);
  }

  http::Transport& real_;
  mutable std::mutex mutex_;
  std::vector<std::string> targets_;
  std::stop_source cut_;
  bool ask_for_old_ = false;
};

class WatcherClusterTest : public RealClusterTest {
 protected:
  ~WatcherClusterTest() override {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    if (watched_.group.empty()) return;
    EXPECT_TRUE(test::Kubectl({"delete", absl::StrCat("crd/things.", watched_.group), "--wait=false"}).ok());
  }

  void Start(bool streaming_list, bool metadata_only = false) {
    spy_ = std::make_unique<Spy>(*transport_);
    watching_ = std::make_unique<Client>(*spy_, "kube-test");
    store_.AddHandler([this](const ObjectKey& key, Store::Change change) {
      static constexpr const char* kNames[] = {"initial ", "applied ", "deleted "};
      const std::lock_guard guard(mutex_);
      changes_.push_back(kNames[static_cast<int>(change)] + key.name);
    });
    watcher_ = std::make_unique<Watcher>(
        *watching_, SystemClock(),
        // Kubernetes puts a ConfigMap of its own into each namespace, at its leisure.
        WatcherOptions{
            .resource = watched_,
            .scope = {.ns = ns(), .field_selector = "metadata.name!=kube-root-ca.crt", .metadata_only = metadata_only},
            .streaming_list = streaming_list},
        [this](const WatchEvent& event) { store_.Take(event); },
        [this](const absl::Status& problem) {
          const std::lock_guard guard(mutex_);
          problems_.push_back(problem.ToString());
        });
    thread_ = std::jthread([this](const std::stop_token& stop) { watcher_->Run(stop); });
    ASSERT_TRUE(store_.AwaitSynced({}));
  }

  absl::Status AwaitChange(const std::string& change) {
    return test::Eventually(absl::Seconds(20), [&] {
      const std::lock_guard guard(mutex_);
      const bool seen = std::find(changes_.begin(), changes_.end(), change) != changes_.end();
      return seen ? absl::OkStatus() : absl::NotFoundError(change + " is not seen");
    });
  }

  std::vector<std::string> Problems() {
    const std::lock_guard guard(mutex_);
    return problems_;
  }

  absl::Status Make(const std::string& name) {
    const std::string object =
        absl::Substitute(R"({"apiVersion":"$0","kind":"$1","metadata":{"name":"$2"},"data":{"value":"1"}})",
                         watched_.group.empty() ? "v1" : absl::StrCat(watched_.group, "/v1"),
                         watched_.group.empty() ? "ConfigMap" : "Thing", name);
    return client_->Create(watched_, ns(), object, {}).status();
  }

  // Watches a resource that did not exist a moment ago. The API server's memory of it begins now; of ConfigMaps, in a young
  // cluster, it remembers everything.
  void WatchANewResource() {
    watched_ = {.group = absl::StrCat(ns(), ".test"), .version = "v1", .plural = "things"};
    ASSERT_OK(test::Apply(absl::Substitute(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.$0}
spec:
  group: $0
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
)",
                                           watched_.group)));
    ASSERT_OK(test::WaitFor("condition=Established", {absl::StrCat("crd/things.", watched_.group)}, absl::Seconds(30)));
    // Established is a little earlier than served.
    ASSERT_OK(test::Eventually(absl::Seconds(30), [this] { return Make("stays"); }));
  }

  // Create, modify and delete, all seen.
  void FollowOneObject() {
    ASSERT_OK(Make("new"));
    ASSERT_OK(AwaitChange("applied new"));
    ASSERT_OK(client_->MergePatch(watched_, {ns(), "new"}, R"({"data":{"value":"2"}})", {}, {}).status());
    ASSERT_OK(test::Eventually(absl::Seconds(20), [this] {
      const ObjectPtr object = store_.Get({ns(), "new"});
      return object == nullptr ? absl::NotFoundError("not there") : test::Contains(object->json(), R"("value":"2")");
    }));
    EXPECT_FALSE(absl::StrContains(store_.Get({ns(), "new"})->json(), "managedFields"));
    ASSERT_OK(client_->Delete(watched_, {ns(), "new"}, {}, {}));
    ASSERT_OK(AwaitChange("deleted new"));
    EXPECT_EQ(store_.Get({ns(), "new"}), nullptr);
  }

  Resource watched_ = config_maps_;
  std::unique_ptr<Spy> spy_;
  std::unique_ptr<Client> watching_;
  Store store_;
  std::unique_ptr<Watcher> watcher_;
  std::mutex mutex_;
  std::vector<std::string> changes_;
  std::vector<std::string> problems_;
  std::jthread thread_;
};

class MetadataWatchTest : public WatcherClusterTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(StreamingList, MetadataWatchTest, testing::Bool());

TEST_F(WatcherClusterTest, StreamsTheListAndFollowsChanges) {
  ASSERT_OK(client_->Create(config_maps_, ns(), ConfigMap("old", "1"), {}).status());
  Start(/*streaming_list=*/true);
  ASSERT_OK(AwaitChange("initial old"));
  FollowOneObject();
  EXPECT_THAT(spy_->targets(), ElementsAre(HasSubstr("sendInitialEvents=true"))) << "one request does it all";
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(WatcherClusterTest, ListsPagesAndFollowsChanges) {
  ASSERT_OK(client_->Create(config_maps_, ns(), ConfigMap("old", "1"), {}).status());
  Start(/*streaming_list=*/false);
  ASSERT_OK(AwaitChange("initial old"));
  FollowOneObject();
  EXPECT_THAT(spy_->targets(), ElementsAre(HasSubstr("limit=500"), HasSubstr("watch=true&resourceVersion=")));
  EXPECT_THAT(Problems(), IsEmpty());
}

// The API server wraps these objects itself: that it still ends the initial events with a bookmark is not a matter of course.
TEST_P(MetadataWatchTest, BringsNoDataStreamedOrListed) {
  ASSERT_OK(client_->Create(config_maps_, ns(), ConfigMap("old", "data-marker"), {}).status());
  Start(/*streaming_list=*/GetParam(), /*metadata_only=*/true);
  ASSERT_OK(AwaitChange("initial old"));
  ASSERT_OK(client_->Create(config_maps_, ns(), ConfigMap("new", "data-marker"), {}).status());
  ASSERT_OK(AwaitChange("applied new"));
  for (const ObjectPtr& object : store_.All()) {
    EXPECT_THAT(object->json(), AllOf(HasSubstr(R"("uid":)"), Not(HasSubstr("data-marker"))));
    EXPECT_FALSE(object->resource_version().empty());
  }
  ASSERT_OK(client_->Delete(config_maps_, {ns(), "new"}, {}, {}));
  ASSERT_OK(AwaitChange("deleted new"));
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(WatcherClusterTest, ResumesAfterABrokenWatchAndMissesNothing) {
  ASSERT_OK(client_->Create(config_maps_, ns(), ConfigMap("old", "1"), {}).status());
  Start(/*streaming_list=*/true);
  ASSERT_OK(client_->Create(config_maps_, ns(), ConfigMap("before", "1"), {}).status());
  ASSERT_OK(AwaitChange("applied before"));
  spy_->CutStream();
  ASSERT_OK(client_->Create(config_maps_, ns(), ConfigMap("meanwhile", "1"), {}).status());
  ASSERT_OK(client_->Delete(config_maps_, {ns(), "old"}, {}, {}));
  ASSERT_OK(AwaitChange("applied meanwhile"));
  ASSERT_OK(AwaitChange("deleted old"));
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("cut by the test")));
  EXPECT_THAT(spy_->targets(), ElementsAre(HasSubstr("sendInitialEvents"),
                                           AllOf(HasSubstr("&resourceVersion="), Not(HasSubstr("sendInitialEvents")))));
}

TEST_F(WatcherClusterTest, ListsAgainWhenItsVersionIsTooOldAndMissesNothing) {
  WatchANewResource();
  ASSERT_OK(Make("goes"));
  Start(/*streaming_list=*/true);
  spy_->CutStream(/*ask_for_old=*/true);
  ASSERT_OK(client_->Delete(watched_, {ns(), "goes"}, {}, {}));
  ASSERT_OK(Make("comes"));
  ASSERT_OK(AwaitChange("deleted goes"));
  ASSERT_OK(AwaitChange("applied comes"));
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("cut by the test"), HasSubstr("too old resource version")));
  EXPECT_THAT(spy_->targets(),
              ElementsAre(HasSubstr("sendInitialEvents"), Not(HasSubstr("sendInitialEvents")), HasSubstr("sendInitialEvents")));
  FollowOneObject();
}

TEST_F(WatcherClusterTest, StopsAtOnceInTheMiddleOfAWatch) {
  Start(/*streaming_list=*/true);
  const absl::Time start = absl::Now();
  thread_.request_stop();
  thread_.join();
  EXPECT_LT(absl::Now() - start, absl::Seconds(2));
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(WatcherClusterTest, AMissingResourceIsReported) {
  std::vector<std::string> problems;
  Watcher watcher(
      *client_, SystemClock(), {.resource = {.group = "no.such.group", .version = "v1", .plural = "things"}},
      [](const WatchEvent& event) { EXPECT_EQ(event.type, WatchEvent::Type::kInit); },
      [&](const absl::Status& problem) { problems.push_back(problem.ToString()); });
  watcher.Step({});
  EXPECT_GE(watcher.Step({}), absl::Seconds(30));
  EXPECT_THAT(problems, ElementsAre(HasSubstr("watch things.v1.no.such.group: HTTP 404")));
}

}  // namespace
}  // namespace kupen::kube
