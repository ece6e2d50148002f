import json
import urllib.error
import urllib.request


class Changed(Exception):
    pass


def fetch(url):
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                if response.status != 200:
                    raise RuntimeError(response.status)
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                raise Changed from None
            if error.code != 503:
                raise RuntimeError(error.code) from None


def collect(port):
    base = f"http://127.0.0.1:{port}"
    while True:
        found, path = [], "/items"
        try:
            while path:
                page = fetch(base + path)
                found += [item for item in dict.fromkeys(page["items"]) if item not in found]
                path = page["next"]
            return found
        except Changed:
            continue
