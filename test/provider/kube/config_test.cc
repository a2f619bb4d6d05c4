#include "provider/kube/config.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "provider/http/server.h"
#include "provider/kube/token_file.h"

namespace kupen::kube {
namespace {

using testing::HasSubstr;

class ConfigTest : public testing::Test {
 protected:
  ConfigTest() : directory_(testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(directory_);
    for (const char* name : {"KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}) unsetenv(name);
  }
  ~ConfigTest() override { std::filesystem::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = absl::StrCat(directory_.string(), "/", name);
    // As the kubelet does: a new file takes the old one's place.
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
    return path;
  }

  std::string Message(const std::string& cluster, const std::string& user) const {
    const std::string path = Write(
        "config", absl::StrCat("{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}],",
                               "clusters: [{name: k, cluster: {", cluster, "}}],", "users: [{name: u, user: {", user, "}}]}"));
    return std::string(LoadKubeconfig(path).status().message());
  }

  const std::filesystem::path directory_;
};

constexpr char kTwoContexts[] = R"(
apiVersion: v1
kind: Config
current-context: work
contexts:
- {name: home, context: {cluster: home, user: me}}
- {name: work, context: {cluster: work, user: me, namespace: team}}
clusters:
- {name: home, cluster: {server: "http://localhost:8080"}}
- {name: work, cluster: {server: "https://10.0.0.1:6443", certificate-authority: ca.pem}}
users:
- name: me
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
    tokenFile: tokens/mine
)";

TEST_F(ConfigTest, TakesTheCurrentContext) {
  Write("ca.pem", "CA");
  const auto config = LoadKubeconfig(Write("config", kTwoContexts));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->server, "https://10.0.0.1:6443");
  EXPECT_EQ(config->ns, "team");
  EXPECT_EQ(config->tls.ca_pem, "CA");
  EXPECT_EQ(config->tls.certificate_pem, "CERT");
  EXPECT_EQ(config->tls.key_pem, "KEY");
  EXPECT_FALSE(config->tls.insecure);
  EXPECT_EQ(config->token_file, (directory_ / "tokens/mine").string());
}

TEST_F(ConfigTest, TakesANamedContext) {
  const auto config = LoadKubeconfig(Write("config", kTwoContexts), "home");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->server, "http://localhost:8080");
  EXPECT_EQ(config->ns, "default");
}

TEST_F(ConfigTest, JoinsSeveralFiles) {
  const std::string first = Write("first", "{current-context: home, users: [{name: me, user: {token: t1}}]}");
  const std::string second = Write("second", kTwoContexts);
  setenv("KUBECONFIG", absl::StrCat(first, ":", directory_.string(), "/missing:", second).c_str(), 1);
  const auto config = LoadConfig("");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->server, "http://localhost:8080");
  EXPECT_EQ(config->token, "t1");
}

TEST_F(ConfigTest, SaysWhatIsWrong) {
  EXPECT_THAT(LoadKubeconfig(directory_ / "none").status().message(), HasSubstr("none: No such file"));
  EXPECT_THAT(LoadKubeconfig(Write("bad", "{")).status().message(), HasSubstr("bad: not YAML"));
  EXPECT_THAT(LoadKubeconfig(Write("text", "hello")).status().message(), HasSubstr("not a kubeconfig"));
  EXPECT_THAT(LoadKubeconfig(Write("empty", "")).status().message(), HasSubstr("not a kubeconfig"));
  EXPECT_THAT(LoadKubeconfig(Write("none", "{kind: Config}")).status().message(), HasSubstr("no current-context"));
  EXPECT_THAT(LoadKubeconfig(Write("config", kTwoContexts), "sea").status().message(),
              HasSubstr("context \"sea\": no \"sea\" in contexts"));
  EXPECT_THAT(Message("", ""), HasSubstr("cluster \"k\": it has no server"));
  EXPECT_THAT(Message("server: http://a, certificate-authority-data: '*'", ""), HasSubstr("is not base64"));
  EXPECT_THAT(Message("server: http://a, proxy-url: http://b", ""), HasSubstr("proxy-url is not supported"));
  EXPECT_THAT(Message("server: http://a", "exec: {command: aws}"), HasSubstr("user \"u\": exec is not supported: no program"));
  EXPECT_THAT(Message("server: http://a", "auth-provider: {name: gcp}"), HasSubstr("auth-provider is not supported"));
  EXPECT_THAT(Message("server: http://a", "client-key: gone.pem"), HasSubstr("gone.pem: No such file"));
}

TEST_F(ConfigTest, ReadsTheServiceAccountInAPod) {
  EXPECT_THAT(LoadInCluster(directory_).status().message(), HasSubstr("KUBERNETES_SERVICE_HOST"));
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  EXPECT_THAT(LoadInCluster(directory_).status().message(), HasSubstr("service account"));
  Write("ca.crt", "CA");
  Write("namespace", "crossplane-system\n");
  const auto config = LoadInCluster(directory_);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->server, "https://[fd00::1]:443");
  EXPECT_EQ(config->ns, "crossplane-system");
  EXPECT_EQ(config->tls.ca_pem, "CA");
  EXPECT_EQ(config->token_file, (directory_ / "token").string());
}

TEST_F(ConfigTest, ATokenFileIsReadAgainWhenItChanges) {
  TokenFile file(directory_ / "token");
  EXPECT_THAT(file.Token().status().message(), HasSubstr("token: No such file"));
  Write("token", "");
  EXPECT_THAT(file.Token().status().message(), HasSubstr("no token in it"));
  Write("token", "one\n");
  EXPECT_EQ(*file.Token(), "one");
  Write("token", "two\n");
  EXPECT_EQ(*file.Token(), "two");
  std::filesystem::remove(directory_ / "token");
  EXPECT_EQ(*file.Token(), "two");
}

TEST_F(ConfigTest, ConnectsWithTheToken) {
  auto server = http::Server::Start(
      {.routes = {{"/", [](const http::Request& request) {
                     return http::Response{.status = 200, .body = std::string(http::Find(request.headers, "Authorization"))};
                   }}}});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto authorization = [&](Config config) {
    config.server = absl::StrCat("http://127.0.0.1:", (*server)->port());
    auto client = Connect(config);
    EXPECT_TRUE(client.ok()) << client.status();
    const auto response = (*client)->Send({.target = "/"}, {});
    return response.ok() ? response->body : response.status().ToString();
  };
  EXPECT_EQ(authorization({.server = ""}), "");
  EXPECT_EQ(authorization({.server = "", .token = "t1"}), "Bearer t1");
  EXPECT_EQ(authorization({.server = "", .token_file = Write("token", "t2\n")}), "Bearer t2");
}

}  // namespace
}  // namespace kupen::kube
