"""A server on the loopback that speaks the HTTP API a judge speaks."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def completion(content, finish="stop", tokens=7, **message):
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": content, **message},
    }
    usage = {"prompt_tokens": 1, "completion_tokens": tokens, "total_tokens": 8}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


class Endpoint:
    """A server that gives scripted replies and remembers what it was asked."""

    def __init__(self):
        self.replies = []
        self.requests = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append((self.path, self.headers.get("Authorization"), body))
                reply = endpoint.replies.pop(0) if endpoint.replies else {"unexpected": True}
                status, content = reply if isinstance(reply, tuple) else (200, reply)
                data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.send_header("x-should-retry", "false")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def prompt(self, index=-1):
        return self.requests[index][2]["messages"][-1]["content"]
