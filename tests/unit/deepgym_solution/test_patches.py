"""Patches apply where they say or where only they can, and hostile ones are refused in bounded time."""

import contextlib
import difflib
import subprocess
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deepgym_solution import _patch_hunks, _patches
from deepgym_solution._patches import apply_patch
from deepgym_solution.errors import PatchError, ProtectedPathError, SolutionError

FILE = "".join(f"line {number}\n" for number in range(1, 21))
CHANGE = """\
--- a/x.py
+++ b/x.py
@@ -9,4 +9,4 @@
 line 9
-line 10
+line ten
 line 11
 line 12
"""
CHANGED = FILE.replace("line 10\n", "line ten\n")


def refused(diff, files=None, **options):
    with pytest.raises(PatchError) as caught:
        apply_patch(diff, {"x.py": FILE} if files is None else files, **options)
    return caught.value


# --- What honest patches look like ------------------------------------------------------------------------


def test_a_plain_unified_diff_applies():
    assert apply_patch(CHANGE, {"x.py": FILE, "y": "z"}) == {"x.py": CHANGED, "y": "z"}


def test_the_files_given_are_left_alone():
    files = {"x.py": FILE}
    apply_patch(CHANGE, files)
    assert files == {"x.py": FILE}


@pytest.mark.parametrize(
    "wrapped",
    [
        f"Here is the fix:\n\n```diff\n{CHANGE}```\nIt renames *one* line.\n- first\n- second\n",
        f"{CHANGE}\nThat is all.\n",
        f"{CHANGE}- This renames one line.\n",
        f"{CHANGE}-- \n2.39.0\n",
        f"diff --git a/x.py b/x.py\nindex 123..456 100644\n{CHANGE}",
        f"From 123 Mon Sep 17\nSubject: [PATCH] fix\n\n---\n x.py | 2 +-\n\n{CHANGE}",
        f"Index: x.py\n=====\n{CHANGE}",
        CHANGE.replace("a/x.py", "x.py").replace("b/x.py", "x.py"),
        CHANGE.replace("a/x.py", "./x.py").replace("b/x.py", "./x.py"),
        CHANGE.replace("a/x.py", "i/x.py").replace("b/x.py", "w/x.py"),
        CHANGE.replace("a/x.py", "x.py.orig").replace("b/x.py", "x.py"),
        CHANGE.replace("a/x.py", "a/x.py\t2024-01-01 10:00:00").replace("b/x.py", "b/x.py\t2024-01-01"),
        CHANGE.replace("@@\n", "@@ def f():\n"),
        CHANGE.rstrip("\n"),
        "diff --git a/x.py b/x.py\nold mode 100644\nnew mode 100755\n" + CHANGE,
    ],
)
def test_a_diff_is_found_however_it_is_wrapped(wrapped):
    assert apply_patch(wrapped, {"x.py": FILE}) == {"x.py": CHANGED}


def test_several_files_in_several_fences_apply():
    text = f"First:\n```diff\n{CHANGE}```\nthen\n```diff\n{CHANGE.replace('x.py', 'y.py')}```\n"
    assert apply_patch(text, {"x.py": FILE, "y.py": FILE}) == {"x.py": CHANGED, "y.py": CHANGED}


def test_blank_context_lines_may_have_lost_their_blank():
    before = "a\n\nb\n\nc\n"
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1,5 +1,5 @@\n a\n\n-b\n+B\n\n c\n"
    assert apply_patch(diff, {"x.py": before}) == {"x.py": "a\n\nB\n\nc\n"}


def test_blank_context_lines_at_the_end_may_be_lost_with_the_answers_last_blanks():
    before = "a\nb\n\n\nc\n"
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1,4 +1,4 @@\n-a\n+A\n b\n"
    assert apply_patch(diff, {"x.py": before}) == {"x.py": "A\nb\n\n\nc\n"}
    assert "not in the file" in str(refused(diff, {"x.py": "a\nb\nc\nd\n"}))


