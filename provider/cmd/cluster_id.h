// The identity of this Kubernetes cluster, by which it knows its objects in the cloud. It is kept in a ConfigMap beside the
// provider, so that a cluster that is restored elsewhere takes its objects back.
//
//   ASSIGN_OR_RETURN(const std::string id, FindOrMakeClusterId(client, "crossplane-system", stop));
#pragma once

#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/kube/client.h"

namespace kupen::cmd {

inline constexpr absl::string_view kClusterIdMap = "kupenstack-cluster";

// The first to ask makes it, a random UUID. FAILED_PRECONDITION: the ConfigMap is there, but without an id; making another
// would disown all objects.
absl::StatusOr<std::string> FindOrMakeClusterId(const kube::Client& client, const std::string& ns, const std::stop_token& stop);

}  // namespace kupen::cmd
