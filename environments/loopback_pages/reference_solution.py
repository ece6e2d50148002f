import http.client
import json


def collect(port):
    items, path = {}, "/items"
    while path is not None:
        status, body = get(port, path)
        if status == 503:
            continue
        if status == 404:
            items, path = {}, "/items"
            continue
        if status != 200:
            raise RuntimeError(f"{path} gave {status}")
        page = json.loads(body)
        items.update(dict.fromkeys(page["items"]))
        path = page["next"]
    return list(items)


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
