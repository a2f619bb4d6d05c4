#include "provider/openstack/token.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::openstack {
namespace {

using ::testing::HasSubstr;

struct BodyCase {
  const char* reason;
  Credentials credentials;
  Scope scope;
  const char* body;
};

class TokenRequest : public testing::TestWithParam<BodyCase> {};

TEST_P(TokenRequest, Body) {
  EXPECT_EQ(TokenRequestBody(GetParam().credentials, GetParam().scope), GetParam().body) << GetParam().reason;
}

Principal ByName() { return {.id = "", .name = "demo", .domain_id = "", .domain_name = "Default"}; }

Principal ById() { return {.id = "1f", .name = "", .domain_id = "", .domain_name = ""}; }

INSTANTIATE_TEST_SUITE_P(
    Token, TokenRequest,
    testing::Values(
        BodyCase{"names within domains",
                 {.user = ByName(), .secret = "p\"w"},
                 {.project = ByName()},
                 R"({"auth":{"identity":{"methods":["password"],"password":{"user":{"name":"demo","domain":{"name":"Default"},)"
                 R"("password":"p\"w"}}},"scope":{"project":{"name":"demo","domain":{"name":"Default"}}}}})"},
        BodyCase{"ids need no domain",
                 {.user = ById(), .secret = "pw"},
                 {.project = ById()},
                 R"({"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"1f","password":"pw"}}},)"
                 R"("scope":{"project":{"id":"1f"}}}})"},
        BodyCase{"a domain's scope",
                 {.user = ById(), .secret = "pw"},
                 {.domain_id = "default"},
                 R"({"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"1f","password":"pw"}}},)"
                 R"("scope":{"domain":{"id":"default"}}}})"},
        BodyCase{"the system's scope",
                 {.user = ById(), .secret = "pw"},
                 {.system = true},
                 R"({"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"1f","password":"pw"}}},)"
                 R"("scope":{"system":{"all":true}}}})"},
        BodyCase{
            "an application credential by id, without a scope",
            {.method = AuthMethod::kApplicationCredential, .application_credential_id = "a1", .secret = "s"},
            {},
            R"({"auth":{"identity":{"methods":["application_credential"],"application_credential":{"secret":"s","id":"a1"}}}})"},
        BodyCase{
            "an application credential by name, with its user",
            {.method = AuthMethod::kApplicationCredential, .user = ByName(), .application_credential_name = "n", .secret = "s"},
            {},
            R"({"auth":{"identity":{"methods":["application_credential"],"application_credential":{"secret":"s","name":"n",)"
            R"("user":{"name":"demo","domain":{"name":"Default"}}}}}})"},
        BodyCase{"a token, for a project",
                 {.method = AuthMethod::kToken, .secret = "t"},
                 {.project = ById()},
                 R"({"auth":{"identity":{"methods":["token"],"token":{"id":"t"}},"scope":{"project":{"id":"1f"}}}})"}));

TEST(Token, IsReadFromTheAnswer) {
  const absl::StatusOr<Token> token =
      ParseToken({.status = 201,
                  .headers = {{"x-subject-token", "gAAA"}},
                  .body = R"({"token": {"issued_at": "2026-01-01T00:00:00.000000Z", "expires_at": "2026-01-01T01:00:00.000000Z",
                   "user": {"id": "u"}, "project": {"id": "p"}, "catalog": [
                   {"type": "image", "endpoints": [{"interface": "public", "region_id": "R", "url": "http://g"}]}]}})"});
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->value, "gAAA");
  EXPECT_EQ(token->life, absl::Hours(1));
  EXPECT_EQ(token->user_id, "u");
  EXPECT_EQ(token->project_id, "p");
  EXPECT_EQ(*token->catalog.Endpoint("image", "R", "public"), "http://g");
}

TEST(Token, OtherAnswersAreErrors) {
  const absl::StatusOr<Token> page = ParseToken({.status = 200, .body = "<html>welcome</html>"});
  EXPECT_THAT(std::string(page.status().message()), HasSubstr("auth_url may not be a Keystone's"));
  const absl::StatusOr<Token> no_time =
      ParseToken({.status = 201, .headers = {{"X-Subject-Token", "t"}}, .body = R"({"token": {}})"});
  EXPECT_THAT(std::string(no_time.status().message()), HasSubstr("issued_at is not a time"));
}

}  // namespace
}  // namespace kupen::openstack
