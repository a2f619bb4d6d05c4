"""A mechanism driver for ML2 that says of every port, router port and floating IP: it is wired up.

Real drivers learn that from agents on the hosts. Without any, nova cannot build a server: "Binding failed for port".
"""
from neutron_lib import constants, context as neutron_context
from neutron_lib.api.definitions import portbindings
from neutron_lib.callbacks import events, registry, resources
from neutron_lib.plugins import constants as plugins, directory
from neutron_lib.plugins.ml2 import api

_ROUTER_PORTS = (constants.DEVICE_OWNER_ROUTER_INTF, constants.DEVICE_OWNER_ROUTER_GW)


class FakeMechanismDriver(api.MechanismDriver):
    connectivity = portbindings.CONNECTIVITY_L2

    def initialize(self):
        for event in (events.AFTER_CREATE, events.AFTER_UPDATE):
            registry.subscribe(_report_floating_ip, resources.FLOATING_IP, event)

    def bind_port(self, context):
        segment = context.segments_to_bind[0]
        details = {portbindings.CAP_PORT_FILTER: True,
                   portbindings.VIF_DETAILS_CONNECTIVITY: portbindings.CONNECTIVITY_L2}
        context.set_binding(segment[api.ID], portbindings.VIF_TYPE_OVS, details, status=constants.PORT_STATUS_ACTIVE)

    def create_port_postcommit(self, context):
        _report_router_port(context)

    def update_port_postcommit(self, context):
        _report_router_port(context)


def _report_router_port(context):
    """Ports of routers belong to no host, so they are never bound: an L3 agent would report them."""
    port = context.current
    if port["device_owner"] in _ROUTER_PORTS and port["status"] != constants.PORT_STATUS_ACTIVE:
        admin = neutron_context.get_admin_context()
        directory.get_plugin().update_port_status(admin, port["id"], constants.PORT_STATUS_ACTIVE)


def _report_floating_ip(_resource, _event, _trigger, payload):
    floating_ip = payload.latest_state
    associated = floating_ip.get("port_id") or floating_ip.get("fixed_port_id")
    status = constants.FLOATINGIP_STATUS_ACTIVE if associated else constants.FLOATINGIP_STATUS_DOWN
    # In the session of the caller: when a port is deleted this runs inside a transaction that has locked the row.
    admin = payload.context.elevated()
    directory.get_plugin(plugins.L3).update_floatingip_status(admin, payload.resource_id, status)
