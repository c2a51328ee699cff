/** Called as `pcs`: silent where pcs is, pcs's sentences where scripts look for them, and never our own name. */
import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { scratchAccess } from '../../src/cli/access/scratch-access.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const text = `<cib validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0"><configuration><crm_config/>
  <nodes><node id="1" uname="n1"/></nodes>
  <resources><primitive id="web" class="ocf" provider="heartbeat" type="Dummy"/>
    <clone id="ping-clone"><primitive id="ping" class="ocf" provider="pacemaker" type="ping"/></clone></resources>
  <constraints/><tags><tag id="office"><obj_ref id="web"/></tag></tags></configuration><status/></cib>`

async function say(line: string, called: 'pcs' | 'systole' = 'pcs', environment?: string) {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error('the CIB of this test is malformed')
  const progress: string[] = []
  const printed = await runLine({
    commands: allCommands,
    line: splitShellLine(line),
    terminal: scriptedTerminal(progress),
    openCluster: () => ({ ...scratchAccess(parsed.value), isScratch: false }),
    called: { program: called, environment },
  })
  const errors = `${progress.map((one) => `${one}\n`).join('')}${printed.standardError}`
  return { ...printed, errors }
}

const closing = 'Error: Errors have occurred, therefore pcs is unable to continue\n'

const sentences: readonly (readonly [line: string, errors: string])[] = [
  ['resource enable nosuch', `Error: bundle/clone/group/resource/tag 'nosuch' does not exist\n${closing}`],
  ['resource delete a b', "Error: Unable to find resources: 'a', 'b'\n"],
  ['resource remove a', "Error: Unable to find resource: 'a'\n"],
  ['resource update nosuch a=b', 'Error: Unable to find resource: nosuch\n'],
  ['resource disable', 'Error: You must specify resource(s) to disable\n'],
  ['resource create web ocf:heartbeat:Dummy', "Error: 'web' already exists\n"],
  ['resource create x nosuch', `Error: Unable to find agent 'nosuch', try specifying its full name\n${closing}`],
  ['resource clone ping', 'Error: ping is already a clone resource\n'],
  ['resource move-with-constraint web', 'Error: You must specify a node when moving/banning a stopped resource\n'],
  [
    'constraint order web then ping',
    'Error: ping is a clone resource, you should use the clone id: ping-clone when adding constraints. Use --force to override.\n',
  ],
  ['constraint delete a b', "Error: Unable to find constraints or constraint rules: 'a', 'b'\n"],
  [
    'constraint colocation set web ping-clone setoptions score=x',
    "Error: invalid score 'x', use integer or INFINITY or -INFINITY\n",
  ],
  [
    'constraint ticket add T web loss-policy=x',
    `Error: 'x' is not a valid loss-policy value, use 'demote', 'fence', 'freeze', 'stop'\n${closing}`,
  ],
  ['stonith level add x n1 web', `Error: 'x' is not a valid level value, use 1..9\n${closing}`],
  [
    'constraint colocation remove web nosuch',
    "Error: Unable to find colocation constraint with source resource 'web' and target resource 'nosuch'\n",
  ],
  ['constraint ticket remove T web', 'Error: no matching ticket constraint found\n'],
  [
    'resource create x ocf:heartbeat:Dummy nosuch=1',
    `Error: invalid resource option 'nosuch', allowed options are: 'fake', 'state', 'trace_file', 'trace_ra', use --force to override\n${closing}`,
  ],
  ['acl role delete nosuch', "Error: ACL role 'nosuch' does not exist\n"],
  ['tag create 1x web', `Error: invalid id '1x', '1' is not a valid first character for a id\n${closing}`],
  [
    'tag update office remove web',
    `Error: There would be no references left in the tag 'office', please remove the whole tag using the 'pcs tag remove office' command\n${closing}`,
  ],
  ['property set foo', "Error: missing value of 'foo' option\n"],
  ['property set =x', "Error: missing key in '=x' option\n"],
  ['node standby nosuch', "Error: Node 'nosuch' does not appear to exist in configuration\n"],
  ['resource config --all', "Error: Specified option '--all' is not supported in this command\n"],
  ['resource config --nosuch', 'Error: option --nosuch not recognized\n\nUsage: pcs [-f file] [-h] [commands]...\n'],
  [
    'constraint location delete nosuch',
    "Deprecation Warning: This command is deprecated and will be removed. Please use 'pcs constraint delete' or 'pcs constraint remove' instead.\nError: Unable to find location constraints: 'nosuch'\n",
  ],
  // What is carried out.
  ['property set maintenance-mode=true', ''],
  ['resource disable web', ''],
  ['resource delete web --force', "Removing dependant element:\n  Tag: 'office'\n"],
  [
    'constraint order web then ping-clone',
    'Adding web ping-clone (kind: Mandatory) (Options: first-action=start then-action=start)\n',
  ],
  [
    'resource defaults update resource-stickiness=1',
    'Warning: Defaults do not apply to resources which override them with their own defined values\n',
  ],
]
for (const [line, errors] of sentences)
  test(line, async () => {
    expect((await say(line)).errors).toBe(errors)
  })

const usages: readonly (readonly [line: string, heading: string])[] = [
  ['resource create', 'Usage: pcs resource create...'],
  ['stonith update', 'Usage: pcs stonith update...'],
  ['resource remove', 'Usage: pcs resource remove...'],
  ['resource foo', 'Usage: pcs resource ...'],
  ['resource group', 'Usage: pcs resource group...'],
  ['constraint location web', 'Usage: pcs constraint [constraints]...'],
  ['tag create', 'Usage: pcs tag <command>'],
  ['nosuch', 'Usage: pcs [-f file] [-h] [commands]...'],
]
for (const [line, heading] of usages)
  test(`${line}: ${heading}`, async () => {
    const { errors, exitCode } = await say(line)
    expect(errors.startsWith(`\n${heading}\n`)).toBe(true)
    expect(exitCode).toBe(1)
  })

test('the same lines under our own name are answered in our own words', async () => {
  expect((await say('resource enable nosuch', 'systole')).errors).toBe("Error: There is no resource 'nosuch'.\n")
  expect((await say('property set maintenance-mode=true', 'systole')).standardOutput).toContain('maintenance-mode=true')
})

test('what pcs 0.12 advises against, older ones say nothing about', async () => {
  const line = 'resource create x ocf:heartbeat:Dummy --group g --force'
  expect((await say(line)).errors).toContain("Deprecation Warning: Using '--group'")
  expect((await say(line, 'pcs', '0.10')).errors).not.toContain('Deprecation')
})

test('no command says our name, however wrong it is called', async () => {
  const wrong: string[] = []
  for (const { path } of allCommands.filter(
    ({ path }) => !ownWords.has(path[0] ?? '') && !readsAgents.has(path[1] ?? ''),
  ))
    for (const rest of ['', 'nosuch nosuch2 a=b']) {
      const line = `${path.join(' ')} ${rest}`.trim()
      const { errors } = await say(`${line} -f x`)
      if (/systole/i.test(errors)) wrong.push(`${line}: ${errors}`)
    }
  expect(wrong).toEqual([])
}, 300_000)

/** These read the metadata of all agents that are installed. */
const readsAgents: ReadonlySet<string> = new Set(['list', 'agents', 'describe', 'standards', 'providers'])

/** Areas that act on the host, and ours alone. */
const ownWords: ReadonlySet<string> = new Set([
  'cluster',
  'pki',
  'import',
  'host',
  'qdevice',
  'booth',
  'quorum',
  'simulate',
  'completion',
  'why',
])
