// Keystone: who may log in, for which project, and where the services are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "test/simulator/service.h"

namespace kupen::simulator {

class Keystone final : public Service {
 public:
  explicit Keystone(World& world);

  // Nothing if the token is unknown, or no longer good.
  std::optional<Caller> WhoHas(absl::string_view token) const;
  // From now on no token is good.
  void ExpireTokens() { tokens_.clear(); }
  // The projects' ids by their names.
  std::string ProjectId(absl::string_view name) const;

  Answer Versions(const Call& call, bool below_version) override;
  Answer Refuse(int status, absl::string_view message) const override;
  bool IsPublic(const Call& call) const override {
    return call.path.empty() || (call.path == "/auth/tokens" && call.method() == "POST");
  }

 private:
  struct Token {
    Caller caller;
    absl::Time issued;
    absl::Time expires;
    std::string method;
    // It was given out while a fault took roles away.
    bool lost_role = false;
  };
  struct User {
    Account account;
    std::string user_id;
    std::string project_id;
  };

  Answer LogIn(const Call& call);
  Answer ShowToken(const Call& call) const;
  Answer ListProjects(const Call& call) const;
  const User* FindUser(const rapidjson::Value& user) const;
  const User* Authenticate(const rapidjson::Value& identity, std::string& method) const;
  bool IsInScope(const User& user, const rapidjson::Value* scope) const;
  std::string TokenBody(const Token& token, bool with_catalog) const;
  void WriteCatalog(Json& out, const Caller& caller) const;

  std::vector<User> users_;
  std::map<std::string, Token, std::less<>> tokens_;
  std::map<std::string, std::string> role_ids_;
};

}  // namespace kupen::simulator
