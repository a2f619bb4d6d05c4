#include "test/support/cluster.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "test/support/subprocess.h"

namespace kupen::test {

absl::Status Eventually(absl::Duration limit, absl::FunctionRef<absl::Status()> condition) {
  const absl::Time deadline = absl::Now() + limit;
  absl::Duration pause = absl::Milliseconds(50);
  while (true) {
    absl::Status status = condition();
    if (status.ok()) return status;
    if (absl::Now() > deadline) return Annotate(status, absl::StrCat("not so after ", absl::FormatDuration(limit)));
    absl::SleepFor(pause);
    pause = std::min(pause * 1.5, absl::Seconds(1));
  }
}

absl::StatusOr<std::string> Kubectl(std::vector<std::string> arguments, absl::string_view standard_input) {
  arguments.insert(arguments.begin(), "kubectl");
  return RunProgram(arguments, {.standard_input = std::string(standard_input)});
}

absl::StatusOr<rapidjson::Document> GetJson(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "get");
  arguments.insert(arguments.end(), "--output=json");
  ASSIGN_OR_RETURN(const std::string text, Kubectl(std::move(arguments)));
  return json::Parse(text);
}

absl::Status Apply(absl::string_view manifests) {
  return Kubectl({"apply", "--server-side", "--filename=-"}, manifests).status();
}

absl::Status WaitFor(absl::string_view condition, std::vector<std::string> object, absl::Duration limit) {
  std::vector<std::string> arguments = {"wait", absl::StrCat("--for=", condition), "--timeout=5s"};
  arguments.insert(arguments.end(), object.begin(), object.end());
  return Eventually(limit, [&arguments] { return Kubectl(arguments).status(); });
}

absl::Status Contains(absl::string_view text, absl::string_view part) {
  if (absl::StrContains(text, part)) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("no \"", part, "\" in: ", text));
}

std::string ClusterVariable(const char* name) {
  const char* value = std::getenv(name);
  EXPECT_NE(value, nullptr) << name << " is not set: was this started by its own main()?";
  return value == nullptr ? "" : value;
}

ScratchNamespace::ScratchNamespace(absl::string_view prefix)
    : name_(absl::StrCat(prefix, "-", getpid(), "-", absl::ToUnixMillis(absl::Now()) % 100000)) {
  const absl::Status created = Kubectl({"create", "namespace", name_}).status();
  EXPECT_TRUE(created.ok()) << created;
  // Pods can't be made before the namespace's default service account is there.
  const absl::Status usable = WaitFor("create", {"serviceaccount/default", "--namespace", name_}, absl::Seconds(30));
  EXPECT_TRUE(usable.ok()) << usable;
}

ScratchNamespace::~ScratchNamespace() {
  const absl::Status deleted = Kubectl({"delete", "namespace", name_, "--wait=false", "--ignore-not-found"}).status();
  EXPECT_TRUE(deleted.ok()) << deleted;
}

}  // namespace kupen::test
