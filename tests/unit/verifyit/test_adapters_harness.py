"""Harness tasks: recognized by what they declare, believed while their functions are those of a known file."""

import hashlib
import importlib.util
import math
import sys
from dataclasses import replace

import pytest

from verifyit.adapters import (
    harness_agieval,
    harness_babilong,
    harness_crows,
    harness_drop,
    harness_math_literal,
    harness_mmmu,
    harness_probability,
    harness_rolling,
    lm_eval,
)
from verifyit.adapters.harness_native import (
    exact_match,
    likelihood_choice,
    native_config_route,
    native_task_metrics,
)
from verifyit.adapters.harness_probability import probability_mass
from verifyit.adapters.harness_profiles import (
    generation_profile,
    profile_task_metrics,
    span_equal,
    token_accuracy,
    token_f1,
)
from verifyit.adapters.harness_rolling import bits_per_unit, rolling_task_aggregation, weighted_perplexity
from verifyit.adapters.harness_runtime import corpus_config_profile, score_corpus, validate_aggregation_seed
from verifyit.adapters.harness_validation import (
    compiled_source_functions,
    log_likelihoods,
    only_text,
    pinned_source_bytes,
    source_functions_match,
    task_config,
    utils_callback_path,
)
from verifyit.reward import InvalidTask, Status
from verifyit.spec import EmptyOutputPolicy

# Functions of the names that the real files have; what they do is enough to see that they are called.
SOURCE = """
import random


def process_results(doc, results):
    return {"acc": 0.0}


def process_results_mcqa(doc, results):
    return process_results(doc, results)


def process_results_mc2(doc, results):
    return process_results(doc, results)


def postprocess_pred(texts):
    return [text.replace("-", " ") for text in texts]


def strip_string(text):
    if text == "bad":
        raise ValueError(text)
    return text.replace(" ", "")


def remove_boxed(text):
    assert text.startswith("[")
    return text[1:-1]


def last_boxed_only_string(text):
    return text[text.rindex("["):] if "[" in text else None


def normalize_str(text):
    return [float(text)] if text.isdigit() else [text.lower()]


def parse_open_response(text):
    return [part for word in text.split() for part in normalize_str(word)]


def parse_multi_choice_response(text, choices, by_letter):
    for choice in choices:
        if choice in text:
            return choice
    return random.choice(choices)


def _is_number(text):
    return text.isdigit()


def _answer_to_bags(answer):
    spans = [answer] if isinstance(answer, str) else list(answer)
    spans = [span.lower() for span in spans]
    return spans, [set(span.split()) for span in spans]
"""

MODULES = [
    harness_agieval,
    harness_babilong,
    harness_crows,
    harness_drop,
    harness_math_literal,
    harness_mmmu,
    harness_probability,
    harness_rolling,
]


class Task:
    def __init__(self, config, target=None, choices=()):
        self.config = config
        self.target, self.choices = target, choices

    def doc_to_target(self, doc):
        return self.target

    def doc_to_choice(self, doc):
        return self.choices

    def process_results(self, doc, results):
        return {"acc": 0.75}

    def aggregation(self):
        return {"acc": max}


@pytest.fixture
def utils(tmp_path, monkeypatch):
    """A file of functions that every adapter is pinned to."""
    path = tmp_path / "utils.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("harness_utils", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    digest = frozenset({hashlib.sha256(SOURCE.encode()).hexdigest()})
    for adapter in MODULES:
        monkeypatch.setattr(adapter, "CONTRACT", replace(adapter.CONTRACT, digests=digest))
    return module


def task(utils, adapter, **config):
    contract = adapter.CONTRACT
    declared = {
        "dataset_path": contract.datasets[0],
        "output_type": contract.output_type,
        "metric_list": [{"metric": name} for name in sorted(contract.metrics)],
        "process_results": getattr(utils, contract.function),
    }
    return Task(declared | config)


def test_agieval(utils):
    known = task(utils, harness_agieval)
    doc = {"choices": ["a", "bbbb"], "gold": [1]}
    responses = [(-1.0, True), (-2.0, False)]
    assert harness_agieval.agieval_task_metrics(known, doc, responses) == {"acc": 0.0, "acc_norm": 1.0}
    assert harness_agieval.agieval_config_profile(known.config)
    assert harness_agieval.validate_agieval_task(known)
    for bad in (
        {"choices": 1, "gold": [1]},
        {"choices": ["a", "b"], "gold": 1},
        {"choices": ["a"], "gold": [0]},
    ):
        with pytest.raises(InvalidTask):
            harness_agieval.agieval_task_metrics(known, bad, responses)