NO_NEWLINE = "\\ No newline at end of file\n"


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        ("a\nb", f"@@ -1,2 +1,2 @@\n a\n-b\n{NO_NEWLINE}+c\n{NO_NEWLINE}", "a\nc"),
        ("a\nb", f"@@ -1,2 +1,2 @@\n a\n-b\n{NO_NEWLINE}+c\n", "a\nc\n"),
        ("a\nb\n", f"@@ -1,2 +1,2 @@\n a\n-b\n+c\n{NO_NEWLINE}", "a\nc"),
        ("a\nb", f"@@ -1,2 +1,2 @@\n-a\n+A\n b\n{NO_NEWLINE}", "A\nb"),
        ("a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", "A\nb"),  # the marker was forgotten
        ("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\nb\nc\n"),
        ("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nc\n"),
        ("", f"@@ -0,0 +1 @@\n+a\n{NO_NEWLINE}", "a"),
    ],
)
def test_files_without_a_newline_at_the_end(before, hunk, after):
    assert apply_patch(f"--- a/x.py\n+++ b/x.py\n{hunk}", {"x.py": before}) == {"x.py": after}


def crlf(text):
    return text.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("before", "diff", "after"),
    [
        (crlf(FILE), CHANGE, crlf(CHANGED)),
        (FILE, crlf(CHANGE), CHANGED),
        (crlf(FILE), crlf(CHANGE), crlf(CHANGED)),
        (FILE, CHANGE.replace("+line ten", "+line ten\r"), CHANGED.replace("ten\n", "ten\r\n")),
        (crlf(FILE), CHANGE.replace("line 1", "line 1\r\0").replace("\0", "").replace("\r0", "0"), None),
    ],
)
def test_a_file_keeps_its_own_line_ends_unless_the_patch_changes_them(before, diff, after):
    if after is None:
        refused(diff, {"x.py": before})
    else:
        assert apply_patch(diff, {"x.py": before}) == {"x.py": after}


def test_a_patch_that_changes_line_ends_changes_them():
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n"
    assert apply_patch(diff, {"x.py": "a\r\nb\r\n"}) == {"x.py": "a\nb\r\n"}


def test_files_are_created_deleted_renamed_and_copied():
    diff = """\
diff --git a/new.py b/new.py
new file mode 100644
index 000..123
--- /dev/null
+++ b/new.py
@@ -0,0 +1,2 @@
+one
+two
diff --git a/empty.py b/empty.py
new file mode 100644
index 000..e69
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old name.py b/new name.py
similarity index 90%
rename from old name.py
rename to new name.py
--- a/old name.py
+++ b/new name.py
@@ -1 +1 @@
-a
+b
diff --git a/moved.py b/lib/moved.py
similarity index 100%
rename from moved.py
rename to lib/moved.py
diff --git a/source.py b/copy.py
copy from source.py
copy to copy.py
diff --git a/mode.sh b/mode.sh
old mode 100644
new mode 100755
"""
    files = {"gone.py": "bye\n", "old name.py": "a\n", "moved.py": "m", "source.py": "s", "mode.sh": "x"}
    assert apply_patch(diff, files) == {
        "new.py": "one\ntwo\n",
        "empty.py": "",
        "new name.py": "b\n",
        "lib/moved.py": "m",
        "source.py": "s",
        "copy.py": "s",
        "mode.sh": "x",
    }


@pytest.mark.parametrize(
    "diff",
    [
        "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+a\n",
        "--- /dev/null\n+++ n.py\n@@ -1,0 +1 @@\n+a\n",
        "--- a/n.py\n+++ b/n.py\n@@ -0,0 +1 @@\n+a\n",
        "diff --git /dev/null b/n.py\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+a\n",
        "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,7 @@\n+a\n```\n--- /dev/null\n",
    ],
)
def test_the_ways_to_write_a_new_file(diff):
    if "+1,7" in diff:
        refused(diff, {})  # cut off: six lines are missing
    else:
        assert apply_patch(diff, {}) == {"n.py": "a\n"}


