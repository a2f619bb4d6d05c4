"""OpenStack's control plane from Debian's packages, with fakes (openstack/fakes) for all that lies behind its APIs."""
from collections.abc import Callable

from harness.openstack_config import (ACCESS_LOGS, COMPUTE_HOSTS, ETC, PYTHON_ENV, REGION, ROOT, SERVICE_PASSWORD,
                                      SOURCES, configure, configured, fetch_common_packages, have_common_packages,
                                      launcher)
from harness.openstack_database import answers_with, create_mariadb, mariadb_argv, once, save_snapshot, sql, steps
from harness.packages import debian_version
from harness.part import Part, Service, Step
from harness.settings import CLOUDS_YAML, IP
from harness.shell import answers, listens, logged

_GROUP = "openstack"
_SECONDS_TO_START = 180
# By which services without an API are known, in nova.conf and cinder.conf.
_HOST = "kupenstack"
_EPMD_PORT = 24369
_ERLANG_ENV = {"ERL_EPMD_PORT": str(_EPMD_PORT), "ERL_EPMD_ADDRESS": "127.0.0.1"}
_CLIENT_ENV = {**PYTHON_ENV, "OS_CLIENT_CONFIG_FILE": str(CLOUDS_YAML)}
_APIS = ("keystone", "placement", "glance-api", "nova-api", "neutron-server", "cinder-api", "octavia-api")
_COMPUTES = tuple(f"nova-compute-{number}" for number in range(1, len(COMPUTE_HOSTS) + 1))


def parts() -> list[Part]:
    return [
        Step("openstack paste files", _GROUP, done=have_common_packages, run=fetch_common_packages),
        Step("openstack configuration", _GROUP, ("openstack paste files",), done=configured, run=configure),
        *_infrastructure(),
        *steps(),
        _uwsgi("keystone", 35357, processes=2, env={"OS_KEYSTONE_CONFIG_DIR": str(ETC)}),
        once("openstack identity", ("keystone",), _fill_identity),
        _uwsgi("placement", 8778, env={"OS_PLACEMENT_CONFIG_DIR": str(ETC)}),
        _api("glance-api", 9292, "glance.cmd.api", "glance"),
        *_nova(),
        _api("neutron-server", 9696, "neutron.cmd.eventlet.server", "neutron"),
        _api("cinder-api", 8776, "cinder.cmd.api", "cinder"),
        _worker("cinder-scheduler", "cinder-scheduler", "cinder.cmd.scheduler", ("cinder",), _HOST),
        _worker("cinder-volume", "cinder-volume", "cinder.cmd.volume", ("cinder",), f"{_HOST}@fake"),
        _uwsgi("octavia-api", 9876, env={"KUPENSTACK_OCTAVIA_CONFIG": str(ETC / "octavia.conf")}),
        once("openstack seed", ("openstack hosts", *_APIS), _seed),
    ]


def _infrastructure() -> list[Part]:
    rabbitmq = ROOT / "rabbitmq"
    return [
        _service("mariadb", "mariadb-server", (), mariadb_argv, ready=lambda: answers_with("SELECT 1", "1"),
                 prepare=create_mariadb),
        _service("memcached", "memcached", (), lambda: ["memcached", "-u", "root", "-l", "127.0.0.1"],
                 ready=lambda: listens(11211)),
        # RabbitMQ would start one of its own, which listens on all addresses and outlives it.
        _service("epmd", "erlang-base", (),
                 lambda: ["epmd", "-port", str(_EPMD_PORT), "-address", "127.0.0.1"],
                 ready=lambda: listens(_EPMD_PORT)),
        # Not the wrapper in /usr/sbin, which changes to the user rabbitmq.
        _service("rabbitmq", "rabbitmq-server", ("epmd", "openstack configuration"),
                 lambda: ["/usr/lib/rabbitmq/bin/rabbitmq-server"], ready=lambda: listens(5672),
                 prepare=lambda: rabbitmq.mkdir(parents=True, exist_ok=True),
                 env={**_ERLANG_ENV, "HOME": str(rabbitmq), "RABBITMQ_HOME_DIR": str(rabbitmq),
                      "RABBITMQ_NODENAME": "kupenstack@localhost",
                      "RABBITMQ_CONFIG_FILE": str(ETC / "rabbitmq.conf"),
                      "RABBITMQ_CONF_ENV_FILE": str(rabbitmq / "no-environment-file"),
                      "RABBITMQ_ENABLED_PLUGINS_FILE": str(rabbitmq / "no-plugins-file"),
                      "RABBITMQ_MNESIA_BASE": str(rabbitmq / "mnesia"), "RABBITMQ_LOG_BASE": str(rabbitmq),
                      "RABBITMQ_PID_FILE": str(rabbitmq / "pid"), "RABBITMQ_DIST_PORT": "25672",
                      # One scheduler thread that does not spin: the machine is small and the load is smaller.
                      "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS":
                          "+S 1:1 +sbwt none -kernel inet_dist_use_interface {127,0,0,1}",
                      # Makes the start script become the server, where else it stays as its parent: a signal to the
                      # daemon's pid then reaches the server itself.
                      "RUNNING_UNDER_SYSTEMD": "true"}),
    ]