def test_babilong(utils):
    known = task(utils, harness_babilong)
    metrics = harness_babilong.babilong_task_metrics
    assert metrics(known, {"target": "Big Hall"}, ["in the big-hall."]) == {"acc": 1.0}
    assert metrics(known, {"target": "Hall"}, ["kitchen"]) == {"acc": 0.0}
    assert harness_babilong.babilong_config_profile(known.config)
    assert harness_babilong.validate_babilong_task(known)
    assert harness_babilong.grade_babilong_candidate("x", None).reward == 0.0
    with pytest.raises(InvalidTask):
        metrics(known, {"target": " "}, ["x"])


def test_crows(utils):
    known = task(utils, harness_crows)
    doc = {"sent_more": "a", "sent_less": "b"}
    metrics = harness_crows.crows_task_metrics(known, doc, [(-1.0, True), (-3.0, False)])
    assert metrics == {"likelihood_diff": 2.0, "pct_stereotype": 1.0}
    assert harness_crows.crows_config_profile(known.config)
    assert harness_crows.crows_mean([1, 2.0]) == 1.5
    for values in ([], [float("nan")], [-1], [True], ["x"]):
        with pytest.raises(InvalidTask):
            harness_crows.crows_mean(values)
    with pytest.raises(InvalidTask):
        harness_crows.crows_metrics(["a", "b"], [(-1.0, True)])


@pytest.mark.parametrize(
    ("text", "answers", "em", "f1"),
    [
        ("red house", [["Red house"]], 1.0, 1.0),
        ("red car", [["red house"], ["blue car"]], 0.0, 0.5),
        ("red", [["red", "blue"]], 0.0, 0.5),
        ("5 yards", [["7 yards"]], 0.0, 0.0),
        ("", [["x"]], 0.0, 0.0),
        ("x", [[" "], []], 0.0, 0.0),
    ],
)
def test_drop(utils, text, answers, em, f1):
    known = task(utils, harness_drop)
    assert harness_drop.drop_config_profile(known.config)
    assert harness_drop.drop_task_metrics(known, {"answers": answers}, [text]) == {"em": em, "f1": f1}


def test_drop_needs_answers(utils):
    with pytest.raises(InvalidTask):
        harness_drop.drop_task_metrics(task(utils, harness_drop), {}, ["x"])


def test_hendrycks(utils):
    known = task(utils, harness_math_literal)
    metrics = harness_math_literal.hendrycks_task_metrics
    doc = {"solution": "so [x + 1]"}
    assert metrics(known, doc, ["it is $x+1$"]) == {"exact_match": 1.0}
    assert metrics(known, doc, ["x+ 1"]) == {"exact_match": 1.0}
    assert metrics(known, doc, ["$x"]) == {"exact_match": 0.0}
    assert harness_math_literal.hendrycks_config_profile(known.config)
    assert harness_math_literal.validate_hendrycks_task(known)
    assert harness_math_literal.validate_hendrycks_normalizer(utils.strip_string)
    assert not harness_math_literal.validate_hendrycks_normalizer(str.strip)
    grade = harness_math_literal.grade_normalized_math
    assert grade("bad", "bad", utils.strip_string).reward == 1.0
    assert grade("x", "bad", utils.strip_string).reward == 0.0
    assert grade("x", None, utils.strip_string).reward == 0.0
    with pytest.raises(InvalidTask):
        grade(None, "x", utils.strip_string)
    with pytest.raises(InvalidTask):
        metrics(known, {"solution": "none"}, ["x"])


def test_mmmu(utils):
    known = task(utils, harness_mmmu)
    metrics = harness_mmmu.mmmu_task_metrics
    choice = {"question_type": "multiple-choice", "options": "['x', 'y']", "answer": "B"}
    assert metrics(known, choice, ["it is B"]) == {"acc": 1.0}
    assert metrics(known, choice, ["it is x"]) == {"acc": 0.0}
    assert metrics(known, choice | {"answer": ["A", "B"]}, ["A"]) == {"acc": 1.0}
    assert metrics(known, {"question_type": "open", "answer": "12"}, ["is 12"]) == {"acc": 1.0}
    assert metrics(known, {"question_type": "open", "answer": ["Paris", "Lutetia"]}, ["in paris."]) == {
        "acc": 1.0
    }
    assert metrics(known, {"question_type": "open", "answer": "Rome"}, ["in paris."]) == {"acc": 0.0}
    assert harness_mmmu.mmmu_config_profile(known.config)
    assert harness_mmmu.validate_mmmu_task(known)
    for bad in ({"options": "["}, {"options": "1"}, {"options": None}, {"answer": "Z"}, {"options": "[]"}):
        with pytest.raises(InvalidTask):
            metrics(known, choice | bad, ["B"])
    with pytest.raises(InvalidTask):
        metrics(known, {"question_type": "open", "answer": 12}, ["B"])
    with pytest.raises(InvalidTask):
        harness_mmmu.grade_mmmu_open([], ["x"])
    assert harness_mmmu.grade_mmmu_open(["x"], "x").detail == {"reason": "invalid_candidate"}