def test_a_deletion_without_lines_deletes():
    diff = "diff --git a/x.py b/x.py\ndeleted file mode 100644\n"
    assert apply_patch(diff, {"x.py": FILE}) == {}
    assert apply_patch("--- x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", {"x.py": "a\n"}) == {}


def test_two_files_can_swap_their_names():
    diff = (
        "diff --git a/a.py b/b.py\nrename from a.py\nrename to b.py\n"
        "diff --git a/b.py b/a.py\nrename from b.py\nrename to a.py\n"
    )
    assert apply_patch(diff, {"a.py": "A", "b.py": "B"}) == {"a.py": "B", "b.py": "A"}


def test_a_file_may_be_patched_created_and_moved_on_in_steps():
    twice = CHANGE + CHANGE.replace("line 10", "line ten").replace("+line ten", "+line X")
    assert apply_patch(twice, {"x.py": FILE}) == {"x.py": FILE.replace("line 10\n", "line X\n")}
    created_then_changed = (
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n"
        "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\n+b\n"
        "diff --git a/n b/m\ncopy from n\ncopy to m\n"
    )
    assert apply_patch(created_then_changed, {}) == {"n": "b\n", "m": "b\n"}


def test_quoted_names_are_read():
    diff = 'diff --git "a/na\\303\\257ve \\"x\\".py" "b/na\\303\\257ve \\"x\\".py"\nold mode 100644\nnew mode 100755\n'
    assert apply_patch(diff, {'naïve "x".py': "1"}) == {'naïve "x".py': "1"}
    assert "unknown escape" in str(refused('--- "a/\\q"\n+++ "b/\\q"\n@@ -1 +1 @@\n-a\n+b\n'))
    assert "unknown escape" in str(refused('--- "a/\\777"\n+++ "b/\\777"\n@@ -1 +1 @@\n-a\n+b\n'))


def test_a_folder_that_is_named_like_gits_prefix_is_found():
    diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n"
    assert "does not exist" in str(refused(diff, {"other": ""}))
    same = "--- a/f\n+++ a/f\n@@ -1 +1 @@\n-x\n+y\n"
    assert apply_patch(same, {"a/f": "x\n"}) == {"a/f": "y\n"}
    gone = "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert apply_patch(gone, {"a/f": "x\n"}) == {}


def test_bytes_stay_bytes_and_come_back_as_they_are():
    diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+é\n \udcff\n"
    assert apply_patch(diff, {"x": b"a\n\xff\n"}) == {"x": "é\n".encode() + b"\xff\n"}
    created = "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n"
    assert apply_patch(created, {"x": b""})["n"] == b"a\n"
    assert apply_patch(created, {"x": b"", "y": ""})["n"] == "a\n"
    error = refused("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\ud800\n", {"x": b"a\n"})
    assert "not UTF-8" in str(error)


# --- Shifted hunks and wrong counts -----------------------------------------------------------------------


def test_a_shifted_hunk_is_found_where_alone_it_fits():
    for start in (1, 2, 15, 20, 500, 0):
        assert apply_patch(CHANGE.replace("-9,4", f"-{start},4"), {"x.py": FILE}) == {"x.py": CHANGED}


TWICE = "def f():\n    return 1\n\ndef f():\n    return 1\n"


def test_there_is_no_guess_between_two_places():
    hunk = "@@ -{},2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n"
    diff = "--- a/x.py\n+++ b/x.py\n" + hunk
    error = refused(diff.format(2), {"x.py": TWICE})
    assert "hunk 1 of x.py fits in more than one place" in str(error)
    assert (error.file, error.hunk) == ("x.py", 1)
    second = TWICE[:-2] + "2\n"
    assert apply_patch(diff.format(4), {"x.py": TWICE}) == {"x.py": second}


