"""Every limit on the judge's side that is not part of a policy, each with the reason for its value."""

# A solution's start (namespaces, mounts, runtime) takes milliseconds; a machine that needs longer than this to
# reach the solution's first line cannot judge it, and says so instead of blaming the answer.
START_TIMEOUT_S = 30.0

# The kernel needs milliseconds to end a namespace; a host that does not report the end by then is itself in trouble.
KILL_TIMEOUT_S = 10.0

# A call without a limit of its own: `Environment.case_timeout` overrides it for every run.
DEFAULT_CASE_TIMEOUT_S = 10.0

# Under contention a case may take this many times its limit of wall-clock time, as long as the time beyond the
# limit was spent waiting for a core and not running or sleeping. Beyond it a machine is not busy but stuck.
WALL_CEILING_FACTOR = 32.0

# What a solution printed is shown to people: the beginning says most, the end says how it died.
SHOWN_OUTPUT_HEAD_BYTES = 16 * 1024
SHOWN_OUTPUT_TAIL_BYTES = 4 * 1024

# An exception's text travels into details and logs; longer ones are cut and say so.
MAX_ERROR_CHARS = 2_000
MAX_TRACEBACK_CHARS = 8_000

# What run_solution captures of each stream before it says that it cut.
MAX_CAPTURED_BYTES = 64 * 1024 * 1024

# The working folder is copied into the box and what changed is copied back: bounds for both directions.
MAX_FOLDER_FILES = 20_000
MAX_FOLDER_BYTES = 512 * 1024 * 1024
