"""Gives keystone what the services need: their users, and where each one is. Safe to run again."""
import sys

import openstack

service_password, region, ip = sys.argv[1:]
SERVICES = (
    ("nova", "compute", f"http://{ip}:8774/v2.1"),
    ("placement", "placement", f"http://{ip}:8778"),
    ("glance", "image", f"http://{ip}:9292"),
    ("neutron", "network", f"http://{ip}:9696"),
    ("cinder", "block-storage", f"http://{ip}:8776/v3/$(project_id)s"),
    # The name by which older clients look for cinder.
    ("cinder", "volumev3", f"http://{ip}:8776/v3/$(project_id)s"),
    ("octavia", "load-balancer", f"http://{ip}:9876"),
)
identity = openstack.connect(cloud="admin").identity


def user(name, project, roles):
    account = identity.find_user(name) or identity.create_user(
        name=name, password=service_password, default_project_id=project.id, domain_id="default")
    for role in roles:
        identity.assign_project_role_to_user(project, account, role)


def endpoint(name, kind, url):
    service = next(identity.services(type=kind), None) or identity.create_service(name=name, type=kind)
    present = {found.interface for found in identity.endpoints(service_id=service.id)}
    for interface in {"public", "internal", "admin"} - present:
        identity.create_endpoint(service_id=service.id, interface=interface, url=url, region_id=region)


service_project = identity.find_project("service") or identity.create_project(name="service", domain_id="default")
# keystone's bootstrap makes the role admin, but not yet (before 2023.1) the role service.
service_role = identity.find_role("service") or identity.create_role(name="service")
roles = (identity.find_role("admin"), service_role)
for service_name in sorted({name for name, _, _ in SERVICES}):
    user(service_name, service_project, roles)
for service_name, service_type, service_url in SERVICES:
    endpoint(service_name, service_type, service_url)
