/**
 * Writes docs/pcs.md: every command of pcs, what was compared with what, and how it ended. The list of pcs's commands is read where it lies,
 * in ../shared; which command of ours takes it is asked of the commands themselves, and how lines of it ended of test/pcs/outcome.json, which
 * `npm run fuzz:pcs -- --record test/pcs/outcome.json` writes.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { allCommands, findCommand, presentWords } from '../src/cli/index.ts'
import { whyLeftOut } from '../test/pcs/grammar/left-out.ts'
import { readOutcomes } from '../test/pcs/outcome.ts'
import { sumOf, type Tally } from '../test/pcs/tally.ts'

const list = resolve(import.meta.dirname, '../../shared/compat/pcs-commands.tsv')
if (!existsSync(list)) {
  console.error(`${list} is not there: docs/pcs.md was not written.`)
  process.exit(2)
}

const outcomes = readOutcomes(resolve(import.meta.dirname, '../test/pcs/outcome.json'))
const versions = Object.entries(outcomes).sort(([a], [b]) => (a < b ? 1 : -1))

interface Row {
  readonly area: string
  readonly command: string
  readonly class: string
  readonly state: 'there' | 'refused' | 'not there'
  readonly how: string
  /** How the lines that were compared ended, or why none was. */
  readonly ended: string
}

const rows = readFileSync(list, 'utf8').trimEnd().split('\n').slice(1).map(readRow)

function readRow(line: string): Row {
  const [area = '', command = '', kind = ''] = line.split('\t')
  const become = area === 'global' ? globalOption(command) : becomes(command)
  const ended = become.state === 'there' && area !== 'global' ? endOf(command) : ''
  return { area, command, class: kind, ...become, ended }
}

/** What stands before or instead of a command is read by every one of them. */
function globalOption(command: string): Pick<Row, 'state' | 'how'> {
  return {
    state: 'there',
    how: command.includes('--force') ? 'options of every command that they mean something for' : '',
  }
}

function becomes(command: string): Pick<Row, 'state' | 'how'> {
  const answers = alternatives(command).map((words) => {
    const present = presentWords(words, { program: 'pcs', dialect: '0.12', readsOldWords: true })
    const found = findCommand(allCommands, present)
    // A word of the name that is left over is a command that is not there, unless it stands for what an administrator writes.
    const [left] = found?.rest ?? []
    if (found?.command.refuses !== undefined) return { state: 'refused', how: found.command.refuses } as const
    if (!found || (left !== undefined && !isPlaceholder(left) && !takes(found.command.usage, left)))
      return { state: 'not there', how: '' } as const
    return { state: 'there', how: `systole ${found.command.path.join(' ')}` } as const
  })
  return answers.find(({ state }) => state !== 'there') ?? answers[0] ?? { state: 'not there', how: '' }
}

/** The words by which the fuzzer counts a line: those of the name, until something is put in. */
function nameOf(command: string): string {
  const words = alternatives(command)[0] ?? []
  const end = words.findIndex(isPlaceholder)
  return words.slice(0, end < 0 ? undefined : end).join(' ')
}

function endOf(command: string): string {
  const name = nameOf(command)
  const ends = versions.flatMap(([version, { commands }]) => {
    const tally = commands[name]
    return tally === undefined ? [] : [`${version}: ${describe(tally)}`]
  })
  if (ends.length > 0) return ends.join('; ')
  const why = whyLeftOut(name)
  return why === undefined ? 'not compared' : `not compared: ${why}`
}

/** _same_, _other words_, or _other result_ with the reasons that are known. */
function describe({ lines, kinds, reasons }: Tally): string {
  const [same, words] = [kinds.same ?? 0, kinds.words ?? 0]
  const meant = Object.entries(reasons).sort(([, a], [, b]) => b - a)
  const unexplained = lines - same - words - (kinds.purpose ?? 0)
  const parts = [
    ...(same > 0 ? [`_same_ ${same}`] : []),
    ...(words > 0 ? [`_other words_ ${words}`] : []),
    ...meant.map(([reason, times]) => `_other result_ ${times}, because ${reason}`),
    ...(unexplained > 0 ? [`_other result_ ${unexplained}, open: neither fixed nor explained yet`] : []),
  ]
  return parts.join(', ')
}

