"""The error tree: who is at fault, and what each error carries."""

import pytest

from deepgym import errors


def test_the_callers_mistakes_are_value_errors():
    for kind in (errors.EnvironmentNotFoundError, errors.EnvironmentFileError, errors.VerifierSyntaxError):
        assert issubclass(kind, errors.UsageError)
    assert issubclass(errors.UsageError, ValueError)


def test_a_file_error_names_file_field_and_remedy():
    error = errors.EnvironmentFileError("is 'x'", file="m.json", field="timeout", remedy="give a number")
    assert str(error) == "m.json: timeout: is 'x': give a number"
    assert (error.file, error.field, error.remedy) == ("m.json", "timeout", "give a number")


def test_a_syntax_error_keeps_the_authors_position():
    with pytest.raises(SyntaxError) as caught:
        compile("x = 1\ny = = 2\n", "mine.py", "exec")
    error = errors.VerifierSyntaxError(caught.value)
    assert isinstance(error, SyntaxError)
    assert (error.filename, error.lineno, error.text) == ("mine.py", 2, caught.value.text)
    assert "mine.py, line 2" in str(error)


def test_an_infra_error_says_what_and_whether_to_retry():
    error = errors.SandboxInfraError("lost", "503", retryable=True)
    assert (str(error), error.kind, error.retryable, error.detail) == ("lost: 503", "lost", True, "503")


@pytest.mark.parametrize(("names", "text"), [([], ""), (["a"], "'a'"), (["a", "b", "c"], "'a', 'b' or 'c'")])
def test_one_of_lists_names(names, text):
    assert errors.one_of(names) == text
