#include "composition-fn/tls/server_credentials.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "test/fakes/certificates.h"
#include "v1/run_function.grpc.pb.h"

namespace kupen::tls {
namespace {

namespace fn = apiextensions::fn::proto::v1;
using ::testing::HasSubstr;

class Echo final : public fn::FunctionRunnerService::Service {
  grpc::Status RunFunction(grpc::ServerContext* /*context*/, const fn::RunFunctionRequest* request,
                           fn::RunFunctionResponse* response) override {
    response->mutable_meta()->set_tag(request->meta().tag());
    return grpc::Status::OK;
  }
};

class ServerCredentialsTest : public testing::Test {
 protected:
  ServerCredentialsTest() {
    std::string name = testing::TempDir() + "certificates-XXXXXX";
    directory_ = mkdtemp(name.data());
    // The server's own name differs from its issuer's, so that gRPC's C++ client, too, can check it.
    const test::KeyAndCertificate server =
        test::Issue(authority_, {.common_name = "server", .usage = "serverAuth", .alternative_name = "DNS:localhost"});
    Write("tls.key", server.key);
    Write("tls.crt", server.certificate);
    Write("ca.crt", authority_.certificate);
  }
  ~ServerCredentialsTest() override { std::filesystem::remove_all(directory_); }

  void Write(const std::string& name, const std::string& text) const { std::ofstream(directory_ + "/" + name) << text; }

  // What a client with this key and certificate (or none) gets from a server with the directory's files.
  grpc::Status Call(const test::KeyAndCertificate& client) {
    absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> credentials = ServerCredentials(directory_);
    if (!credentials.ok()) return {grpc::StatusCode::INTERNAL, std::string(credentials.status().message())};
    Echo echo;
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("localhost:0", *credentials, &port).RegisterService(&echo);
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();

    const auto stub = fn::FunctionRunnerService::NewStub(grpc::CreateChannel(
        "localhost:" + std::to_string(port),
        grpc::SslCredentials(
            {.pem_root_certs = authority_.certificate, .pem_private_key = client.key, .pem_cert_chain = client.certificate})));
    fn::RunFunctionRequest request;
    request.mutable_meta()->set_tag("tag");
    fn::RunFunctionResponse response;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    const grpc::Status status = stub->RunFunction(&context, request, &response);
    if (status.ok()) {
      EXPECT_EQ(response.meta().tag(), "tag");
    }
    return status;
  }

  const test::KeyAndCertificate authority_ = test::MakeAuthority();
  std::string directory_;
};

TEST_F(ServerCredentialsTest, ClientWithACertificateLikeCrossplanesIsServed) {
  const grpc::Status status = Call(test::Issue(authority_));
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(ServerCredentialsTest, ClientWithoutACertificateIsRefused) {
  EXPECT_EQ(Call({}).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ServerCredentialsTest, ClientOfAnotherAuthorityIsRefused) {
  EXPECT_EQ(Call(test::Issue(test::MakeAuthority())).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ServerCredentialsTest, MissingFileIsNamed) {
  std::filesystem::remove(directory_ + "/ca.crt");
  const absl::Status status = ServerCredentials(directory_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/ca.crt"));
}

}  // namespace
}  // namespace kupen::tls
