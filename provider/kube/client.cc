#include "provider/kube/client.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "provider/base/status.h"
#include "provider/http/url.h"
#include "provider/json/json.h"
#include "provider/kube/error.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace kupen::kube {
namespace {

// As client-go and kube-rs: large enough for few requests, small enough for the server.
constexpr int kPageSize = 500;

std::string Parameter(absl::string_view name, absl::string_view value) { return absl::StrCat(name, "=", http::Escape(value)); }

void AddSelectors(const ListOptions& options, std::vector<std::string>& query) {
  if (!options.label_selector.empty()) query.push_back(Parameter("labelSelector", options.label_selector));
  if (!options.field_selector.empty()) query.push_back(Parameter("fieldSelector", options.field_selector));
}

// No second choice for the server: better an error than the data of all Secrets.
http::Headers Accept(const ListOptions& options, absl::string_view as) {
  if (!options.metadata_only) return {};
  return {{"Accept", absl::StrCat("application/json;as=", as, ";g=meta.k8s.io;v=v1")}};
}

std::string Describe(absl::string_view verb, const Resource& resource, absl::string_view object) {
  return absl::StrCat(verb, " ", resource.ToString(), object.empty() ? "" : " ", object);
}

// The patch, with metadata.resourceVersion set.
absl::StatusOr<std::string> WithVersion(absl::string_view patch, absl::string_view version) {
  ASSIGN_OR_RETURN(rapidjson::Document document, json::Parse(patch));
  if (!document.IsObject()) return absl::InvalidArgumentError("a patch that is no object can't carry a resource version");
  auto& allocator = document.GetAllocator();
  if (!document.HasMember("metadata")) document.AddMember("metadata", rapidjson::Value(rapidjson::kObjectType), allocator);
  rapidjson::Value& metadata = document.FindMember("metadata")->value;
  if (!metadata.IsObject()) return absl::InvalidArgumentError("a patch whose metadata is no object");
  metadata.RemoveMember("resourceVersion");
  metadata.AddMember("resourceVersion",
                     rapidjson::Value(version.data(), static_cast<rapidjson::SizeType>(version.size()), allocator), allocator);
  return json::Write(document);
}

std::string DeleteBody(const DeleteOptions& options) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  const auto add = [&writer](const char* name, const std::string& value) {
    if (value.empty()) return;
    writer.Key(name);
    writer.String(value.c_str());
  };
  writer.StartObject();
  add("propagationPolicy", options.propagation);
  if (!options.uid.empty() || !options.resource_version.empty()) {
    writer.Key("preconditions");
    writer.StartObject();
    add("uid", options.uid);
    add("resourceVersion", options.resource_version);
    writer.EndObject();
  }
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

absl::StatusOr<rapidjson::Document> Client::Exchange(absl::string_view what, http::Request request,
                                                     const std::stop_token& stop) const {
  request.timeout = timeout_;
  absl::StatusOr<http::Response> response = transport_.Send(request, stop);
  if (!response.ok()) return Annotate(response.status(), what);
  if (const absl::Status error = ErrorOf(*response); !error.ok()) return Annotate(error, what);
  absl::StatusOr<rapidjson::Document> object = json::Parse(response->body);
  if (!object.ok()) return Annotate(absl::UnavailableError(object.status().message()), what);
  return object;
}

absl::StatusOr<rapidjson::Document> Client::Get(const Resource& resource, const ObjectKey& key,
                                                const std::stop_token& stop) const {
  return Exchange(Describe("get", resource, key.ToString()), {.target = ObjectPath(resource, key)}, stop);
}

absl::StatusOr<Page> Client::ListPage(const Resource& resource, const ListOptions& options, absl::string_view continue_token,
                                      const std::stop_token& stop) const {
  std::vector<std::string> query = {absl::StrCat("limit=", kPageSize)};
  AddSelectors(options, query);
  if (!continue_token.empty()) query.push_back(Parameter("continue", continue_token));
  const std::string target = absl::StrCat(CollectionPath(resource, options.ns), "?", absl::StrJoin(query, "&"));
  ASSIGN_OR_RETURN(rapidjson::Document list,
                   Exchange(Describe("list", resource, options.ns),
                            {.target = target, .headers = Accept(options, "PartialObjectMetadataList")}, stop));
  Page page;
  page.resource_version = std::string(json::String(list, {"metadata", "resourceVersion"}));
  page.continue_token = std::string(json::String(list, {"metadata", "continue"}));
  page.list = std::move(list);
  return page;
}

absl::Status Client::List(const Resource& resource, const ListOptions& options,
                          absl::FunctionRef<void(const rapidjson::Value& item)> each, const std::stop_token& stop) const {
  std::string token;
  do {
    ASSIGN_OR_RETURN(const Page page, ListPage(resource, options, token, stop));
    for (const rapidjson::Value& item : json::Array(page.list, {"items"})) each(item);
    token = page.continue_token;
  } while (!token.empty());
  return absl::OkStatus();
}

absl::Status Client::Watch(const Resource& resource, const ListOptions& options, absl::string_view query,
                           absl::Duration timeout, const http::BodySink& on_body, const std::stop_token& stop) const {
  std::vector<std::string> parts = {"watch=true", std::string(query)};
  AddSelectors(options, parts);
  const std::string target = absl::StrCat(CollectionPath(resource, options.ns), "?", absl::StrJoin(parts, "&"));
  const std::string what = Describe("watch", resource, options.ns);
  const absl::StatusOr<http::Response> response = transport_.Stream(
      {.target = target, .headers = Accept(options, "PartialObjectMetadata"), .timeout = timeout}, nullptr, on_body, stop);
  return Annotate(response.ok() ? ErrorOf(*response) : response.status(), what);
}

absl::StatusOr<rapidjson::Document> Client::Create(const Resource& resource, absl::string_view ns, absl::string_view object,
                                                   const std::stop_token& stop) const {
  const std::string target = absl::StrCat(CollectionPath(resource, ns), "?", Parameter("fieldManager", field_manager_));
  return Exchange(Describe("create", resource, ns), {.method = "POST", .target = target, .body = std::string(object)}, stop);
}

absl::StatusOr<rapidjson::Document> Client::Patch(absl::string_view type, const Resource& resource, const ObjectKey& key,
                                                  absl::string_view patch, const WriteOptions& options,
                                                  absl::string_view more_query, const std::stop_token& stop) const {
  const std::string what = Describe(options.subresource.empty() ? "patch" : absl::StrCat("patch ", options.subresource, " of"),
                                    resource, key.ToString());
  std::string body(patch);
  if (!options.resource_version.empty()) {
    absl::StatusOr<std::string> with = WithVersion(patch, options.resource_version);
    if (!with.ok()) return Annotate(with.status(), what);
    body = *std::move(with);
  }
  const std::string target =
      absl::StrCat(ObjectPath(resource, key, options.subresource), "?", Parameter("fieldManager", field_manager_), more_query);
  return Exchange(
      what, {.method = "PATCH", .target = target, .body = std::move(body), .content_type = absl::StrCat("application/", type)},
      stop);
}

absl::StatusOr<rapidjson::Document> Client::Apply(const Resource& resource, const ObjectKey& key, absl::string_view object,
                                                  const WriteOptions& options, const std::stop_token& stop) const {
  // JSON is YAML.
  return Patch("apply-patch+yaml", resource, key, object, options, "&force=true", stop);
}

absl::StatusOr<rapidjson::Document> Client::MergePatch(const Resource& resource, const ObjectKey& key, absl::string_view patch,
                                                       const WriteOptions& options, const std::stop_token& stop) const {
  return Patch("merge-patch+json", resource, key, patch, options, "", stop);
}

absl::StatusOr<rapidjson::Document> Client::JsonPatch(const Resource& resource, const ObjectKey& key, absl::string_view patch,
                                                      absl::string_view subresource, const std::stop_token& stop) const {
  return Patch("json-patch+json", resource, key, patch, {.subresource = std::string(subresource)}, "", stop);
}

absl::StatusOr<rapidjson::Document> Client::Replace(const Resource& resource, const ObjectKey& key, absl::string_view object,
                                                    const std::stop_token& stop) const {
  const std::string target = absl::StrCat(ObjectPath(resource, key), "?", Parameter("fieldManager", field_manager_));
  return Exchange(Describe("replace", resource, key.ToString()),
                  {.method = "PUT", .target = target, .body = std::string(object)}, stop);
}

absl::Status Client::Delete(const Resource& resource, const ObjectKey& key, const DeleteOptions& options,
                            const std::stop_token& stop) const {
  return Exchange(Describe("delete", resource, key.ToString()),
                  {.method = "DELETE", .target = ObjectPath(resource, key), .body = DeleteBody(options)}, stop)
      .status();
}

}  // namespace kupen::kube
