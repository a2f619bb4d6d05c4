"""Certificates and kubeconfigs of the cluster, made once per state with openssl."""
import base64
import subprocess

from harness.part import Step
from harness.settings import API_SERVER, FIRST_SERVICE_IP, IP, KUBECONFIG, NODE, PKI

_CLIENT, _SERVER, _BOTH = "clientAuth", "serverAuth", "clientAuth,serverAuth"
_LOOPBACK = "DNS:localhost,IP:127.0.0.1"
_API_NAMES = ",".join(f"DNS:kubernetes{suffix}" for suffix in ("", ".default", ".default.svc", ".default.svc.cluster.local"))

# name: (authority, subject, use, subject alternative names)
_CERTIFICATES = {
    "apiserver": ("ca", "/CN=kube-apiserver", _SERVER, f"{_API_NAMES},{_LOOPBACK},IP:{FIRST_SERVICE_IP},IP:{IP}"),
    "apiserver-kubelet-client": ("ca", "/O=system:masters/CN=kube-apiserver-kubelet-client", _CLIENT, ""),
    "front-proxy-client": ("front-proxy-ca", "/CN=front-proxy-client", _CLIENT, ""),
    "admin": ("ca", "/O=system:masters/CN=kubernetes-admin", _CLIENT, ""),
    "controller-manager": ("ca", "/CN=system:kube-controller-manager", _BOTH, _LOOPBACK),
    "scheduler": ("ca", "/CN=system:kube-scheduler", _BOTH, _LOOPBACK),
    "kubelet": ("ca", f"/O=system:nodes/CN=system:node:{NODE}", _BOTH, f"DNS:{NODE},IP:{IP},{_LOOPBACK}"),
    "kube-proxy": ("ca", "/CN=system:kube-proxy", _CLIENT, ""),
    "coredns": ("ca", "/O=system:masters/CN=coredns", _CLIENT, ""),
}


def part() -> Step:
    done = PKI / "done"
    return Step("certificates", "control", done=done.exists, run=lambda: (_make_all(), done.touch()))


def kubeconfig(user: str) -> str:
    return str(KUBECONFIG if user == "admin" else PKI / f"{user}.kubeconfig")


def _openssl(*arguments: str, stdin: bytes | None = None) -> bytes:
    return subprocess.run(["openssl", *arguments], cwd=PKI, input=stdin, capture_output=True, check=True).stdout


def _make_all() -> None:
    PKI.mkdir(parents=True, exist_ok=True, mode=0o700)
    for authority in ("ca", "front-proxy-ca"):
        _make_authority(authority)
    for name, (authority, subject, use, names) in _CERTIFICATES.items():
        _make_certificate(name, authority, subject, use, names)
    # Service-account tokens are signed with RSA: every verifier knows RS256.
    _openssl("genrsa", "-out", "sa.key", "2048")
    _openssl("rsa", "-in", "sa.key", "-pubout", "-out", "sa.pub")
    for user in ("admin", "controller-manager", "scheduler", "kubelet", "kube-proxy", "coredns"):
        _make_kubeconfig(user)


def _make_key(name: str) -> None:
    _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")


def _make_authority(name: str) -> None:
    _make_key(name)
    _openssl("req", "-x509", "-new", "-key", f"{name}.key", "-subj", f"/CN=kupenstack-test-{name}", "-days", "3650",
             "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature", "-out", f"{name}.crt")


def _make_certificate(name: str, authority: str, subject: str, use: str, names: str) -> None:
    _make_key(name)
    extensions = ["keyUsage=critical,digitalSignature,keyEncipherment", f"extendedKeyUsage={use}"]
    if names:
        extensions.append(f"subjectAltName={names}")
    (PKI / f"{name}.ext").write_text("\n".join(extensions))
    request = _openssl("req", "-new", "-key", f"{name}.key", "-subj", subject)
    _openssl("x509", "-req", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key", "-CAcreateserial", "-days", "3650",
             "-extfile", f"{name}.ext", "-out", f"{name}.crt", stdin=request)


def _make_kubeconfig(user: str) -> None:
    def data(file: str) -> str:
        return base64.b64encode((PKI / file).read_bytes()).decode()

    path = KUBECONFIG if user == "admin" else PKI / f"{user}.kubeconfig"
    path.touch(mode=0o600)
    path.write_text(f"""\
apiVersion: v1
kind: Config
clusters:
- name: kupenstack-test
  cluster: {{server: "{API_SERVER}", certificate-authority-data: {data("ca.crt")}}}
users:
- name: {user}
  user: {{client-certificate-data: {data(f"{user}.crt")}, client-key-data: {data(f"{user}.key")}}}
contexts:
- name: kupenstack-test
  context: {{cluster: kupenstack-test, user: {user}}}
current-context: kupenstack-test
""")
