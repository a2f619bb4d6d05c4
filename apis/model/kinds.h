// The kinds of the API, as their .proto files declare them. The generator and the provider read the same descriptors through
// this.
//
//   ASSIGN_OR_RETURN(const Kinds kinds, Kinds::Load(descriptor_set));
//   for (const Kind& kind : kinds.all()) Watch(kind.group, kind.version, kind.plural);
//   const Kind* network = kinds.Find("network.Network");
//
// A Kind points into the Kinds that made it.
#pragma once

#include <apis/options/v1/options.pb.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kupen::apis {

// Groups end with this; configuration kinds have nothing before it. The "m" says that managed resources are namespaced
// (Crossplane's custom), and keeps us apart from the kupenstack.io of the original KupenStack.
inline constexpr absl::string_view kGroup = "m.kupenstack.io";

struct Kind {
  std::string service;  // network: the directory under apis/; empty for kinds that configure the provider
  std::string group;    // network.m.kupenstack.io
  std::string version;  // v1alpha1
  std::string name;     // KeyPair
  std::string plural;   // keypairs
  options::v1::Kind options;

  const google::protobuf::Descriptor* message = nullptr;
  // Of a managed resource: spec.forProvider and status.atProvider. Null if the message is missing.
  const google::protobuf::Descriptor* parameters = nullptr;
  const google::protobuf::Descriptor* observation = nullptr;
  // Of a kind that configures the provider.
  const google::protobuf::Descriptor* spec = nullptr;
  const google::protobuf::Descriptor* status = nullptr;

  bool managed() const { return parameters != nullptr; }
  // How `refers_to` calls it: network.Network. Kinds that configure the provider have just their name.
  std::string reference() const { return service.empty() ? name : service + "." + name; }
};

class Kinds {
 public:
  // The set holds all files that its files import, as protoc --include_imports writes it.
  static absl::StatusOr<Kinds> Load(const google::protobuf::FileDescriptorSet& set);

  // By group, then name.
  const std::vector<Kind>& all() const { return kinds_; }
  // Null if there is none of this reference (network.Network).
  const Kind* Find(absl::string_view reference) const;
  // The files that declare or serve kinds, without the vocabulary; in the order of their names.
  const std::vector<const google::protobuf::FileDescriptor*>& files() const { return files_; }

 private:
  std::unique_ptr<google::protobuf::DescriptorPool> pool_;
  std::vector<Kind> kinds_;
  std::vector<const google::protobuf::FileDescriptor*> files_;
};

const options::v1::Field& OptionsOf(const google::protobuf::FieldDescriptor& field);

}  // namespace kupen::apis