def test_the_next_hunk_that_is_in_its_place_can_settle_which_one_is_meant():
    diff = (
        "--- a/x.py\n+++ b/x.py\n@@ -2,2 +2,2 @@\n def f():\n-    return 1\n+    return 2\n"
        "@@ -3,2 +3,2 @@\n-\n+# second\n def f():\n"
    )
    assert apply_patch(diff, {"x.py": TWICE}) == {
        "x.py": TWICE.replace("1", "2", 1).replace("\n\n", "\n# second\n")
    }


def test_hunks_keep_their_order_and_do_not_overlap():
    hunk = "@@ -2,1 +2,1 @@\n-line 2\n+line two\n"
    error = refused("--- a/x.py\n+++ b/x.py\n" + hunk + hunk)
    assert (error.file, error.hunk) == ("x.py", 2)


def test_an_insertion_without_context_goes_only_where_it_says():
    diff = "--- a/x.py\n+++ b/x.py\n@@ -{},0 +4 @@\n+new\n"
    assert apply_patch(diff.format(1), {"x.py": "a\nb\n"}) == {"x.py": "a\nnew\nb\n"}
    assert apply_patch(diff.format(2), {"x.py": "a\nb\n"}) == {"x.py": "a\nb\nnew\n"}
    assert apply_patch(diff.format(0), {"x.py": "a\nb\n"}) == {"x.py": "new\na\nb\n"}
    assert refused(diff.format(3), {"x.py": "a\nb\n"}).hunk == 1


@pytest.mark.parametrize("counts", ["-9,3 +9,3", "-9,2 +9,9", "-9 +9", "-9,0 +9,0", "-9,4 +9,3"])
def test_wrong_counts_are_forgiven_where_the_end_of_the_hunk_is_clear(counts):
    wrong = CHANGE.replace("-9,4 +9,4", counts)
    later = "\n@@ -19,2 +19,2 @@\n line 19\n-line 20\n+line twenty\n"
    expected = CHANGED.replace("line 20", "line twenty")
    assert apply_patch(wrong + later, {"x.py": FILE}) == {"x.py": expected}
    other = CHANGE.replace("x.py", "y.py")
    assert apply_patch(wrong + other, {"x.py": FILE, "y.py": FILE}) == {"x.py": CHANGED, "y.py": CHANGED}


def test_a_new_file_with_more_lines_than_its_header_says_is_whole():
    diff = "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n+c\n```\n"
    assert apply_patch(diff, {}) == {"n": "a\nb\nc\n"}


def test_lines_after_a_whole_hunk_and_a_blank_line_are_no_reason_to_guess():
    assert "with and without them" in str(
        refused(CHANGE + "\n+ added remark\n", {"x.py": FILE.replace("line 13\n", "\n")})
    )
    # A list in the prose fits nowhere, and lines of context change nothing.
    assert apply_patch(CHANGE + "\n- a remark\n", {"x.py": FILE}) == {"x.py": CHANGED}
    blank = FILE.replace("line 13\n", "\n")
    assert apply_patch(CHANGE + "\n line 14\n", {"x.py": blank}) == {
        "x.py": blank.replace("line 10\n", "line ten\n")
    }


