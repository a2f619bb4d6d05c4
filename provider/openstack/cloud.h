// A cloud to talk to: how to log in, and which of its endpoints to use. clouds_yaml.h reads one from a user's text.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kupen::openstack {

// A user or project in Keystone: by id, or by name within a domain, which itself goes by id or name.
struct Principal {
  std::string id = "";
  std::string name = "";
  std::string domain_id = "";
  std::string domain_name = "";

  bool empty() const { return id.empty() && name.empty(); }
  friend bool operator==(const Principal&, const Principal&) = default;
};

enum class AuthMethod : std::uint8_t { kPassword, kApplicationCredential, kToken };

struct Credentials {
  AuthMethod method = AuthMethod::kPassword;
  Principal user = {};
  // An application credential goes by id, or by name and its user.
  std::string application_credential_id = "";
  std::string application_credential_name = "";
  // The password, the application credential's secret or the token.
  std::string secret = "";

  friend bool operator==(const Credentials&, const Credentials&) = default;
};

// What a token is good for: a project, a domain, the system, or what the user's default is when nothing is said. An application
// credential has its own project and takes no scope.
struct Scope {
  Principal project = {};
  std::string domain_id = "";
  std::string domain_name = "";
  bool system = false;

  friend bool operator==(const Scope&, const Scope&) = default;
};

struct Tls {
  bool verify = true;
  // Instead of the machine's own authorities, if not empty.
  std::string ca_pem = "";

  friend bool operator==(const Tls&, const Tls&) = default;
};

// What a user may set apart for one service.
struct ServiceSettings {
  std::string endpoint = "";
  std::string microversion = "";
  std::string interface = "";
  std::string region = "";

  friend bool operator==(const ServiceSettings&, const ServiceSettings&) = default;
};

struct Cloud {
  std::string name = "";
  // Ends in /v3.
  std::string auth_url = "";
  Credentials credentials = {};
  Scope scope = {};
  // Any, if empty.
  std::string region = "";
  std::string interface = "public";
  Tls tls = {};
  // By official service type.
  std::map<std::string, ServiceSettings> services = {};

  friend bool operator==(const Cloud&, const Cloud&) = default;
};

}  // namespace kupen::openstack
