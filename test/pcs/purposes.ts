/** Differences that are meant (docs/pcs.md tells them to users): they are counted apart. */
import type { Difference } from './compare.ts'
import type { Answer } from './reference.ts'

interface Purpose {
  /** What each line that differs has. */
  readonly parts?: RegExp
  /** The line. */
  readonly line?: RegExp
  /** In what pcs says where it refuses and we do not. */
  readonly theirs?: RegExp
  /** In what we say where we refuse and pcs does not. */
  readonly ours?: RegExp
  /** Both refuse the line. */
  readonly bothRefuse?: boolean
  readonly reason: string
}

const purposes: readonly Purpose[] = [
  {
    theirs:
      /option --\w+ not recognized|missing value of '(master|group)' option|This command has been replaced with|invalid role value '(master|slave)'|',' is not a valid character for a (device|stonith) id/i,
    reason: 'words of pcs 0.9 to 0.11 mean what they meant',
  },
  {
    line: /^constraint (colocation add (?!.* with )|location add )/,
    theirs: /Usage: pcs constraint/,
    reason: 'words of pcs 0.9 to 0.11 mean what they meant',
  },
  {
    line: /^(resource|stonith) (show|list) /,
    theirs: /^\s*Usage: pcs (resource|stonith) \.\.\./,
    reason: 'words of pcs 0.9 to 0.11 mean what they meant',
  },
  {
    theirs: /you must specify an operation name and at least one option/,
    reason: 'an operation without options has the defaults',
  },
  {
    line: /^(alert( config)?|node (attribute|utilization)) .*--output-format/,
    theirs: /is not supported in this command/,
    reason: 'alerts and node attributes are listed in every form, as since pcs 0.12.1',
  },
  {
    theirs: /not sufficient for creating a remote connection/,
    reason: 'resource create makes the connection to a remote node, as installers of pcs 0.9 do',
  },
  {
    line: /^(cib element|acl check) |--(show-secrets|without-levels)/,
    theirs: /Usage: |not recognized/,
    reason: 'commands and options that pcs does not have are taken',
  },
  {
    line: /^status xml/,
    reason: 'the status as XML has the form of API 2.25, which pcs 0.11 and 0.12 read',
  },
  {
    line: /^property (un)?set .*(stonith|fencing)-/,
    theirs: /Cannot remove property '(stonith|fencing)-/,
    reason: 'stonith-enabled and fencing-enabled, and the like, are two names of one option',
  },
  {
    line: /^stonith level add 0+[1-9] /,
    ours: /Fencing level for .* already exists/,
    reason: 'a fencing level is its number: with zeros before it, it is the same',
  },
  {
    line: /^constraint (delete|remove) \S+ \S+/,
    bothRefuse: true,
    reason: 'a line that names something twice, or what is not there, changes nothing',
  },
  {
    line: /^property( config)? --(defaults|all)/,
    reason: 'the defaults are those of Systole, which are those of Pacemaker 3',
  },
  {
    theirs: /unable to set attribute \S+ /,
    reason: 'an attribute whose name has blanks gets an id that the schema allows',
  },
  {
    line: /^stonith level add [1-9]\d/,
    ours: /is not a valid level value/,
    reason: 'a fencing level that Pacemaker would ignore is refused',
  },
  {
    line: /^constraint rule add /,
    ours: /a location constraint has one rule/,
    reason: 'a location constraint has one rule, as since pcs 0.12',
  },
  {
    line: /^resource relocate /,
    theirs: /unable to find a resource\/clone\/group/,
    reason: 'what is in a bundle can be named to resource relocate',
  },
  {
    theirs: /cannot move (cloned|bundle) resources|You must specify a resource to move that is not cloned/,
    reason: 'clones and bundles are moved, as since pcs 0.12',
  },
  {
    line: / --output-f(o|or|orm|orma)? /,
    reason: 'the value of a shortened option may be the next word',
  },
  {
    line: /^property set .*(stonith|fencing)-[\w-]+=/,
    parts: /(stonith|fencing)-/,
    reason: 'stonith-enabled and fencing-enabled, and the like, are two names of one option',
  },
  {
    line: /^(resource|stonith|status resources)\b/,
    parts: /\(stonith:|NO stonith devices configured/,
    reason: 'a fence device that is cloned stands among the clones',
  },
  {
    line: /^node (un)?(standby|maintenance) --all/,
    parts: /<node .*type="remote"/,
    reason: 'the containers of a bundle are not nodes of the configuration',
  },
  {
    theirs: /op settings must be changed on base resource, not the clone/,
    reason: 'an update of a clone without settings of operations is done, whatever word follows op',
  },
  {
    theirs:
      /unable to remove resource: .*, it may still be referenced|cannot ban resource|Requested item already exists/,
    reason: 'Pacemaker’s own programs of Debian 12 fail there',
  },
  {
    theirs: /Unable to update cib/,
    reason: 'pcs itself writes there what the schema refuses',
  },
  {
    theirs: /because it is referenced in the tag/,
    reason: 'a group that is deleted leaves its tags, as since pcs 0.12',
  },
  {
    line: /^resource failcount .*operation=( |$)/,
    reason: 'an empty name of an operation means any',
  },
  {
    theirs: /Application of update diff failed|Unable to run crm_simulate/,
    reason: 'Pacemaker’s own programs of Debian 12 fail there',
  },
  {
    line: /^(resource|stonith) (clone|promotable|update|meta|create) /,
    ours: /is not a valid [\w-]+ value, use a pacemaker boolean/,
    reason: 'what the cluster could not do is refused',
  },
  {
    line: /^acl permission add /,
    ours: /is not an ACL role/,
    reason: 'pcs itself writes there what the schema refuses',
  },
  {
    theirs: /this command is not sufficient for removing a (remote|guest) node/,
    reason: 'resource delete takes the connection to a remote or guest node, too',
  },
  {
    line: /^(resource|stonith) update /,
    ours: /missing value of '.*' option/,
    reason: 'a word that would be dropped in silence is refused',
  },
  {
    line: /^(resource|stonith) op add /,
    ours: /Add one operation at a time/,
    reason: 'a word that would be dropped in silence is refused',
  },
  {
    line: /^node attribute /,
    bothRefuse: true,
    reason: 'a line that names something twice, or what is not there, changes nothing',
  },
  {
    theirs: /'validate-with' of the element 'cib' has an invalid value: 'none'/,
    reason: 'a CIB that is validated against no schema is read',
  },
  {
    line: /^constraint colocation add .* score=/,
    ours: /Usage: pcs constraint/,
    reason: 'a word that would be dropped in silence is refused',
  },
  {
    line: /^constraint location add /,
    theirs: /invalid score '[\w-]+=/,
    reason: 'the score of constraint location add may be omitted, as since pcs 0.12',
  },
  {
    line: /^resource( config)?\b/,
    parts: /^ *(interval=|\w+=\S+$)/,
    reason: 'all parameters of an operation are shown',
  },
  {
    line: /^(resource|stonith|status)\b/,
    parts: /\((unmanaged|maintenance|(disabled|blocked), (unmanaged|maintenance))\)/,
    reason: 'Pacemaker 2.1 calls it unmanaged if a resource is in maintenance',
  },
  {
    line: /^config( |$)/,
    parts: /^(Fencing Levels:|Tags:| No tags defined|Quorum:| {2}Options:)?$/,
    reason: 'headings of sections that are empty are omitted, as since pcs 0.12',
  },
  {
    line: /^cluster verify/,
    theirs: /invalid cib:/,
    reason:
      'what Pacemaker warns of, such as nodes without a status that cannot be fenced, does not make a file invalid',
  },
  {
    line: /^stonith (create|update|meta) /,
    ours: /Agent 'stonith:(null|ssh|meatware|suicide|external\/[\w-]+)' is not installed/,
    reason: 'plugins of cluster-glue are no fence agents here',
  },
  {
    line: /^resource bundle create .*container rkt/,
    ours: /'rkt' is not a valid container type/,
    reason: 'rkt is not known any more, as since pcs 0.12',
  },
  { theirs: /pcs broke: /, reason: 'pcs itself breaks there' },
  { theirs: /Cannot load cluster status, xml does not/, reason: 'a status that pcs does not read is read' },
  {
    line: /role=(Master|Slave)/,
    theirs: /role must be: |'(Master|Slave)' is not a valid role/,
    reason: 'words of pcs 0.9 to 0.11 mean what they meant',
  },
  {
    ours: /The cluster would have no enabled fence device/,
    reason: 'the last fence device is disabled or deleted with --force only',
  },
  { theirs: /Several options sets exist/, reason: 'defaults without a rule are changed wherever they stand' },
  { theirs: /attribute: '.*' doesn't exist for node/, reason: 'unsetting an attribute that is not set succeeds' },
  {
    line: /^(resource|stonith) (clone|promotable|update|meta) /,
    theirs: /is not installed or does not provide valid metadata/,
    reason: 'a resource that is there is cloned and changed wherever its agent is installed',
  },
  {
    // On a host with Debian's package sbd it is enabled.
    theirs:
      /stonith-watchdog-timeout can(not be unset or set to 0 while SBD is enabled| only be unset or set to 0 while SBD is disabled)/,
    reason: 'systoled feeds the watchdog: there is no SBD to be enabled first',
  },
  {
    ours: /cannot refer to itself|is given twice|cannot be a guest node|is not understood: XPath|cannot all start, for each waits|is not a valid (timeout|interval|value) for|is not a value for|is not a valid (timeout|interval) value, use time interval/,
    reason: 'what the cluster could not do is refused',
  },
  {
    line: /defaults set create .*\brule\b/,
    reason: 'a rule does not raise the schema of the CIB: it has scores where that asks for them',
  },
  {
    line: /^(resource|stonith)( config)?\b/,
    parts: /(password|passwd|secret|privkey|login|key)\w*=/i,
    reason: 'passwords in text are masked',
  },
  {
    line: /^resource (clone|promotable) /,
    parts: /<rsc_ticket /,
    reason: 'a ticket goes from the resource to its clone as other constraints do',
  },
  {
    line: /^(resource|stonith) (op )?defaults .*--/,
    ours: /Specified options? .* not supported in this command/,
    reason: 'an option that would have no effect is refused',
  },
  {
    line: /^resource create .* (clone|promotable) ([\w.-]+ )?meta /,
    reason: 'meta-attributes after clone are the clone’s, with and without --future',
  },
  {
    line: /^(resource|stonith) update .* op /,
    parts: /<op /,
    reason: 'resource update … op keeps what is not named',
  },
]

export function purposeOf(
  line: readonly string[],
  differences: readonly Difference[],
  { ours, theirs }: { readonly ours: Answer; readonly theirs: Answer },
): string | undefined {
  if (differences.length === 0) return undefined
  const text = line.join(' ')
  const says = (pattern: RegExp | undefined, { exitCode, standardError }: Answer): boolean =>
    pattern !== undefined && exitCode !== 0 && pattern.test(standardError)
  const found = purposes.find((purpose) => {
    if (purpose.line !== undefined && !purpose.line.test(text)) return false
    if (purpose.bothRefuse === true && (ours.exitCode === 0 || theirs.exitCode === 0)) return false
    const isAboutErrors = purpose.theirs !== undefined || purpose.ours !== undefined
    if (
      !differences.every((one) =>
        [...one.onlyOurs, ...one.onlyTheirs].every((part) => purpose.parts?.test(part) ?? true),
      )
    )
      return false
    if (isAboutErrors !== (differences[0]?.aspect === 'exit')) return false
    return !isAboutErrors || says(purpose.theirs, theirs) || says(purpose.ours, ours)
  })
  return found?.reason
}
