/**
 * Every command there is, called as it stands on a CIB with a distinct secret under each name that may hold one: only those that write the
 * configuration out for a program, and those that are asked to, print any of them.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { describeDifference, difference } from '../../src/cli/change/difference.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const names = (
  'passwd password snmp_priv_passwd secret secret_key token apikey api_key api_credential community private_key passphrase ' +
  'credential access_key marked license'
).split(' ')
const secretOf = (place: string, name: string): string => `${place}-${name.replaceAll('_', '0')}-tellnobody`
const pairs = (place: string): string =>
  names.map((name, at) => `<nvpair id="${place}-pair${at}" name="${name}" value="${secretOf(place, name)}"/>`).join('')

const cib = `<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="5" num_updates="0" admin_epoch="0" have-quorum="1" dc-uuid="1">
<configuration><crm_config><cluster_property_set id="options"><nvpair id="o-names" name="secret-names" value="lic*"/></cluster_property_set></crm_config>
<nodes><node id="1" uname="n1"><instance_attributes id="n1-attributes">${pairs('node')}</instance_attributes></node></nodes>
<resources>
<primitive id="f" class="stonith" type="fence_ipmilan"><instance_attributes id="f-parameters"><nvpair id="f-ip" name="ip" value="192.0.2.1"/>${pairs('device')}</instance_attributes></primitive>
<primitive id="r" class="ocf" provider="pacemaker" type="Dummy"><instance_attributes id="r-parameters">${pairs('resource')}</instance_attributes></primitive>
</resources><constraints/>
<alerts><alert id="a" path="/bin/true"><instance_attributes id="a-options">${pairs('alert')}</instance_attributes><recipient id="a-r" value="me"><instance_attributes id="a-r-options">${pairs('recipient')}</instance_attributes></recipient></alert></alerts>
</configuration>
<status><node_state id="1" uname="n1" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="1"><lrm_resources><lrm_resource id="r" class="ocf" provider="pacemaker" type="Dummy">
<lrm_rsc_op id="r_last_0" operation_key="r_start_0" operation="start" call-id="3" rc-code="0" op-status="0" interval="0" on_node="n1" op-secure-params=" marked " transition-key="1:1:0:a" transition-magic="0:0;1:1:0:a"/>
</lrm_resource></lrm_resources></lrm></node_state></status></cib>`

const folder = mkdtempSync(join(tmpdir(), 'systole-secrets-'))
const file = join(folder, 'cib.xml')
beforeAll(() => writeFileSync(file, cib))
afterAll(() => rmSync(folder, { recursive: true }))

const told = (text: string): readonly string[] => [...new Set(text.match(/\w+-\w+-tellnobody/g) ?? [])]

async function say(line: readonly string[], path = file): Promise<string> {
  const progress: string[] = []
  const { standardOutput, standardError } = await runLine({
    commands: allCommands,
    line,
    terminal: scriptedTerminal(progress),
    openCluster: (other) => fileAccess(other ?? path),
  })
  return [...progress, standardError, standardOutput].join('\n')
}

/** They give the configuration out, to be taken in again. */
const givesOut = new Set(['cluster cib', 'config backup', 'configure show'])

/** They start every agent of this machine, which nothing of the configuration is shown to. */
const fewAgents: Readonly<Record<string, readonly string[]>> = {
  'stonith list': ['fence_ipmi'],
  'resource list': ['ocf:pacemaker'],
}

test('no command prints a secret that it was not asked for', { timeout: 120_000 }, async () => {
  const talkative: string[] = []
  for (const { path, refuses } of allCommands) {
    const name = path.join(' ')
    if (refuses !== undefined || givesOut.has(name)) continue
    const shows =
      /config|show|status|attribute|simulate|why|verify|query|relations|failcount|defaults|utilization/.test(name)
    for (const more of shows ? [[], ['--json'], ['--full'], ['r'], ['f'], ['n1'], ['a']] : [['--json']]) {
      // Each on a copy: some change it.
      const copy = join(folder, 'copy.xml')
      copyFileSync(file, copy)
      const secrets = told(await say([...path, ...(fewAgents[name] ?? []), ...more], copy))
      if (secrets.length > 0) talkative.push(`${[name, ...more].join(' ')}: ${secrets.join(' ')}`)
    }
  }
  expect(talkative).toEqual([])
})

test('whoever asks for them gets them', async () => {
  expect(told(await say(['stonith', 'config', '--show-secrets']))).toHaveLength(names.length)
  expect(told(await say(['resource', 'config', '--show-secrets']))).toHaveLength(names.length)
  expect(told(await say(['cluster', 'cib']))).toHaveLength(names.length * 5)
})

test('what is not secret is shown', async () => {
  expect(await say(['stonith', 'config'])).toContain('ip=192.0.2.1')
})

test('the difference of two versions tells that a secret changed, whatever the id of its pair is', () => {
  const read = (text: string): XmlElement => {
    const parsed = parseXml(text)
    if (!parsed.ok) throw new Error('malformed')
    return parsed.value
  }
  const changes = difference(read(cib), read(cib.replaceAll('-tellnobody', '-another-tellnobody')))
  expect(told(describeDifference(changes) + JSON.stringify(changes))).toEqual([])
  expect(changes.filter(({ kind }) => kind === 'changed')).toHaveLength(names.length * 5)
})

test('a report holds none, and is its owner’s alone', { timeout: 60_000 }, () => {
  const log = join(folder, 'agent.log')
  writeFileSync(
    log,
    names
      .map((name) => `${name}=written-${name.replaceAll('_', '0')}-tellnobody ${secretOf('device', name)}\n`)
      .join(''),
  )
  const shims = join(import.meta.dirname, '../../shims')
  const env = { PATH: `${shims}:/usr/bin:/bin`, CIB_file: file, SYSTOLE_ROOT: folder }
  const made = spawnSync('crm_report', ['--single-node', '--logfile', log, '--dest', join(folder, 'report')], {
    env,
    encoding: 'utf8',
  })
  expect(made.status, made.stderr).toBe(0)
  const archive = join(folder, 'report.tar.gz')
  expect(statSync(archive).mode & 0o777).toBe(0o600)
  const { stdout } = spawnSync('tar', ['-xzOf', archive], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  expect(stdout).toContain('192.0.2.1')
  expect(told(stdout)).toEqual([])
  expect(readFileSync(log, 'utf8')).toContain('tellnobody')
})

test('the history gets a command without what is secret in it', async () => {
  const stored: string[] = []
  const type = async (...line: readonly string[]): Promise<void> => {
    const printed = await runLine({
      commands: allCommands,
      line,
      terminal: scriptedTerminal(),
      openCluster: () => {
        const access = fileAccess(file)
        return {
          ...access,
          push: async ({ command }) => {
            stored.push(command)
            return await Promise.resolve({ kind: 'saved', version: 1 })
          },
        }
      },
    })
    expect(printed.standardError).toBe('')
  }
  const given = names.map((name) => `${name}=${secretOf('typed', name)}`)
  await type('resource', 'update', 'r', ...given, '--force')
  await type('node', 'attribute', 'n1', ...given)
  await type('alert', 'create', 'path=/bin/other', 'options', ...given)
  expect(stored).toHaveLength(3)
  expect(stored[0]).toContain('resource update r passwd=****** password=******')
  expect(told(stored.join('\n'))).toEqual([])
})
