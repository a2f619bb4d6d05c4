#include "composition-fn/tls/server_credentials.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "test/fakes/certificates.h"
#include "v1/run_function.grpc.pb.h"

namespace kupen::tls {
namespace {

namespace fn = apiextensions::fn::proto::v1;
using test::Issue;
using test::KeyAndCertificate;
using test::MakeAuthority;
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
    WriteFiles(authority_);
  }
  ~ServerCredentialsTest() override { std::filesystem::remove_all(directory_); }

  void WriteFiles(const KeyAndCertificate& authority) const {
    // The server's own name differs from its issuer's, so that gRPC's C++ client, too, can check it.
    const KeyAndCertificate server =
        Issue(authority, {.common_name = "server", .usage = "serverAuth", .alternative_name = "DNS:localhost"});
    Write("tls.key", server.key);
    Write("tls.crt", server.certificate);
    Write("ca.crt", authority.certificate);
  }

  void Write(const std::string& name, const std::string& text) const { std::ofstream(directory_ + "/" + name) << text; }

  void StartServer() {
    absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> credentials = ServerCredentials(directory_, absl::Seconds(1));
    ASSERT_TRUE(credentials.ok()) << credentials.status();
    grpc::ServerBuilder builder;
    builder.AddListeningPort("localhost:0", *credentials, &port_).RegisterService(&echo_);
    server_ = builder.BuildAndStart();
  }

  // What a client with this key and certificate (or none) gets, on a connection of its own.
  grpc::Status Call(const KeyAndCertificate& client, const KeyAndCertificate& authority) const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto stub = fn::FunctionRunnerService::NewStub(grpc::CreateCustomChannel(
        "localhost:" + std::to_string(port_),
        grpc::SslCredentials(
            {.pem_root_certs = authority.certificate, .pem_private_key = client.key, .pem_cert_chain = client.certificate}),
        arguments));
    fn::RunFunctionRequest request;
    request.mutable_meta()->set_tag("tag");
    fn::RunFunctionResponse response;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    grpc::Status status = stub->RunFunction(&context, request, &response);
    if (status.ok()) {
      EXPECT_EQ(response.meta().tag(), "tag");
    }
    return status;
  }

  const KeyAndCertificate authority_ = MakeAuthority();
  std::string directory_;
  Echo echo_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(ServerCredentialsTest, ClientWithACertificateLikeCrossplanesIsServed) {
  StartServer();
  const grpc::Status status = Call(Issue(authority_), authority_);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(ServerCredentialsTest, ClientWithoutACertificateIsRefused) {
  StartServer();
  EXPECT_EQ(Call({}, authority_).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ServerCredentialsTest, ClientOfAnotherAuthorityIsRefused) {
  StartServer();
  EXPECT_EQ(Call(Issue(MakeAuthority()), authority_).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ServerCredentialsTest, NewFilesAreTakenUpWithoutARestart) {
  StartServer();
  const KeyAndCertificate successor = MakeAuthority();
  const KeyAndCertificate client = Issue(successor);
  EXPECT_FALSE(Call(client, successor).ok());
  WriteFiles(successor);
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  grpc::Status status = Call(client, successor);
  while (!status.ok() && absl::Now() < deadline) status = Call(client, successor);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(ServerCredentialsTest, KeyOfAnotherCertificateIsRefused) {
  Write("tls.key", MakeAuthority().key);
  const absl::Status status = ServerCredentials(directory_).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("tls.key: the key does not belong to the certificate"));
}

TEST_F(ServerCredentialsTest, MissingFileIsNamed) {
  std::filesystem::remove(directory_ + "/ca.crt");
  const absl::Status status = ServerCredentials(directory_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/ca.crt"));
}

}  // namespace
}  // namespace kupen::tls
