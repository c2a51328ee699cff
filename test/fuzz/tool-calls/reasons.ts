/** Why the result of a line is another than Pacemaker's: on purpose, or because that is not done. */
import type { ComparedLine } from './lines.ts'

const reasons: readonly (readonly [line: RegExp, reason: string])[] = [
  [/[^\x20-\x7e]/, "Pacemaker's programs take no letter beyond ASCII in the C locale"],
  [
    /^(?:\S+=\S* )*crm_simulate .*(?:-d|--node-down)[ =]?(?:guest1|b1-0)/,
    'a guest node comes and goes with its connection',
  ],
  [/^(?:\S+=\S* )*crm_simulate .*-P/, 'a folder with a file that holds no CIB is refused'],
  [/^(?:\S+=\S* )*crm_simulate .*-[A-Za-z]*D/, 'the graph is drawn with what is done, not with what is optional'],
  [/^(?:\S+=\S* )*crm_simulate .*-[A-Za-z]*[XOIG]/, 'a saved CIB keeps its schema; a saved graph has 3.0.2’s names'],
  [/^(?:\S+=\S* )*crm_attribute .*-t (?:rsc|op)_defaults/, 'defaults are of no node'],
  [/^(?:\S+=\S* )*crm_attribute .*-v (?:-1|maybe|odd|x$)/, 'a value that the option cannot have is refused'],
  [/^(?:\S+=\S* )*crm_resource .*(?:--list-cts|-c$)/, 'there is no list for test suites'],
  [/^(?:\S+=\S* )*crm_mon .*(?:-s\b|--simple-status)/, 'the line for Nagios of 2.1 is kept'],
  [/--text-fancy/, 'the option of 2.1 is taken, and reported to be without effect'],
  [
    /^(?:\S+=\S* )*crm_resource .*(?:--pending|-P\b|--un-move|--host-uname|-G |--get-property)/,
    'options of 2.1 that 3.0 has no more are kept',
  ],
  [
    /^(?:\S+=\S* )*crm_mon .*(?:-N|--no-curses|--disable-ncurses|-w|-h |--old-agent-names)/,
    'options of 2.1 that 3.0 has no more are kept',
  ],
  [/^(?:\S+=\S* )*cibadmin .*-i /, 'options of 2.1 that 3.0 has no more are kept'],
  [/^(?:\S+=\S* )*crm_diff .*--output-(?:as|to)/, '3.0.2 has the option, 3.0.0 not yet'],
  [/--list-agents=systemd/, 'systemd is asked of the host, and the original is not on it'],
  [/^pacemakerd -S/, 'the daemon is systoled, which systemd or systole cluster stop ends'],
  [/^pacemakerd .*--output-to/, 'its version is in the file'],
  [/CIB_file=-/, 'standard input was not connected in this comparison'],
  [/nostatus\.xml/, 'a CIB without a status section gets none'],
  [/--help/, 'any part of the help is the whole help'],
  [/CIB_user=denied/, 'what a permission denies is not written, whatever stands around it'],
  [/crm_simulate .*-t '/, 'a simulation of another time records that time'],
  [/crm_verify .*--output-to/, 'other words for a mistake, and errors of the configuration with it'],
  [/crm_resource .*-r b1-docker-0 --element/, 'what a bundle makes by itself has no element'],
  [/trouble\.xml crm_resource -p /, 'a CIB file that breaks its schema can be repaired'],
  [/trouble\.xml crm_resource -B -r r1$/, 'the connection to a remote node is where --locate finds it'],
  [/crm_resource --restart .*-T 1/, 'a set of pairs that becomes empty is removed'],
  [/expired\.xml crm_resource -U .*-e/, 'what has ended is cleared, whatever node and form it has'],
  [/expired\.xml crm_resource -U -r v -N n3/, 'a preference for another node stays'],
  [/<rkt /, 'a container that can no longer be run is refused'],
  [/crm_ticket -l .*--output-to/, 'tickets are listed by name'],
  [/crm_shadow .*--output-as=xml/, 'an empty CIB has the newest schema that is installed'],
  [/crm_diff -s /, 'standard input is the original'],
  [/crm_failcount .*-N (?:nope|node1)/, 'a node that is not there is refused'],
  [/crm_mon --output-as=html --output-to/, 'the page has other white space'],
  [/old28\.xml cibadmin --upgrade/, 'ids that an upgrade makes are others'],
]

export const reasonFor = ({ line }: Pick<ComparedLine, 'line'>): string =>
  reasons.find(([pattern]) => pattern.test(line))?.[1] ?? 'not yet examined'
