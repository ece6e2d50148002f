from pager.core import page_count, page_of


def test_full_pages():
    assert page_count(6, 3) == 2
    assert page_of([1, 2, 3, 4], 2, 2) == [3, 4]