# --- Malformed --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("diff", "message", "hunk"),
    [
        ("", "holds no unified diff", None),
        ("I cannot do that.", "holds no unified diff", None),
        ("*** Begin Patch\n*** End Patch\n@@ prose", "holds no unified diff", None),
        ("@@ -1 +1 @@\n-a\n+b\n", "before any header", 1),
        ("--- a/x.py\n+++ b/x.py\n", "no hunks", None),
        ("--- a/x.py\n+++ b/x.py\n@@ nonsense @@\n", "hunk 1 of x.py has a malformed header", 1),
        ("--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n", "has not the lines", 1),
        ("--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\nline 1\n", "has not the lines", 1),
        ("--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n-line 1\n+line\n line 2\n", "has not the lines", 1),
        ("--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,2 @@\n-line 1\n+line\n", "has not the lines", 1),
        ("--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n\\ nothing before\n", "has not the lines", 1),
        (CHANGE + "@@ -15 +15 @@\n-line fifteen\n+x\n", "hunk 2 of x.py does not fit", 2),
        (CHANGE.replace("line 11", "line eleven"), "hunk 1 of x.py does not fit", 1),
        (CHANGE.replace("x.py", "y.py"), "y.py does not exist", None),
        ("--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+a\n", "x.py exists already", None),
        ("--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n", "/dev/null twice", None),
        ("--- a/x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-line 1\n", "leaves lines in it", None),
        ("--- a/p.py\n+++ b/q.py\n@@ -1 +1 @@\n-a\n+b\n", "different files", None),
        ("diff --git a/x.py b/y.py\n--- a/x.py\n+++ b/y.py\n@@ -1 +1 @@\n-line 1\n+b\n", "different files", None),
        ("diff --git a/x.py b/x.py\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-line 1\n+b\n", "different files", None),
        ("diff --git a/x.py b/y.py\nrename from x.py\nrename to y.py\n--- a/x.py\n+++ b/z.py\n@@ -1 +1 @@\n-line 1\n+b\n", "different files", None),
        ("diff --git a/x.py b/x.py\n--- a/x.py\n@@ -1 +1 @@\n-line 1\n+b\n", "only one of the headers", None),
        ("diff --git a/x.py b/x.py\nindex 1..2\nindex 1..2\n", "two headers 'index'", None),
        ("diff --git a/x y b/z\nold mode 100644\nnew mode 100755\n", "no file that can be made out", None),
        ("diff --git\n", "holds no unified diff", None),
        ("diff --git a/x.py b/x.py\nindex 1..2 100644\n", "no hunks", None),
        ("diff --git a/x.py b/y.py\nrename from x.py\n", "does not name a file", None),
        ("diff --git a/p b/q\ncopy from p\ncopy to q\n", "p does not exist", None),
        ("diff --git a/x.py b/x.py\nnew mode 040000\n", "unknown mode", None),
        ("diff --cc x.py\nindex 1,2..3\n", "combined diff", None),
        ("diff --git a/a b b/a c\ndeleted file mode 120000\n", "symlink", None),
    ],
)  # fmt: skip
def test_a_malformed_patch_says_which_hunk_of_which_file(diff, message, hunk):
    error = refused(diff)
    assert message in str(error)
    assert isinstance(error, SolutionError)
    assert error.hunk == hunk
    if hunk and "before any" not in message:
        assert error.file == "x.py"


def test_an_answer_that_was_cut_off_is_not_applied_in_part():
    for cut in range(len(CHANGE) - 9, CHANGE.index("@@") + 2, -1):
        refused(CHANGE[:cut])


def test_a_patch_over_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(_patches, "MAX_PATCH_CHARS", 10)
    assert "larger than 10" in str(refused(CHANGE))


# --- Refused paths ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../x", "leads out"),
        ("a/../../x", "leads out"),
        ("ok/..", "leads out"),
        ("/etc/passwd", "absolute"),
        ("//x", "absolute"),
        ("C:/x", "absolute"),
        ("dir/", "does not name a file"),
        ("./", "does not name a file"),
        ("..\\x", "backslash"),
        (".git/hooks/pre-commit", "git itself"),
        ("sub/.GIT/config", "git itself"),
        (".g\u200cit/config", "git itself"),
        (".git./config", "git itself"),
        (".git::$INDEX_ALLOCATION/config", "git itself"),
        ("GIT~1/config", "git itself"),
        (".git", "git itself"),
        ("x" * 5000, "too long"),
        ("x/" * 100 + "y", "too deep"),
        ("nul\0", "no path may"),
        ("esc\x1b", "no path may"),
        ("del\x7f", "no path may"),
        ("sur\udc80", "no path may"),
    ],
)
def test_paths_that_lead_elsewhere_are_refused(path, message):
    created = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+a\n"
    assert message in str(refused(created, {}))
    renamed = f"diff --git a/x.py b/y\nrename from x.py\nrename to {path}\n"
    if not path.startswith("//"):
        assert message in str(refused(renamed))
    else:
        assert "absolute" in str(refused(renamed))