def _nova() -> list[Part]:
    module = "kupen_fakes.nova_service"
    configs = ("nova", "nova-database")
    # The workers end at once if placement or nova's user is missing.
    needs = ("placement", "openstack identity")
    discover = [*launcher("nova-manage", "nova.cmd.manage", *configs), "cell_v2", "discover_hosts"]
    return [
        _api("nova-api", 8774, module, *configs),
        _worker("nova-conductor", "nova-conductor", module, configs, _HOST, needs),
        _worker("nova-scheduler", "nova-scheduler", module, configs, _HOST, needs),
        # A compute that starts before the conductor listens waits ten seconds until it asks again.
        *(_worker(name, "nova-compute", module, ("nova", f"nova-compute-{host}"), host, (*needs, "nova-conductor"))
          for name, host in zip(_COMPUTES, COMPUTE_HOSTS)),
        once("openstack hosts", _COMPUTES, lambda: logged("nova-hosts", discover, env=PYTHON_ENV)),
    ]


def _fill_identity() -> None:
    script = ["/usr/bin/python3", str(SOURCES / "identity.py"), SERVICE_PASSWORD, REGION, IP]
    logged("openstack-identity", script, env=_CLIENT_ENV)


def _seed() -> None:
    logged("openstack-seed", ["/usr/bin/python3", str(SOURCES / "seed.py")], env=_CLIENT_ENV)
    # Now, before anybody else has changed anything.
    save_snapshot()


def _uwsgi(name: str, port: int, env: dict[str, str], processes: int = 1) -> Service:
    project = name.removesuffix("-api")
    argv = ["uwsgi-core", "--plugin", "python3", "--http-socket", f"{IP}:{port}", "--module", "kupen_fakes.wsgi",
            "--processes", str(processes), "--threads", "4", "--enable-threads", "--lazy-apps", "--need-app",
            # A worker that has not ended after three seconds is killed; the default is a minute.
            "--master", "--die-on-term", "--worker-reload-mercy", "3",
            # Room for long tokens in headers, and for a burst of clients.
            "--buffer-size", "65535", "--listen", "1024",
            "--add-header", "Connection: close", "--disable-logging"]
    return _http(name, port, project, lambda: argv, {"KUPENSTACK_SERVICE": project, **env})


def _api(name: str, port: int, module: str, *config_names: str) -> Service:
    return _http(name, port, config_names[0], lambda: launcher(name, module, *config_names), {})


def _http(name: str, port: int, project: str, argv: Callable[[], list[str]], env: dict[str, str]) -> Service:
    return _service(name, f"python3-{project}", (f"{project} database", "memcached"), argv,
                    ready=lambda: answers(f"http://{IP}:{port}/"),
                    env={**PYTHON_ENV, "KUPENSTACK_ACCESS_LOG": str(ACCESS_LOGS / f"{project}.log"), **env})


def _worker(name: str, program: str, module: str, config_names: tuple[str, ...], host: str,
            needs: tuple[str, ...] = ()) -> Service:
    """A service without an API. It reports to the database, and is ready when it has done so since it was started."""
    project = program.partition("-")[0]
    row = f"`binary` = '{program}' AND host = '{host}' AND deleted = 0"
    reported = (f"SELECT count(*) FROM {project}.services WHERE {row} AND report_count > 0"
                " AND updated_at > UTC_TIMESTAMP() - INTERVAL 60 SECOND")
    forget = f"UPDATE {project}.services SET report_count = 0 WHERE {row}"
    return _service(name, f"python3-{project}", (f"{project} database", "rabbitmq", *needs),
                    lambda: launcher(program, module, *config_names), ready=lambda: answers_with(reported, "1"),
                    prepare=lambda: sql(forget), env=PYTHON_ENV)


def _service(name: str, package: str, needs: tuple[str, ...], argv: Callable[[], list[str]],
             ready: Callable[[], bool], prepare: Callable[[], None] = lambda: None,
             env: dict[str, str] | None = None) -> Service:
    return Service(name, _GROUP, ("network namespace", *needs), version=lambda: debian_version(package), argv=argv, env=env or {},
                   ready=ready, prepare=prepare, seconds=_SECONDS_TO_START)
