import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** Debian's alert agent that writes into a file, on nodes whose resources and power come and go: who is told of what, and once. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes, { disks: ['/srv'] })
const agent = '/usr/share/pacemaker/alerts/alert_file.sh.sample'

/** Tells first and hangs then, where it finds a word to; and one that never ends, with a child. */
const slow = `#!/bin/sh
echo "$CRM_alert_kind $CRM_alert_node $CRM_alert_task $CRM_alert_desc" | sed 's/ by .*//' >> "$CRM_alert_recipient"
[ ! -e /srv/alerts/wait ] || sleep 120
`
const endless = `#!/bin/sh
echo "$(id -un) $CRM_alert_attribute_name=$CRM_alert_attribute_value $CRM_alert_kind $shade" >> "$CRM_alert_recipient"
yes & exec sleep 1234
`

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  for (const node of nodes) {
    await lab.inNode(node, 'install', '-d', '-m', '777', '/srv/alerts')
    await lab.inNode(
      node,
      'sh',
      '-c',
      `cat > /srv/slow <<'END'\n${slow}END\ncat > /srv/endless <<'END'\n${endless}END\nchmod 755 /srv/slow /srv/endless`,
    )
  }
}, 120_000)

afterAll(() => lab.close(), 60_000)

/** What an agent has written on a node, without the time. */
function told(node: string, file: string): readonly string[] {
  const path = join(lab.folder, 'nodes', node, 'disks/srv/alerts', file)
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [line.replace(/^[\d:.]+: /, '')]))
}

const toldAnywhere = (about: RegExp, file: string): readonly string[] =>
  nodes.flatMap((node) => told(node, file).filter((line) => about.test(line)))

/** Waits for so many lines; the error shows those that came. */
async function untilTold(about: RegExp, file: string, count: number): Promise<void> {
  await lab.until(`${count} lines about ${about.source} in ${file}`, () => {
    const lines = toldAnywhere(about, file)
    if (lines.length >= count) return true
    throw new Error(`so far: ${nodes.map((node) => `${node}: ${told(node, file).join(' | ')}`).join('; ')}`)
  })
}

async function seenBy(node: string): Promise<{ readonly dc: string; readonly online: readonly string[] }> {
  const { nodes: all } = await lab.status(node)
  const online = all.filter((each) => each.online && !each.unclean).map(({ name }) => name)
  return { dc: all.find((each) => each.dc)?.name ?? '', online }
}

test('the start, the failure and the recovery of a resource are told once, by the node that did it', async () => {
  await lab.systole('n1', 'alert', 'create', `path=${agent}`, 'id=file')
  await lab.systole('n1', 'alert', 'recipient', 'add', 'file', 'value=/srv/alerts/log', 'id=log')
  await lab.prepare('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=1s', '--wait')
  const [where = ''] = await lab.whereIs('work', 'n1')
  const op = (name: string, result: string): string =>
    `Resource operation '${name}' for 'work' on '${where}': ${result}`
  const began = [op('start', 'ok'), op('monitor (1000)', 'ok')]
  await untilTold(/'work'/, 'log', 2)
  expect(told(where, 'log')).toEqual(began)
  await lab.inNode(where, 'sh', '-c', 'find /run /var/run -name "Dummy-work.state" -delete')
  await untilTold(/'work'/, 'log', 6)
  expect(told(where, 'log')).toEqual([...began, op('monitor (1000)', 'not running'), op('stop', 'ok'), ...began])
}, 60_000)

test('an agent that hangs and prints is ended after its timeout, holds up nothing, and status names it', async () => {
  const alert = `<alert id="hangs" path="/srv/endless"><select><select_attributes><attribute id="a" name="colour"/></select_attributes></select>
    <meta_attributes id="hm"><nvpair id="hmt" name="timeout" value="2s"/></meta_attributes>
    <instance_attributes id="hi"><nvpair id="his" name="shade" value="dark"/></instance_attributes>
    <recipient id="hr" value="/srv/alerts/hangs"/></alert>`
  await lab.inNode('n1', join(lab.folder, 'systole/shims/cibadmin'), '--create', '-o', 'alerts', '--xml-text', alert)
  for (const colour of ['red', 'red', 'green'])
    await lab.inNode('n2', join(lab.folder, 'systole/shims/attrd_updater'), '-n', 'colour', '-U', colour, '-N', 'n2')
  await lab.inNode('n2', join(lab.folder, 'systole/shims/attrd_updater'), '-n', 'taste', '-U', 'sweet', '-N', 'n2')
  await lab.systole('n1', 'resource', 'disable', 'work', '--wait')
  await untilTold(/'stop' for 'work'/, 'log', 2)
  await untilTold(/./, 'hangs', 2)
  expect(toldAnywhere(/./, 'hangs')).toEqual([
    'hacluster colour=red attribute dark',
    'hacluster colour=green attribute dark',
  ])
  const note = /On n2: The alert hangs fails: .*endless did not end within 2 s/
  await lab.until('status tells it', async () => note.test(await lab.systole('n1', 'status')))
  const left = await lab.inNode('n2', 'sh', '-c', 'pgrep -f "[s]leep 1234" || echo none')
  expect(left.trim()).toBe('none')
  await lab.systole('n1', 'alert', 'delete', 'hangs')
}, 60_000)

test('a lost node and its fencing are told once, although the DC is lost before it could tell all', async () => {
  await lab.systole('n1', 'alert', 'create', 'path=/srv/slow', 'id=slow', 'meta', 'timeout=300s')
  await lab.systole('n1', 'alert', 'recipient', 'add', 'slow', 'value=/srv/alerts/slow', 'id=one')
  const { dc } = await seenBy('n1')
  const [victim = '', other = ''] = nodes.filter((node) => node !== dc)
  await lab.inNode(dc, 'touch', '/srv/alerts/wait')
  await lab.power.off(victim)
  await lab.until('it is fenced and back', async () => {
    const { fencing, nodes: seen } = await lab.status(other)
    const fenced = fencing.some(({ target, outcome }) => target === victim && outcome === 'succeeded')
    return fenced && told(dc, 'slow').length > 0 && seen.every(({ online }) => online)
  })
  // The first call of the alert runs on and on there; the others wait.
  expect(toldAnywhere(/^(node|fencing)/, 'slow')).toEqual([`node ${victim}  lost`])
  await lab.power.off(dc)
  await lab.until('the former DC is back', async () => {
    const now = await seenBy(other)
    return now.dc !== dc && now.dc !== '' && now.online.length === 3
  })
  const expected = [victim, dc].flatMap((node) => [
    `fencing ${node} reboot Operation reboot of ${node}`,
    `node ${node}  lost`,
    `node ${node}  member`,
  ])
  await untilTold(/^(node|fencing)/, 'slow', expected.length)
  expect([...toldAnywhere(/^(node|fencing)/, 'slow')].sort()).toEqual(expected.sort())
  for (const node of [victim, dc]) {
    expect(toldAnywhere(new RegExp(`'${node}' is now 'lost'`), 'log')).toHaveLength(1)
    expect(toldAnywhere(new RegExp(`^Fencing .* of ${node} by .*: OK`), 'log')).toHaveLength(1)
  }
}, 90_000)
