#include "test/lab/four_kinds.h"

#include "provider/json/json.h"

namespace kupen::test {

std::multiset<std::string> WithTheFour(std::multiset<std::string> names) {
  names.merge(std::multiset<std::string>{"net", "size", "key", "machine"});
  return names;
}

int CountMtu(Lab& lab, int mtu) {
  int count = 0;
  lab.cloud().ForEachObject("network/networks", [&](const rapidjson::Value& network) {
    const rapidjson::Value* const value = json::Find(network, {"mtu"});
    count += value != nullptr && value->IsInt() && value->GetInt() == mtu ? 1 : 0;
  });
  return count;
}

}  // namespace kupen::test
