"""The API server, as the bench uses it: many objects at once, over a few connections."""
import http.client
import json
import ssl
import subprocess
import threading
import time
import urllib.parse
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from harness.settings import API_SERVER, PKI

NAMESPACE = "bench"
# How many write at once. The same for everybody who is measured.
_WRITERS = 4
_PAGE = 500
_IDLE_SECONDS = 20
_CORE = {"v1": "/api/v1"}


@dataclass(frozen=True)
class Item:
    """Something to be created: the plural of its kind, and what is sent."""
    plural: str
    manifest: dict

    @property
    def collection(self) -> str:
        return collection(self.manifest["apiVersion"], self.plural)


class ApiError(Exception):
    """What the API server said to a request that it refused."""


def collection(api_version: str, plural: str, namespace: str = NAMESPACE) -> str:
    """The path of the objects of a kind."""
    return f"{_CORE.get(api_version, f'/apis/{api_version}')}/namespaces/{namespace}/{plural}"


def manifest(api_version: str, kind: str, name: str, **members) -> dict:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}, **members}


def kubectl(*arguments: str, text: str | None = None) -> str:
    done = subprocess.run(["kubectl", *arguments], input=text, capture_output=True, text=True, timeout=180)
    if done.returncode != 0:
        raise ApiError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def install_crds(directory: Path) -> None:
    kubectl("apply", "--server-side", f"--filename={directory}")
    kubectl("wait", "--for=condition=Established", "--timeout=60s", f"--filename={directory}")


class Api:
    """Each thread has a connection of its own."""

    def __init__(self):
        self._tls = ssl.create_default_context(cafile=str(PKI / "ca.crt"))
        self._tls.load_cert_chain(PKI / "admin.crt", PKI / "admin.key")
        self._host = urllib.parse.urlsplit(API_SERVER).netloc
        self._local = threading.local()

    def connect(self, seconds: float = 60) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(self._host, timeout=seconds, context=self._tls)

    def request(self, method: str, path: str, body: dict | None = None, content: str = "application/json") -> dict:
        connection = self._connection()
        headers = {"Content-Type": content, "User-Agent": "bench"}
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            # Half of an exchange may be left in it.
            connection.close()
            raise
        if answer.status >= 300:
            raise ApiError(f"{method} {path}: {answer.status} {text.decode(errors='replace')[:500]}")
        return json.loads(text)

    def _connection(self) -> http.client.HTTPSConnection:
        """This thread's. The API server closes those that nobody uses."""
        last = getattr(self._local, "last", 0.0)
        self._local.last = time.monotonic()
        if self._local.last - last > _IDLE_SECONDS:
            self._local.connection = self.connect()
        return self._local.connection

    def create(self, item: Item) -> None:
        self.request("POST", item.collection, item.manifest)

    def create_all(self, items: Iterable[Item]) -> None:
        with ThreadPoolExecutor(_WRITERS) as writers:
            for _ in writers.map(self.create, items):
                pass

    def list(self, path: str) -> list[dict]:
        """All objects of a collection."""
        found, token = [], None
        while token != "":
            page = self.request("GET", f"{path}?limit={_PAGE}&continue={urllib.parse.quote(token or '')}")
            found += page["items"]
            token = page["metadata"].get("continue", "")
        return found

    def remove_all(self, *paths: str) -> None:
        """Without the controllers that look after the objects: they have ended, and so will the cloud."""
        def release(path: str) -> None:
            self.request("PATCH", path, {"metadata": {"finalizers": None}}, "application/merge-patch+json")

        for path in paths:
            self.request("DELETE", path)
            names = [f"{path}/{item['metadata']['name']}" for item in self.list(path) if item["metadata"].get("finalizers")]
            with ThreadPoolExecutor(_WRITERS) as writers:
                list(writers.map(release, names))