def test_a_guess_in_mmmu_earns_nothing(utils):
    choice = {"question_type": "multiple-choice", "options": "['x']", "answer": "A"}
    known = task(utils, harness_mmmu)
    assert harness_mmmu.mmmu_task_metrics(known, choice, ["no idea"]) == {"acc": 0.0}


def test_truthfulqa(utils):
    known = task(utils, harness_probability)
    doc = {"mc2_targets": {"labels": [1, 0]}}
    metrics = harness_probability.truthfulqa_task_metrics(
        known, doc, [(math.log(0.3), 0), (math.log(0.1), 0)]
    )
    assert metrics["acc"] == pytest.approx(0.75)
    assert harness_probability.truthfulqa_mc2_profile(known.config)
    with pytest.raises(InvalidTask):
        harness_probability.truthfulqa_task_metrics(known, {}, [])
    with pytest.raises(InvalidTask):
        probability_mass([1, True], [(-1.0, 0), (-1.0, 0)])


def test_rolling(utils):
    known = task(utils, harness_rolling)
    doc = {"page": "a bé"}
    assert harness_rolling.rolling_task_metrics(known, doc, [-6]) == {
        "bits_per_byte": (-6.0, 5),
        "byte_perplexity": (-6.0, 5),
        "word_perplexity": (-6.0, 2),
    }
    plain = Task(
        {"output_type": "loglikelihood_rolling", "metric_list": [{"metric": "bits_per_byte"}]}, "abc"
    )
    assert harness_rolling.rolling_task_metrics(plain, {}, [-1.5]) == {"bits_per_byte": (-1.5, 3)}
    assert rolling_task_aggregation(plain, "bits_per_byte")([(-3.0, 3)]) == pytest.approx(1 / math.log(2))
    assert rolling_task_aggregation(plain, "word_perplexity") is weighted_perplexity
    assert rolling_task_aggregation(plain, "acc") is None
    assert weighted_perplexity([(-1.0, 1), (-3.0, 3)]) == pytest.approx(math.e)
    for items in ([], [(-1.0, 0)], [("x", 1)], [(float("nan"), 1)], [(-1.0, True)]):
        with pytest.raises(InvalidTask):
            bits_per_unit(items)
    with pytest.raises(InvalidTask):
        weighted_perplexity([(-1e6, 1)])
    for responses in ([], [1, 2], "x", [None]):
        with pytest.raises(InvalidTask):
            harness_rolling.rolling_task_metrics(known, doc, responses)
    with pytest.raises(InvalidTask):
        harness_rolling.rolling_task_metrics(known, {}, [-1.0])


METRICS = {
    harness_agieval: harness_agieval.agieval_task_metrics,
    harness_babilong: harness_babilong.babilong_task_metrics,
    harness_crows: harness_crows.crows_task_metrics,
    harness_drop: harness_drop.drop_task_metrics,
    harness_math_literal: harness_math_literal.hendrycks_task_metrics,
    harness_mmmu: harness_mmmu.mmmu_task_metrics,
    harness_probability: harness_probability.truthfulqa_task_metrics,
    harness_rolling: harness_rolling.rolling_task_metrics,
}


