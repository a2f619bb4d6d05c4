"""Where OpenStack's files are, which Debian packages it comes from, and its configuration made of the templates."""
import subprocess
import tempfile
from pathlib import Path

from harness import template
from harness.packages import debian_version
from harness.part import PartFailed
from harness.settings import CACHE, CLOUDS_YAML, IP, LOGS, SOURCE, STATE

SOURCES = SOURCE / "openstack"
ROOT = STATE / "openstack"
ETC = ROOT / "etc"
ACCESS_LOGS = LOGS / "access"
OPENSTACK_CACHE = CACHE / "openstack"
MARIADB_SOCKET = ROOT / "mariadb.sock"

REGION = "RegionOne"
# Not keystone's usual 5000, where the registry of the cluster listens.
KEYSTONE_URL = f"http://{IP}:35357/v3"
TRANSPORT_URL = "rabbit://guest:guest@127.0.0.1:5672/"
ADMIN_PASSWORD = "admin"
SERVICE_PASSWORD = "service"
COMPUTE_HOSTS = ("fake-1", "fake-2", "fake-3")

_SERVICES = ("keystone", "placement", "glance", "nova", "neutron", "cinder", "octavia")
_PACKAGES = (*(f"python3-{service}" for service in _SERVICES), "mariadb-server", "rabbitmq-server", "memcached",
             "erlang-base")
# Of these only files are needed, Debian's descriptions of the API pipelines; installed, they would set up daemons.
_COMMON_PACKAGES = ("nova-common", "glance-common", "neutron-common", "cinder-common")

PYTHON_ENV = {
    "PYTHONPATH": str(SOURCES / "fakes"),
    # The fakes lie in the source tree, which is no place for compiled files.
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONWARNINGS": "ignore",
}


def package_versions() -> dict[str, str]:
    return {package: debian_version(package) for package in _PACKAGES}


def launcher(program: str, module: str, *config_names: str) -> list[str]:
    """The command line of an OpenStack program that has no start script in Debian's library packages."""
    return ["/usr/bin/python3", str(SOURCES / "fakes" / "launch.py"), program, module, *config_options(*config_names)]


def config_options(*names: str) -> list[str]:
    return [option for name in names for option in ("--config-file", str(ETC / f"{name}.conf"))]


def have_common_packages() -> bool:
    return all(_common_package(package).exists() for package in _COMMON_PACKAGES)


def fetch_common_packages() -> None:
    """Unpacks Debian's pipeline descriptions into the cache. Outside the namespace, which has no way to a mirror."""
    OPENSTACK_CACHE.mkdir(parents=True, exist_ok=True)
    missing = [package for package in _COMMON_PACKAGES if not _common_package(package).exists()]
    with tempfile.TemporaryDirectory(dir=OPENSTACK_CACHE) as directory:
        _download([f"{package}={_common_version(package)}" for package in missing], Path(directory))
        for package in missing:
            archive = next(Path(directory).glob(f"{package}_*.deb"))
            unpacked = Path(directory) / package
            subprocess.run(["dpkg-deb", "--extract", archive, unpacked], check=True)
            unpacked.rename(_common_package(package))


def _download(packages: list[str], directory: Path) -> None:
    """Of the installed version, which apt may not have heard of yet, or no longer know."""
    download = ["apt-get", "--quiet", "download", *packages]
    for attempt in (download, ["apt-get", "--quiet", "update"], download):
        result = subprocess.run(attempt, cwd=directory, capture_output=True, text=True, timeout=300)
        if attempt is download and result.returncode == 0:
            return
    raise PartFailed(f"{' '.join(download)} failed: {result.stderr.strip()}\n"
                     "If these versions are gone, upgrade what is installed: apt-get install --only-upgrade 'python3-nova' …")


def _common_version(package: str) -> str:
    """The same as that of the library, which is built from the same source."""
    return debian_version(f"python3-{package.removesuffix('-common')}")


def _common_package(package: str) -> Path:
    without_epoch = _common_version(package).rpartition(":")[2]
    return OPENSTACK_CACHE / f"{package}-{without_epoch}"


def configured() -> bool:
    return all(path.exists() and path.read_text() == text for path, text in _rendered().items())


def configure() -> None:
    for service in _SERVICES:
        (ROOT / service).mkdir(parents=True, exist_ok=True)
    for directory in ("glance/images", "glance/staging", "glance/tasks"):
        (ROOT / directory).mkdir(exist_ok=True)
    ACCESS_LOGS.mkdir(parents=True, exist_ok=True)
    for path, text in _rendered().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _rendered() -> dict[Path, str]:
    """All configuration files by path."""
    files = {}
    for service in _SERVICES:
        credentials = _render("credentials.conf", service=service)
        files[ETC / f"{service}.conf"] = "\n".join(
            _render(name, credentials=credentials) for name in ("common.conf", f"{service}.conf"))
    for name in ("nova-database.conf", "octavia-policy.yaml", "paste.ini", "rabbitmq.conf"):
        files[ETC / name] = _render(name)
    for host in COMPUTE_HOSTS:
        files[ETC / f"nova-compute-{host}.conf"] = _render("nova-compute.conf", compute_host=host)
    files[CLOUDS_YAML] = _render("clouds.yaml")
    return files


def _render(name: str, **more: str) -> str:
    values = {
        "state": ROOT, "etc": ETC, "region": REGION, "keystone_url": KEYSTONE_URL,
        "transport_url": TRANSPORT_URL, "mariadb_socket": MARIADB_SOCKET, "paste_file": ETC / "paste.ini",
        "admin_password": ADMIN_PASSWORD, "service_password": SERVICE_PASSWORD,
        **{package.replace("-", "_"): _common_package(package) for package in _COMMON_PACKAGES}, **more,
    }
    return template.fill(SOURCES / "conf" / name, **values)
