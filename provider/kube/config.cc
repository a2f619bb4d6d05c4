#include "provider/kube/config.h"

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "provider/base/status.h"
#include "provider/kube/token_file.h"
#include "provider/yaml/yaml.h"

namespace kupen::kube {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// An entry of a kubeconfig's list, and the file it came from: paths in it are relative to that.
struct Entry {
  YAML::Node node;
  std::filesystem::path directory;

  bool Has(const char* field) const { return node.IsMap() && node[field].IsDefined() && !node[field].IsNull(); }
  std::string Text(const char* field) const { return Has(field) && node[field].IsScalar() ? node[field].Scalar() : ""; }
  std::string Path(const char* field) const {
    const std::string path = Text(field);
    return path.empty() ? path : (directory / path).string();
  }
};

struct File {
  YAML::Node root;
  std::filesystem::path path;
};

absl::StatusOr<File> LoadFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const absl::StatusOr<YAML::Node> root = yaml::Load(text);
  if (!root.ok()) return Annotate(root.status(), path);
  if (!root->IsMap()) return absl::InvalidArgumentError(absl::StrCat(path, ": not a kubeconfig"));
  return File{.root = *root, .path = path};
}

// Entry `name` of a list such as "users", the first in any of the files.
absl::StatusOr<Entry> FindEntry(const std::vector<File>& files, const char* list, const char* field, const std::string& name) {
  for (const File& file : files) {
    const YAML::Node entries = file.root[list];
    if (!entries.IsDefined() || !entries.IsSequence()) continue;
    for (const YAML::Node& entry : entries) {
      if (!entry.IsMap() || !entry["name"].IsDefined() || !entry["name"].IsScalar() || entry["name"].Scalar() != name) continue;
      return Entry{.node = entry[field].IsDefined() ? YAML::Node(entry[field]) : YAML::Node(YAML::NodeType::Map),
                   .directory = file.path.parent_path()};
    }
  }
  return absl::NotFoundError(absl::StrCat("no \"", name, "\" in ", list));
}

absl::Status Refuse(const Entry& entry, std::initializer_list<std::pair<const char*, const char*>> fields) {
  for (const auto& [field, instead] : fields) {
    if (entry.Has(field)) return absl::UnimplementedError(absl::StrCat(field, " is not supported: ", instead));
  }
  return absl::OkStatus();
}

// Either `<field>-data` in base64, which wins as with kubectl, or the file that `<field>` names.
absl::StatusOr<std::string> Material(const Entry& entry, const char* field) {
  const std::string inline_field = absl::StrCat(field, "-data");
  std::string material;
  if (const std::string data = entry.Text(inline_field.c_str()); !data.empty()) {
    if (!absl::Base64Unescape(data, &material)) return absl::InvalidArgumentError(absl::StrCat(inline_field, " is not base64"));
    return material;
  }
  const std::string path = entry.Path(field);
  return path.empty() ? material : ReadFile(path);
}

absl::Status TakeCluster(const Entry& cluster, Config& config) {
  RETURN_IF_ERROR(Refuse(cluster, {{"proxy-url", "connect without a proxy"},
                                   {"tls-server-name", "use the name in the server's certificate as its address"}}));
  config.server = cluster.Text("server");
  if (config.server.empty()) return absl::InvalidArgumentError("it has no server");
  ASSIGN_OR_RETURN(config.tls.ca_pem, Material(cluster, "certificate-authority"));
  config.tls.insecure = cluster.Text("insecure-skip-tls-verify") == "true";
  return absl::OkStatus();
}

absl::Status TakeUser(const Entry& user, Config& config) {
  RETURN_IF_ERROR(Refuse(user, {{"exec", "no program is run to get credentials; give a token, tokenFile or client certificate"},
                                {"auth-provider", "give a token, tokenFile or client certificate"},
                                {"username", "give a token, tokenFile or client certificate"},
                                {"as", "give the credentials of the user itself"}}));
  config.token = user.Text("token");
  config.token_file = user.Path("tokenFile");
  ASSIGN_OR_RETURN(config.tls.certificate_pem, Material(user, "client-certificate"));
  ASSIGN_OR_RETURN(config.tls.key_pem, Material(user, "client-key"));
  return absl::OkStatus();
}

