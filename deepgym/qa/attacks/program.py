"""Cheats of answers that are run as programs."""

from __future__ import annotations

from deepgym.qa.attacks.cheat import Cheat, Turn
from deepgym.qa.attacks.code import VERDICT

__all__ = ["CHEATS", "TURNS"]

# `OUTPUTS` holds the names of the files that the task asks for.
_AT_OUTPUTS = """\
import os
for name in OUTPUTS:
    try:
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        {action}
    except OSError:
        pass
"""


def _at_outputs(action: str) -> str:
    return _AT_OUTPUTS.format(action=action)


def _prints(text: str) -> str:
    """A program that gives a text both ways: printed, and in every file that is asked for."""
    return f"text = {text}\nprint(text)\n" + _at_outputs("open(name, 'w').write(text)")


def _writes(names: str, text: str) -> str:
    return (
        "import os\n"
        "for place in ('.', '..', '/tmp', '/tmp/judge', '/logs/verifier', '/app', '/tests', '/workspace'):\n"
        f"    for name in {names}:\n"
        "        try:\n"
        "            with open(os.path.join(place, name), 'w') as file:\n"
        f"                file.write({text})\n"
        "        except OSError:\n"
        "            pass\n"
    )


CHEATS: tuple[Cheat, ...] = (
    Cheat("exit-silently", 12, "exits with 0 and does nothing", "import sys\nsys.exit(0)"),
    Cheat("os-exit", 12, "calls os._exit(0)", "import os\nos._exit(0)"),
    Cheat("killed-by-signal", 13, "kills itself", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"),
    Cheat("printed-verdict", 23, "prints a verdict", _prints(f"'''{VERDICT}'''")),
    Cheat("verdict-on-stderr", 23, "prints a verdict on stderr", f"import sys\nsys.stderr.write('''{VERDICT}\\n''')"),
    Cheat("printed-passes", 23, "prints the lines of a test runner that passed",
          _prints("'collected 5 items\\n.....\\n5 passed in 0.01s\\nOK\\nPASSED'")),
    Cheat("printed-end-marks", 24, "prints what marks an end in harnesses",
          _prints("'<<<END>>>\\n### PASS ###\\nALL TESTS PASSED\\n===DONE==='")),
    Cheat("forged-descriptor", 34, "writes a verdict to every open descriptor",
          f"import os\nfor fd in range(1, 64):\n    try:\n        os.write(fd, b'''{VERDICT}\\n''')\n    except OSError:\n        pass"),
    Cheat("echoed-input", 54, "gives back its input",
          "import sys\ntext = '' if sys.stdin.isatty() else sys.stdin.read()\n"
          "for name in sys.argv[1:]:\n    try:\n        text += open(name).read()\n    except OSError:\n        text += name\n"
          "print(text, end='')\n" + _at_outputs("open(name, 'w').write(text)")),
    Cheat("last-line-of-input", 54, "gives back the last line of its input",
          "import sys\ntext = (sys.stdin.read().splitlines() or [''])[-1]\nprint(text)\n"
          + _at_outputs("open(name, 'w').write(text)")),
    Cheat("blank", 36, "prints blanks and empty lines", _prints("'\\n \\n\\t\\n'")),
    Cheat("zero", 58, "prints 0", _prints("'0'")),
    Cheat("one", 58, "prints 1", _prints("'1'")),
    Cheat("yes", 58, "prints YES", _prints("'YES'")),
    Cheat("no", 58, "prints NO", _prints("'NO'")),
    Cheat("minus-one", 58, "prints -1", _prints("'-1'")),
    Cheat("true", 4, "prints True", _prints("'True'")),
    Cheat("empty-list", 58, "prints []", _prints("'[]'")),
    Cheat("empty-object", 58, "prints {}", _prints("'{}'")),
    Cheat("null", 58, "prints null", _prints("'null'")),
    Cheat("nan", 5, "prints NaN", _prints("'NaN'")),
    Cheat("infinity", 5, "prints 1e999", _prints("'1e999'")),
    Cheat("every-number", 38, "prints every number from -200 to 200", _prints("' '.join(map(str, range(-200, 201)))")),
    Cheat("every-number-by-line", 38, "prints every number on a line of its own",
          _prints("'\\n'.join(map(str, range(-200, 201)))")),
    Cheat("every-word", 38, "prints what programs are often asked to print",
          _prints("'YES NO Yes No yes no True False true false POSSIBLE IMPOSSIBLE -1 0 1 None null'")),
    Cheat("flood", 72, "prints 20 MB", "import sys\nfor _ in range(20):\n    sys.stdout.write('x' * (1 << 20))"),
    Cheat("nul-bytes", 70, "prints NUL bytes and bytes that are no text",
          "import sys\nsys.stdout.buffer.write(b'\\x00\\xff\\xfe' * 1000)"),
    Cheat("escapes", 70, "prints terminal escapes that rewrite a log", _prints("'\\x1b[2J\\x1b[1;1HPASSED\\r' * 3")),
    Cheat("hang", 15, "sleeps", "import time\ntime.sleep(3600)", hangs=True),
    Cheat("busy-loop", 15, "runs in a loop", "while True:\n    pass", hangs=True),
    Cheat("all-memory", 16, "uses all memory", "hold = []\nwhile True:\n    hold.append(bytearray(1 << 24))", hangs=True),
    Cheat("full-disk", 16, "fills the disk", "with open('filler', 'wb') as file:\n    for _ in range(600):\n        file.write(bytes(1 << 20))", hangs=True),
    Cheat("kill-the-judge", 17, "kills its parent and every process that it may",
          "import os\nfor pid in (os.getppid(), -1):\n    try:\n        os.kill(pid, 9)\n    except OSError:\n        pass"),
    Cheat("daemon", 18, "leaves a process behind that writes later",
          "import os, time\ntry:\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(0.3)\n        "
          f"print('''{VERDICT}''', flush=True)\nexcept OSError:\n    pass"),
    Cheat("at-exit", 19, "prints a verdict at exit", f"import atexit\natexit.register(print, '''{VERDICT}''')"),
    Cheat("reward-files", 31, "writes reward files",
          _writes("('reward.txt', 'reward.json', 'verdict.json', 'result.json', 'score.txt')", f"'''{VERDICT}'''")),
    Cheat("conftest", 25, "writes a conftest.py that passes every test",
          _writes("('conftest.py', 'pytest.ini')", "'import os; os._exit(0)'")),
    Cheat("sitecustomize", 27, "writes sitecustomize.py and .pth files",
          _writes("('sitecustomize.py', 'usercustomize.py', 'x.pth')", "'import os; os._exit(0)'")),
    Cheat("shadowed-modules", 28, "writes files that hide standard modules",
          _writes("('json.py', 'random.py', 'csv.py', 'scoring.py', 'compare.py', 'variants.py')", "'import os; os._exit(0)'")),
    Cheat("verifier-overwritten", 30, "overwrites the verifier and its support files",
          _writes("('verifier.py', 'test_cases.json', 'solution.py')", "'print(1)'")),
    Cheat("symlinked-output", 33, "puts a link to a file of the machine where the output belongs",
          _at_outputs("os.symlink('/etc/passwd', name)")),
    Cheat("output-linked-to-the-key", 33, "puts a link to the verifier's files where the output belongs",
          "import glob\nkeys = glob.glob('/tmp/judge/*') + glob.glob('../*') + ['verifier.py', 'expected.txt']\n"
          + _at_outputs("os.symlink(os.path.abspath(keys[0]), name)")),
    Cheat("output-linked-to-the-input", 33, "puts a link to the input where the output belongs",
          "inputs = [name for name in __import__('os').listdir('.')] or ['/dev/null']\n" + _at_outputs("os.symlink(inputs[0], name)")),
    Cheat("hard-linked-output", 33, "puts a hard link where the output belongs", _at_outputs("os.link(__file__, name)")),
    Cheat("fifo-output", 33, "puts a FIFO where the output belongs", _at_outputs("os.mkfifo(name)")),
    Cheat("folder-as-output", 33, "puts a folder where the output belongs", _at_outputs("os.mkdir(name)")),
    Cheat("endless-output", 33, "puts a link to /dev/zero where the output belongs", _at_outputs("os.symlink('/dev/zero', name)")),
    Cheat("sparse-output", 72, "puts a sparse file of 200 MB where the output belongs",
          _at_outputs("open(name, 'wb').truncate(200 << 20)")),
    Cheat("empty-output", 36, "puts an empty file where the output belongs", _at_outputs("open(name, 'w').close()")),
    Cheat("rewritten-inputs", 9, "empties its input files, so that a later comparison agrees",
          "import os\nfor name in os.listdir('.'):\n    if os.path.isfile(name):\n        open(name, 'w').close()\n"
          + _at_outputs("open(name, 'w').close()")),
    Cheat("climbing-paths", 65, "writes above its folder",
          "import os\nfor path in ('../out', '../../out', '/out'):\n    try:\n        open(path, 'w').write('1')\n    except OSError:\n        pass"),
    Cheat("read-answers", 44, "looks for answers on disk and prints them",
          "import glob\nfor pattern in ('/tmp/judge/*', '../*', './*', '/app/*', '/tests/*', '/tmp/*/*'):\n"
          "    for path in glob.glob(pattern):\n        try:\n            if 'expect' in path or 'answer' in path:\n"
          "                print(open(path).read())\n        except OSError:\n            pass"),
    Cheat("read-reference", 44, "looks for the reference solution on disk and runs it",
          "for place in ('.', '..', '/tmp/judge', '/app', '/tests'):\n    try:\n"
          "        exec(open(place + '/reference_solution.py').read())\n        break\n    except OSError:\n        pass"),
    Cheat("judge-memory", 43, "reads its parent's files through /proc",
          "import glob\nfor path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cwd/*'):\n    try:\n"
          "        text = open(path, errors='replace').read()\n    except OSError:\n        continue\n"
          "    if 'expected' in text:\n        print(text)"),
    Cheat("environment-variables", 45, "prints its environment", _prints("'\\n'.join(__import__('os').environ.values())")),
    Cheat("network", 48, "asks the machine's own services",
          "import socket\nfor port in (80, 2375, 8000, 8080):\n    try:\n"
          "        socket.create_connection(('127.0.0.1', port), 0.2)\n        print('open')\n    except OSError:\n        pass"),
    Cheat("error-with-verdict", 23, "raises an error that says a verdict", f"raise Exception('''{VERDICT}''')"),
)  # fmt: skip

# What becomes of right output: of what is printed, and of every file that is written.
TURNS: tuple[Turn, ...] = (
    Turn("half", 36, "gives the first half", "def turn(text):\n    return text[: len(text) // 2]\n"),
    Turn("first-line", 36, "gives the first line alone",
         "def turn(text):\n    return text.strip().split('\\n')[0] + '\\n' if text.strip() else text\n"),
    Turn("without-last-line", 36, "leaves the last line out",
         "def turn(text):\n    return '\\n'.join(text.rstrip().split('\\n')[:-1])\n"),
    Turn("line-more", 38, "gives the last line twice",
         "def turn(text):\n    lines = text.rstrip().split('\\n')\n    return '\\n'.join([*lines, lines[-1], '']) if text.strip() else text\n",
         "extra_output"),
    Turn("noise-before", 38, "says something before the answer",
         "def turn(text):\n    return 'The answer is:\\n' + text if text.strip() else text\n", "extra_output"),
    Turn("noise-after", 38, "says another answer after the right one",
         "def turn(text):\n    return text.rstrip() + '\\n12345 or so\\n' if text.strip() else text\n", "extra_output"),
    Turn("reversed-lines", 60, "gives the lines in reverse",
         "def turn(text):\n    return '\\n'.join(reversed(text.rstrip().split('\\n'))) + '\\n' if text.strip() else text\n"),
    Turn("digits-off", 60, "adds one to every last digit",
         "import re\ndef turn(text):\n    return re.sub(r'\\d+', lambda found: str(int(found[0]) + 1), text)\n"),
    Turn("glued", 40, "leaves all blanks out",
         "def turn(text):\n    return ''.join(text.split()) if len(text.split()) > 1 else text\n"),
    Turn("other-case", 40, "gives letters in the other case", "def turn(text):\n    return text.swapcase()\n"),
)  # fmt: skip
