# shellcheck shell=sh
# Sourced by the shell scripts, which set `me` to their name first.

# Progress goes to standard error: standard output belongs to the program that is started.
say() { printf '%s: %s\n' "${me:?}" "$*" >&2; }
fail() {
  say "$@"
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# bounded SECONDS COMMAND...: ends the command when its time is over, or when this script is interrupted: timeout(1) has
# a process group of its own, which ^C does not reach. macOS has no timeout(1), but Perl.
bounded() {
  if have timeout; then
    timeout -k 10 "$@" &
  else
    perl -e 'alarm shift; exec @ARGV or exit 127' "$@" &
  fi
  bounded_pid=$!
  trap 'kill "$bounded_pid" 2>/dev/null; exit 130' INT TERM HUP
  bounded_status=0
  wait "$bounded_pid" || bounded_status=$?
  trap - INT TERM HUP
  return "$bounded_status"
}

# quietly COMMAND...: shows the output only when the command fails.
quietly() {
  quietly_log=$(mktemp)
  quietly_status=0
  "$@" >"$quietly_log" 2>&1 || quietly_status=$?
  [ "$quietly_status" -eq 0 ] || cat "$quietly_log" >&2
  rm -f "$quietly_log"
  return "$quietly_status"
}
