/**
 * The numbers with which Pacemaker's commands and libraries tell how something went, as crm_error(8) names them: exit codes of commands,
 * return codes of functions, and the codes that functions returned in older versions. The system's own are errno(3)'s.
 */
export type CodeKind = 'exit' | 'return' | 'legacy'

export interface ResultCode {
  readonly code: number
  readonly name: string
  readonly description: string
}

const exitCodes = `
0 CRM_EX_OK OK
1 CRM_EX_ERROR Error occurred
2 CRM_EX_INVALID_PARAM Invalid parameter
3 CRM_EX_UNIMPLEMENT_FEATURE Unimplemented
4 CRM_EX_INSUFFICIENT_PRIV Insufficient privileges
5 CRM_EX_NOT_INSTALLED Not installed
6 CRM_EX_NOT_CONFIGURED Not configured
7 CRM_EX_NOT_RUNNING Not running
8 CRM_EX_PROMOTED Promoted
9 CRM_EX_FAILED_PROMOTED Failed in promoted role
64 CRM_EX_USAGE Incorrect usage
65 CRM_EX_DATAERR Invalid data given
66 CRM_EX_NOINPUT Input file not available
67 CRM_EX_NOUSER User does not exist
68 CRM_EX_NOHOST Host does not exist
69 CRM_EX_UNAVAILABLE Necessary service unavailable
70 CRM_EX_SOFTWARE Internal software bug
71 CRM_EX_OSERR Operating system error occurred
72 CRM_EX_OSFILE System file not available
73 CRM_EX_CANTCREAT Cannot create output file
74 CRM_EX_IOERR I/O error occurred
75 CRM_EX_TEMPFAIL Temporary failure, try again
76 CRM_EX_PROTOCOL Protocol violated
77 CRM_EX_NOPERM Insufficient privileges
78 CRM_EX_CONFIG Invalid configuration
100 CRM_EX_FATAL Fatal error occurred, will not respawn
101 CRM_EX_PANIC System panic required
102 CRM_EX_DISCONNECT Not connected
103 CRM_EX_OLD Update was older than existing configuration
104 CRM_EX_DIGEST Digest mismatch
105 CRM_EX_NOSUCH No such object
106 CRM_EX_QUORUM Quorum required
107 CRM_EX_UNSAFE Operation not safe
108 CRM_EX_EXISTS Requested item already exists
109 CRM_EX_MULTIPLE Multiple items match request
110 CRM_EX_EXPIRED Requested item has expired
111 CRM_EX_NOT_YET_IN_EFFECT Requested item is not yet in effect
112 CRM_EX_INDETERMINATE Could not determine status
113 CRM_EX_UNSATISFIED Not applicable under current conditions
124 CRM_EX_TIMEOUT Timeout occurred
190 CRM_EX_DEGRADED Service is active but might fail soon
191 CRM_EX_DEGRADED_PROMOTED Service is promoted but might fail soon
193 CRM_EX_NONE No exit status available
`

