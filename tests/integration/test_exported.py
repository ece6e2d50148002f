"""What is exported runs as what it was: task folders back from Harbor's layout, and rows that lead to environments."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from deepgym import Environment, list_environments, load_environment
from deepgym.cli import cli
from deepgym.errors import UsageError
from deepgym.exporters.harbor import export_harbor
from deepgym.exporters.rows import make_row
from deepgym.folders import EnvironmentFolder
from deepgym.importers.importing import import_file
from deepgym.registry import load_folder

RECORDS = Path(__file__).parents[1] / "data" / "records"


@pytest.fixture(autouse=True)
def own_registry(tmp_path, monkeypatch):
    monkeypatch.setenv("DEEPGYM_ENVIRONMENTS", str(tmp_path / "sets"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def folder_of(env, path=Path("x")):
    return EnvironmentFolder(path, env, None, (), ())


def test_a_library_environment_runs_from_its_task_folder(dg, tmp_path):
    original = load_folder("merge_intervals")
    path = export_harbor(original, tmp_path / "task")
    again = load_folder(path)
    same = {
        "name": again.environment.name,
        "verifier_path": None,
        "verifier_code": again.environment.verifier_code,
    }
    assert original.environment.model_copy(update=same) == again.environment
    assert again.environment.verifier_code == original.environment.read_verifier().decode()
    assert dg.run(again.environment, again.reference_solution.read_text()).reward == 1.0
    assert [file.name for file in again.wrong] == [file.name for file in original.wrong]
    for file in again.wrong:
        assert not dg.run(again.environment, file.read_text()).passed


def test_the_folder_is_one_that_harbor_reads(tmp_path):
    path = export_harbor(load_folder("merge_intervals"), tmp_path / "task", requirement="./deepgym.whl")
    settings = tomllib.loads((path / "task.toml").read_text())
    assert settings["schema_version"] == "1.3"
    assert settings["task"]["name"] == "deepgym/merge_intervals"
    assert settings["verifier"]["timeout_sec"] > 0
    assert "`/app/answer.py`" in (path / "instruction.md").read_text()
    assert "pip install --no-cache-dir ./deepgym.whl" in (path / "environment" / "Dockerfile").read_text()
    script = path / "tests" / "test.sh"
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    assert (path / "solution" / "answer.py").read_text() == load_folder(
        "merge_intervals"
    ).reference_solution.read_text()


def test_the_image_gets_our_packages_as_files_and_never_by_name(tmp_path):
    path = export_harbor(load_folder("merge_intervals"), tmp_path / "task")
    image = (path / "environment" / "Dockerfile").read_text()
    assert "COPY packages /opt/deepgym" in image
    assert not any("pip install" in line and "deepgym" in line for line in image.splitlines())
    assert (path / "environment" / "packages" / "deepgym_solution" / "_child" / "wire.py").is_file()


def test_an_exported_script_leaves_the_reward_that_the_run_gave(tmp_path):
    """The script itself, with its paths led into a folder here and the command line of this checkout."""
    path = export_harbor(load_folder("merge_intervals"), tmp_path / "task")
    script = (path / "tests" / "test.sh").read_text()
    places = {"/tests/": f"{path}/tests/", "/app/": f"{tmp_path}/app/", "/logs/": f"{tmp_path}/logs/"}
    for here, there in places.items():
        script = script.replace(here, there)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "python3"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    command.chmod(0o755)
    (tmp_path / "app").mkdir()
    checkout = Path(__file__).parents[2]
    env = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "PYTHONPATH": str(checkout)}
    for answer, reward in ((path / "solution" / "answer.py", "1.0"), (path / "instruction.md", "0.0")):
        (tmp_path / "app" / "answer.py").write_text(answer.read_text())
        subprocess.run(["bash", "-c", script], env=env, check=False, timeout=60)
        assert (tmp_path / "logs" / "verifier" / "reward.txt").read_text() == reward


def test_a_spec_is_exported_as_itself(dg, tmp_path):
    spec = 'mode = "json-schema"\nschema = "shape.json"\n'
    env = Environment(
        task="Give a list.",
        verifier_code=spec,
        verifier_mode="spec",
        support_files={"shape.json": '{"type": "array", "minItems": 1}'},
        tags=("a",),
        difficulty="easy",
        name="set/lists",
    )
    path = export_harbor(folder_of(env), tmp_path / "lists")
    assert (path / "tests" / "verifier.toml").read_text() == spec
    again = load_environment(path)
    assert (again.name, again.tags, again.difficulty) == ("lists", ("a",), "easy")
    assert [dg.run(again, answer).reward for answer in ("[1]", "[]", "")] == [1.0, 0.0, 0.0]


def test_records_go_out_and_come_back(dg, tmp_path):
    import_file("codecontests", RECORDS / "codecontests.jsonl", tmp_path / "sets" / "cc")
    done = CliRunner().invoke(cli, ["export", "harbor", "cc/1_A._Larger", "out/larger"])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(cli, ["run", "out/larger", "--reference", "--json"])
    assert done.exit_code == 0, done.output
    report = import_file("harbor", tmp_path / "out", tmp_path / "sets" / "back")
    assert report.carried == ("larger",)
    before, after = load_folder("cc/1_A._Larger"), load_folder("back/larger")
    assert after.environment == before.environment.model_copy(update={"name": "back/larger"})
    assert [file.read_text() for file in after.wrong] == [file.read_text() for file in before.wrong]


def write_task(path, **files):
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)


def test_a_tree_of_task_folders_becomes_a_set_and_goes_back(dg, tmp_path):
    tree = tmp_path / "tree"
    check = "#!/bin/sh\ngrep -qx yes /app/answer.txt && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt\n"
    solve = "cat > /app/answer.txt <<'END'\nyes\nEND\n"
    write_task(
        tree / "a" / "one",
        **{"task.toml": "", "instruction.md": "Say yes.", "tests/test.sh": check, "solution/solve.sh": solve},
    )
    write_task(
        tree / "two",
        **{
            "task.toml": "",
            "instruction.md": "Say 4.",
            "tests/verifier.toml": 'mode = "numeric"\nexpected = "4"\ntolerance_abs = 0.1\ntolerance_rel = 0.0\n',
        },
    )
    write_task(
        tree / "broken",
        **{"task.toml": "[[steps]]\nname = 'x'\n", "instruction.md": "i", "tests/test.sh": ""},
    )
    report = import_file("harbor", tree, tmp_path / "sets" / "h")
    assert report.carried == ("a_one", "two")
    assert [record_id for record_id, _ in report.not_carried] == ["broken"]
    assert "several steps" in report.not_carried[0][1]
    one, two = load_folder("h/a_one"), load_folder("h/two")
    assert dg.run(one.environment, one.reference_solution.read_text()).reward == 1.0
    assert dg.run(one.environment, "no").reward == 0.0
    assert [dg.run(two.environment, answer).reward for answer in ("4", "5")] == [1.0, 0.0]
    path = export_harbor(one, tmp_path / "again")
    assert (path / "tests" / "test.sh").read_text() == check
    assert dg.run(load_environment(path), "yes").reward == 1.0


def test_rows_lead_back_to_environments(dg, tmp_path):
    import_file("mbpp", RECORDS / "mbpp.jsonl", tmp_path / "sets" / "m")
    import_file("apps", RECORDS / "apps.jsonl", tmp_path / "sets" / "a")
    for style in ("plain", "trl", "verl"):
        done = CliRunner().invoke(
            cli, ["export", "rows", "m", "./sets/a.envs.zip", "merge_intervals", "--for", style]
        )
        assert done.exit_code == 0, done.output
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(rows) == 4
        for row in rows:
            assert load_environment(reference_of(row)).task == prompt_of(row)
        assert "1.0" not in done.stdout.split("assert")[0]
    answer = "def add(a, b):\n    return a + b\n"
    assert dg.run(load_environment(reference_of(rows[0])), answer).reward == 1.0


def reference_of(row):
    return row["reward_model"]["ground_truth"] if "reward_model" in row else row["ground_truth"]


def prompt_of(row):
    return row["prompt"] if isinstance(row["prompt"], str) else row["prompt"][0]["content"]


def test_a_verl_row_has_the_fields_that_verl_reads(tmp_path):
    env = Environment(task="t", verifier_code="return 1", name="s/x", metadata={"dataset": "apps"})
    row = make_row("s/x", env, "verl", index=3)
    assert row["data_source"] == "apps"
    assert row["prompt"] == [{"role": "user", "content": "t"}]
    assert row["reward_model"] == {"style": "rule", "ground_truth": "s/x"}
    assert row["extra_info"]["index"] == 3
    with pytest.raises(UsageError, match="'plain', 'trl' or 'verl'"):
        make_row("s/x", env, "none")


def test_rows_as_parquet(tmp_path):
    import_file("mbpp", RECORDS / "mbpp.jsonl", tmp_path / "sets" / "m")
    args = ["export", "rows", "m", "--for", "verl", "--format", "parquet", "-o", "rows.parquet"]
    assert CliRunner().invoke(cli, args).exit_code == 0
    (row,) = parquet.read_table("rows.parquet").to_pylist()
    assert row["reward_model"]["ground_truth"] == "m/901"


def test_records_in_parquet_are_read(tmp_path):
    rows = [json.loads(line) for line in (RECORDS / "mbpp.jsonl").read_text().splitlines()]
    parquet.write_table(pa.Table.from_pylist(rows), "m.parquet")
    assert import_file("mbpp", "m.parquet", tmp_path / "sets" / "m").carried == ("901",)


@pytest.mark.parametrize(
    "args",
    [
        ["harbor", "merge_intervals", "."],
        ["harbor", "no_such", "x"],
        ["rows", "no_such"],
        ["rows", "merge_intervals", "--format", "parquet"],
        ["rows", "merge_intervals", "-o", "none/x.jsonl"],
        ["nonsense"],
    ],
)
def test_what_cannot_be_exported_is_exit_code_2(args):
    done = CliRunner().invoke(cli, ["export", *args])
    assert done.exit_code == 2, done.output


def test_every_shipped_environment_can_be_exported(tmp_path):
    environments = [env for env in list_environments() if "/" not in env.name]
    assert environments
    for env in environments:
        folder = load_folder(env.name)
        again = load_folder(export_harbor(folder, tmp_path / "all" / env.name))
        assert again.environment.task.startswith(env.task.rstrip())
        assert again.reference_solution.read_bytes() == folder.reference_solution.read_bytes()
