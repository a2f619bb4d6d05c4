// spec.writeConnectionSecretToRef: what is needed to use an object, in a Secret beside it.
//
//   ConnectionSecrets secrets(client);
//   RETURN_IF_ERROR(secrets.Publish(key, owner, "blue-connection", {{"id", id}, {"endpoint", address}}, stop));
//   for (const Key& key : secrets.Take(event)) queue.Add(key, …);       // somebody has changed or deleted what we wrote
//
// As with all Crossplane providers: the Secret is of type connection.crossplane.io/v1alpha1 and belongs to the object, with
// which it goes; keys are added and changed, never removed; what belongs to somebody else is refused. What is as it should be
// costs no request.
//
// Thread safety: all methods may be called from any thread; Take() from one at a time.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "provider/kube/client.h"
#include "provider/kube/events.h"
#include "provider/kube/watcher.h"
#include "provider/runtime/work_queue.h"

namespace kupen::managed {

using ConnectionDetails = std::map<std::string, std::string>;

class ConnectionSecrets {
 public:
  // The client must outlive this.
  explicit ConnectionSecrets(const kube::Client& client) : client_(client) {}

  // Makes the Secret of the owner's namespace agree. FAILED_PRECONDITION: there is one of that name that is not the owner's. No
  // error has a value of the details.
  absl::Status Publish(const runtime::Key& key, const kube::ObjectReference& owner, const std::string& secret,
                       const ConnectionDetails& details, const std::stop_token& stop);

  // To be given all Secrets' events. Gives the objects whose Secret is no longer as they left it.
  std::vector<runtime::Key> Take(const kube::WatchEvent& event);

 private:
  // A Secret as it was last written, or found to be as it should.
  struct Published {
    runtime::Key key;
    size_t content = 0;
    std::string version;
    // By the list of Secrets that is being read.
    bool listed = true;
  };

  absl::StatusOr<std::string> Write(const kube::ObjectReference& owner, const kube::ObjectKey& secret,
                                    const ConnectionDetails& details, const std::stop_token& stop) const;
  std::vector<runtime::Key> TakeVersion(const kube::ObjectKey& secret, const std::string& version);
  std::vector<runtime::Key> TakeUnlisted();

  const kube::Client& client_;
  std::mutex mutex_;
  absl::flat_hash_map<kube::ObjectKey, Published> published_;
};

}  // namespace kupen::managed
