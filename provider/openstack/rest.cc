#include "provider/openstack/rest.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/http/url.h"
#include "provider/json/json.h"
#include "provider/openstack/error.h"
#include "provider/openstack/service.h"

namespace kupen::openstack {
namespace {

constexpr int kBadRequest = 400;
constexpr int kNotFound = 404;

// The link to the next page: {"<list>_links": [{"rel": "next", "href"}]} (Nova, Neutron, Cinder, Octavia), {"links": {"next"}}
// (Keystone, Designate), {"next"} (Glance, Barbican).
absl::string_view NextLink(const rapidjson::Value& page, const std::string& list_key) {
  for (const rapidjson::Value& link : json::Array(page, {list_key + "_links"})) {
    if (json::String(link, {"rel"}) == "next") return json::String(link, {"href"});
  }
  if (const absl::string_view next = json::String(page, {"links", "next"}); !next.empty()) return next;
  return json::String(page, {"next"});
}

// Only what follows the '?': behind a proxy the rest is often an address that nobody outside can reach.
std::string QueryOf(absl::string_view link) {
  const size_t start = link.find('?');
  return start == absl::string_view::npos ? "" : std::string(link.substr(start + 1));
}

// Nova's list of key pairs has each one in its envelope: {"keypairs": [{"keypair": {…}}]}. An object that only has a member of
// that name has others beside it.
const rapidjson::Value& WithoutEnvelope(const rapidjson::Value& item, const std::string& item_key) {
  const rapidjson::Value* inner = item_key.empty() ? nullptr : json::Find(item, {item_key});
  return inner != nullptr && inner->IsObject() && item.MemberCount() == 1 ? *inner : item;
}

}  // namespace

ServiceRequest Rest::NewRequest(absl::string_view method, const CallOptions& options) const {
  return {.service = spec_.service,
          .method = std::string(method),
          .path = spec_.path,
          .headers = options.headers,
          .microversions = spec_.microversions,
          .operation_id = options.operation_id,
          .secrets = options.secrets};
}

absl::StatusOr<std::string> Rest::ItemPath(absl::string_view id) const {
  // These would mean the collection itself, or what is above it.
  if (id.empty() || id == "." || id == "..") return absl::InvalidArgumentError(absl::StrCat("\"", id, "\" is not an id"));
  return absl::StrCat(spec_.path, "/", http::Escape(id));
}

std::string Rest::Wrapped(const rapidjson::Value& object, const rapidjson::Value* beside) const {
  if (spec_.item_key.empty() || !object.IsObject()) return json::Write(object);
  std::string body = absl::StrCat("{\"", spec_.item_key, "\":", json::Write(object));
  if (beside == nullptr || json::IsEmpty(*beside)) return body + "}";
  // What follows the other object's opening brace ends this one, too.
  absl::StrAppend(&body, ",", json::Write(*beside).substr(1));
  return body;
}

absl::StatusOr<rapidjson::Document> Rest::SendForBody(const ServiceRequest& request, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const http::Response response, session_.Send(request, stop));
  if (response.body.empty()) return rapidjson::Document();
  absl::StatusOr<rapidjson::Document> body = json::Parse(response.body);
  if (!body.ok())
    return absl::InternalError(absl::StrCat(ServiceNamed(spec_.service).project, ": answered with ", body.status().message()));
  return body;
}

absl::StatusOr<rapidjson::Document> Rest::SendForItem(const ServiceRequest& request, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(rapidjson::Document body, SendForBody(request, stop));
  if (spec_.item_key.empty() || body.IsNull()) return body;
  const rapidjson::Value* item = json::Find(body, {spec_.item_key});
  if (item == nullptr) {
    return absl::InternalError(
        absl::StrCat(ServiceNamed(spec_.service).project, ": answered without \"", spec_.item_key, "\""));
  }
  rapidjson::Document inner;
  inner.CopyFrom(*item, inner.GetAllocator());
  return inner;
}

absl::StatusOr<rapidjson::Document> Rest::Create(const rapidjson::Value& object, const std::stop_token& stop,
                                                 const CallOptions& options) {
  ServiceRequest request = NewRequest("POST", options);
  request.body = Wrapped(object, options.beside);
  return SendForItem(request, stop);
}

