from cache.ttl import TtlCache


def test_a_value_is_found():
    cache = TtlCache(ttl=10, capacity=2)
    cache.put("a", 1, now=0)
    assert cache.get("a", now=5) == 1
