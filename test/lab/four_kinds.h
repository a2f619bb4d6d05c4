// Four objects that tests of faults make: one for each way to know an object again (a marker in a text, an id of our choice, a
// name, a marker in a tag).
#pragma once

#include <set>
#include <string>

#include "test/lab/lab.h"

namespace kupen::test {

inline constexpr int kFourObjects = 4;
inline constexpr char kFourKinds[] = R"(
apiVersion: network.m.kupenstack.io/v1alpha1
kind: Network
metadata: {name: net, namespace: $NS}
spec: {$CONFIG, forProvider: {mtu: 1400}}
---
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: Flavor
metadata: {name: size, namespace: $NS}
spec: {$CONFIG, forProvider: {vcpus: 1, ram: 512, disk: 1}}
---
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: KeyPair
metadata: {name: key, namespace: $NS}
spec:
  $CONFIG
  forProvider: {publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7yHAPMVqnE6XoIHBTB1KLeSYBnJqZ6mYG8bwlEyJxn}
---
apiVersion: compute.m.kupenstack.io/v1alpha1
kind: VirtualMachine
metadata: {name: machine, namespace: $NS}
spec: {$CONFIG, forProvider: {flavorRef: {name: size}, imageName: cirros, networks: [{networkName: public}]}}
)";

// The names in the cloud, and the four.
std::multiset<std::string> WithTheFour(std::multiset<std::string> names);

// How many networks of the cloud have the MTU.
int CountMtu(Lab& lab, int mtu);

}  // namespace kupen::test
