"""Every backend keeps the contract of `Backend` and `Box`: the providers' own clients, real sockets, real processes."""

import asyncio
import time

import pytest

from deepgym.backends.base import LABEL_NAME, LABEL_OWNER, BoxSpec, Deadline, File, SandboxInfraError
from tests.loopback.places import left_boxes

LIMIT = 1_000_000


def after(seconds=30):
    return Deadline.after(seconds)


def in_box(here, use, **spec):
    """Run an async test body with one box, and see that nothing is left of it."""

    async def main():
        box = await here.backend.create(BoxSpec(owner="test", **spec), after())
        try:
            return await use(box)
        finally:
            await box.destroy(after())
            await here.backend.close()

    result = asyncio.run(main())
    assert left_boxes(here) == []
    return result


async def python(box, source, *arguments, seconds=30):
    return await box.exec(["python3", "-c", source, *arguments], after(seconds), output_limit_bytes=LIMIT)


def test_files_arrive_with_their_bytes_and_modes_and_come_back(here):
    big = bytes(range(256)) * 4096 * 3
    files = [
        File("/deepgym/plain", b"text\n"),
        File("/deepgym/with space 'and\" quotes $HOME", b"\0\xff\r\n"),
        File("/deepgym/sub/größe", big, 0o640),
        File("/deepgym/empty", b""),
    ]

    async def use(box):
        await box.put(files, after())
        for file in files:
            assert await box.get(file.path, after(), limit_bytes=len(big)) == file.content
        listing = (
            "import os, sys\n"
            "for p in sys.argv[1:]:\n"
            "    s = os.stat(p); print(oct(s.st_mode & 0o7777), s.st_uid)"
        )
        result = await python(box, listing, *[file.path for file in files], "/deepgym", "/deepgym/sub")
        seen = result.stdout.decode().splitlines()
        assert seen == ["0o600 0", "0o600 0", "0o640 0", "0o600 0", "0o700 0", "0o700 0"]

    in_box(here, use)


def test_arguments_arrive_as_they_are(here):
    arguments = ["a b", "'", '"', "$HOME", "`id`", "\\", "new\nline", "*", "", "-x", "grüße", ";exit 9"]

    async def use(box):
        result = await python(box, "import sys; print(ascii(sys.argv[1:]))", *arguments)
        assert result.stdout.decode().strip() == ascii(arguments)
        assert result.exit_code == 0

    in_box(here, use)


def test_a_program_runs_as_root_without_input_and_its_exit_code_comes_back(here):
    async def use(box):
        result = await python(box, "import os, sys; print(os.getuid(), len(sys.stdin.read())); sys.exit(3)")
        assert (result.exit_code, result.stdout.strip()) == (3, b"0 0")
        assert result.truncated is False

    in_box(here, use)


def test_a_program_that_a_signal_ended_has_no_good_exit_code(here):
    async def use(box):
        result = await python(box, "import os; print('hi', flush=True); os.kill(os.getpid(), 9)")
        assert result.exit_code in {None, 137}
        assert result.stdout.strip() == b"hi"

    in_box(here, use)


def test_a_flood_of_output_is_cut_and_said_to_be(here):
    async def use(box):
        source = "import sys; sys.stdout.write('x' * 5_000_000)"
        result = await box.exec(["python3", "-c", source], after(), output_limit_bytes=1000)
        assert result.stdout == b"x" * 1000
        assert result.truncated is True

    in_box(here, use)


def test_a_missing_file_and_a_file_that_is_too_large_are_told_apart(here):
    async def use(box):
        with pytest.raises(FileNotFoundError):
            await box.get("/deepgym/nothing", after(), limit_bytes=10)
        await box.put([File("/deepgym/large", b"x" * 11)], after())
        assert len(await box.get("/deepgym/large", after(), limit_bytes=11)) == 11
        with pytest.raises(SandboxInfraError, match="more than 10 bytes"):
            await box.get("/deepgym/large", after(), limit_bytes=10)

    in_box(here, use)


def test_a_deadline_holds(here):
    async def use(box):
        started = time.monotonic()
        with pytest.raises(SandboxInfraError) as caught:
            await python(box, "import time; time.sleep(60)", seconds=1)
        assert caught.value.kind == "timeout"
        assert time.monotonic() - started < 5

    in_box(here, use)


