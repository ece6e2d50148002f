"""The limits of an environment bind what a solution can use, and blame for meeting one is the solution's."""

import pytest

from tests.integration.judging import check, run

UNTIL_REFUSED = """
import os, time

def processes():
    count = 0
    try:
        while count < 400:
            if os.fork() == 0:
                time.sleep(10)
                os._exit(0)
            count += 1
    except OSError:
        return count
    return count

def threads():
    import threading
    started = 0
    try:
        while started < 400:
            threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
            started += 1
    except RuntimeError:
        return started
    return started

def descriptors():
    kept = []
    try:
        while len(kept) < 5000:
            kept.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        return len(kept)
    return len(kept)

def one_file(path="/tmp/one"):
    written = 0
    try:
        with open(path, "wb", buffering=0) as file:
            while written < 64_000_000:
                written += file.write(b"x" * 65536)
    except OSError:
        return written
    return written

def many_files(folder="/tmp"):
    written = 0
    try:
        for number in range(64):
            with open(f"{folder}/{number}", "wb", buffering=0) as file:
                written += file.write(b"x" * 1_000_000)
    except OSError:
        return written
    return written

def inodes():
    count = 0
    try:
        while count < 200_000:
            open(f"/tmp/{count}", "w").close()
            count += 1
    except OSError:
        return count
    return count

def memory():
    kept = []
    try:
        while len(kept) < 100:
            kept.append(bytearray(b"x" * 10_000_000))
    except MemoryError:
        return len(kept) * 10
    return len(kept) * 10

def spread_memory():
    for _ in range(8):
        if os.fork() == 0:
            block = bytearray(b"x" * 60_000_000)
            time.sleep(10)
            os._exit(0)
    time.sleep(5)

def burn(seconds=20):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def spread_burn():
    for _ in range(4):
        if os.fork() == 0:
            burn()
            os._exit(0)
    time.sleep(15)

def flood(megabytes):
    for _ in range(megabytes):
        os.write(1, b"x" * 1_000_000)
    return megabytes
"""


@pytest.mark.parametrize(
    ("name", "limit", "least", "most"),
    [
        ("processes", {"processes": 20}, 10, 20),
        ("threads", {"processes": 20}, 10, 20),
        ("descriptors", {"open_files": 64}, 32, 64),
        ("one_file", {"file_size_mb": 2}, 1_900_000, 2 * 1024 * 1024),
        ("one_file", {"tmp_mb": 4}, 3_000_000, 4 * 1024 * 1024),
        ("many_files", {"tmp_mb": 8}, 6_000_000, 8 * 1024 * 1024),
        ("memory", {"memory_mb": 200}, 30, 200),
    ],
    ids=lambda value: str(value) if isinstance(value, (str, dict)) else "",
)
def test_a_solution_gets_no_more_than(each_dg, name, limit, least, most):
    result = run(
        each_dg,
        UNTIL_REFUSED,
        f"return {{'score': 1.0, 'metrics': {{'got': load_solution(solution_path).{name}()}}}}",
        **limit,
    )
    assert result.score == 1.0, result.details
    assert least <= result.metrics["got"] <= most


def test_dev_shm_counts_as_tmp(each_dg):
    check(
        each_dg,
        UNTIL_REFUSED,
        """
        sol = load_solution(solution_path)
        assert sol.many_files("/dev/shm") + sol.many_files("/tmp") <= 8 * 1024 * 1024
        """,
        tmp_mb=8,
    )


def test_empty_files_are_counted_too(each_dg):
    result = run(each_dg, UNTIL_REFUSED, "assert load_solution(solution_path).inodes() < 50_000", timeout=30)
    assert result.has_verdict
    assert result.score == 1.0 or "made more files" in result.details, result.details


def test_memory_is_added_up_over_all_processes(each_dg):
    result = run(each_dg, UNTIL_REFUSED, "load_solution(solution_path).spread_memory()", memory_mb=200)
    assert (result.error_type, result.has_verdict) == ("solution_error", True)
    assert "memory" in result.details


@pytest.mark.parametrize("name", ["burn", "spread_burn"])
def test_processor_time_is_added_up_over_all_processes(dg, name):
    result = run(
        dg, UNTIL_REFUSED, f"load_solution(solution_path).{name}()", cpu_time_s=1, case_timeout=15, timeout=30
    )
    assert result.error_type == "solution_error", result.details
    assert "processor time" in result.details


def test_a_loaded_solution_may_print_up_to_its_limit(dg):
    lines = "assert load_solution(solution_path).flood({}) == {}"
    check(dg, UNTIL_REFUSED, lines.format(4, 4), output_mb=5)
    over = run(dg, UNTIL_REFUSED, lines.format(7, 7), output_mb=5)
    assert over.error_type == "solution_error"
    assert "printed more" in over.details
    assert "cut" in over.stderr
    assert len(over.stderr) < 100_000


def test_printing_and_writing_have_limits_of_their_own(dg):
    check(
        dg,
        UNTIL_REFUSED,
        """
        sol = load_solution(solution_path)
        assert sol.flood(4) == 4
        assert sol.one_file() <= 1024 * 1024
        """,
        output_mb=5,
        file_size_mb=1,
    )
    over = run(
        dg,
        UNTIL_REFUSED,
        """
        sol = load_solution(solution_path)
        for _ in range(50):
            sol.flood(1)
            time.sleep(0.02)
        """,
        output_mb=5,
        file_size_mb=1,
    )
    assert "printed more" in over.details


def test_the_limits_hold_for_programs_too(each_dg):
    program = UNTIL_REFUSED + "\nimport sys\nprint(globals()[sys.argv[1]]())\n"
    check(
        each_dg,
        program,
        """
        def got(name):
            return int(run_solution(solution_path, [name]).stdout)
        assert 10 <= got("processes") <= 20
        assert got("descriptors") <= 64
        assert got("one_file") <= 2 * 1024 * 1024
        assert got("many_files") <= 8 * 1024 * 1024
        assert got("memory") <= 200
        """,
        processes=20,
        open_files=64,
        file_size_mb=2,
        tmp_mb=8,
        memory_mb=200,
    )


def test_no_core_is_dumped_and_no_priority_is_gained(dg):
    check(
        dg,
        """
        import os, resource
        def core(): return resource.getrlimit(resource.RLIMIT_CORE)
        def nice():
            try: os.nice(-5)
            except PermissionError: return True
        def raised():
            for name in ("RLIMIT_AS", "RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CPU"):
                number = getattr(resource, name)
                soft, hard = resource.getrlimit(number)
                try: resource.setrlimit(number, (hard + 1, hard + 1))
                except (ValueError, PermissionError): continue
                return name
        """,
        """
        sol = load_solution(solution_path)
        assert sol.core() == (0, 0) and sol.nice() is True and sol.raised() is None
        """,
    )


def test_large_limits_reach_through_the_judge(dg):
    check(
        dg,
        "with open('big', 'wb') as file:\n    for _ in range(300): file.write(b'x' * 1_000_000)",
        """
        import tempfile
        with tempfile.TemporaryDirectory() as cwd:
            assert run_solution(solution_path, cwd=cwd).returncode == 0
            assert os.path.getsize(cwd + "/big") == 300_000_000
        """,
        file_size_mb=400,
        tmp_mb=600,
        timeout=40,
    )
