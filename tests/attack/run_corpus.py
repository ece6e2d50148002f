"""Run one theme of the corpus as the user who calls, behind the wall or bare, and write what came of each attack.

    python run_corpus.py MODE THEME OUT        MODE: wall or bare; THEME: a file of the corpus

The caller gives itself what callers have and attacks look for: a terminal, a secret in its environment and its
arguments, files, sockets, shared memory, another process of its own.
"""

import contextlib
import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from tests.attack import attacks, plants

HERE = Path(__file__).parent
# The kernel empties a killed pid namespace on its own time, which run() need not wait for.
WALL_GRACE_S = 1.0


def take_a_terminal():
    """Become a session leader with a terminal, as a user's shell has."""
    if os.getpid() != os.getsid(0):
        os.setsid()
    _, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


def run_bare(attack, planted, secret):
    """What the naive judge concluded, or how it ended."""
    with tempfile.TemporaryDirectory(prefix="dg-attack-judge-", ignore_cleanup_errors=True) as folder:
        source = attack.source(planted.values)
        judge = Path(folder, "judge")
        judge.mkdir()
        attacks.write_support_files(judge, secret)
        Path(folder, "inbox").mkdir()
        path = Path(folder, "inbox", "solution.py")
        path.write_text(source)
        result = Path(folder, "result.json")
        key, key_folder = os.open(judge / "vault.json", os.O_RDONLY), os.open(judge, os.O_RDONLY)
        conclusion, begun = "", time.monotonic()
        for _ in range(attack.runs):
            process = subprocess.Popen(
                [sys.executable, str(HERE / "naive_judge.py"), attack.judge, str(path), str(result), secret],
                cwd=judge,
                env=os.environ | {"DG_JUDGE_SECRET": secret},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(key, key_folder),
            )
            try:
                stdout, stderr = process.communicate(timeout=attack.patience_s)
                ending = f"exit {process.returncode}"
            except subprocess.TimeoutExpired:
                # It may have been stopped, and its children may hold the pipes.
                process.kill()
                process.wait()
                stdout, stderr, ending = b"", b"", "hung"
                process.stdout.close()
                process.stderr.close()
            conclusion = json.loads(result.read_text()) if result.exists() else ""
        os.close(key)
        os.close(key_folder)
        return {
            "said": conclusion,
            "ending": ending,
            "stdout_bytes": len(stdout),
            "forged": b'"score": 1.0' in stdout,
            "stderr": stderr[-500:].decode("utf-8", "replace"),
            "seconds": time.monotonic() - begun,
            # Here, since they may still write into the folder that is removed next.
            "leftovers": len(leftovers()),
        }


def run_walled(attack, planted, secret, client):
    """What the product made of the attack: the last of its runs, and every text of all of them."""
    from deepgym import Environment

    environment = Environment(
        task="This is an attack.",
        verifier_code=attack.verifier(),
        support_files=attacks.support_files(secret),
        **attack.environment,
    )
    source, texts, scores = attack.source(planted.values), [], []
    begun = time.monotonic()
    for _ in range(attack.runs):
        result = client.run(environment, model_output=source)
        texts.append(result.model_dump_json())
        scores.append(result.score)
    return {
        "score": max(scores),
        "passed": result.passed,
        "has_verdict": result.has_verdict,
        "error_type": result.error_type,
        "isolation": result.isolation,
        "details": result.details[:500],
        "text_bytes": len(texts[-1]),
        "leaked": any(secret in text for text in texts),
        "seconds": time.monotonic() - begun,
        "leftovers": len(leftovers(WALL_GRACE_S)),
    }


def leftovers(grace_s=0.0):
    """The lingering processes of attacks that are still there after a while; they are ended here."""
    deadline = time.monotonic() + grace_s
    while (found := _lingering()) and time.monotonic() < deadline:
        time.sleep(0.01)
    for pid in found:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return found


def _lingering():
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/comm", encoding="utf-8") as stream:
                if stream.read().startswith(plants.LEFTOVER):
                    found.append(int(name))
    return found


def main():
    mode, theme, out = sys.argv[1:4]
    secret = os.environ["DG_ATTACK_SECRET"]
    take_a_terminal()
    outcomes = {}
    planted = plants.Plants(secret, os.environ.get("DG_ATTACK_RUN_FILE", ""))
    with contextlib.ExitStack() as stack:
        stack.callback(planted.close)
        client = None
        if mode == "wall":
            from deepgym import DeepGym

            client = DeepGym(mode="local")
            stack.callback(getattr(client, "close", lambda: None))
        for attack in attacks.load_theme(theme):
            if mode == "bare" and not attack.has_control(os.getuid()):
                continue
            try:
                if mode == "wall":
                    outcome = run_walled(attack, planted, secret, client)
                else:
                    outcome = run_bare(attack, planted, secret)
            except Exception as error:
                outcome = {"raised": f"{type(error).__name__}: {error}"}
            outcome["victim_lives"] = planted.victim_lives()
            if not outcome["victim_lives"]:
                planted.replace_victim()
            outcome["planted_intact"] = attacks.planted_files_are_intact(planted.values, secret)
            outcomes[attack.id] = outcome
            Path(out).write_text(json.dumps(outcomes))


if __name__ == "__main__":
    main()