@pytest.mark.parametrize("adapter", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_other_tasks_are_none_and_changed_ones_are_refused(utils, adapter, tmp_path):
    metrics = METRICS[adapter]
    assert metrics(Task({}), {}, []) is None
    assert metrics(task(utils, adapter, output_type="other"), {}, []) is None
    with pytest.raises(InvalidTask, match="filter"):
        metrics(task(utils, adapter, filter_list=[{"name": "own", "filter": []}]), {"page": "x"}, [])
    utils._is_number = len
    with pytest.raises(InvalidTask, match="replaced"):
        metrics(task(utils, adapter), {"page": "x"}, [])
    (tmp_path / "utils.py").write_text(SOURCE + "\n")
    with pytest.raises(InvalidTask, match="known"):
        metrics(task(utils, adapter), {"page": "x"}, [])


def test_sources_and_functions(tmp_path, utils):
    path = tmp_path / "utils.py"
    assert utils_callback_path(utils.process_results, "process_results") == path
    assert utils_callback_path(utils.process_results, "other") is None
    assert utils_callback_path(len, "len") is None
    assert pinned_source_bytes(path, {"0"}) is None
    assert pinned_source_bytes(tmp_path / "none.py", {"0"}) is None
    with pytest.raises(InvalidTask):
        compiled_source_functions(b"def (", "x.py")
    codes = compiled_source_functions(b"def f(a=1): pass", "x.py")
    namespace = {}
    exec("def f(a=1): pass", namespace)
    assert source_functions_match(namespace, codes, {"f": (1,)})
    assert not source_functions_match(namespace, codes, {"f": (2,)})
    assert not source_functions_match({}, codes, {})


def test_configurations_may_be_objects():
    config = type("Config", (), {})()
    config.output_type = "x"
    assert task_config(type("T", (), {"config": config})()) == {"output_type": "x"}
    assert task_config(object()) == {}


@pytest.mark.parametrize("responses", [None, [1], [(1,)], [("x", True)], [(float("inf"), True)]])
def test_log_likelihoods_are_pairs_with_finite_numbers(responses):
    with pytest.raises(InvalidTask):
        log_likelihoods(responses, "x")


@pytest.mark.parametrize("responses", [None, [], ["a", "b"], [1]])
def test_a_generated_response_is_one_text(responses):
    with pytest.raises(InvalidTask):
        only_text(responses, "x")


def test_exact_match_under_a_normalization():
    assert exact_match("A", ["a"], ignore_case=True).reward == 1.0
    assert exact_match("A", ["a"]).reward == 0.0
    assert exact_match("$1", ["1"], regexes_to_ignore=r"\$").reward == 1.0
    assert exact_match(" ", [" "]).reward == 1.0
    assert exact_match(" ", [" "], empty_output=EmptyOutputPolicy.ZERO).detail == {"reason": "empty_output"}
    assert exact_match(None, ["a"]).status is Status.SCORED
    for references, options in (([], {}), (["a"], {"shout": True}), (["a"], {"regexes_to_ignore": ["("]})):
        with pytest.raises(InvalidTask):
            exact_match("a", references, **options)
    with pytest.raises(InvalidTask):
        likelihood_choice(["a"], [-1.0], [0], "bytes")


def test_tasks_without_functions_of_their_own():
    exact = Task(
        {"output_type": "generate_until", "metric_list": [{"metric": "exact_match", "ignore_case": True}]},
        ["Yes", 3],
    )
    assert native_config_route(exact.config) == "exact_match"
    assert native_task_metrics(exact, {}, ["yes"]) == {"exact_match": 1.0}
    assert native_task_metrics(exact, {}, ["3"]) == {"exact_match": 1.0}
    choice = {"output_type": "multiple_choice", "metric_list": [{"metric": "acc"}, {"metric": "acc_norm"}]}
    responses = [(-1.0, True), (-1.5, False)]
    assert native_task_metrics(Task(choice, 1, ["a", "bb"]), {}, responses) == {"acc": 0.0, "acc_norm": 1.0}
    assert native_task_metrics(Task(choice, ["a"], ["a", "bb"]), {}, responses)["acc"] == 1.0
    with pytest.raises(InvalidTask):
        native_task_metrics(Task(choice, "c", ["a", "bb"]), {}, responses)
    assert native_task_metrics(Task({}), {}, []) is None
    assert native_config_route(choice | {"process_results": len}) is None
    assert native_config_route(choice | {"metric_list": ["acc"]}) is None


def test_shared_comparisons():
    assert token_f1(["a", "a"], ["a", "b"]).reward == 0.5
    assert token_accuracy(["a", "x"], ["a", "b"]).reward == 0.5
    assert token_accuracy(["a", "b", "c"], ["a", "b"]).reward == pytest.approx(2 / 3)
    assert token_accuracy("ab", ["a", "b"]).reward == 0.0
    assert span_equal(("PER", "Ann"), ("PER", "Ann")).reward == 1.0
    assert span_equal(("LOC", "Ann"), ("PER", "Ann")).reward == 0.0
    assert span_equal("PA", ("P", "A")).reward == 0.0
    with pytest.raises(InvalidTask):
        token_accuracy(["a"], [])
    with pytest.raises(InvalidTask):
        span_equal(("a", "b"), ("a",))


def test_profiles_of_generated_answers():
    config = {"output_type": "generate_until", "metric_list": [{"metric": "em"}, {"metric": "f1"}]}
    assert generation_profile(config) == "exact_and_token_f1"
    assert generation_profile({}) is None

    def compare(text, reference):
        return exact_match(text, [reference])

    metrics = profile_task_metrics(Task(config, ["a b", "c"]), {}, ["a x"], compare)
    assert metrics == {"em": 0.0, "f1": 0.5}
    assert profile_task_metrics(Task({}), {}, ["a"], compare) is None
    with pytest.raises(InvalidTask):
        profile_task_metrics(Task(config, []), {}, ["a"], compare)


def test_a_task_is_offered_to_those_who_know_it(utils):
    known = task(utils, harness_babilong)
    assert lm_eval.score_task(known, {"target": "x"}, ["an x"]).verdict.reward == 1.0
    assert lm_eval.score_task(Task({}), {}, ["an x"]).verdict.reward == 0.75
    f1 = Task({"output_type": "generate_until", "metric_list": [{"metric": "f1"}]}, "a b")
    assert lm_eval.score_task(f1, {}, ["a b"]).metrics == {"f1": 1.0}


def test_metrics_come_to_a_verdict():
    assert lm_eval.project_metrics({"f1": 0.5, "acc": 1}).verdict.detail == {"metric": "acc"}
    assert lm_eval.project_metrics({"f1": 0.5, "acc": 1}, "f1").verdict.reward == 0.5
    for value in (2, float("nan"), "x", None):
        assert lm_eval.project_metrics({"acc": value}).verdict.status is Status.INFRA_ERROR
    for metrics, name in (({}, None), ({"other": 1}, None), ({"acc": 1}, "f1")):
        with pytest.raises(InvalidTask):
            lm_eval.project_metrics(metrics, name)


def test_metrics_are_aggregated():
    result = lm_eval.aggregate_task(Task({}), [{"acc": 0.5, "f1": 0.0}, {"acc": 1.0, "f1": 1.0}])
    assert result.metrics == {"acc": 1.0, "f1": 0.5}
    for samples in ([], [{"acc": 1}, {"f1": 1}]):
        with pytest.raises(InvalidTask):
            lm_eval.aggregate_task(Task({}), samples)


# The harness's module of metrics, as far as it is called.
METRICS_SOURCE = """
import random


def bleu(pairs):
    return 100.0 * sum(left == right for left, right in pairs) / len(pairs)


def chrf(pairs):
    return random.random() if pairs[0][0] != "nan" else float("nan")
"""


@pytest.fixture
def corpus(tmp_path):
    pytest.importorskip("yaml", reason="needs the schema extra")
    package = tmp_path / "root" / "lm_eval" / "api"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "metrics.py").write_text(METRICS_SOURCE)

    def config(*metrics):
        path = tmp_path / "task.yaml"
        path.write_text(
            "output_type: generate_until\nmetric_list:\n"
            + "".join(f"  - metric: {name}\n" for name in metrics)
        )
        return tmp_path / "root", path

    return config


