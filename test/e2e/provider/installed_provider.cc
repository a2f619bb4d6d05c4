#include "test/e2e/provider/installed_provider.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/support/cluster.h"
#include "test/support/subprocess.h"

namespace kupen::test {
namespace {

constexpr char kNamespace[] = "--namespace=crossplane-system";
constexpr char kPods[] = "--selector=pkg.crossplane.io/provider=provider-kupenstack";
constexpr char kProvider[] = "provider.pkg.crossplane.io/provider-kupenstack";

absl::Status AwaitHealthy() {
  RETURN_IF_ERROR(WaitFor("condition=Installed", {kProvider}, absl::Seconds(60)));
  return WaitFor("condition=Healthy", {kProvider}, absl::Seconds(120));
}

// What Crossplane and the node say about it, for a failure's message.
std::string Why() {
  std::string why;
  for (const std::vector<std::string>& question : std::vector<std::vector<std::string>>{
           {"describe", kProvider}, {"get", "pods,events", kNamespace}, {"logs", kNamespace, kPods, "--tail=40"}}) {
    absl::StrAppend(&why, "\n", Kubectl(question).value_or(""));
  }
  return why;
}

}  // namespace

absl::StatusOr<std::string> PushProvider(absl::string_view version) {
  const std::string package = absl::StrCat(testing::TempDir(), "provider-", version, ".xpkg");
  RETURN_IF_ERROR(RunProgram({"env", absl::StrCat("KUPENSTACK_PROGRAM=", KUPEN_PROVIDER), KUPEN_PACKAGE_SCRIPT,
                              std::string(version), package})
                      .status());
  ASSIGN_OR_RETURN(const std::string sum, RunProgram({"sha256sum", package}));
  std::string reference =
      absl::StrCat(ClusterVariable("KUPENSTACK_REGISTRY"), "/test/provider-kupenstack:", version, "-", sum.substr(0, 12));
  RETURN_IF_ERROR(RunProgram({"crossplane", "xpkg", "push", absl::StrCat("--package-files=", package), reference}).status());
  return reference;
}

absl::Status InstalledProvider::Install(absl::string_view package, absl::string_view runtime_config) {
  const std::string old_pod = InstalledProvider().Pod().value_or("");
  RETURN_IF_ERROR(
      Apply(absl::Substitute("{apiVersion: pkg.crossplane.io/v1, kind: Provider, metadata: {name: provider-kupenstack},"
                             " spec: {package: \"$0\", runtimeConfigRef: {name: $1}}}",
                             package, runtime_config)));
  const absl::Status replaced = Eventually(absl::Seconds(120), [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::string pod, InstalledProvider().Pod());
    return pod == old_pod ? absl::UnavailableError(absl::StrCat(pod, " still runs")) : absl::OkStatus();
  });
  const absl::Status healthy = replaced.ok() ? AwaitHealthy() : replaced;
  return healthy.ok() ? healthy : Annotate(healthy, Why());
}

absl::Status InstalledProvider::Uninstall() {
  // The pod first: while it runs it would hold on to what is deleted below.
  RETURN_IF_ERROR(Kubectl({"delete", kProvider, "--ignore-not-found", "--timeout=60s"}).status());
  return Eventually(absl::Seconds(90), []() -> absl::Status {
    ASSIGN_OR_RETURN(
        const std::string left,
        Kubectl({"get", "pods,providerrevisions.pkg.crossplane.io,managedresourcedefinitions.apiextensions.crossplane.io",
                 kNamespace, "--output=name"}));
    return absl::StrContains(left, "kupenstack") ? absl::UnavailableError(left) : absl::OkStatus();
  });
}

absl::StatusOr<std::string> InstalledProvider::Pod() const {
  ASSIGN_OR_RETURN(const rapidjson::Document pods, GetJson({"pods", kNamespace, kPods}));
  std::vector<std::string> running;
  for (const rapidjson::Value& pod : json::Array(pods, {"items"})) {
    if (json::String(pod, {"status", "phase"}) == "Running" && json::Find(pod, {"metadata", "deletionTimestamp"}) == nullptr) {
      running.emplace_back(json::String(pod, {"metadata", "name"}));
    }
  }
  if (running.size() != 1) return absl::UnavailableError(absl::StrCat(running.size(), " pods run: ", json::Write(pods)));
  return running.front();
}

absl::StatusOr<std::string> InstalledProvider::ServiceAccount() const {
  ASSIGN_OR_RETURN(const std::string pod, Pod());
  return Kubectl({"get", absl::StrCat("pod/", pod), kNamespace, "--output=jsonpath={.spec.serviceAccountName}"});
}

absl::StatusOr<std::string> InstalledProvider::Log() const {
  ASSIGN_OR_RETURN(const std::string pod, Pod());
  return Kubectl({"logs", pod, kNamespace});
}

absl::StatusOr<std::string> InstalledProvider::Get(absl::string_view path) const {
  ASSIGN_OR_RETURN(const std::string pod, Pod());
  return Kubectl({"get", "--raw", absl::Substitute("/api/v1/namespaces/crossplane-system/pods/$0:8080/proxy$1", pod, path)});
}

absl::StatusOr<double> MetricIn(absl::string_view text, absl::string_view name) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    double value = 0;
    if (absl::StartsWith(line, absl::StrCat(name, " ")) && absl::SimpleAtod(line.substr(name.size() + 1), &value)) return value;
  }
  return absl::NotFoundError(absl::StrCat("no series ", name, " in:\n", text));
}

}  // namespace kupen::test
