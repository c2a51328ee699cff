# shellcheck shell=sh
# One process, started from a command line and known by a file that holds its process id and, as process ids are used again, when it
# began. It leads a session of its own, so that what it leaves behind is found by the session.
#
# Reads: command user directory environment envfile log pidfile stop_signal stop_timeout. Sets: pid.

default_pidfile=$run_folder/$instance.pid
process_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

process_parameters() {
  parameter user string "${default_user:-root}" - 'User' \
    'The user as whom the command runs, with the groups of that user.'
  parameter directory string / - 'Working directory' \
    'The folder in which the command starts.'
  parameter environment string '' - 'Environment variables' \
    'NAME=value words, as a shell reads them, that the command gets. It gets none from the cluster.'
  parameter envfile string '' - 'File with environment variables' \
    'A file of NAME=value lines, as a shell reads them, that the command gets. The user must be able to read it.'
  parameter log string /dev/null - 'Log file' \
    'The file to which the output of the command is appended.'
  parameter pidfile string '' unique 'File for the process id' \
    'The file that holds the process id, and in its second line when the process began. The default is below /run.'
  parameter stop_signal string TERM reloadable 'Signal that asks it to end' \
    'The name of the signal that asks the process to end, without SIG.'
}

validate_process() {
  if [ -z "$command" ]; then
    reason 'command is missing: write the program to start and its arguments'
    return $OCF_ERR_CONFIGURED
  fi
  case $stop_signal in
    HUP | INT | QUIT | KILL | USR1 | USR2 | TERM | WINCH) ;;
    *)
      reason "stop_signal '$stop_signal' is none of HUP INT QUIT KILL USR1 USR2 TERM WINCH"
      return $OCF_ERR_CONFIGURED
      ;;
  esac
  if ! id -u "$user" >/dev/null 2>&1; then
    reason "there is no user '$user'"
    return $OCF_ERR_INSTALLED
  fi
  if [ ! -d "$directory" ]; then
    reason "there is no folder $directory"
    return $OCF_ERR_INSTALLED
  fi
  if [ -n "$envfile" ] && [ ! -r "$envfile" ]; then
    reason "envfile $envfile cannot be read"
    return $OCF_ERR_INSTALLED
  fi
}

# process_stat PID: sets process_state and process_born, the fields 3 and 22 of proc(5)'s stat.
process_stat() {
  read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
  # The name of the program, in brackets, may hold anything.
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  process_state=$1
  process_born=${20}
}

# Reads pid and born from the file; fails where there is no such record.
read_record() {
  pid='' born=''
  [ -r "$pidfile" ] || return 1
  { read -r pid && read -r born; } <"$pidfile"
  is_number "$pid" && is_number "$born" && [ "$pid" -gt 1 ]
}

process_alive() {
  read_record && process_stat "$pid" && [ "$process_born" = "$born" ] && [ "$process_state" != Z ]
}

# Ends with the last words of its log where the process does not stay.
start_process() {
  home=$(getent passwd "$user" | cut -d: -f6)
  set -- env -i "PATH=$process_path" "HOME=${home:-/}" "USER=$user" LANG=C.UTF-8 sh -c "
    if [ -n \"\$1\" ]; then set -a; . \"\$1\"; set +a; fi
    exec env $environment $command" "$instance" "$envfile"
  [ "$user" = root ] || set -- setpriv "--reuid=$user" "--regid=$(id -g "$user")" --init-groups -- "$@"
  (
    cd "$directory" && exec setsid "$@"
  ) </dev/null >>"$log" 2>&1 &
  pid=$!
  process_stat "$pid"
  printf '%s\n%s\n' "$pid" "$process_born" >"$pidfile"
}

last_words() {
  if [ -f "$log" ]; then
    words=$(tail -n 1 "$log")
    [ -z "$words" ] || printf ': %s' "$words"
  else
    printf '; what it printed is kept only where the parameter log names a file'
  fi
}

# The processes of the session that are not zombies. While one of them is there, the kernel gives its number to no other.
session_members() {
  # A leader that began later is somebody else, and the session is theirs.
  process_stat "$pid" && [ "$process_born" != "$born" ] && return
  ps -o pid=,stat= -s "$pid" | while read -r member state; do
    case $state in Z*) ;; *) echo "$member" ;; esac
  done
}

# signal_session NAME: false where nobody is left.
signal_session() {
  members=$(session_members)
  [ -n "$members" ] || return 1
  # shellcheck disable=SC2086
  kill -s "$1" $members 2>/dev/null
  return 0
}

# The process is asked to end, then what it left, then nobody is asked any more.
stop_process() {
  read_record || { rm -f "$pidfile"; return $OCF_SUCCESS; }
  in_seconds "$stop_timeout"
  if process_alive; then
    kill -s "$stop_signal" "$pid" 2>/dev/null
    # Whoever was halted, by a debugger or SIGSTOP, hears nothing else, and its leader may wait for it.
    signal_session CONT
    while process_alive && ! is_over; do sleep 0.1; done
    if process_alive; then
      log "did not end within $stop_timeout s of SIG$stop_signal: it is killed"
      kill -s KILL "$pid" 2>/dev/null
    fi
  fi
  asked=TERM
  while signal_session "$asked"; do
    sleep 0.1
    ! is_over || asked=KILL
  done
  rm -f "$pidfile"
  return $OCF_SUCCESS
}
