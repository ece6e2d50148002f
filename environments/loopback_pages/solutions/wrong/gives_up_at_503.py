import json
import urllib.error
import urllib.request


def collect(port):
    items, path = [], "/items"
    while path:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as response:
                page = json.load(response)
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.code) from None
        items += [item for item in page["items"] if item not in items]
        path = page["next"]
    return items