def test_names_that_only_look_like_the_git_folder_are_fine():
    for path in (".gitignore", ".github/ci.yml", "git/x", "x.git/y"):
        diff = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+a\n"
        assert apply_patch(diff, {}) == {path: "a\n"}


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        ("diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n", "symlink"),
        ("diff --git a/x.py b/x.py\nold mode 100644\nnew mode 120000\n", "symlink"),
        ("diff --git a/x.py b/x.py\nindex 12..34 120000\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n", "symlink"),
        ("diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject commit 1\n", "submodule"),
        ("diff --git a/x.py b/x.py\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZ\n", "binary"),
        ("diff --git a/x.py b/x.py\nindex 1..2 100644\nBinary files a/x.py and b/x.py differ\n", "binary"),
        ("Binary files a/x.py and b/x.py differ\n", "binary"),
    ],
)  # fmt: skip
def test_symlinks_submodules_and_binary_patches_are_refused(diff, message):
    assert message in str(refused(diff))


@pytest.mark.parametrize(
    ("files", "path"),
    [({"lib": "1"}, "lib/x"), ({"lib/y": "1"}, "lib"), ({}, None)],
)
def test_a_path_cannot_be_a_file_and_a_folder(files, path):
    new = "--- /dev/null\n+++ b/{}\n@@ -0,0 +1 @@\n+a\n"
    diff = new.format(path) if path else new.format("n") + new.format("n/m")
    assert "a file and a folder" in str(refused(diff, files))


# --- Protected paths --------------------------------------------------------------------------------------

PROTECT = ["tests/*", "conftest.py", "./docs/**", "**/golden.json", "/setup.cfg"]


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "tests/deep/test_a.py",
        "./tests/test_a.py",
        "tests//test_a.py",
        "x/./../tests/a",
        "Tests/test_a.py",
        "TESTS/a",
        "te\u017fts/a",
        "tes\u200bts/a",
        "\uff54ests/a",
        "tests",
        "conftest.py",
        "sub/conftest.py",
        "conftest.py/x",
        "CONFTEST.PY",
        "docs/a/b",
        "golden.json",
        "sub/golden.json",
        "setup.cfg",
    ],
)
def test_protected_paths_refuse_with_their_own_error(path):
    created = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+a\n"
    renamed_to = f"diff --git a/x.py b/y\nrename from x.py\nrename to {path}\n"
    copied_to = f"diff --git a/x.py b/y\ncopy from x.py\ncopy to {path}\n"
    renamed_from = f"diff --git a/y b/x.py\nrename from {path}\nrename to y\n"
    deleted = f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n"
    for diff in (created, renamed_to, copied_to, renamed_from, deleted):
        if ".." in path:
            assert "leads out" in str(refused(diff, protect=PROTECT))
            continue
        error = refused(diff, protect=PROTECT)
        assert type(error) is ProtectedPathError
        assert "is protected" in str(error)


@pytest.mark.parametrize("path", ["src/tests.py", "mytests/a", "contest.py", "src/setup.cfg", "docsy"])
def test_other_paths_are_not_protected(path):
    created = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+a\n"
    assert apply_patch(created, {}, protect=PROTECT) == {path: "a\n"}


def test_a_protected_file_may_be_copied_from():
    diff = "diff --git a/tests/a b/b\ncopy from tests/a\ncopy to b\n"
    assert apply_patch(diff, {"tests/a": "1"}, protect=PROTECT) == {"tests/a": "1", "b": "1"}


def test_a_single_string_is_no_list_of_patterns():
    with pytest.raises(TypeError, match="list of patterns"):
        apply_patch(CHANGE, {"x.py": FILE}, protect="tests/*")


# --- Against the tools that everyone uses -----------------------------------------------------------------

