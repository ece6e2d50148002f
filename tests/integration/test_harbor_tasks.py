"""Task folders in Harbor's layout run as they are, by their spec or by their script."""

import json

import pytest
from click.testing import CliRunner

from deepgym import DeepGym
from deepgym.cli import cli
from deepgym.registry import load_environment, load_folder

TOML = """
schema_version = "1.3"
[task]
name = "org/capital"
[metadata]
difficulty = "easy"
category = "geography"
tags = ["a"]
[verifier]
timeout_sec = 20
[verifier.env]
LEVEL = "3"
SECRET = "${HOST_SECRET}"
"""
CHECK = """#!/bin/bash
# Gives 1 for the right answer, half for one that is close.
mkdir -p /logs/verifier
answer=$(cat /app/answer.txt)
if [ "$answer" = "$(cat /tests/key.txt)" ]; then echo 1 > /logs/verifier/reward.txt
elif [ "$answer" = "helsinki" ]; then echo 0.5 > /logs/verifier/reward.txt
else echo 0 > /logs/verifier/reward.txt; fi
exit 7
"""


def make_task(parent, *, instruction="Name the capital of Finland.\n", toml=TOML, **files):
    path = parent / "capital"
    texts = {"task.toml": toml, "instruction.md": instruction, **files}
    for name, text in texts.items():
        if text is not None:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(text)
    return path


def scripted(parent, script, **settings):
    files = {"tests/test.sh": script, "tests/key.txt": "Helsinki\n", **settings.pop("files", {})}
    return make_task(parent, **settings, **files)


@pytest.mark.parametrize(
    ("answer", "score"), [("Helsinki", 1.0), ("helsinki", 0.5), ("Turku", 0.0), ("", 0.0)]
)
def test_a_script_leaves_the_reward_and_its_exit_code_counts_nothing(each_dg, answer, score, tmp_path):
    env = load_environment(scripted(tmp_path, CHECK))
    result = each_dg.run(env, answer)
    assert (result.has_verdict, result.score, result.passed) == (True, score, score == 1.0), result


def test_without_the_paths_of_a_container_the_tests_are_rewritten(plain_dg, tmp_path):
    env = load_environment(scripted(tmp_path, CHECK))
    assert [plain_dg.run(env, answer).reward for answer in ("Helsinki", "Turku")] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("files", "score"),
    [
        ({"reward.json": '{"reward": 0.25, "speed": 3, "ok": true, "note": "x"}', "reward.txt": "1"}, 0.25),
        ({"reward.json": '{"speed": 3}', "reward.txt": "1"}, 1.0),
        ({"reward.json": '{"reward": true}', "reward.txt": "0.5\n"}, 0.5),
        ({"reward.json": '{"accuracy": 0.75}'}, 0.75),
        ({"reward.txt": " 1.0 \n"}, 1.0),
        ({}, None),
        ({"reward.txt": ""}, None),
        ({"reward.txt": "yes"}, None),
        ({"reward.txt": "nan"}, None),
        ({"reward.txt": "inf"}, None),
        ({"reward.txt": "2"}, None),
        ({"reward.txt": "-0.1"}, None),
        ({"reward.json": "{", "reward.txt": "1"}, None),
        ({"reward.json": "[1]", "reward.txt": "1"}, None),
        ({"reward.json": '{"reward": NaN}', "reward.txt": "1"}, None),
        ({"reward.json": '{"reward": "1"}'}, None),
        ({"reward.json": '{"a": 1, "b": 1}'}, None),
    ],
)
def test_the_rules_of_the_reward_files(dg, files, score, tmp_path):
    lines = [f"cat > /logs/verifier/{name} <<'EOF'\n{text}\nEOF\n" for name, text in files.items()]
    result = dg.run(load_environment(scripted(tmp_path, "".join(lines))), "x")
    if score is None:
        # The script has run the answer, for all we know: what it leaves undone is judged.
        assert (result.reward, result.error_type) == (0.0, "solution_error")
        assert "no usable reward" in result.details
    else:
        assert (result.has_verdict, result.score) == (True, score)


def test_numbers_beside_the_reward_are_components(dg, tmp_path):
    script = 'echo \'{"reward": 1, "speed": 3.5}\' > /logs/verifier/reward.json\n'
    assert dg.run(load_environment(scripted(tmp_path, script)), "x").reward_components == {"speed": 3.5}


def test_a_script_that_hangs_is_stopped(dg, tmp_path):
    toml = TOML.replace("20", "1")
    result = dg.run(load_environment(scripted(tmp_path, "sleep 60\n", toml=toml)), "x")
    assert (result.reward, result.error_type) == (0.0, "solution_timeout")


SEEN = """
python - <<'EOF'
import json, os, subprocess
connect = "import socket; socket.create_connection(('127.0.0.1', 22), 2)"
seen = {
    "cwd": os.path.realpath(os.getcwd()) == os.path.realpath("/app"),
    "level": os.environ.get("LEVEL") == "3",
    "no_secret": "SECRET" not in os.environ,
    "executable": os.access("/tests/run.sh", os.X_OK),
    "ran": subprocess.run(["/tests/run.sh"], capture_output=True, text=True).stdout == "hello\\n",
    "no_network": subprocess.run(["python3", "-c", connect], stderr=subprocess.DEVNULL).returncode != 0,
}
reward = {**{name: int(value) for name, value in seen.items()}, "reward": int(all(seen.values()))}
json.dump(reward, open("/logs/verifier/reward.json", "w"))
EOF
"""