absl::StatusOr<Config> TakeContext(const std::vector<File>& files, const std::string& name) {
  ASSIGN_OR_RETURN(const Entry context, FindEntry(files, "contexts", "context", name));
  Config config;
  if (const std::string ns = context.Text("namespace"); !ns.empty()) config.ns = ns;
  const std::string cluster_name = context.Text("cluster");
  const std::string user_name = context.Text("user");
  ASSIGN_OR_RETURN(const Entry cluster, FindEntry(files, "clusters", "cluster", cluster_name));
  if (const absl::Status taken = TakeCluster(cluster, config); !taken.ok()) {
    return Annotate(taken, absl::StrCat("cluster \"", cluster_name, "\""));
  }
  if (user_name.empty()) return config;
  ASSIGN_OR_RETURN(const Entry user, FindEntry(files, "users", "user", user_name));
  if (const absl::Status taken = TakeUser(user, config); !taken.ok()) {
    return Annotate(taken, absl::StrCat("user \"", user_name, "\""));
  }
  return config;
}

}  // namespace

absl::StatusOr<Config> LoadKubeconfig(const std::string& paths, const std::string& context) {
  const std::vector<std::string> list = absl::StrSplit(paths, ':', absl::SkipEmpty());
  std::vector<File> files;
  for (const std::string& path : list) {
    absl::StatusOr<File> file = LoadFile(path);
    // As kubectl: of several files, some may be missing.
    if (absl::IsNotFound(file.status()) && list.size() > 1) continue;
    if (!file.ok()) return Annotate(file.status(), "kubeconfig");
    files.push_back(*std::move(file));
  }
  std::string name = context;
  for (const File& file : files) {
    const YAML::Node current = file.root["current-context"];
    if (name.empty() && current.IsDefined() && current.IsScalar()) name = current.Scalar();
  }
  if (name.empty()) return absl::InvalidArgumentError(absl::StrCat("kubeconfig ", paths, ": it has no current-context"));
  absl::StatusOr<Config> config = TakeContext(files, name);
  if (!config.ok()) return Annotate(config.status(), absl::StrCat("kubeconfig ", paths, ": context \"", name, "\""));
  return config;
}

absl::StatusOr<Config> LoadInCluster(const std::string& directory) {
  const std::string host = Variable("KUBERNETES_SERVICE_HOST");
  const std::string port = Variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return absl::FailedPreconditionError(
        "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; give a kubeconfig");
  }
  const bool is_v6 = absl::StrContains(host, ':');
  Config config{.server = absl::StrCat("https://", is_v6 ? "[" : "", host, is_v6 ? "]" : "", ":", port)};
  config.token_file = directory + "/token";
  absl::StatusOr<std::string> authority = ReadFile(directory + "/ca.crt");
  if (!authority.ok()) return Annotate(authority.status(), "service account");
  config.tls.ca_pem = *std::move(authority);
  // Only for convenience: not every projected volume has it.
  if (const absl::StatusOr<std::string> ns = ReadFile(directory + "/namespace"); ns.ok()) {
    config.ns = std::string(absl::StripAsciiWhitespace(*ns));
  }
  return config;
}

absl::StatusOr<Config> LoadConfig(const std::string& path) {
  if (!path.empty()) return LoadKubeconfig(path);
  if (const std::string paths = Variable("KUBECONFIG"); !paths.empty()) return LoadKubeconfig(paths);
  if (!Variable("KUBERNETES_SERVICE_HOST").empty()) return LoadInCluster();
  return LoadKubeconfig(Variable("HOME") + "/.kube/config");
}

absl::StatusOr<std::unique_ptr<http::Client>> Connect(const Config& config) {
  http::ClientOptions options{.base_url = config.server, .tls = config.tls};
  if (!config.token_file.empty()) {
    options.authorization = [file = std::make_shared<TokenFile>(config.token_file)]() -> absl::StatusOr<std::string> {
      ASSIGN_OR_RETURN(const std::string token, file->Token());
      return absl::StrCat("Bearer ", token);
    };
  } else if (!config.token.empty()) {
    options.authorization = [header = absl::StrCat("Bearer ", config.token)] { return absl::StatusOr<std::string>(header); };
  }
  return http::Client::Create(std::move(options));
}

}  // namespace kupen::kube
