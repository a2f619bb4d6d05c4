// Calls to the Kubernetes API, for any resource. Objects are JSON.
//
//   Client client(transport, "provider-kupenstack");
//   ASSIGN_OR_RETURN(const rapidjson::Document map, client.Get(kConfigMaps, {"default", "settings"}, stop));
//   ASSIGN_OR_RETURN(…, client.Apply(kNetworks, key, R"({"status":{…}})", {.subresource = "status"}, stop));
//
// Errors are those of error.h and of the transport, preceded by what was being done.
//
// Thread safety: all methods may be called from any thread at once.
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/http/transport.h"
#include "provider/kube/resource.h"
#include "rapidjson/document.h"

namespace kupen::kube {

struct ListOptions {
  // Of all namespaces, if empty.
  std::string ns = {};
  std::string label_selector = {};
  std::string field_selector = {};
  // Objects come with apiVersion, kind and metadata alone: the rest neither crosses the network nor lies in memory.
  bool metadata_only = false;
};

struct Page {
  // {"items": […]}: items have neither apiVersion nor kind.
  rapidjson::Document list;
  std::string resource_version;
  // Empty on the last page.
  std::string continue_token;
};

struct WriteOptions {
  std::string subresource = {};
  // The write fails with a conflict unless this is still the object's version.
  std::string resource_version = {};
};

struct DeleteOptions {
  // The object is deleted only if it is still this one.
  std::string uid = {};
  std::string resource_version = {};
  // "Background", "Foreground" or "Orphan"; empty for what the resource does by default.
  std::string propagation = {};
};

class Client {
 public:
  // Writes are made in the field manager's name. The transport must outlive the client.
  Client(http::Transport& transport, std::string field_manager)
      : transport_(transport), field_manager_(std::move(field_manager)) {}

  // The same client, whose exchanges (but watches) may take that long; else it is 30 seconds.
  Client WithTimeout(absl::Duration timeout) const {
    Client other = *this;
    other.timeout_ = timeout;
    return other;
  }

  absl::StatusOr<rapidjson::Document> Get(const Resource& resource, const ObjectKey& key, const std::stop_token& stop) const;

  // One page, the first if the token is empty. An expired token is OUT_OF_RANGE: start again.
  absl::StatusOr<Page> ListPage(const Resource& resource, const ListOptions& options, absl::string_view continue_token,
                                const std::stop_token& stop) const;
  // All pages, item by item.
  absl::Status List(const Resource& resource, const ListOptions& options,
                    absl::FunctionRef<void(const rapidjson::Value& item)> each, const std::stop_token& stop) const;

  // Opens a watch (the query has all of its parameters but watch=true) and gives what comes, until the server ends it. The
  // timeout is for each wait.
  absl::Status Watch(const Resource& resource, const ListOptions& options, absl::string_view query, absl::Duration timeout,
                     const http::BodySink& on_body, const std::stop_token& stop) const;

  absl::StatusOr<rapidjson::Document> Create(const Resource& resource, absl::string_view ns, absl::string_view object,
                                             const std::stop_token& stop) const;
  // Server-side apply: the object has apiVersion and kind, and all that we want to own. Takes fields from other managers.
  absl::StatusOr<rapidjson::Document> Apply(const Resource& resource, const ObjectKey& key, absl::string_view object,
                                            const WriteOptions& options, const std::stop_token& stop) const;
  // RFC 7396.
  absl::StatusOr<rapidjson::Document> MergePatch(const Resource& resource, const ObjectKey& key, absl::string_view patch,
                                                 const WriteOptions& options, const std::stop_token& stop) const;
  // RFC 6902. A failed "test" is INVALID_ARGUMENT.
  absl::StatusOr<rapidjson::Document> JsonPatch(const Resource& resource, const ObjectKey& key, absl::string_view patch,
                                                absl::string_view subresource, const std::stop_token& stop) const;
  // The whole object, with its resourceVersion.
  absl::StatusOr<rapidjson::Document> Replace(const Resource& resource, const ObjectKey& key, absl::string_view object,
                                              const std::stop_token& stop) const;
  absl::Status Delete(const Resource& resource, const ObjectKey& key, const DeleteOptions& options,
                      const std::stop_token& stop) const;

 private:
  absl::StatusOr<rapidjson::Document> Exchange(absl::string_view what, http::Request request,
                                               const std::stop_token& stop) const;
  absl::StatusOr<rapidjson::Document> Patch(absl::string_view type, const Resource& resource, const ObjectKey& key,
                                            absl::string_view patch, const WriteOptions& options, absl::string_view more_query,
                                            const std::stop_token& stop) const;

  http::Transport& transport_;
  std::string field_manager_;
  absl::Duration timeout_ = absl::Seconds(30);
};

}  // namespace kupen::kube