absl::StatusOr<rapidjson::Document> Rest::Get(absl::string_view id, const std::stop_token& stop, const CallOptions& options) {
  ServiceRequest request = NewRequest("GET", options);
  ASSIGN_OR_RETURN(request.path, ItemPath(id));
  return SendForItem(request, stop);
}

absl::StatusOr<rapidjson::Document> Rest::Update(absl::string_view id, const rapidjson::Value& change,
                                                 const std::stop_token& stop, const CallOptions& options) {
  ServiceRequest request = NewRequest(spec_.update_method, options);
  ASSIGN_OR_RETURN(request.path, ItemPath(id));
  request.body = Wrapped(change);
  request.content_type = spec_.update_content_type;
  return SendForItem(request, stop);
}

absl::Status Rest::Delete(absl::string_view id, const std::stop_token& stop, const CallOptions& options) {
  ServiceRequest request = NewRequest("DELETE", options);
  ASSIGN_OR_RETURN(request.path, ItemPath(id));
  return session_.Send(request, stop).status();
}

absl::StatusOr<rapidjson::Document> Rest::Call(absl::string_view method, absl::string_view id, absl::string_view subpath,
                                               const rapidjson::Value* body, const std::stop_token& stop,
                                               const CallOptions& options) {
  ServiceRequest request = NewRequest(method, options);
  ASSIGN_OR_RETURN(const std::string item, ItemPath(id));
  request.path = absl::StrCat(item, "/", subpath);
  if (body != nullptr) request.body = json::Write(*body);
  return SendForBody(request, stop);
}

absl::StatusOr<std::string> Rest::ReadPage(const http::Response& response, ItemSink sink) const {
  const absl::string_view project = ServiceNamed(spec_.service).project;
  absl::StatusOr<rapidjson::Document> page = json::Parse(response.body);
  if (!page.ok()) return absl::InternalError(absl::StrCat(project, ": answered with ", page.status().message()));
  const rapidjson::Value* items = json::Find(*page, {spec_.list_key});
  if (items == nullptr || !items->IsArray()) {
    return absl::InternalError(absl::StrCat(project, ": answered without the list \"", spec_.list_key, "\""));
  }
  for (const rapidjson::Value& item : items->GetArray()) RETURN_IF_ERROR(sink(WithoutEnvelope(item, spec_.item_key)));
  const rapidjson::Value* truncated = json::Find(*page, {"truncated"});
  if (truncated != nullptr && truncated->IsTrue()) {
    return absl::FailedPreconditionError(absl::StrCat(
        project,
        ": cuts its lists short ([DEFAULT] list_limit), so what is missing from them cannot be told from what is gone"));
  }
  return QueryOf(NextLink(*page, spec_.list_key));
}

absl::Status Rest::List(const Query& filters, ItemSink sink, const std::stop_token& stop, const CallOptions& options) {
  ServiceRequest request = NewRequest("GET", options);
  if (!spec_.list_path.empty()) request.path = spec_.list_path;
  if (request.operation_id.empty()) request.operation_id = NewOperationId();
  Query query = filters;
  if (spec_.page_size > 0) query.emplace_back("limit", absl::StrCat(spec_.page_size));
  const std::string path = request.path;
  std::string next = EncodeQuery(query);
  for (bool first = true;; first = false) {
    request.path = next.empty() ? path : absl::StrCat(path, "?", next);
    const absl::StatusOr<http::Response> response = session_.Send(request, stop);
    if (!response.ok()) {
      // The marker was deleted between two pages.
      const int status = HttpStatusOf(response.status());
      if (!first && (status == kBadRequest || status == kNotFound)) return absl::AbortedError(response.status().message());
      return response.status();
    }
    ASSIGN_OR_RETURN(std::string following, ReadPage(*response, sink));
    if (following.empty()) return absl::OkStatus();
    if (following == next) {
      return absl::InternalError(
          absl::StrCat(ServiceNamed(spec_.service).project, ": a page's link to the next leads to itself"));
    }
    next = std::move(following);
  }
}

}  // namespace kupen::openstack
