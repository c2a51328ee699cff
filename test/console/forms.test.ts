/** What forms write: commands that the API takes, and lines of pcs. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { allCommands } from '../../src/cli/index.ts'
import { commandsIn, isOfPcs, readLine, splitWords } from '../../src/console/change/command-line.ts'
import { isWhole, listIn, toggled, valuesAtFirst } from '../../src/console/change/forms/form.ts'
import {
  alertLine,
  createLine,
  fenceLine,
  mistakeIn,
  propertyLine,
  quoted,
  updateLine,
} from '../../src/console/change/forms/lines.ts'
import { simpleForms } from '../../src/console/change/forms/simple-forms.ts'
import { endpointsOf } from '../../src/web/command-table.ts'
import { openApi } from '../../src/web/openapi.ts'

const commands = commandsIn(openApi(endpointsOf(allCommands), '0'))
const read = (line: string) => {
  const found = readLine(line, commands)
  if (found.kind !== 'request') throw new Error(`${line}: ${found.sentence}`)
  return found
}

test('what is quoted is taken apart as it was', () => {
  for (const word of [
    'web',
    'a b',
    '10s',
    'ip=10.0.0.1',
    'it’s',
    "it's",
    'say "no"',
    '#uname',
    '$x',
    'a\\b',
    ';reboot',
  ])
    expect(splitWords(quoted(word))).toEqual([word])
})

test('a resource is created with what was filled in, and nothing else', () => {
  const base = { id: 'ip', agent: 'ocf:heartbeat:IPaddr2', parameters: {}, monitor: '', as: 'one', group: '' } as const
  expect(createLine(base)).toBe('resource create ip ocf:heartbeat:IPaddr2')
  expect(
    createLine({
      ...base,
      parameters: { ip: '10.0.0.9', nic: '', iflabel: 'a b' },
      monitor: '10s',
      as: 'group',
      group: 'shop',
    }),
  ).toBe("resource create ip ocf:heartbeat:IPaddr2 ip=10.0.0.9 'iflabel=a b' op monitor interval=10s --group=shop")
  expect(createLine({ ...base, as: 'promotable' })).toBe('resource create ip ocf:heartbeat:IPaddr2 promotable')
  expect(read(createLine({ ...base, as: 'clone' }))).toMatchObject({ command: { name: 'resource create' } })
})

test('each form writes a command of the API once all that it needs is there', () => {
  const values = {
    resource: 'web',
    node: 'n2',
    earlier: 'db',
    later: 'web',
    one: 'web',
    other: 'db',
    score: '100',
    reason: 'new disk',
    devices: 'fence-a\nfence-b',
    role: 'watcher',
    on: '//resources',
    description: 'only looks',
    name: 'anna',
    alert: 'mail',
    value: 'ops@example.com',
    recipient: 'mail-recipient',
    tag: 'shop',
    members: 'web\ndb',
    service: 'shop',
    port: '80',
    path: '/health',
    gate: 'web shop',
    min: '2',
    clients: '10.0.0.0/8',
    rollout: 'r1',
  }
  const lines = Object.entries(simpleForms).map(([name, form]) => {
    if (!['acl-switch', 'service-door'].includes(name)) expect(isWhole(form, valuesAtFirst(form))).toBe(false)
    const whole = { ...valuesAtFirst(form), ...values }
    expect(isWhole(form, whole)).toBe(true)
    return form.line(whole)
  })
  expect(lines).toEqual([
    'resource move web n2',
    "node drain n2 '--reason=new disk'",
    'stonith fence n2',
    'resource cleanup web',
    'constraint location web prefers n2=100',
    'constraint order start db then start web',
    'constraint colocation add web with db 100',
    'stonith level add 1 n2 fence-a fence-b',
    'stonith level remove 1 target n2',
    "acl role create watcher 'description=only looks' read xpath //resources",
    'acl permission add watcher read xpath //resources',
    'acl role delete watcher',
    'acl user create anna watcher',
    'acl role assign watcher anna',
    'acl user delete anna',
    'acl enable',
    'alert recipient add mail value=ops@example.com',
    'alert test mail',
    'alert recipient delete mail-recipient',
    'alert delete mail',
    'tag create shop web db',
    'tag update shop add web db',
    'tag delete shop',
    'service create anna web port=80 path=/health',
    'service update shop port=80 path=/health',
    'service delete shop',
    'service gate add web shop min=2',
    'service gate remove web shop',
    'service dns enable clients=10.0.0.0/8',
    'rollout pause r1',
  ])
  for (const line of lines) read(line)
  expect(read(lines[1] ?? '').body.flags).toEqual({ reason: 'new disk' })
  expect(simpleForms.order?.line({ earlier: 'a', later: 'b', kind: 'Serialize' })).toMatch(/ kind=Serialize$/)
  expect(
    simpleForms['service-create']?.line({
      ...{ name: 'db', resource: 'db-clone', port: '53', protocol: 'udp' },
      ...{ role: 'promoted instances', check: 'tcp', address: 'vip' },
    }),
  ).toBe('service create db db-clone port=53 protocol=udp role=Promoted check=tcp address=vip')
  // Nothing is changed as long as every option stays as it is.
  expect(simpleForms['service-update']?.line({ service: 'db', check: 'as it is' })).toBe('')
  expect(simpleForms['service-door']?.line({ door: 'http', verb: 'disable', clients: '10.0.0.0/8' })).toBe(
    'service http disable',
  )
  for (const word of ['resume', 'abort'])
    expect(read(simpleForms['rollout-word']?.line({ rollout: 'r1', word }) ?? '').body.flags).toEqual({
      'no-wait': true,
    })
  expect(propertyLine('cluster-delay', '61s')).toBe('property set cluster-delay=61s')
  expect(propertyLine('cluster-delay', '')).toBe('property unset cluster-delay')
})

test('a fence device is for the nodes that were chosen, and has no place', () => {
  const device = {
    id: 'f',
    agent: 'fence_ipmilan',
    parameters: { ip: '10.1.0.1', username: '' },
    monitor: '60s',
    as: 'one',
    group: '',
  } as const
  expect(fenceLine(device, ['n1', 'n2'])).toBe(
    'stonith create f fence_ipmilan ip=10.1.0.1 pcmk_host_list=n1,n2 op monitor interval=60s',
  )
  expect(fenceLine({ ...device, monitor: '' }, [])).toBe('stonith create f fence_ipmilan ip=10.1.0.1')
  expect(read(fenceLine(device, ['n1']))).toMatchObject({ command: { name: 'stonith create' } })
})

test('a change of parameters has only what was changed, and removes what was emptied', () => {
  expect(updateLine('web', { port: '80', root: '/srv' }, { port: '81', root: '/srv' })).toBe(
    'resource update web port=81',
  )
  expect(updateLine('web', { port: '80' }, { port: '', name: 'a b' })).toBe("resource update web port= 'name=a b'")
  expect(updateLine('web', { port: '80' }, { port: '80', name: '' })).toBe('')
})

test('an alert has the options and meta-attributes that were filled in', () => {
  const path = '/usr/share/systole/alerts/alert_smtp'
  expect(alertLine({ id: '', path, options: {}, meta: {} })).toBe(`alert create path=${path}`)
  const whole = {
    id: 'mail',
    path,
    options: { smtp_host: 'mail.example.com', smtp_port: '' },
    meta: { timeout: '15s' },
  }
  expect(alertLine(whole)).toBe(`alert create path=${path} id=mail options smtp_host=mail.example.com meta timeout=15s`)
  expect(read(alertLine(whole))).toMatchObject({ command: { name: 'alert create' } })
})

test('several are chosen one after the other, and in that order', () => {
  expect(toggled(toggled('', 'b'), 'a')).toBe('b\na')
  expect(toggled('b\na', 'b')).toBe('a')
  expect(listIn('')).toEqual([])
})

test('a line is offered as one of pcs where pcs has the command', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/pcs.md'), 'utf8')
  const ofPcs = new Set([...page.matchAll(/^\| `pcs ([a-z0-9 _-]+)` \| [A-Z] \| systole/gm)].map(([, name]) => name))
  expect(ofPcs.size).toBeGreaterThan(100)
  for (const command of commands)
    expect([command.name, isOfPcs({ command, body: {} })]).toEqual([command.name, ofPcs.has(command.name)])
  expect(isOfPcs(read('resource disable web --confirm-within=5min'))).toBe(false)
  expect(isOfPcs(read('resource disable web --wait'))).toBe(true)
})

test('a number is one, before an agent stumbles over it', () => {
  expect(['8080', '', '-1', '80x', '1.5'].map((value) => mistakeIn('integer', value) === undefined)).toEqual([
    ...[true, true, true],
    ...[false, false],
  ])
  expect(mistakeIn('string', '80x')).toBeUndefined()
})
