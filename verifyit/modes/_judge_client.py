"""Asking a judge over HTTP, and believing only replies that are whole.

The ``openai`` package does the transport. What came back is read from the bytes again: a reply with
duplicate keys, NaN, an ``error`` beside its text, several choices, a refusal or a cut end is no reply.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from verifyit._extras import import_extra
from verifyit.json_objects import decode_unique
from verifyit.reward import GradingInfraError, InvalidTask
from verifyit.spec import RUBRIC_LABELS, JudgeRuntimeSource, JudgeSpec

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

# How often one question is asked in all.
MAX_ATTEMPTS: Final = 2
# What the client library does by itself about refused connections and overload; labels are asked once.
TRANSPORT_RETRIES: Final = 2

BASE_URL_ENV: Final = "VERIFYIT_JUDGE_BASE_URL"
API_KEY_ENV: Final = "VERIFYIT_JUDGE_API_KEY"
MODEL_ENV: Final = "VERIFYIT_JUDGE_MODEL"
# Servers without keys still want the header.
NO_KEY: Final = "none"


@dataclass(frozen=True)
class JudgeConnection:
    """Where a judge is asked, and with which key."""

    base_url: str
    api_key: str = field(repr=False)


@dataclass(frozen=True)
class Answered:
    """What was made of a reply, and the attempts it took."""

    value: Any
    attempts: list[dict[str, object]]

    def detail(self) -> dict[str, object]:
        """The attempts as fields of a verdict."""
        return {"attempt_count": len(self.attempts), "attempts": self.attempts}


@dataclass(frozen=True)
class Reply:
    """A reply of the endpoint: its text, how it ended, and how many tokens it took."""

    text: str
    finish_reason: str
    completion_tokens: int | None


@dataclass(frozen=True)
class Judge:
    """A configured judge: a client, a model, and how to ask."""

    client: Any
    errors: Any
    spec: JudgeSpec
    model: str

    def ask(self, messages: list[dict[str, str]], read: Callable[[str], object | None]) -> Answered:
        """What a reader makes of the judge's reply; a reply it makes nothing of is asked for again.

        A reply that was cut by its budget is asked for again with the larger one, if there is one.

        Raises:
            GradingInfraError: The endpoint failed, or no reply could be used; the attempts are in it.
        """
        attempts: list[dict[str, object]] = []
        budget = self.spec.max_completion_tokens
        problem = "the judge gave no score"
        for _ in range(MAX_ATTEMPTS):
            try:
                reply = self._request(messages, budget)
            except GradingInfraError as error:
                raise _with_attempts(error, attempts) from error
            attempts.append(
                {"finish_reason": reply.finish_reason, "completion_tokens": reply.completion_tokens}
            )
            if reply.finish_reason == "length":
                problem = f"the judge's reply did not fit into {budget} tokens"
                if self.spec.incomplete_retry_tokens <= budget:
                    break
                budget = self.spec.incomplete_retry_tokens
                continue
            problem, value = self._use(reply, read, attempts)
            if value is not None:
                return Answered(value, attempts)
            if problem != _NO_SCORE:
                break
        raise GradingInfraError(problem, **Answered(None, attempts).detail())

    def _use(
        self, reply: Reply, read: Callable[[str], object | None], attempts: list[dict[str, object]]
    ) -> tuple[str, object | None]:
        if reply.finish_reason != "stop":
            return f"the judge's reply ended with {reply.finish_reason!r}", None
        if not reply.text.strip():
            return "the judge's reply is blank", None
        try:
            return _NO_SCORE, read(reply.text)
        except GradingInfraError as error:
            raise _with_attempts(error, attempts) from error

    def _request(self, messages: list[dict[str, str]], budget: int) -> Reply:
        responses = self.spec.api == "responses"
        options: dict[str, Any] = {
            "model": self.model,
            "temperature": 0,
            "timeout": self.spec.request_timeout,
        }
        if responses:
            options |= {"input": messages, "max_output_tokens": budget}
            if self.spec.reasoning_effort:
                options["reasoning"] = {"effort": self.spec.reasoning_effort}
            create = self.client.responses.with_raw_response.create
        else:
            options |= {"messages": messages, "max_completion_tokens": budget}
            if self.spec.reasoning_effort:
                options["reasoning_effort"] = self.spec.reasoning_effort
            create = self.client.chat.completions.with_raw_response.create
        try:
            body = create(**options).http_response.content
        except self.errors.OpenAIError as error:
            raise GradingInfraError(f"the judge cannot be asked: {type(error).__name__}: {error}") from error
        try:
            table = decode_unique(body.decode("utf-8"), finite=True)
        except ValueError as error:
            raise GradingInfraError(f"the judge's reply is not JSON: {error}") from error
        return _read_response(table) if responses else _read_completion(table)


_NO_SCORE: Final = "the judge's reply does not end with a score"


def connect(spec: JudgeSpec, connection: JudgeConnection | None, runtime: JudgeRuntimeSource | None) -> Judge:
    """The judge that a spec and its surroundings configure.

    Raises:
        InvalidTask: No endpoint or no model is configured.
        RuntimeError: There is no connection, and the environment may not be asked.
        GradingInfraError: The openai package is not installed.
    """
    if connection is None and runtime is None:
        raise RuntimeError("the judge has to be asked, and there is neither a connection nor a runtime")
    environment = os.environ if runtime is not None else {}
    if connection is None:
        base_url = environment.get(BASE_URL_ENV, "")
        if not base_url:
            raise InvalidTask(f"no judge endpoint: set {BASE_URL_ENV}")
        connection = JudgeConnection(base_url, environment.get(API_KEY_ENV, ""))
    model = spec.model or environment.get(MODEL_ENV, "")
    if not model:
        raise InvalidTask(f"no judge model: set model in the spec, or {MODEL_ENV}")
    openai = import_extra("openai", "judge")
    client = openai.OpenAI(
        base_url=connection.base_url,
        api_key=connection.api_key or NO_KEY,
        max_retries=0 if spec.rubric == RUBRIC_LABELS else TRANSPORT_RETRIES,
    )
    return Judge(client, openai, spec, model)


def _with_attempts(error: GradingInfraError, attempts: list[dict[str, object]]) -> GradingInfraError:
    return GradingInfraError(str(error), **error.detail, **Answered(None, attempts).detail())


def _read_completion(table: object) -> Reply:
    _refuse_errors(table)
    choices = table.get("choices") if isinstance(table, dict) else None
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        raise GradingInfraError("the judge's reply must hold one choice")
    message, finish = choices[0].get("message"), choices[0].get("finish_reason")
    if not isinstance(message, dict) or message.get("role") != "assistant":
        raise GradingInfraError("the judge's reply is not a message of the assistant")
    if message.get("tool_calls") or message.get("function_call") or message.get("refusal"):
        raise GradingInfraError("the judge's reply is a tool call or a refusal")
    content = message.get("content")
    # A reply cut by its budget may have had no text yet.
    if not isinstance(content, str) and not (content is None and finish == "length"):
        raise GradingInfraError("the judge's reply has no text")
    return Reply(content or "", str(finish), _tokens(table, "completion_tokens"))


def _read_response(table: object) -> Reply:
    _refuse_errors(table)
    if not isinstance(table, dict) or not isinstance(table.get("output"), list):
        raise GradingInfraError("the judge's reply must hold an output")
    status, incomplete = table.get("status"), table.get("incomplete_details")
    reason = incomplete.get("reason") if isinstance(incomplete, dict) else None
    finish = "stop" if status == "completed" else "length" if reason == "max_output_tokens" else str(status)
    texts: list[str] = []
    for item in table["output"]:
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "message" and item.get("role") == "assistant" and isinstance(item.get("content"), list):
            texts += [_output_text(part) for part in item["content"]]
        elif kind != "reasoning":
            raise GradingInfraError("the judge's reply holds something other than a message")
    if len(texts) != 1 and not (not texts and finish == "length"):
        raise GradingInfraError("the judge's reply must hold one text")
    return Reply("".join(texts), finish, _tokens(table, "output_tokens"))


def _output_text(part: object) -> str:
    if isinstance(part, dict) and part.get("type") == "output_text" and isinstance(part.get("text"), str):
        return str(part["text"])
    raise GradingInfraError("the judge's reply is a refusal or has no text")


def _refuse_errors(table: object) -> None:
    if isinstance(table, dict) and table.get("error") is not None:
        raise GradingInfraError(f"the judge's endpoint reports an error: {str(table['error'])[:200]}")


def _tokens(table: object, name: str) -> int | None:
    usage = table.get("usage") if isinstance(table, dict) else None
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if type(count) is int else None
