// Neutron: networks, subnets, ports and security groups, by their tables, with the rules that tie them to each other.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "test/simulator/addresses.h"
#include "test/simulator/neutron_tables.h"
#include "test/simulator/service.h"

namespace kupen::simulator {

class Neutron final : public Service {
 public:
  explicit Neutron(World& world);

  // For Nova. What the caller can see, or null.
  const Object* FindNetwork(const Call& call, absl::string_view id) const;
  const Object* FindPort(const Call& call, absl::string_view id) const;
  // By id or name.
  const Object* FindSecurityGroup(const Call& call, absl::string_view name_or_id);
  // Those of the caller's own project that have subnets.
  std::vector<const Object*> OwnNetworks(const Call& call) const;
  // A port with an address of each version that the network has, or the given one. The error is Neutron's.
  struct PortWanted {
    std::string network;
    std::string fixed_ip = "";
    std::string device = "";
    std::string owner = "";
    std::vector<std::string> security_groups = {};
  };
  std::optional<std::string> MakePort(const Call& call, const PortWanted& wanted, std::string& error);
  void BindPort(const std::string& port, const std::string& device, const std::string& owner, const std::string& host);
  void UnbindPort(const std::string& port);
  void DeletePort(const std::string& port);
  const Object* Port(const std::string& id) const { return Objects("ports").Find(id); }
  const Object* SecurityGroup(absl::string_view id) const { return Objects("security_groups").Find(id); }
  const Object* Network(const std::string& id) const { return Objects("networks").Find(id); }

  // What a new cloud has: of the administrator, for everybody; and of a project.
  void Seed(const std::string& admin_project, const std::string& member_project);

  Answer Versions(const Call& call, bool below_version) override;
  Answer Refuse(int status, absl::string_view message) const override;
  bool IsPublic(const Call& call) const override { return call.path.empty(); }

 private:
  void Serve(const NeutronResource& resource, absl::string_view path);
  Answer Create(Call& call, const NeutronResource& resource);
  Answer List(Call& call, const NeutronResource& resource);
  Answer Show(Call& call, const NeutronResource& resource);
  Answer Update(Call& call, const NeutronResource& resource);
  Answer Delete(Call& call, const NeutronResource& resource);
  Answer SetTags(Call& call, const NeutronResource& resource);

  static Answer Error(int status, absl::string_view type, absl::string_view message);
  static Answer NotFound(const NeutronResource& resource, absl::string_view id);
  static Answer Bad(absl::string_view message) { return Error(400, "HTTPBadRequest", message); }
  Answer One(const Call& call, const NeutronResource& resource, int status, const Object& object) const;
  void WriteRow(Json& out, const Call& call, const NeutronResource& resource, const Object& object) const;
  bool Sees(const Call& call, const Object& object) const;
  Object* FindVisible(const Call& call, const NeutronResource& resource, absl::string_view id) const;
  std::optional<Answer> CheckMembers(const Call& call, const NeutronResource& resource, const rapidjson::Value& given,
                                     AttributeUse use) const;
  Object& Insert(const NeutronResource& resource, const std::string& project, const rapidjson::Value& given);
  void Touch(Object& object) const;

  // The rules of the resources: what to check and to fill in before the object is kept, changed or removed.
  std::optional<Answer> CompleteNetwork(const Call& call, Object& network);
  std::optional<Answer> CompleteSubnet(const Call& call, Object& subnet, const rapidjson::Value& given);
  std::optional<Answer> CompletePort(const Call& call, Object& port, const rapidjson::Value& given);
  std::optional<Answer> ChangePort(const Call& call, Object& port, const rapidjson::Value& change);
  std::optional<Answer> CheckRemoval(const NeutronResource& resource, const Object& object) const;
  void Forget(const NeutronResource& resource, const Object& object);
  std::optional<Answer> ChooseAddresses(Object& port, const rapidjson::Value& wanted);
  std::optional<IpNumber> TakeAddress(const Object& subnet);
  void ReleaseAddresses(const Object& port);
  static void SetAssignment(Object& port);
  const Object& DefaultGroup(const std::string& project);
  static void AddRules(Object& group, bool within);

  // neutron_pools.cc
  std::vector<IpNetwork> RangesOf(absl::string_view subnet_pool) const;
  static void CompleteSubnetPool(Object& pool);
  std::optional<Answer> TakeRange(const Call& call, const rapidjson::Value& given, std::string& cidr) const;

  // neutron_quotas.cc
  Answer SetQuota(Call& call);
  Answer DeleteQuota(Call& call);
  std::optional<Answer> CheckQuota(const NeutronResource& resource, const std::string& project) const;

  struct Pool {
    IpNetwork network;
    IpNumber next = 0;
    std::set<IpNumber> taken;
  };
  // By subnet.
  std::map<std::string, Pool, std::less<>> pools_;
  // By network.
  std::map<std::string, std::set<std::string>, std::less<>> ports_on_;
  // By project.
  std::map<std::string, std::string> default_groups_;
  // By project and resource.
  std::map<std::string, std::map<std::string, int>> quotas_;
  int last_segment_ = 0;
  uint32_t last_mac_ = 0;
};

}  // namespace kupen::simulator
