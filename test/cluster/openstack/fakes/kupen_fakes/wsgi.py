"""The applications that run under uwsgi: $KUPENSTACK_SERVICE says which one this process is."""
import os
import sys

from kupen_fakes.access_log import AccessLog


def _keystone():
    from keystone.server.wsgi import initialize_public_application
    return initialize_public_application()


def _placement():
    from placement.wsgi import init_application
    return init_application()


def _octavia():
    from octavia.api.app import setup_app
    from kupen_fakes import octavia_provider
    application = setup_app(argv=["octavia-api", "--config-file", os.environ["KUPENSTACK_OCTAVIA_CONFIG"]])
    octavia_provider.start_finisher()
    return application


_service = os.environ["KUPENSTACK_SERVICE"]
# In the user agent of its requests to other services; it would else be "uwsgi".
sys.argv[0] = f"{_service}-api"
application = AccessLog({"keystone": _keystone, "placement": _placement, "octavia": _octavia}[_service]())
