"""WSGI middleware that notes every request as one line of JSON in the file $KUPENSTACK_ACCESS_LOG."""
import json
import os
import time


class AccessLog:
    def __init__(self, application):
        self._application = application
        # One write() of a whole line to a file opened for appending is atomic, so workers may share the file.
        self._file = os.open(os.environ["KUPENSTACK_ACCESS_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def __call__(self, environ, start_response):
        begin = time.time()
        # Read before the application runs: its routing moves parts of the path from one variable to the other.
        path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
        answer = {"status": 500}

        def note_status(status, *rest, **keywords):
            answer["status"] = int(status.split(" ", 1)[0])
            return start_response(status, *rest, **keywords)

        try:
            return self._application(environ, note_status)
        finally:
            self._write({
                "time": round(begin, 3), "seconds": round(time.time() - begin, 3),
                "method": environ["REQUEST_METHOD"], "path": path, "query": environ.get("QUERY_STRING", ""), **answer,
                # Set by the token check further in, which shares our environ.
                "user": environ.get("HTTP_X_USER_NAME", ""),
                "service_token": "HTTP_X_SERVICE_TOKEN" in environ,
                "agent": environ.get("HTTP_USER_AGENT", ""),
            })

    def _write(self, entry):
        try:
            os.write(self._file, (json.dumps(entry) + "\n").encode())
        except OSError:
            pass  # A full disk must not make a request fail that was answered.


def filter_factory(_global_configuration):
    """The form in which PasteDeploy wants a filter."""
    return AccessLog