def test_what_the_script_sees(dg, tmp_path):
    files = {"tests/run.sh": "#!/bin/sh\necho hello\n"}
    result = dg.run(load_environment(scripted(tmp_path, SEEN, files=files)), "x")
    assert result.reward == 1.0, (result.reward_components, result.details)


def test_the_answer_becomes_the_file_that_the_instruction_names(dg, tmp_path):
    script = (
        "python3 /app/sub/main.py > /tmp/out; grep -q '^42$' /tmp/out && echo 1 > /logs/verifier/reward.txt\n"
    )
    instruction = "The data are in /app/data.csv. Write your program to `/app/sub/main.py`."
    path = scripted(tmp_path, script, instruction=instruction)
    assert load_environment(path).metadata["answer_path"] == "/app/sub/main.py"
    assert dg.run(load_environment(path), "print(6 * 7)\n").reward == 1.0


def test_a_script_may_use_the_grader(dg, tmp_path):
    spec = 'mode = "exact"\nexpected = "Helsinki"\n'
    for command in ("python -m verifyit", "verifyit"):
        folder = tmp_path / command.replace(" ", "_")
        path = scripted(folder, f"{command} /tests/spec.toml\n", files={"tests/spec.toml": spec})
        env = load_environment(path)
        assert [dg.run(env, answer).reward for answer in ("Helsinki", "Turku")] == [1.0, 0.0]


INTRUDER = """
import os
os.makedirs("/logs/verifier", exist_ok=True)
open("/logs/verifier/reward.txt", "w").write("1")
print('{"score": 1.0, "passed": true}')
"""


def test_the_script_has_the_last_word_in_its_box(dg, tmp_path):
    # The answer runs beside the script, as in a container.
    script = "python3 /app/answer.py\necho 0 > /logs/verifier/reward.txt\n"
    path = scripted(tmp_path, script, instruction="Write /app/answer.py.")
    result = dg.run(load_environment(path), INTRUDER)
    assert (result.has_verdict, result.score) == (True, 0.0)


def test_a_spec_is_graded_with_all_the_files_of_the_tests(dg, tmp_path):
    spec = 'mode = "json-schema"\nschema = "shape.json"\noutput = "/app/out.json"\n'
    schema = '{"type": "array", "minItems": 2}'
    files = {"tests/verifier.toml": spec, "tests/shape.json": schema, "tests/test.sh": "exit 1"}
    env = load_environment(make_task(tmp_path, **files))
    assert [dg.run(env, answer).reward for answer in ("[1, 2]", "[1]", "nonsense")] == [1.0, 0.0, 0.0]


def test_a_spec_that_runs_the_answer(dg, tmp_path):
    spec = 'mode = "stdio"\ncommand = "python3 main.py"\n'
    files = {"tests/verifier.toml": spec, "tests/cases/input_1.txt": "3\n", "tests/cases/output_1.txt": "9\n"}
    env = load_environment(make_task(tmp_path, instruction="Write the program /app/main.py", **files))
    assert env.metadata["answer_file"] == "main.py"
    assert dg.run(env, "print(int(input()) ** 2)\n").reward == 1.0
    assert dg.run(env, "print(int(input()) ** 3)\n").reward == 0.0


def test_the_command_runs_a_task_folder(tmp_path, monkeypatch):
    solve = "#!/bin/bash\necho 'Helsinki' > /app/answer.txt\n"
    scripted(tmp_path, CHECK, files={"solution/solve.sh": solve})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "right.txt").write_text("Helsinki")
    (tmp_path / "wrong.txt").write_text("Turku")
    for args, code in ((["--answer", "right.txt"], 0), (["--answer", "wrong.txt"], 1), (["--reference"], 0)):
        done = CliRunner().invoke(cli, ["run", "capital", *args, "--json"])
        assert done.exit_code == code, done.output
        assert json.loads(done.output)["isolation"] == "sealed"


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("#!/bin/bash\ncat > /app/answer.txt <<'EOF'\nHel$inki\n`x`\nEOF\n", "Hel$inki\n`x`\n"),
        ("cat <<'END' >/app/answer.txt\none\nEND\n", "one\n"),
        ('cd /app\necho "two words" > answer.txt\n', "two words\n"),
        ("cat > /app/answer.txt <<EOF\n$HOME\nEOF\n", None),
        ("echo $(date) > /app/answer.txt\n", None),
        ("cat > /app/other.txt <<'EOF'\nx\nEOF\n", None),
        ("python3 make.py\n", None),
    ],
)
def test_a_reference_is_what_the_solution_writes_word_by_word(script, text, tmp_path):
    folder = load_folder(scripted(tmp_path, CHECK, files={"solution/solve.sh": script}))
    found = folder.reference_solution
    assert (found.read_text() if found else None) == text


def test_settings_are_carried_over(tmp_path):
    env = load_environment(scripted(tmp_path, CHECK))
    assert (env.name, env.difficulty, env.tags) == ("capital", "easy", ("a",))
    assert (env.metadata["source"], env.metadata["domain"]) == ("org/capital", "geography")
    assert env.case_timeout == 20.0


def test_one_run_in_a_client_of_its_own(tmp_path):
    with DeepGym() as client:
        assert client.run(load_environment(scripted(tmp_path, CHECK)), "Helsinki").reward == 1.0
