// Where the API server is, and who we are there: from a kubeconfig, or from inside a pod.
//
//   ASSIGN_OR_RETURN(const Config config, LoadConfig(flags.kubeconfig));
//   ASSIGN_OR_RETURN(const std::unique_ptr<http::Client> transport, Connect(config));
//   Client client(*transport, "provider-kupenstack");
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "provider/http/client.h"
#include "provider/http/tls.h"

namespace kupen::kube {

struct Config {
  // The API server's URL.
  std::string server;
  http::TlsOptions tls = http::TlsOptions();
  // One of the two, or neither. The file is read again whenever it changes.
  std::string token = {};
  std::string token_file = {};
  // Where objects go by default.
  std::string ns = "default";
};

// In this order: the path, if it is not empty; $KUBECONFIG; the pod that we run in; ~/.kube/config.
absl::StatusOr<Config> LoadConfig(const std::string& path);

// Of a kubeconfig, or of several as $KUBECONFIG has them (separated by ':'; the first to say something wins). The current
// context if none is named. Refuses what would need a program (exec, auth-provider) or is not supported, and says so.
absl::StatusOr<Config> LoadKubeconfig(const std::string& paths, const std::string& context = "");

// From the service account's files and KUBERNETES_SERVICE_HOST and _PORT.
absl::StatusOr<Config> LoadInCluster(const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");

absl::StatusOr<std::unique_ptr<http::Client>> Connect(const Config& config);

}  // namespace kupen::kube