const systemErrors = `
1 EPERM Operation not permitted
2 ENOENT No such file or directory
3 ESRCH No such process
4 EINTR Interrupted system call
5 EIO Input/output error
6 ENXIO No such device or address
7 E2BIG Argument list too long
8 ENOEXEC Exec format error
9 EBADF Bad file descriptor
10 ECHILD No child processes
11 EAGAIN Resource temporarily unavailable
12 ENOMEM Cannot allocate memory
13 EACCES Permission denied
14 EFAULT Bad address
15 ENOTBLK Block device required
16 EBUSY Device or resource busy
17 EEXIST File exists
18 EXDEV Invalid cross-device link
19 ENODEV No such device
20 ENOTDIR Not a directory
21 EISDIR Is a directory
22 EINVAL Invalid argument
23 ENFILE Too many open files in system
24 EMFILE Too many open files
25 ENOTTY Inappropriate ioctl for device
26 ETXTBSY Text file busy
27 EFBIG File too large
28 ENOSPC No space left on device
29 ESPIPE Illegal seek
30 EROFS Read-only file system
31 EMLINK Too many links
32 EPIPE Broken pipe
33 EDOM Numerical argument out of domain
34 ERANGE Numerical result out of range
35 EDEADLOCK Resource deadlock avoided
36 ENAMETOOLONG File name too long
37 ENOLCK No locks available
38 ENOSYS Function not implemented
39 ENOTEMPTY Directory not empty
40 ELOOP Too many levels of symbolic links
42 ENOMSG No message of desired type
43 EIDRM Identifier removed
44 ECHRNG Channel number out of range
45 EL2NSYNC Level 2 not synchronized
46 EL3HLT Level 3 halted
47 EL3RST Level 3 reset
49 EUNATCH Protocol driver not attached
51 EL2HLT Level 2 halted
52 EBADE Invalid exchange
53 EBADR Invalid request descriptor
54 EXFULL Exchange full
56 EBADRQC Invalid request code
57 EBADSLT Invalid slot
60 ENOSTR Device not a stream
61 ENODATA No data available
62 ETIME Timer expired
63 ENOSR Out of streams resources
64 ENONET Machine is not on the network
65 ENOPKG Package not installed
66 EREMOTE Object is remote
67 ENOLINK Link has been severed
70 ECOMM Communication error on send
71 EPROTO Protocol error
72 EMULTIHOP Multihop attempted
74 EBADMSG Bad message
75 EOVERFLOW Value too large for defined data type
76 ENOTUNIQ Name not unique on network
77 EBADFD File descriptor in bad state
78 EREMCHG Remote address changed
79 ELIBACC Can not access a needed shared library
80 ELIBBAD Accessing a corrupted shared library
81 ELIBSCN .lib section in a.out corrupted
82 ELIBMAX Attempting to link in too many shared libraries
83 ELIBEXEC Cannot exec a shared library directly
84 EILSEQ Invalid or incomplete multibyte or wide character
85 ERESTART Interrupted system call should be restarted
86 ESTRPIPE Streams pipe error
87 EUSERS Too many users
88 ENOTSOCK Socket operation on non-socket
89 EDESTADDRREQ Destination address required
90 EMSGSIZE Message too long
91 EPROTOTYPE Protocol wrong type for socket
92 ENOPROTOOPT Protocol not available
93 EPROTONOSUPPORT Protocol not supported
94 ESOCKTNOSUPPORT Socket type not supported
95 EOPNOTSUPP Operation not supported
96 EPFNOSUPPORT Protocol family not supported
97 EAFNOSUPPORT Address family not supported by protocol
98 EADDRINUSE Address already in use
99 EADDRNOTAVAIL Cannot assign requested address
100 ENETDOWN Network is down
101 ENETUNREACH Network is unreachable
102 ENETRESET Network dropped connection on reset
103 ECONNABORTED Software caused connection abort
104 ECONNRESET Connection reset by peer
105 ENOBUFS No buffer space available
106 EISCONN Transport endpoint is already connected
107 ENOTCONN Transport endpoint is not connected
108 ESHUTDOWN Cannot send after transport endpoint shutdown
110 ETIMEDOUT Connection timed out
111 ECONNREFUSED Connection refused
112 EHOSTDOWN Host is down
113 EHOSTUNREACH No route to host
114 EALREADY Operation already in progress
115 EINPROGRESS Operation now in progress
116 ESTALE Stale file handle
117 EUCLEAN Structure needs cleaning
120 EISNAM Is a named type file
121 EREMOTEIO Remote I/O error
122 EDQUOT Disk quota exceeded
123 ENOMEDIUM No medium found
124 EMEDIUMTYPE Wrong medium type
125 ECANCELED Operation canceled
126 ENOKEY Required key not available
127 EKEYEXPIRED Key has expired
128 EKEYREVOKED Key has been revoked
129 EKEYREJECTED Key was rejected by service
`

