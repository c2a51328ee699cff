/** What `systoled --help` prints, and its manual page. */
export const daemonUsage = `Usage: systoled [--version]
       systoled --remote [--join <address> [--token - | --token-file <file>] [--node <name>] | --leave]
The daemon of a Systole cluster. SYSTOLE_ROOT moves all of its files, SYSTOLE_LOG sets the log's level (debug, info, warn or error; info unless it is set), SYSTOLE_LOG_TO where it goes (journal, syslog, syslog-3164 or stdout).
SIGTERM ends it and leaves its resources running; \`systole cluster stop\` stops them.
With --remote the host is a remote node instead of a cluster member: it runs resources for the cluster. --join gets its certificate,
--leave makes the cluster stop its resources.
`