LINES = st.lists(
    st.sampled_from(["a", "b", "c", "", " x", "-- d", "++ e", "@@ -1 +1 @@", "\\ f"]), max_size=12
)


def joined(lines, has_end):
    return "\n".join(lines) + ("\n" if has_end and lines else "")


@given(LINES, LINES)
@example(["a"], [])
@example([], ["a"])
def test_what_difflib_writes_applies(before, after):
    old, new = joined(before, True), joined(after, True)
    diff = "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "a/f", "b/f"))
    if diff:
        assert apply_patch(diff, {"f": old}) == {"f": new}


@settings(max_examples=25, deadline=None)
@given(LINES, LINES, st.booleans(), st.booleans(), st.sampled_from(["-U3", "-U0", "-U1"]))
def test_what_git_writes_applies(tmp_path_factory, before, after, old_end, new_end, context):
    old, new = joined(before, old_end), joined(after, new_end)
    folder = tmp_path_factory.mktemp("git")
    (folder / "old").mkdir()
    (folder / "new").mkdir()
    (folder / "old" / "f g").write_text(old)
    (folder / "new" / "f g").write_text(new)
    command = ["git", "diff", "--no-index", "--no-color", context, "old", "new"]
    diff = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    diff = diff.replace("a/old/", "a/").replace("b/new/", "b/")
    if diff:
        assert apply_patch(diff, {"f g": old}) == {"f g": new}


# --- Hostile ----------------------------------------------------------------------------------------------

PIECES = st.lists(
    st.sampled_from([*CHANGE.splitlines(), "diff --git a/x.py b/x.py", "--- /dev/null", "@@ -1 +1,2 @@", "", "\\ No", "rename from x.py", "rename to y", "new file mode 100644", "+++ b/../x", "```"])
    | st.text(max_size=10),
    max_size=14,
).map("\n".join)  # fmt: skip


@given(PIECES)
def test_any_text_gives_files_or_the_one_error(text):
    try:
        result = apply_patch(text, {"x.py": FILE})
    except PatchError:
        return
    assert all(".." not in path for path in result)


HEAD = "--- a/x.py\n+++ b/x.py\n"


@pytest.mark.parametrize(
    "diff",
    [
        HEAD + "@@ -1 +1 @@\n-q\n+w\n" * 100_000,
        HEAD + "@@ -1,2 +1,2 @@\n" + "\n" * 1_000_000,
        HEAD + "".join(f"@@ -{999_999},2 +1,2 @@\n x\n-x\n+w\n" for _ in range(20_000)),
        HEAD + "@@ -5,20001 +1,20001 @@\n" + " x\n" * 20_000 + "-q\n+w\n",
        HEAD * 200_000,
        "diff --git a/x b/x\n" * 200_000,
        "diff --git " + "a " * 1_000_000,
        'diff --git "' + "\\" * 1_000_000,
        "--- " + "a/" * 1_000_000 + "\n+++ b/x\n",
        "@@ " * 1_000_000,
        "".join(f"--- /dev/null\n+++ b/{'d/' * 30}{n}\n@@ -0,0 +1 @@\n+a\n" for n in range(5_000)),
        "".join(f"--- /dev/null\n+++ b/{n}\n@@ -0,0 +1 @@\n+a\n" for n in range(5_001)),
    ],
    ids=range(12),
)
def test_hostile_patches_cost_bounded_time(diff):
    started = time.process_time()
    with contextlib.suppress(PatchError):
        apply_patch(diff, {"x.py": "x\n" * 50_000}, protect=PROTECT)
    assert time.process_time() - started < 20


def test_looking_for_a_hunk_in_a_file_of_equal_lines_stops(monkeypatch):
    monkeypatch.setattr(_patch_hunks, "_MAX_COMPARISONS", 1000)
    diff = HEAD + "@@ -9,2 +9,2 @@\n x\n-y\n+z\n"
    assert "too far" in str(refused(diff, {"x.py": "x\n" * 1000 + "y\n"}))
