// What tests with a real cluster have in common. Their main() (cluster_main.cc) has already entered the cluster's network
// namespace and pointed kubectl, helm, crossplane and openstack at it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/base/status.h"
#include "rapidjson/document.h"

namespace kupen::test {

// Asks again until the condition is OK; after the limit, its last error.
absl::Status Eventually(absl::Duration limit, absl::FunctionRef<absl::Status()> condition);

absl::StatusOr<std::string> Kubectl(std::vector<std::string> arguments, absl::string_view standard_input = "");

// `kubectl get … -o json`, parsed.
absl::StatusOr<rapidjson::Document> GetJson(std::vector<std::string> arguments);

absl::Status Apply(absl::string_view manifests);

// Waits until `kubectl wait --for=<condition> <object>` agrees, also for an object that does not exist yet.
absl::Status WaitFor(absl::string_view condition, std::vector<std::string> object, absl::Duration limit);

// OK if the text has the part; else an error that shows both.
absl::Status Contains(absl::string_view text, absl::string_view part);

// A setting of the running cluster, as `cluster exec env` shows it.
std::string ClusterVariable(const char* name);

// A Kubernetes namespace with a name of its own, deleted (with all that is in it) when the test ends.
class ScratchNamespace {
 public:
  explicit ScratchNamespace(absl::string_view prefix);
  ~ScratchNamespace();
  ScratchNamespace(const ScratchNamespace&) = delete;
  ScratchNamespace& operator=(const ScratchNamespace&) = delete;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace kupen::test

// Variadic, for expressions with commas inside braces.

// An OK status, or the test ends here and shows the error.
#define ASSERT_OK(...) \
  if (const absl::Status kupen_status = (__VA_ARGS__); !kupen_status.ok()) FAIL() << #__VA_ARGS__ << "\n" << kupen_status

// The value, or the test ends here and shows the error.
#define ASSERT_OK_AND_ASSIGN(declaration, ...) \
  KUPEN_ASSERT_OK_AND_ASSIGN_(KUPEN_CONCAT_(kupen_or_, __LINE__), declaration, __VA_ARGS__)
#define KUPEN_ASSERT_OK_AND_ASSIGN_(holder, declaration, ...)          \
  auto holder = (__VA_ARGS__);                                         \
  if (!holder.ok()) FAIL() << #__VA_ARGS__ << "\n" << holder.status(); \
  declaration = *std::move(holder)
