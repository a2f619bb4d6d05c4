// Nova: servers, flavors, key pairs and server groups, with microversions 2.1 to 2.93.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "test/simulator/cinder.h"
#include "test/simulator/glance.h"
#include "test/simulator/neutron.h"
#include "test/simulator/service.h"

namespace kupen::simulator {

class Nova final : public Service {
 public:
  Nova(World& world, Neutron& neutron, const Glance& glance, Cinder& cinder);

  void SeedFlavor(absl::string_view name, int ram, int vcpus, int disk);

  Answer Versions(const Call& call, bool below_version) override;
  Answer Refuse(int status, absl::string_view message) const override;
  std::optional<Answer> CheckVersion(Call& call) const override;
  void AddHeaders(const Call& call, Answer& answer) const override;
  bool IsPublic(const Call& call) const override { return call.path.empty(); }

 private:
  // nova_flavors.cc
  Answer CreateFlavor(Call& call);
  Answer ListFlavors(Call& call, bool detailed);
  Answer ShowFlavor(Call& call);
  Answer UpdateFlavor(Call& call);
  Answer DeleteFlavor(Call& call);
  Answer ShowExtraSpecs(Call& call);
  Answer AddExtraSpecs(Call& call);
  Answer DeleteExtraSpec(Call& call);
  Object* FindFlavor(const Call& call, absl::string_view id) const;
  void WriteFlavor(Json& out, const Call& call, const Object& flavor, bool detailed) const;
  Answer OneFlavor(const Call& call, const Object& flavor) const;
  Object& AddFlavor(const std::string& id, const rapidjson::Value& given);

  // nova_keypairs.cc
  Answer CreateKeyPair(Call& call);
  Answer ListKeyPairs(Call& call);
  Answer ShowKeyPair(Call& call);
  Answer DeleteKeyPair(Call& call);
  // The user's whom the call is about: administrators may ask for others'.
  std::string UserOf(const Call& call) const;
  std::optional<Answer> CheckUser(const Call& call) const;
  Collection& KeyPairsOf(const Call& call) const { return Objects("keypairs of " + UserOf(call)); }

  // nova_groups.cc
  Answer ListServerGroups(Call& call);
  Answer CreateServerGroup(Call& call);
  Answer ShowServerGroup(Call& call);
  Answer DeleteServerGroup(Call& call);
  Object* FindServerGroup(const Call& call, absl::string_view id) const;
  void WriteServerGroup(Json& out, const Call& call, const Object& group) const;
  void JoinServerGroup(Object& group, Object& server) const;
  Answer ShowGroup(const Call& call, const Object& group) const;
  void LeaveServerGroups(const Object& server) const;

  // nova_servers.cc
  Answer UpdateServer(Call& call);
  Answer DeleteServer(Call& call);
  Answer ReplaceMetadata(Call& call);
  Answer ReplaceTags(Call& call);
  Answer Act(Call& call);
  Answer ListInterfaces(Call& call);
  void FinishAction(const std::string& id, bool runs);
  void FinishDelete(const std::string& id);
  void Touch(Object& server) const;

  // nova_server_checks.cc, nova_server_build.cc
  Answer CreateServer(Call& call);
  // What is known of a server before it is made.
  struct NewServer {
    const Object* flavor = nullptr;
    // Where Neutron is to make ports, and the ports that are there.
    std::vector<Neutron::PortWanted> wanted;
    std::vector<std::string> given_ports;
    std::vector<std::string> groups;
    std::vector<std::string> own_ports = {};
    // Null if it is in none.
    Object* server_group = nullptr;
  };
  std::optional<Answer> CheckServer(const Call& call, const rapidjson::Value& given, NewServer& server);
  std::optional<Answer> CheckNetworks(const Call& call, const rapidjson::Value& given, NewServer& server);
  std::optional<Answer> CheckVolumes(const Call& call, const rapidjson::Value& given) const;
  std::optional<Answer> CheckQuota(const Call& call, const rapidjson::Value& given) const;
  std::optional<Answer> MakePorts(const Call& call, NewServer& server, const std::string& id);
  void MakeVolumes(const Call& call, const rapidjson::Value& given, Object& server);
  void FillServer(const Call& call, const rapidjson::Value& given, const NewServer& made, Object& server);
  void ShowSecurityGroups(Object& server) const;
  void FinishBuild(const std::string& id, bool fails);

  // nova_server_views.cc
  Answer ListServers(Call& call, bool detailed);
  Answer ShowServer(Call& call);
  Object* FindServer(const Call& call, absl::string_view id) const;
  bool Sees(const Call& call, const Object& server) const;
  // What is wrong with a list's query.
  std::optional<Answer> CheckListQuery(const Call& call) const;
  bool FitsFilters(const Call& call, const Object& server) const;
  void WriteServer(Json& out, const Call& call, const Object& server, bool detailed, bool single) const;
  void WriteUnreachable(Json& out, const Call& call, const Object& server, bool single) const;
  Answer OneServer(const Call& call, const Object& server) const;
  void WriteLinks(Json& out, absl::string_view collection, absl::string_view id) const;
  void WriteNextLink(Json& out, const Call& call, const Page& page, absl::string_view collection,
                     absl::string_view marker) const;

  Neutron& neutron_;
  const Glance& glance_;
  Cinder& cinder_;
  int last_server_ = 0;
  int last_keypair_ = 0;
  // The ports that Nova made for a server, and deletes with it; others it only lets go.
  struct Ports {
    std::vector<std::string> own;
    std::vector<std::string> given;
    std::vector<std::string> All() const;
  };
  std::map<std::string, Ports> ports_;
};

}  // namespace kupen::simulator
