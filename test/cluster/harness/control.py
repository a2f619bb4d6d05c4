"""The control plane: etcd, kube-apiserver, kube-controller-manager."""
from harness import namespace, pki
from harness.part import Part, Service, Step
from harness.settings import API_SERVER, IP, LOGS, PKI, SERVICE_CIDR, SOURCE, STATE
from harness.shell import answers, succeeds
from harness.tools import ETCD_VERSION, KUBERNETES_VERSION, built, tool

_ETCD = "http://127.0.0.1:2379"
_ETCD_PEER = "http://127.0.0.1:2380"


def parts() -> list[Part]:
    # Checked on every start: a namespace does not survive a reboot, and its address may be missing.
    network = Step("network namespace", "control", run=namespace.ensure, done=lambda: _network_ready())
    etcd = Service("etcd", "control", ("network namespace", built("etcd")), version=lambda: ETCD_VERSION,
                   argv=_etcd_arguments, ready=lambda: answers(f"{_ETCD}/health"))
    api_server = Service("kube-apiserver", "control", ("etcd", "certificates", built("kube-apiserver"), built("kubectl")),
                         version=lambda: KUBERNETES_VERSION, argv=_api_server_arguments, ready=_api_server_ready, seconds=90)
    controller_manager = Service(
        "kube-controller-manager", "control", ("kube-apiserver", built("kube-controller-manager")),
        version=lambda: KUBERNETES_VERSION, argv=_controller_manager_arguments, ready=_controller_manager_ready)
    return [network, pki.part(), etcd, api_server, controller_manager]


def component_arguments(name: str) -> list[str]:
    """What the controller-manager and the scheduler have in common."""
    config = pki.kubeconfig(name)
    return [tool(f"kube-{name}"), f"--kubeconfig={config}", f"--authentication-kubeconfig={config}",
            f"--authorization-kubeconfig={config}", "--bind-address=127.0.0.1", "--leader-elect=false",
            f"--tls-cert-file={PKI}/{name}.crt", f"--tls-private-key-file={PKI}/{name}.key"]


def component_healthy(port: int) -> bool:
    return answers(f"https://127.0.0.1:{port}/healthz", "--cacert", f"{PKI}/ca.crt")


def _network_ready() -> bool:
    return namespace.exists() and succeeds(["sh", "-c", f"ip -o address show dev lo | grep -q '{IP}/32'"])


def _etcd_arguments() -> list[str]:
    return [tool("etcd"), "--name=default", f"--data-dir={STATE}/etcd",
            f"--listen-client-urls={_ETCD}", f"--advertise-client-urls={_ETCD}",
            f"--listen-peer-urls={_ETCD_PEER}", f"--initial-advertise-peer-urls={_ETCD_PEER}",
            f"--initial-cluster=default={_ETCD_PEER}", "--log-level=warn",
            # A killed process loses nothing by this, only a crashed machine does.
            "--unsafe-no-fsync"]


def _api_server_arguments() -> list[str]:
    return [tool("kube-apiserver"), f"--etcd-servers={_ETCD}",
            f"--bind-address={IP}", f"--advertise-address={IP}", "--secure-port=6443",
            f"--tls-cert-file={PKI}/apiserver.crt", f"--tls-private-key-file={PKI}/apiserver.key",
            f"--client-ca-file={PKI}/ca.crt",
            "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--allow-privileged=true",
            f"--service-cluster-ip-range={SERVICE_CIDR}",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            f"--service-account-key-file={PKI}/sa.pub", f"--service-account-signing-key-file={PKI}/sa.key",
            f"--kubelet-client-certificate={PKI}/apiserver-kubelet-client.crt",
            f"--kubelet-client-key={PKI}/apiserver-kubelet-client.key",
            f"--kubelet-certificate-authority={PKI}/ca.crt", "--kubelet-preferred-address-types=InternalIP",
            f"--requestheader-client-ca-file={PKI}/front-proxy-ca.crt", "--requestheader-allowed-names=front-proxy-client",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-", "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-username-headers=X-Remote-User",
            f"--proxy-client-cert-file={PKI}/front-proxy-client.crt",
            f"--proxy-client-key-file={PKI}/front-proxy-client.key",
            # Who wrote what, for tests that count.
            f"--audit-policy-file={SOURCE}/kubernetes/audit.yaml", f"--audit-log-path={LOGS}/audit.log",
            "--audit-log-maxsize=200", "--audit-log-maxbackup=1"]


def _api_server_ready() -> bool:
    return answers(f"{API_SERVER}/readyz", "--cacert", f"{PKI}/ca.crt")


def _controller_manager_arguments() -> list[str]:
    return [*component_arguments("controller-manager"), "--use-service-account-credentials=true",
            # Pod addresses come from the CNI plugin's own range.
            "--controllers=*,-node-ipam-controller",
            f"--root-ca-file={PKI}/ca.crt", f"--service-account-private-key-file={PKI}/sa.key",
            f"--cluster-signing-cert-file={PKI}/ca.crt", f"--cluster-signing-key-file={PKI}/ca.key",
            f"--client-ca-file={PKI}/ca.crt", f"--requestheader-client-ca-file={PKI}/front-proxy-ca.crt"]


def _controller_manager_ready() -> bool:
    # Nothing can be created in a namespace before its default service account is there.
    return component_healthy(10257) and succeeds([tool("kubectl"), "-n", "default", "get", "serviceaccount", "default"])
