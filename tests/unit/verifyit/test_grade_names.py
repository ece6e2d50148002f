"""xml-elements and csv-columns."""

import csv
import time
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.candidate import candidate_spec, grade_candidate
from verifyit.grade import grade
from verifyit.modes.grade_csv import data_rows, validate_csv_columns
from verifyit.modes.grade_xml import MAX_ELEMENTS, document_names, local_name, validate_xml_elements
from verifyit.reward import InvalidTask
from verifyit.spec import CsvColumnsSpec, XmlElementsSpec

BOMB = (
    "<!DOCTYPE r [<!ENTITY a '<x/>'>"
    + "".join(f"<!ENTITY a{i} '{('&a' + (str(i - 1) if i > 1 else '') + ';') * 10}'>" for i in range(1, 9))
    + "]><r>&a8;</r>"
)
TEXT_BOMB = BOMB.replace("<x/>", "y" * 100)


def verdict(mode, text, **params):
    return grade_candidate(candidate_spec(mode, params), text, {})


@pytest.mark.parametrize(
    ("params", "text", "reason"),
    [
        ({"required": ["a"]}, "<a/>", "names_present"),
        ({"required": "a"}, "```xml\n<a/>\n```", "names_present"),
        ({"required": ["b", "c"]}, "<a c='1'><b/></a>", "names_present"),
        ({"required": ["b"]}, "<x:b xmlns:x='u'/>", "names_present"),
        ({"required": ["c"]}, "<b x:c='1' xmlns:x='u'/>", "names_present"),
        ({"required": ["c"], "any_of": ["d"]}, "<c><d/></c>", "names_present"),
        ({"required": ["a"]}, "<?xml version='1.0' encoding='utf-16'?><a/>", "names_present"),
        ({"required": ["r"]}, "<!DOCTYPE r [<!ENTITY c 'x'>]><r>&c;</r>", "names_present"),
        ({"required": ["r"]}, "<r><![CDATA[<b/>]]><!-- c --><?pi?></r>", "names_present"),
        ({"required": ["A"]}, "<a/>", "missing_elements"),
        ({"required": ["b"]}, "<a>b</a>", "missing_elements"),
        ({"required": ["b"]}, "<a c='b'/>", "missing_elements"),
        ({"any_of": ["b", "c"]}, "<a/>", "no_expected_element"),
        ({"required": ["a"]}, "<a>", "parse_error"),
        ({"required": ["a"]}, "<a/><a/>", "parse_error"),
        ({"required": ["a"]}, "so: <a/>", "parse_error"),
        ({"required": ["a"]}, "<a>&nbsp;</a>", "parse_error"),
        ({"required": ["a"]}, "<a>\ud800</a>", "parse_error"),
        ({"required": ["a"]}, "<a>\x00</a>", "parse_error"),
        ({"required": ["r"]}, BOMB, "parse_error"),
        ({"required": ["a"]}, "<a>" * 50_000 + "</a>" * 50_000, "names_present"),
    ],
    ids=range(21),
)
def test_an_xml_document_uses_names(params, text, reason):
    found = verdict("xml-elements", text, **params)
    assert (found.status, found.reward, found.detail["reason"]) == (
        "scored",
        float(reason == "names_present"),
        reason,
    )


def test_a_document_of_expanding_text_ends_soon():
    started = time.process_time()
    assert verdict("xml-elements", TEXT_BOMB, required=["r"]).detail["reason"] == "parse_error"
    assert verdict("xml-elements", BOMB, required=["r"]).reward == 0.0
    assert time.process_time() - started < 10
    assert MAX_ELEMENTS == 1_000_000


def test_missing_names_are_listed_up_to_eight():
    names = [f"n{index}" for index in range(20)]
    assert verdict("xml-elements", "<a/>", required=names).detail["missing"] == names[:8]
    assert verdict("xml-elements", "<a/>", any_of=names).detail["expected"] == names[:8]
    assert verdict("xml-elements", "<a b='1'/>", required=["a"]).detail["names"] == 2
    assert verdict("csv-columns", "a\n1", required=names).detail["missing"] == names[:8]
    assert verdict("csv-columns", "a\n1", any_of=names).detail["expected"] == names[:8]


