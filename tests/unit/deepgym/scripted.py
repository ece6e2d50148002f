"""A backend that runs nothing: each answer says how its run ends. For tests of what is built around a backend."""

import asyncio
import json
import threading
import time

from deepgym._judge.job import Outcome, Report
from deepgym.jobs import RunContext


class ScriptedBackend:
    """Answers are JSON objects: score, sleep, ending, doubtful ("first" or "always"), explode; anything else is text."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = self.most_running = self.cancelled = 0
        self.jobs = []
        self.beside = {}
        self.closed = False
        self.remembers = True
        self.context = RunContext("local", "sealed", "scripted")

    def execute(self, job):
        said = self._begin(job)
        try:
            time.sleep(said.get("sleep", 0))
            return self._end(job, said), 1
        finally:
            self._over()

    async def execute_async(self, job):
        said = self._begin(job)
        try:
            await asyncio.sleep(said.get("sleep", 0))
            return self._end(job, said), 1
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self._over()

    async def until_running(self, count):
        async with asyncio.timeout(10):
            await self._until(lambda: self.running >= count)

    @staticmethod
    async def _until(condition):
        for _ in range(10_000):
            if condition():
                return
            await asyncio.sleep(0.005)

    def close(self):
        self.closed = True

    def _begin(self, job):
        text = job.solution.decode()
        said = json.loads(text) if text.startswith("{") else {}
        with self.lock:
            self.running += 1
            self.most_running = max(self.most_running, self.running)
            if self.remembers:
                self.jobs.append(job)
                self.beside[text] = [*self.beside.get(text, []), self.running - 1]
        return said

    def _over(self):
        with self.lock:
            self.running -= 1

    def _end(self, job, said):
        if "explode" in said:
            raise RuntimeError(said["explode"])
        text = job.solution.decode()
        if said.get("ending") == "lost":
            return Outcome("lost", detail="scripted")
        doubtful = said.get("doubtful")
        tries = len(self.beside.get(text, ()))
        if doubtful == "always" or (doubtful == "first" and tries == 1):
            report = Report("raised", error="SolutionTimeoutError", solution_error="solution_timeout")
            return Outcome("ended", begun=True, report=report, doubtful=True)
        score = float(said.get("score", 1.0))
        verdict = json.dumps({"score": score, "passed": score == 1.0, "details": str(job.case_seed)})
        return Outcome("ended", begun=True, report=Report("returned", verdicts=(verdict,)), elapsed_s=0.001)