def test_a_corpus_is_scored_by_the_harness(corpus):
    samples = [{"target": "a", "response": "a"}, {"target": "b", "response": None}]
    result = score_corpus(*corpus("chrf", "bleu"), samples, timeout=30, aggregation_seed=5)
    assert result.verdict.reward == 0.5
    assert result.aggregates["bleu"] == 50.0
    assert result.observations[1] == {"target": "b", "response": ""}
    assert score_corpus(*corpus("chrf", "bleu"), samples, timeout=30, aggregation_seed=5) == result
    assert score_corpus(*corpus("bleu"), samples, stage="observations").verdict.status is Status.INFRA_ERROR
    assert score_corpus(*corpus("chrf"), [{"target": "nan"}], timeout=30).verdict.status is Status.INFRA_ERROR


def test_a_corpus_that_makes_no_sense(corpus, tmp_path):
    good = [{"target": "a", "response": "a"}]
    for samples, options in (
        ([], {}),
        ([{"response": "a"}], {}),
        (good, {"stage": "half"}),
        (good, {"aggregation_seed": -1}),
    ):
        with pytest.raises(InvalidTask):
            score_corpus(*corpus("bleu"), samples, **options)
    for path in (corpus("acc")[1], tmp_path / "none.yaml"):
        with pytest.raises(InvalidTask):
            score_corpus(tmp_path, path, good)
    (tmp_path / "task.yaml").write_text("[")
    with pytest.raises(InvalidTask):
        score_corpus(tmp_path, tmp_path / "task.yaml", good)
    assert corpus_config_profile({"output_type": "generate_until", "process_results": len}) is None
    for seed in (True, -1, 2**32, "1"):
        with pytest.raises(InvalidTask):
            validate_aggregation_seed(seed)
    assert validate_aggregation_seed(7) == 7


def test_importing_an_adapter_imports_no_harness():
    assert "lm_eval" not in sys.modules