const returnCodes = `
-1033 pcmk_rc_duplicate_id Two or more XML elements have the same ID
-1032 pcmk_rc_unpack_error Unable to parse CIB XML
-1031 pcmk_rc_invalid_transition Cluster simulation produced invalid transition
-1030 pcmk_rc_graph_error Error writing graph file
-1029 pcmk_rc_dot_error Error writing dot(1) file
-1028 pcmk_rc_underflow Value too small to be stored in data type
-1027 pcmk_rc_no_input Input file not available
-1026 pcmk_rc_no_output Output message produced no output
-1025 pcmk_rc_after_range Result occurs after given range
-1024 pcmk_rc_within_range Result occurs within given range
-1023 pcmk_rc_before_range Result occurs before given range
-1022 pcmk_rc_undetermined Result undetermined
-1021 pcmk_rc_op_unsatisfied Not applicable under current conditions
-1020 pcmk_rc_ipc_pid_only IPC server process is active but not accepting connections
-1019 pcmk_rc_ipc_unresponsive IPC server is unresponsive
-1018 pcmk_rc_ipc_unauthorized IPC server is blocked by unauthorized process
-1017 pcmk_rc_no_quorum Operation requires quorum
-1016 pcmk_rc_schema_validation Update does not conform to the configured schema
-1015 pcmk_rc_schema_unchanged Schema is already the latest available
-1014 pcmk_rc_transform_failed Schema transform failed
-1013 pcmk_rc_old_data Update was older than existing configuration
-1012 pcmk_rc_diff_failed Application of update diff failed
-1011 pcmk_rc_diff_resync Application of update diff failed, requesting full refresh
-1010 pcmk_rc_cib_modified On-disk configuration was manually modified
-1009 pcmk_rc_cib_backup Could not archive previous configuration
-1008 pcmk_rc_cib_save Could not save new configuration to disk
-1007 pcmk_rc_cib_corrupt Could not parse on-disk configuration
-1006 pcmk_rc_multiple Resource active on multiple nodes
-1005 pcmk_rc_node_unknown Node not found
-1004 pcmk_rc_already Already in requested state
-1003 pcmk_rc_bad_nvpair Bad name/value pair given
-1002 pcmk_rc_unknown_format Unknown output format
-1001 pcmk_rc_error Error
0 pcmk_rc_ok OK
${systemErrors}`

const legacyCodes = `
0 pcmk_rc_ok OK
${systemErrors}
201 pcmk_err_generic Error
202 pcmk_err_no_quorum Operation requires quorum
203 pcmk_err_schema_validation Update does not conform to the configured schema
204 pcmk_err_transform_failed Schema transform failed
205 pcmk_err_old_data Update was older than existing configuration
206 pcmk_err_diff_failed Application of update diff failed
207 pcmk_err_diff_resync Application of update diff failed, requesting full refresh
208 pcmk_err_cib_modified On-disk configuration was manually modified
209 pcmk_err_cib_backup Could not archive previous configuration
210 pcmk_err_cib_save Could not save new configuration to disk
212 pcmk_err_cib_corrupt Could not parse on-disk configuration
213 pcmk_err_multiple Resource active on multiple nodes
214 pcmk_err_node_unknown Node not found
215 pcmk_err_already Already in requested state
216 pcmk_err_bad_nvpair Bad name/value pair given
217 pcmk_err_unknown_format Unknown output format
`

const texts: Readonly<Record<CodeKind, string>> = { exit: exitCodes, return: returnCodes, legacy: legacyCodes }

/** All of a kind, by number. */
export function resultCodes(kind: CodeKind): readonly ResultCode[] {
  return [...texts[kind].matchAll(/^(-?\d+) (\S+) (.*)$/gm)].map(([, code, name = '', description = '']) => ({
    code: Number(code),
    name,
    description,
  }))
}
