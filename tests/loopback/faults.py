"""What can go wrong on the way to a provider, on demand.

A test adds `Fault(route, action)`; the next `times` requests of that route meet it.

    hang          the request is read, and nothing ever comes back
    drop_before   the connection is cut before anything is done
    drop_after    it is done, and the connection is cut instead of a reply
    cut           it is done; the connection is cut in the middle of the reply, or of the output
    status        a refusal with `status`, `headers` and `body` (HTML unless said otherwise)
    late          it is done after `seconds`
    expire        the box ends before it is done
    expire_later  the box ends `seconds` after it was begun
    no_end        the reply ends properly but for the message that says how the program ended
    open_network  the box is made with the machine's network in spite of what was asked
"""

import threading
from dataclasses import dataclass, field

HTML = "<html><head><title>Oops</title></head><body>A proxy says no.</body></html>"


@dataclass
class Fault:
    route: str
    action: str
    times: int = 1
    status: int = 500
    body: str = HTML
    headers: dict = field(default_factory=dict)
    seconds: float = 0.3


class Faults:
    """The faults that are still to come."""

    def __init__(self):
        self._lock = threading.Lock()
        self._waiting: list[Fault] = []
        self.met: list[Fault] = []

    def add(self, route: str, action: str, **how) -> None:
        self._waiting.append(Fault(route, action, **how))

    def take(self, route: str) -> Fault | None:
        with self._lock:
            for fault in self._waiting:
                if fault.route == route and fault.times > 0:
                    fault.times -= 1
                    self.met.append(fault)
                    return fault
        return None
