from flat.invoice import share, total


def test_even_shares():
    assert share(90, 3) == [30, 30, 30]
    assert total([("tea", 2, 350)]) == 700
