import ast
import io
import subprocess
import sys
import zipfile

from deepgym.backends import _runner
from deepgym.backends._bundle import runner_bundle, travelling_modules

OURS = {"deepgym", "deepgym_solution", "verifyit", "__future__"}


def test_what_travels_imports_the_standard_library_and_itself_only():
    for path in travelling_modules():
        for node in ast.parse(path.read_text()).body:
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                assert name.split(".")[0] in OURS | sys.stdlib_module_names, f"{path} imports {name}"


def test_the_bundle_is_small_and_the_same_each_time():
    data = runner_bundle()
    assert len(data) < 1_000_000
    assert runner_bundle.__wrapped__() == data


def test_the_bundle_holds_every_module_that_its_parts_import(tmp_path):
    path = tmp_path / "runner.pyz"
    path.write_bytes(runner_bundle())
    with zipfile.ZipFile(io.BytesIO(runner_bundle())) as archive:
        modules = [
            name[:-3].replace("/", ".").removesuffix(".__init__")
            for name in archive.namelist()
            if name.startswith("deepgym/")
        ]
    source = f"import sys; sys.path.insert(0, {str(path)!r})\nfor name in {modules!r}: __import__(name)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", source], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_an_envelope_comes_back_as_it_was_and_a_cut_one_is_refused():
    envelope = _runner.Envelope(b"n" * 32, b"i" * 16, 7, b"job", (("::1", 5), ("1.2.3.4", 80)))
    data = _runner.encode_envelope(envelope)
    assert _runner.read_envelope(io.BytesIO(data + b"more")) == envelope
    for cut in (0, 10, len(data) - 1):
        try:
            _runner.read_envelope(io.BytesIO(data[:cut]))
        except (EOFError, ValueError):
            continue
        raise AssertionError("a cut envelope was read")


def test_only_a_frame_with_the_nonce_is_an_outcome():
    nonce = b"n" * 32
    frame = _runner.encode_frame(nonce, b"payload")
    assert _runner.find_frame(nonce, b"deepgym-ready\nnoise\n" + frame) == b"payload"
    assert _runner.find_frame(b"x" * 32, frame) is None
    assert _runner.find_frame(nonce, frame[:-5]) is None
    assert _runner.find_frame(nonce, frame.replace(b"cGF5", b"cGF6")) is None
    assert _runner.find_frame(nonce, b"deepgym-frame 00 !!\n" + frame) == b"payload"
    assert _runner.find_frame(nonce, b"") is None
