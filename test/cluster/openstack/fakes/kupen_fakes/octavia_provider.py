"""A load balancer provider that balances nothing: a thread in octavia-api finishes all that is pending.

The methods of the provider cannot do that themselves: octavia calls them inside a transaction that has the rows locked.
"""
import threading
import time

from octavia.common import constants, utils
from octavia.db import api as database, models, repositories
from octavia_lib.api.drivers import provider_base
from oslo_log import log

_LOG = log.getLogger(__name__)
_SECONDS_BETWEEN_SWEEPS = 0.3
_DONE = {"provisioning_status": constants.ACTIVE, "operating_status": constants.ONLINE}


class FakeProviderDriver(provider_base.ProviderDriver):
    # create_vip_port is left as it is, "not implemented": octavia-api then makes a real port in neutron.

    def _accept(self, *_, **__):
        return None

    loadbalancer_create = loadbalancer_delete = loadbalancer_failover = loadbalancer_update = _accept
    listener_create = listener_delete = listener_update = _accept
    pool_create = pool_delete = pool_update = _accept
    member_create = member_delete = member_update = member_batch_update = _accept
    health_monitor_create = health_monitor_delete = health_monitor_update = _accept
    l7policy_create = l7policy_delete = l7policy_update = _accept
    l7rule_create = l7rule_delete = l7rule_update = _accept


def start_finisher():
    threading.Thread(target=_finish_forever, daemon=True).start()


def _finish_forever():
    while True:
        time.sleep(_SECONDS_BETWEEN_SWEEPS)
        for load_balancer_id in _tried(_pending) or []:
            _tried(_finish, load_balancer_id)


def _tried(action, *arguments):
    """The next sweep tries again, for example after the database was away; one balancer must not hold up the others."""
    try:
        return action(*arguments)
    except Exception:
        _LOG.exception("could not finish what is pending")


def _pending():
    balancer = models.LoadBalancer
    rows = database.get_session().query(balancer.id).filter(balancer.provisioning_status.like("PENDING%"))
    return [row.id for row in rows]


def _finish(load_balancer_id):
    """Any change below a load balancer makes the load balancer itself pending, so this finds all of them."""
    balancers = repositories.LoadBalancerRepository()
    balancer = balancers.get(database.get_session(), id=load_balancer_id)
    deleted = balancer.provisioning_status == constants.PENDING_DELETE
    for repository, item in _below(balancer):
        if deleted or item.provisioning_status == constants.PENDING_DELETE:
            repository.delete(database.get_session(), id=item.id)
        else:
            repository.update(database.get_session(), item.id, **_DONE)
    if deleted:
        utils.get_network_driver().deallocate_vip(balancer.vip)
        balancers.update(database.get_session(), load_balancer_id, provisioning_status=constants.DELETED)
    else:
        balancers.update(database.get_session(), load_balancer_id, **_DONE)


def _below(balancer):
    """All parts of a load balancer, each before the one that it belongs to."""
    for listener in balancer.listeners:
        for policy in listener.l7policies:
            yield from ((repositories.L7RuleRepository(), rule) for rule in policy.l7rules)
            yield repositories.L7PolicyRepository(), policy
    for pool in balancer.pools:
        if pool.health_monitor:
            yield repositories.HealthMonitorRepository(), pool.health_monitor
        yield from ((repositories.MemberRepository(), member) for member in pool.members)
    yield from ((repositories.ListenerRepository(), listener) for listener in balancer.listeners)
    yield from ((repositories.PoolRepository(), pool) for pool in balancer.pools)
