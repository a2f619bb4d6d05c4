// A collection of objects of one kind in a service: create, get, list, update, delete.
//
//   const RestSpec kNetworks = {.service = "network", .path = "/networks", .item_key = "network", .list_key = "networks"};
//   Rest networks(session, kNetworks);
//   ASSIGN_OR_RETURN(rapidjson::Document network, networks.Get(id, stop));        // without the envelope: network["name"]
//   RETURN_IF_ERROR(networks.List({{"status", "ACTIVE"}}, [&](const rapidjson::Value& network) { …; return absl::OkStatus(); },
//   stop));
//
// Thread safety: all methods may be called from any thread at once.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/openstack/microversion.h"
#include "provider/openstack/session.h"
#include "rapidjson/document.h"

namespace kupen::openstack {

struct RestSpec {
  // By official type: "network".
  std::string service;
  // "/networks".
  std::string path;
  // The envelope around one object; empty if there is none (Glance).
  std::string item_key = "";
  // The member of a page that holds the objects.
  std::string list_key = "";
  // The member that identifies an object, in lists as in paths. Key pairs go by name.
  std::string id_key = "id";
  // Where lists are, if not at the path: "/servers/detail".
  std::string list_path = "";
  // How many objects to ask for at once; 0 leaves it to the service (Keystone refuses to be asked). Follow-up pages are where
  // the service's link says, if it gives one.
  int page_size = 500;
  std::string update_method = "PUT";
  std::string update_content_type = "application/json";
  std::optional<MicroversionRange> microversions = std::nullopt;
};

// What belongs to one call only.
struct CallOptions {
  std::string operation_id = "";
  // For example If-Match.
  http::Headers headers = {};
  // What in the body must not come back to light in an error.
  std::vector<std::string> secrets = {};
  // Of a create: members beside the envelope, as an object ({"os:scheduler_hints": {…}}). Null for none.
  const rapidjson::Value* beside = nullptr;
};

class Rest {
 public:
  using ItemSink = absl::FunctionRef<absl::Status(const rapidjson::Value& item)>;

  // The session must outlive this.
  Rest(Session& session, RestSpec spec) : session_(session), spec_(std::move(spec)) {}

  // The body is the object, without the envelope. Gives the object as the service answers; null if it answers with nothing.
  absl::StatusOr<rapidjson::Document> Create(const rapidjson::Value& object, const std::stop_token& stop,
                                             const CallOptions& options = {});

  // NOT_FOUND if it is not there, or not for us to see.
  absl::StatusOr<rapidjson::Document> Get(absl::string_view id, const std::stop_token& stop, const CallOptions& options = {});

  // The body is what update_method takes: the changed fields, or a JSON patch (then without an envelope).
  absl::StatusOr<rapidjson::Document> Update(absl::string_view id, const rapidjson::Value& change, const std::stop_token& stop,
                                             const CallOptions& options = {});

  // OK means that the service has begun to delete it; NOT_FOUND that there is nothing to delete.
  absl::Status Delete(absl::string_view id, const std::stop_token& stop, const CallOptions& options = {});

  // What is below one object: Call("PUT", id, "tags", &body, stop) for /networks/{id}/tags. The subpath's segments are already
  // encoded where needed. Bodies are sent and given back as they are, without envelopes; null stands for none.
  absl::StatusOr<rapidjson::Document> Call(absl::string_view method, absl::string_view id, absl::string_view subpath,
                                           const rapidjson::Value* body, const std::stop_token& stop,
                                           const CallOptions& options = {});

  // Gives each object to the sink, page by page, each without its own envelope if it has one even there (Nova's key pairs);
  // nothing is kept of a page once the next is asked for. The sink's error ends it and is the result. ABORTED: the list changed
  // so that the next page could not be found; try again from the start.
  absl::Status List(const Query& filters, ItemSink sink, const std::stop_token& stop, const CallOptions& options = {});

  const RestSpec& spec() const { return spec_; }

 private:
  ServiceRequest NewRequest(absl::string_view method, const CallOptions& options) const;
  absl::StatusOr<std::string> ItemPath(absl::string_view id) const;
  std::string Wrapped(const rapidjson::Value& object, const rapidjson::Value* beside = nullptr) const;
  absl::StatusOr<rapidjson::Document> SendForBody(const ServiceRequest& request, const std::stop_token& stop);
  absl::StatusOr<rapidjson::Document> SendForItem(const ServiceRequest& request, const std::stop_token& stop);
  // Gives the query of the next page; empty at the end.
  absl::StatusOr<std::string> ReadPage(const http::Response& response, ItemSink sink) const;

  Session& session_;
  const RestSpec spec_;
};

}  // namespace kupen::openstack
