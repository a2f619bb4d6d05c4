// Which cloud an object is in, and whose credentials reach it: what a ProviderConfig or ClusterProviderConfig has become.
//
//   ASSIGN_OR_RETURN(const std::shared_ptr<Scope> scope, scopes.Find(ref, "team-a"));
//   Rest networks(scope->session(), kNetworks);
//   openstack::Mirror& mirror = scope->MirrorOf("network.Network", [&] { return MirrorSpecOf(plan); });
//
// A scope lives as long as somebody holds it: when the credentials change there is a new one, and what is under way with the
// old one ends in peace.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "provider/base/clock.h"
#include "provider/openstack/cloud.h"
#include "provider/openstack/mirror.h"
#include "provider/openstack/session.h"
#include "provider/openstack/transports.h"

namespace kupen::access {

inline constexpr absl::string_view kProviderConfig = "ProviderConfig";
inline constexpr absl::string_view kClusterProviderConfig = "ClusterProviderConfig";

// A configuration, as an object's spec.providerConfigRef names it.
struct ConfigRef {
  // One of the two above.
  std::string kind;
  // Of a ProviderConfig, which is always that of the objects that use it; else empty.
  std::string ns;
  std::string name;

  // "ProviderConfig default": for messages.
  std::string ToString() const { return absl::StrCat(kind, " ", name); }

  friend bool operator==(const ConfigRef&, const ConfigRef&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const ConfigRef& ref) {
    return H::combine(std::move(state), ref.kind, ref.ns, ref.name);
  }
};

// Called from the thread of a mirror.
struct ScopeEvents {
  // An object of the kind ("network.Network") is not what it was.
  std::function<void(const std::string& kind, const openstack::MirrorChange& change)> on_change;
  // Too much is missing at once to be believed.
  std::function<void(const std::string& kind, const std::string& message)> on_doubt;
};

// Thread safety: all methods may be called from any thread.
class Scope {
 public:
  // The clock must outlive this.
  Scope(openstack::Cloud cloud, openstack::Transports transports, Clock& clock, ScopeEvents events);
  // Stops its mirrors, and waits for them. Not from one of their own threads.
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  openstack::Session& session() { return session_; }
  const openstack::Cloud& cloud() const { return session_.cloud(); }

  // The mirror of a kind's collection. The first call makes it, lets the caller prepare it (track what its first list is to
  // answer for) and starts it; it lives as long as this.
  openstack::Mirror& MirrorOf(const std::string& kind, const std::function<openstack::MirrorSpec()>& spec,
                              const std::function<void(openstack::Mirror&)>& prepare = nullptr);

 private:
  struct RunningMirror {
    std::unique_ptr<openstack::Mirror> mirror;
    // After the mirror: ends first.
    std::jthread thread;
  };

  Clock& clock_;
  const ScopeEvents events_;
  openstack::Session session_;
  std::mutex mutex_;
  std::map<std::string, RunningMirror> mirrors_;
};

// The scopes of all configurations that could be read.
// Thread safety: all methods may be called from any thread.
class Scopes {
 public:
  // The configuration exists; nothing is known of it unless one of the next two has been called.
  void Expect(const ConfigRef& ref);
  // What to say to an object's user about a configuration that cannot be used. UNAVAILABLE if it will be soon.
  void Refuse(const ConfigRef& ref, const absl::Status& why);
  void Set(const ConfigRef& ref, std::shared_ptr<Scope> scope, std::function<bool(absl::string_view ns)> serves);
  // The configuration is gone.
  void Remove(const ConfigRef& ref);

  // For an object of that namespace. UNAVAILABLE: not ready yet, and whoever waits for it will be told. NOT_FOUND: there is no
  // such configuration, PERMISSION_DENIED: it does not serve the namespace; other errors: what is wrong with it. All messages
  // are for the object's user.
  absl::StatusOr<std::shared_ptr<Scope>> Find(const ConfigRef& ref, absl::string_view ns) const;

  // All configurations are known or expected, so any other does not exist.
  void SetComplete();

 private:
  static absl::Status NotYetKnown(const ConfigRef& ref);

  struct Entry {
    absl::StatusOr<std::shared_ptr<Scope>> scope = nullptr;
    std::function<bool(absl::string_view ns)> serves = nullptr;
  };

  mutable std::mutex mutex_;
  absl::flat_hash_map<ConfigRef, Entry> entries_;
  bool complete_ = false;
};

}  // namespace kupen::access
