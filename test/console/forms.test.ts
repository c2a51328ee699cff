/** What forms write: commands that the API takes, and lines of pcs. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { allCommands } from '../../src/cli/index.ts'
import { commandsIn, isOfPcs, readLine, splitWords } from '../../src/console/change/command-line.ts'
import {
  createLine,
  isWhole,
  mistakeIn,
  propertyLine,
  quoted,
  simpleForms,
  valuesAtFirst,
} from '../../src/console/change/forms/lines.ts'
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
  }
  const lines = Object.values(simpleForms).map((form) => {
    expect(isWhole(form, valuesAtFirst(form))).toBe(false)
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
  ])
  for (const line of lines) read(line)
  expect(read(lines[1] ?? '').body.flags).toEqual({ reason: 'new disk' })
  expect(simpleForms.order?.line({ earlier: 'a', later: 'b', kind: 'Serialize' })).toMatch(/ kind=Serialize$/)
  expect(propertyLine('cluster-delay', '61s')).toBe('property set cluster-delay=61s')
  expect(propertyLine('cluster-delay', '')).toBe('property unset cluster-delay')
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
