"""Serves each case's plan on the loopback, and compares both the result and the requests that came."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from deepgym_solution import SolutionError, load_solution, run_seed

from scoring import difference, raised, run_cases, shown, verdict
from variants import make_cases


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of a plan; one that does not come in its turn is noted and refused."""

    def do_GET(self):
        server = self.server
        if not server.plan or self.path != server.plan[0][0]:
            server.unexpected.append(self.path)
            status, body = 500, ""
        else:
            _, status, body = server.plan.pop(0)
        data = (json.dumps(body) if status == 200 else body).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        """The plan is the log."""


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    solution = load_solution(solution_path, loopback_port=port)

    def attempt(case):
        plan, expected = case
        server.plan, server.unexpected = list(plan), []
        refusal = RuntimeError if expected is None else None
        try:
            got = solution.collect(port)
        except SolutionError as error:
            failure = raised(error, refusal)
        else:
            reason = "returned, and should raise RuntimeError" if refusal else difference(got, expected)
            failure = {"actual_summary": shown(got), "error": reason} if reason else {}
        if server.unexpected and not failure:
            return {"error": f"an unexpected request: {shown(server.unexpected[0])}"}
        if server.plan and not failure:
            return {"error": f"{len(server.plan)} requests were not made"}
        return {"expected_summary": shown(expected), **failure} if failure else {}

    return verdict(run_cases(make_cases(seed), attempt), seed)
