"""Puts into the cloud what tests may rely on: flavors, an image, networks, and the project demo. Safe to run again."""
import openstack

UNLIMITED = {
    "compute": ("/os-quota-sets/{}", "quota_set",
                ("instances", "cores", "ram", "key_pairs", "metadata_items", "server_groups", "server_group_members")),
    "block-storage": ("/os-quota-sets/{}", "quota_set",
                      ("volumes", "gigabytes", "snapshots", "backups", "backup_gigabytes", "per_volume_gigabytes")),
    "network": ("/v2.0/quotas/{}", "quota",
                ("network", "subnet", "subnetpool", "port", "router", "floatingip", "security_group",
                 "security_group_rule", "rbac_policy", "trunk")),
    "load-balancer": ("/v2.0/lbaas/quotas/{}", "quota",
                      ("load_balancer", "listener", "pool", "member", "health_monitor")),
}
cloud = openstack.connect(cloud="admin")


def flavor(name, ram, vcpus, disk):
    if not cloud.compute.find_flavor(name):
        cloud.compute.create_flavor(name=name, ram=ram, vcpus=vcpus, disk=disk)


def image(name):
    # Clients see an image, and nothing ever boots from it.
    if not cloud.image.find_image(name):
        cloud.image.create_image(name=name, disk_format="raw", container_format="bare", visibility="public",
                                 data=bytes(1024 * 1024), validate_checksum=False)


def network(name, cidr, dhcp, **attributes):
    found = cloud.network.find_network(name) or cloud.network.create_network(name=name, **attributes)
    project = {"project_id": attributes["project_id"]} if "project_id" in attributes else {}
    subnet = cloud.network.find_subnet(name, network_id=found.id) or cloud.network.create_subnet(
        name=name, network_id=found.id, ip_version=4, cidr=cidr, is_dhcp_enabled=dhcp, **project)
    return found, subnet


def router(name, project_id, gateway, subnet):
    found = cloud.network.find_router(name) or cloud.network.create_router(
        name=name, project_id=project_id, external_gateway_info={"network_id": gateway.id})
    if not next(cloud.network.ports(device_id=found.id, network_id=subnet.network_id), None):
        cloud.network.add_interface_to_router(found, subnet_id=subnet.id)


def member(name):
    """A project with a user and a password of the same name."""
    identity = cloud.identity
    project = identity.find_project(name) or identity.create_project(name=name, domain_id="default")
    user = identity.find_user(name) or identity.create_user(
        name=name, password=name, default_project_id=project.id, domain_id="default")
    identity.assign_project_role_to_user(project, user, identity.find_role("member"))
    return project


def lift_quotas(project):
    for service, (path, key, resources) in UNLIMITED.items():
        endpoint = cloud.endpoint_for(service).removesuffix("/v2.0")
        cloud.session.put(endpoint + path.format(project.id), json={key: dict.fromkeys(resources, -1)})


flavor("m1.tiny", ram=512, vcpus=1, disk=1)
flavor("m1.small", ram=2048, vcpus=1, disk=20)
image("cirros")
demo = member("demo")
lift_quotas(demo)
public, _ = network("public", "198.18.0.0/16", dhcp=False, is_router_external=True,
                    provider_network_type="flat", provider_physical_network="public")
_, private = network("private", "10.20.0.0/16", dhcp=True, project_id=demo.id)
router("router", demo.id, public, private)
