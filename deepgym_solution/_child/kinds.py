"""The kinds of frame on the channel between judge and solution.

Judge to solution:

    INIT    (files, entry, is_package_set)          what to load; sent once, first
    CALL    (target, name, returns), arguments      target: None for the module, or a handle's number; see CALL_HEAD
    GET     (target, name)                          what is behind a name
    DROP    (handle, ...)                           the judge forgot these handles; no reply
    CALLS   (name, list of argument tuples)         many calls of one function, one reply

Solution to judge. The first frame is BEGUN, LAUNCH_FAILED or TOO_LARGE, written by trusted code before the solution's
first line; from then on every frame may be a lie and is read as the solution's own claim.

    BEGUN                                           the next thing that happens is the solution's first line
    LAUNCH_FAILED   text                            the machine could not start it
    TOO_LARGE       text                            what was sent does not fit in its limits; sent instead of BEGUN
    READY                                           the module was loaded
    VALUE           value                           a call's or attribute's plain value
    RESULT_ARGS     (value, args)                   the same with the arguments as they are after the call
    HANDLE          number                          an object that stays there
    CALLABLE        is_class                        what a GET found, when it is a function or a class
    MISSING         text                            what a GET did not find
    RAISED          (builtin names, type name, message, traceback)
    NOT_PLAIN       text                            the value cannot cross
    RESULTS         (kinds, values)                 what each of many calls came to
"""

import struct

# A CALL is a head (length of the callee, whether keywords follow), the callee as a value, and the arguments as a value:
# the tuple of positional ones, or a pair of that and the keywords. Callees repeat, and are encoded and decoded once.
CALL_HEAD = struct.Struct("<I?")

INIT, CALL, GET, DROP, CALLS = 1, 2, 3, 4, 5
BEGUN, LAUNCH_FAILED, READY, VALUE, RESULT_ARGS = 16, 17, 18, 19, 20
HANDLE, CALLABLE, MISSING, RAISED, NOT_PLAIN, RESULTS, TOO_LARGE = 21, 22, 23, 24, 25, 26, 27

# What a program's keeper says (run_solution).
FILES, EXITED, FOLDER = 32, 33, 34