def test_a_box_has_no_network(here):
    source = "print([line.split(':')[0].strip() for line in open('/proc/net/dev')][2:])"

    async def use(box):
        assert (await python(box, source)).stdout.strip() == b"['lo']"

    in_box(here, use)


def test_a_box_is_alive_until_it_is_destroyed_and_may_be_destroyed_twice(here):
    async def use(box):
        assert await box.alive(after()) is True
        await box.destroy(after())
        assert await box.alive(after(5)) is False
        await box.destroy(after())
        with pytest.raises(SandboxInfraError):
            await python(box, "print(1)", seconds=5)

    in_box(here, use)


def test_a_sweep_takes_what_its_labels_name_and_nothing_else(here):
    async def main():
        specs = [BoxSpec(owner="mine"), BoxSpec(owner="mine"), BoxSpec(owner="another's")]
        for spec in specs:
            await here.backend.create(spec, after())
        # Nobody's life is over, so a sweep without names takes nothing.
        assert await here.backend.sweep(after()) == 0
        assert await here.backend.sweep(after(), where={LABEL_NAME: specs[0].name}) == 1
        assert len(left_boxes(here)) == 2
        assert await here.backend.sweep(after(), where={LABEL_OWNER: "mine"}) == 1
        assert len(left_boxes(here)) == 1
        assert await here.backend.sweep(after(), where={LABEL_OWNER: "another's"}) == 1
        await here.backend.close()

    asyncio.run(main())
    assert left_boxes(here) == []


def test_a_sweep_takes_boxes_whose_life_is_long_over(here):
    async def main():
        await here.backend.create(BoxSpec(owner="crashed", created_at=time.time() - 9999), after())
        assert await here.backend.sweep(after()) == 1
        await here.backend.close()

    asyncio.run(main())
    assert left_boxes(here) == []


def test_many_boxes_at_once_on_several_event_loops(here):
    async def one(number):
        box = await here.backend.create(BoxSpec(owner="test"), after(60))
        result = await python(box, f"print({number})", seconds=60)
        await box.destroy(after())
        return int(result.stdout)

    async def main():
        numbers = await asyncio.gather(*[one(number) for number in range(8)])
        await here.backend.close()
        return numbers

    for _ in range(2):
        assert asyncio.run(main()) == list(range(8))
    assert left_boxes(here) == []


def test_a_waiting_program_gets_its_input_where_the_provider_can(here):
    async def use(box):
        argv = ["python3", "-c", "import sys; n = int(sys.stdin.readline()); print(len(sys.stdin.read(n)))"]
        program = await box.start(argv, after())
        if program is None:
            assert here.name != "docker"
            return
        data = b"2000000\n" + b"x" * 2_000_000
        result = await program.finish(data, after(), output_limit_bytes=LIMIT)
        assert (result.exit_code, result.stdout.strip()) == (0, b"2000000")

    in_box(here, use)


def test_an_image_without_python_is_an_error_that_says_so(here):
    async def main():
        with pytest.raises(SandboxInfraError) as caught:
            box = await here.backend.create(BoxSpec(owner="test", image=here.empty_image), after())
            result = await python(box, "print(1)", seconds=10)
            # Where files travel without Python, only a program of it can tell.
            assert result.exit_code in {126, 127}
            await box.destroy(after())
            raise SandboxInfraError("create_failed", "python3: not there", retryable=False)
        assert caught.value.kind == "create_failed"
        assert "python3" in caught.value.detail
        await here.backend.close()

    asyncio.run(main())
    assert left_boxes(here) == []


def test_an_unknown_image_is_an_error_that_is_not_tried_again(here):
    async def main():
        with pytest.raises(SandboxInfraError) as caught:
            await here.backend.create(BoxSpec(owner="test", image="no-such-image"), after())
        assert caught.value.kind == "create_failed"
        assert caught.value.retryable is False
        await here.backend.close()

    if here.name in {"modal", "daytona"}:
        pytest.skip("an image is built by the provider itself, which is not simulated")
    asyncio.run(main())


def test_check_says_what_was_reached(here):
    async def main():
        try:
            return await here.backend.check(after())
        finally:
            await here.backend.close()

    assert here.name in asyncio.run(main()).lower()