function isPlaceholder(word: string): boolean {
  return /^[A-Z]|^x$|^-|=|\.\.\.|@/.test(word)
}

function takes(usage: string, word: string): boolean {
  return usage.split(/[^\w-]+/).includes(word)
}

/** `property list|show` are two lines; `<name>` and the like become words that an administrator might write. */
function alternatives(command: string): readonly (readonly string[])[] {
  const words = command
    .replace(/^pcs /, '')
    .replace(/ \/ .*$/, '')
    .replace(/[[\]]/g, '')
    .replace(/<[^>]*>=<[^>]*>/g, 'x=y')
    .replace(/<[^>]*>/g, 'X')
    .split(' ')
    .map((word) => word.replace(/\.\.\.$/, ''))
    .filter((word) => word !== '')
  return words.reduce<readonly (readonly string[])[]>(
    (lines, word) => lines.flatMap((line) => word.split('|').map((one) => [...line, one])),
    [[]],
  )
}

function count(kind: string, state: Row['state']): number {
  return rows.filter((row) => row.class === kind && row.state === state).length
}

const kinds = ['A', 'B', 'C'] as const
const states = ['there', 'refused', 'not there'] as const
const meanings = { A: 'what everybody uses', B: 'what administrators use now and then', C: 'what hardly anybody uses' }
const summary = kinds.map(
  (kind) => `| ${kind} | ${meanings[kind]} | ${states.map((state) => count(kind, state)).join(' | ')} |`,
)
const counts = versions.map(([, { version, lines, commands }]) => {
  const { kinds: ends } = sumOf(Object.values(commands))
  const [same, words, purpose] = [ends.same ?? 0, ends.words ?? 0, ends.purpose ?? 0]
  return `| ${[version, lines, same, words, purpose, lines - same - words - purpose].join(' | ')} |`
})
const optionRows = versions.flatMap(([version, { options }]) =>
  Object.entries(options).map(([option, tally]) => `| \`pcs ${option}\` | ${version} | ${describe(tally)} |`),
)
const areas = [...new Set(rows.map(({ area }) => area))]
const sections = areas.map((area) => {
  const own = rows.filter((row) => row.area === area)
  const lines = own.map(({ command, class: kind, state, how, ended }) => {
    const text = (cell: string): string => cell.replaceAll('|', '\\|')
    return `| \`${text(command)}\` | ${kind} | ${state === 'there' ? text(how) : `${state}: ${text(how)}`} | ${text(ended)} |`
  })
  return `## ${area}\n\n| pcs | Class | By | Ended |\n| --- | --- | --- | --- |\n${lines.join('\n')}\n`
})

/** What lines that both take do otherwise here, found by typing the same ones to both. */
const onPurpose: readonly (readonly [what: string, pcs: string, here: string])[] = [
  [
    'passwords in text',
    'are shown',
    'are masked; `--output-format json` and `cmd` have them, since programs write back what they read',
  ],
  [
    'words of pcs 0.9 to 0.11',
    'are refused with the present ones',
    'are taken, and mean what they meant: `property show`, `resource defaults a=b`, `role=Master`, `--wait`',
  ],
  [
    'what the cluster could not do',
    'is written: a constraint of a resource with itself, a loop of orders, a set that names a resource twice',
    'is refused with a sentence',
  ],
  [
    '`resource …` of a fence device, `stonith …` of a resource',
    'is refused with the other command',
    'is done, as up to pcs 0.10',
  ],
  [
    '`resource create NODE ocf:pacemaker:remote`',
    'is refused without `--force`',
    'is done: installers that were written for pcs 0.9 make remote nodes so',
  ],
  [
    '`resource clone`, `promotable` and `update` of a resource whose agent is not on this node',
    'asks for `--force`',
    'is done: the resource is there already',
  ],
  [
    'a rule in a CIB of a schema before 3.9',
    'raises the schema to the newest',
    'gets the scores which that schema asks for',
  ],
  [
    'the last fence device',
    'is deleted or disabled',
    'is deleted or disabled with `--force` only, where resources need it',
  ],
  ['an XPath that cannot be read, in a permission', 'is written', 'is refused with a sentence'],
  ['resources of a set, in text', 'are sorted by name', 'stand in the order that counts'],
  [
    '`property set stonith-watchdog-timeout=10`',
    'is refused until SBD is enabled',
    'is done: `systoled` feeds the watchdog',
  ],
  [
    'ids of cluster options and of pairs in sets of defaults',
    'end with the first 20 characters of the name',
    'end with the name, as Pacemaker’s own commands write them',
  ],
  [
    'sets of pairs that become empty',
    'are kept, because ACLs may permit pairs but not sets',
    'are removed, unless they have a rule',
  ],
  [
    'order within an element of the CIB',
    'new parts come last',
    'meta-attributes of a clone come before what is cloned',
  ],
  [
    'fence plugins of cluster-glue (`null`, `ssh`, `external/ipmi`)',
    'are agents where that package is installed',
    'are not: an agent of fence-agents for the same device takes their place',
  ],
]
const differences = onPurpose.map((cells) => `| ${cells.join(' | ')} |`).join('\n')

