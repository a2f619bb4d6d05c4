// The smallest composition function worth the name: composes one ConfigMap with a greeting. The tests of the ground use it to
// see that a C++ server can speak Crossplane's function protocol with its certificates.
#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <string>

#include "composition-fn/tls/server_credentials.h"
#include "v1/run_function.grpc.pb.h"

namespace {

namespace fn = apiextensions::fn::proto::v1;
using google::protobuf::Struct;

Struct& Object(Struct& parent, const std::string& field) { return *(*parent.mutable_fields())[field].mutable_struct_value(); }

void Set(Struct& parent, const std::string& field, const std::string& value) {
  (*parent.mutable_fields())[field].set_string_value(value);
}

// The text at a path of fields, or nothing.
std::string Text(const Struct& root, std::initializer_list<const char*> path) {
  const Struct* at = &root;
  std::string text;
  for (const char* field : path) {
    const auto found = at->fields().find(field);
    if (found == at->fields().end()) return "";
    at = &found->second.struct_value();
    text = found->second.string_value();
  }
  return text;
}

class Greeter final : public fn::FunctionRunnerService::Service {
  grpc::Status RunFunction(grpc::ServerContext*, const fn::RunFunctionRequest* request,
                           fn::RunFunctionResponse* response) override {
    *response->mutable_desired() = request->desired();
    response->mutable_meta()->set_tag(request->meta().tag());
    const Struct& composite = request->observed().composite().resource();

    fn::Resource& greeting = (*response->mutable_desired()->mutable_resources())["greeting"];
    Struct& config_map = *greeting.mutable_resource();
    Set(config_map, "apiVersion", "v1");
    Set(config_map, "kind", "ConfigMap");
    // A composite resource without a namespace belongs to a claim: what it composes goes beside the claim.
    const std::string own_namespace = Text(composite, {"metadata", "namespace"});
    Set(Object(config_map, "metadata"), "namespace",
        own_namespace.empty() ? Text(composite, {"spec", "claimRef", "namespace"}) : own_namespace);
    Set(Object(config_map, "data"), "greeting", "Hello " + Text(composite, {"spec", "name"}));
    greeting.set_ready(fn::READY_TRUE);
    return grpc::Status::OK;
  }
};

}  // namespace

int main() {
  const char* certificates = std::getenv("TLS_SERVER_CERTS_DIR");
  if (certificates == nullptr) {
    std::cerr << "TLS_SERVER_CERTS_DIR is not set\n";
    return 1;
  }
  const auto credentials = kupen::tls::ServerCredentials(certificates);
  if (!credentials.ok()) {
    std::cerr << credentials.status() << "\n";
    return 1;
  }
  Greeter greeter;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("0.0.0.0:9443", *credentials);
  builder.RegisterService(&greeter);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  server->Wait();
}
