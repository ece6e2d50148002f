from measure.text import read, write


def test_there_and_back():
    assert read(write(3, "metre")) == [3, "metre"]