writeFileSync(
  resolve(import.meta.dirname, '../docs/pcs.md'),
  `# Commands of pcs

Every command of pcs 0.12, and the words of older ones that scripts still use. The tables show the Systole command for each, or why it is
refused, and how its result compares with Debian's pcs. Lines are drawn from the grammar and typed on copies of one CIB, here under the name \`pcs\` and at
Debian's own pcs: _same_ means exit code, CIB, listing and every word on standard error, _other words_ that only words to people differ, _other result_ anything else. Of commands that act on hosts no line is
drawn: tests on nodes try those. Made by \`npm run pcs-coverage\` from the commands and from test/pcs/outcome.json, which
\`npm run fuzz:pcs -- --record test/pcs/outcome.json\` writes.

| pcs | Lines | same | other words | other on purpose | other result |
| --- | --- | --- | --- | --- | --- |
${counts.join('\n')}

These lines are of 27 November 2026, from seeds that nobody had seen (361700000 and 351700000 on). At their first draw, on one build, 99.4 % beside 0.12 and 98.1 % beside 0.11 were equal in exit code, CIB and listing, or other on purpose; no CIB was one that its schema refuses.
What differed was examined, and fixed or given its reason; then the same lines were typed again, and the tables show this second result, so it is not an independent check. The lines of \`resource relocate dry-run\` are as in the first draw: a change to it was taken back.
The 28 lines that had stayed open were typed once more on 28 November and are counted as they end since: fixed, or with their reason.
Since then the generator also shortens options, puts them before the command, nests rules, compares dates with \`eq\` and \`ne\`, and draws \`config\`, \`cluster verify\`, help, listings under their older names, values at the edge of what is read (\`+5\`, \`10 s\`, \`a&b<c>\`, other scripts) and \`--\` anywhere.
With it, lines of seeds that nobody had seen were drawn on 28 November (812650000 and 811650000 on), while help was being fixed: the first 700 beside 0.12 before that, the others after it:

| pcs | Lines | same | other words | other on purpose | other result |
| --- | --- | --- | --- | --- | --- |
| 0.12.0.2 | 1507 | 1301 | 149 | 53 | 4 |
| 0.11.5 | 1509 | 1243 | 225 | 34 | 7 |

Of the eleven, three were fixed (help of a command that is none, the order of nodes in \`config\`, an empty word after \`resource failcount\`); seven have their reason: an option without effect, a change that is half made before the refusal, a word that is dropped in silence, Debian 12's own programs, a CIB of no schema, and a shortened \`--output-format\` whose value is the next word, which pcs takes for a name.
One is left: \`property -- --defaults\` lists here, where pcs shows the usage.
Earlier draws of the same day, on earlier builds and beside both: 99.2 to 99.4 % and 97.0 to 98.5 %.
Help and usage, called as \`pcs\`: for each command of 0.12 and 0.11, \`--help\`, \`AREA help COMMAND\`, \`help\`, an unknown option, and, where no host is acted on, no word, too many and a wrong one were typed at both. Of 2,026 calls beside 0.12, 2,013 end with the same exit code and 1,823 also on the same stream, under the same heading and with the same sentences; beside 0.11 2,030 and 1,794 of 2,040. The text below the heading is our own, with every command and option.
Of the others most are meant: words of older versions (\`acl show\`) are obeyed and not refused, what is not there is refused with its reason instead of the usage, \`cib element\` is there, \`cluster verify\` only warns of what Pacemaker warns of, and all that is wrong with a line is said, where pcs says the first. The rest are headings and sentences, as for \`constraint ticket add\` of one word and, beside 0.11, \`stonith defaults\`.
Left on purpose: \`resource delete\` takes the connection to a remote or guest node, too, because no daemon of pcs's has to clean that host up and the connection is stopped first. pcs 0.12 does not delete it, removes a resource from sets of tickets by \`constraint order delete\`, takes no bundle in \`resource relocate\`, no lower-case
duration in \`lifetime=\`, and writes \`stonith-enabled\` beside a \`fencing-enabled\` that is there. pcs 0.11 deletes the first of two constraints before it refuses the second, and moves no bundle.
Beside 0.11, some lines are those that Debian 12's own Pacemaker fails at ("Application of update diff failed"), or of CIBs that are valid against no schema, which pcs refuses.

pcs's own suite for its command line (pcs 0.12.0.2, as Debian 13 has it) was run with the original, each call was recorded, and typed here on the recorded files with the suite's own agents (27 November 2026):
3,168 calls of 1,250 cases. Of the 3,066 that are not about booth and corosync.conf, 2,969 (96.8 %) end with the same exit code and CIB, 2,546 of them the same to the word; by cases, 1,120 of 1,179 (95.0 %). None left a CIB that its schema refuses.

Recorded again on 28 November 2026 in two halves, with the original; the first half was typed once more on the build of that day. Of the 2,887 calls that are not about booth and corosync.conf:

| Kind | Calls |
| --- | --- |
| the same exit code and CIB | 2,844 (98.5 %), 2,611 of them the same to the word (90.4 %) |
| a CIB that its schema refuses | 0 |
| refused here: an XPath in a permission that cannot be read (\`/xpath/\`), the last fence device, \`fence_sbd\` without a disk that the nodes would read | 18 |
| accepted here, because words of older versions mean what they meant: roles Master and Slave, commas between devices of a level, \`resource create … ocf:pacemaker:remote\` | 12 |
| commands for pcs’s own daemon, which are not there: \`resource get_resource_agent_info\`, \`stonith get_fence_agent_info\`, \`property get_cluster_properties_definition\` | 3 |
| the suite’s agents judge parameters otherwise in this replay than in the suite | 2 |
| since fixed: \`--\` within the name of a command behind \`-f\` | 5 |
| another id for a pair whose name has a blank; the name of a guest node that is set once more; a file that this replay did not make | 3 |

By cases, 1,071 of 1,104 end with the same exit codes and CIBs. Pacemaker’s own suite of its tools, recorded with the originals and typed here on that build: of 2.1.5, 871 of 877 calls end with the same exit code and files; of 3.0.0, 1,034 of 1,039 (three of the five differ in the time of the recording alone).
Typed once more at the end of 28 November: 2,849 of 2,887 calls end with the same exit code and CIB, 2,620 of them the same to the word, none with an invalid CIB; by cases, 1,075 of 1,103. The tools’ suites: 871 of 877 and 1,034 of 1,039.

| Class | | there | refused | not there |
| --- | --- | --- | --- | --- |
${summary.join('\n')}

## Different on purpose

Called as \`pcs\`, with PCS_COMPAT=0.11 as well. As \`systole\`, and with PCS_COMPAT=0.9 or 0.10, more is taken or shown: scores and kinds in lower case, colocations and tickets in
\`resource relations\`, commands of \`--output-format cmd\` in one line each, by which every id is made again, constraints that stay with what was cloned, options that a listing of pcs does not have, \`-f\` everywhere,
\`clone meta a=b\` as the clone’s, \`op monitor\` without options, an update of an operation that keeps what is not named, defaults wherever they stand, and
an attribute that is unset twice.

| What | pcs 0.12 | Here |
| --- | --- | --- |
${differences}

${sections.join('\n')}
## Options

| pcs | Beside | Ended |
| --- | --- | --- |
${optionRows.sort().join('\n')}
`,
)
for (const { command, class: kind, state } of rows) if (state === 'not there') console.log(`${kind}  ${command}`)