def test_names_of_a_tree():
    root = ET.fromstring(
        "<a xmlns:x='u'><!-- c --><x:b x:c='1' d='2'/></a>",
        ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)),
    )
    assert document_names(root) == {"a", "b", "c", "d"}
    assert local_name("{u}b") == "b"
    assert local_name("b") == "b"


@pytest.mark.parametrize("spec_type", [XmlElementsSpec, CsvColumnsSpec])
def test_a_spec_must_name_something(spec_type):
    validate = validate_xml_elements if spec_type is XmlElementsSpec else validate_csv_columns
    for bad in (
        spec_type(),
        spec_type("a"),
        spec_type((1,)),
        spec_type(("a",), None),
        spec_type(("a",), empty_output="x"),
    ):
        with pytest.raises(InvalidTask):
            validate(bad)


@pytest.mark.parametrize(
    ("params", "text", "reason"),
    [
        ({"required": ["a", "b"]}, "a,b\n1,2", "columns_present"),
        ({"required": ["a"]}, "a,b\r\n1,2\r\n", "columns_present"),
        ({"required": ["a"]}, "a,b\r1,2\r", "columns_present"),
        ({"required": ["a"]}, "\ufeffa,b\n1,2", "columns_present"),
        ({"required": ["a"]}, "```csv\na,b\n1,2\n```", "columns_present"),
        ({"required": ["a"]}, "\n , \n a , b\n1", "columns_present"),
        ({"required": ["a,b"]}, '"a,b"\n1', "columns_present"),
        ({"required": ["a"]}, 'a\n"multi\nline"', "columns_present"),
        ({"any_of": ["x", "b"]}, "a,b\n1,2", "columns_present"),
        ({"required": ["A"]}, "a\n1", "missing_columns"),
        ({"required": ["a"]}, "a;b\n1;2", "missing_columns"),
        ({"any_of": ["x"]}, "a\n1", "no_expected_column"),
        ({"required": ["a"]}, "a", "too_few_rows"),
        ({"required": ["a"]}, "a\n , \n", "too_few_rows"),
        ({"required": ["a"]}, "a\n" + "x" * 131_073, "parse_error"),
    ],
    ids=range(15),
)  # fmt: skip
def test_a_table_has_columns(params, text, reason):
    found = verdict("csv-columns", text, **params)
    assert (found.status, found.reward, found.detail["reason"]) == (
        "scored",
        float(reason == "columns_present"),
        reason,
    )


def test_the_rows_of_a_table_are_counted():
    assert verdict("csv-columns", "a\n1\n\n2", required=["a"]).detail["rows"] == 2
    assert verdict("csv-columns", "a", required=["a"]).detail["rows"] == 1
    assert data_rows("a, b\n\n1,") == [["a", " b"], ["1", ""]]
    with pytest.raises(csv.Error):
        data_rows("x" * 131_073)


@pytest.mark.parametrize(
    ("mode", "good", "bad"), [("xml-elements", "<a/>", "<b/>"), ("csv-columns", "a\n1", "b\n1")]
)
def test_an_answer_file_is_graded(tmp_path, mode, good, bad):
    spec = candidate_spec(mode, {"required": ["a"]})
    assert grade(spec, tmp_path, tmp_path).detail == {"reason": "no_output"}
    for text, reward in ((good, 1.0), (bad, 0.0)):
        (tmp_path / "answer.txt").write_text(text)
        assert grade(spec, tmp_path, tmp_path).reward == reward


@given(st.text() | st.text(alphabet="<>/a='\"&;![]-? \n,"))
def test_no_text_makes_them_raise(text):
    for mode in ("xml-elements", "csv-columns"):
        assert verdict(mode, text, required=["a"]).status == "scored"
