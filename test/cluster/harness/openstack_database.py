"""MariaDB for OpenStack: its databases brought to their schemas, or put back from a snapshot of an earlier start."""
import gzip
import hashlib
import json
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

from harness.openstack_config import (ADMIN_PASSWORD, KEYSTONE_URL, MARIADB_SOCKET, OPENSTACK_CACHE, PYTHON_ENV, REGION,
                                      ROOT, SOURCES, TRANSPORT_URL, config_options, launcher, package_versions)
from harness.part import Step
from harness.settings import IP
from harness.shell import logged
from harness.tools import keep_newest

_DATA = ROOT / "mariadb"
_DATABASES = ("keystone", "placement", "glance", "nova", "nova_api", "nova_cell0", "neutron", "cinder", "octavia")
_CLIENT = ["--no-defaults", "--user=root", f"--socket={MARIADB_SOCKET}"]
# What belongs to the databases but lies in files: keystone's keys and the content of the images.
_FILES = ("keystone", "glance/images")
_DONE = ROOT / "done"
_RESTORED = _DONE / "restored"


def mariadb_argv() -> list[str]:
    return [
        "mariadbd", "--no-defaults", "--user=root", f"--datadir={_DATA}", f"--socket={MARIADB_SOCKET}",
        f"--pid-file={ROOT / 'mariadbd.pid'}", "--skip-networking", "--max-connections=1000",
        "--character-set-server=utf8mb3", "--innodb-buffer-pool-size=256M", "--innodb-log-file-size=64M",
        # Commits reach the kernel, but nothing waits for the disk: safe if the process is killed, not if the
        # machine loses power.
        "--innodb-flush-log-at-trx-commit=2", "--innodb-flush-method=nosync",
    ]


def create_mariadb() -> None:
    """Makes the data directory, elsewhere first: one that exists is complete."""
    if _DATA.exists():
        return
    unfinished = _DATA.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    logged("mariadb-install", ["mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={unfinished}",
                               "--auth-root-authentication-method=normal", "--skip-test-db"])
    unfinished.rename(_DATA)


def sql(statement: str) -> str:
    """What the statement answers, without headings."""
    command = ["mariadb", *_CLIENT, "--batch", "--skip-column-names", "--execute", statement]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout.strip()


def answers_with(statement: str, expected: str) -> bool:
    """Whether that is the answer; not if there is nobody to ask."""
    try:
        return sql(statement) == expected
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return False


def steps() -> list[Step]:
    """Databases from a snapshot, where all further steps count as done, or else empty ones and their migrations."""
    return [Step("openstack snapshot", "openstack", ("mariadb", "openstack configuration"),
                 done=lambda: _DONE.exists() or not _snapshot().exists(), run=_restore),
            *(_migration(name, commands) for name, commands in _migrations().items())]


def once(name: str, needs: tuple[str, ...], action: Callable[[], None]) -> Step:
    """A step that changes the databases. All of these are done in databases that come from a snapshot."""
    marker = _DONE / name.replace(" ", "-")

    def do() -> None:
        action()
        _mark(marker)

    return Step(name, "openstack", needs, done=lambda: marker.exists() or _RESTORED.exists(), run=do)


def _mark(marker: Path) -> None:
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()


def _migration(name: str, commands: list[list[str]]) -> Step:
    def migrate() -> None:
        # From empty databases, always: one that was interrupted can't be taken up again.
        mine = [database for database in _DATABASES if database.partition("_")[0] == name]
        _import("".join(f"CREATE OR REPLACE DATABASE {database};" for database in mine).encode())
        logged(f"{name}-database", *commands, env=PYTHON_ENV)

    return once(f"{name} database", ("openstack snapshot",), migrate)


def _migrations() -> dict[str, list[list[str]]]:
    keystone = ["keystone-manage", *config_options("keystone")]
    owner = ["--keystone-user", "root", "--keystone-group", "root"]
    urls = [option for kind in ("admin", "internal", "public") for option in (f"--bootstrap-{kind}-url", KEYSTONE_URL)]
    nova = launcher("nova-manage", "nova.cmd.manage", "nova", "nova-database")
    cell0 = f"mysql+pymysql://root@localhost/nova_cell0?unix_socket={MARIADB_SOCKET}"
    cell1 = f"mysql+pymysql://root@localhost/nova?unix_socket={MARIADB_SOCKET}"
    return {
        "keystone": [
            [*keystone, "db_sync"],
            [*keystone, "fernet_setup", *owner],
            [*keystone, "credential_setup", *owner],
            [*keystone, "bootstrap", "--bootstrap-password", ADMIN_PASSWORD, "--bootstrap-region-id", REGION, *urls],
        ],
        "nova": [
            [*nova, "api_db", "sync"],
            [*nova, "cell_v2", "map_cell0", "--database_connection", cell0],
            [*nova, "db", "sync"],
            [*nova, "cell_v2", "create_cell", "--name", "cell1", "--database_connection", cell1,
             "--transport-url", TRANSPORT_URL],
        ],
        "neutron": [[*launcher("neutron-db-manage", "neutron.db.migration.cli", "neutron"), "upgrade", "heads"]],
        "placement": [["placement-manage", *config_options("placement"), "db", "sync"]],
        "glance": [[*launcher("glance-manage", "glance.cmd.manage", "glance"), "db_sync"]],
        "cinder": [[*launcher("cinder-manage", "cinder.cmd.manage", "cinder"), "db", "sync"]],
        "octavia": [["octavia-db-manage", *config_options("octavia"), "upgrade", "head"]],
    }


def _restore() -> None:
    with tarfile.open(_snapshot() / "files.tar.gz") as files:
        files.extractall(ROOT)
    _import(gzip.decompress((_snapshot() / "databases.sql.gz").read_bytes()))
    _mark(_RESTORED)


def _import(statements: bytes) -> None:
    subprocess.run(["mariadb", *_CLIENT], input=statements, check=True, capture_output=True, timeout=300)


def save_snapshot() -> None:
    unfinished = _snapshot().with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    # One transaction for all: services that write meanwhile don't make the databases disagree.
    dump = ["mariadb-dump", *_CLIENT, "--single-transaction", "--databases", *_DATABASES]
    databases = subprocess.run(dump, check=True, capture_output=True, timeout=300).stdout
    (unfinished / "databases.sql.gz").write_bytes(gzip.compress(databases))
    with tarfile.open(unfinished / "files.tar.gz", "w:gz") as files:
        for name in _FILES:
            files.add(ROOT / name, name)
    shutil.rmtree(_snapshot(), ignore_errors=True)
    unfinished.rename(_snapshot())
    keep_newest(OPENSTACK_CACHE, "snapshot-*")


def _snapshot() -> Path:
    """Named after all that decides what is in it. The databases hold paths below ROOT."""
    everything = hashlib.sha256(json.dumps([package_versions(), IP, str(ROOT)]).encode())
    sources = [path for path in sorted(SOURCES.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    for path in (*sources, Path(__file__), Path(__file__).with_name("openstack_config.py")):
        everything.update(path.read_bytes())
    return OPENSTACK_CACHE / f"snapshot-{everything.hexdigest()[:16]}"
