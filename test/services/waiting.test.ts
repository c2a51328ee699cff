/** What `service wait` waits for, and what `service watch` tells as a change. */
import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { serviceWait } from '../../src/cli/commands/service/wait.ts'
import { changesBetween, linesOf } from '../../src/cli/commands/service/watch-lines.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { stoppedState } from '../../src/daemon/cluster-state/cluster-state.ts'
import { awaitedOf, type Service, type ServiceInstance } from '../../src/services/index.ts'
import { scriptedTerminal } from '../cli/scripted-terminal.ts'
import { serviceOf } from '../daemon/discovery/asking.ts'
import { localClient } from '../support/local-client.ts'

const www = serviceOf('www', 3)
const withInstances = (...instances: readonly ServiceInstance[]): readonly Service[] => [{ ...www, instances }]
const on = (number: number, node: string, more: Partial<ServiceInstance> = {}): ServiceInstance => ({
  resource: `web:${number}`,
  node,
  address: `10.0.0.${node.slice(1)}`,
  port: 80,
  state: 'healthy',
  ...more,
})
const nowhere = (number: number): ServiceInstance => ({ resource: `web:${number}`, port: 80, state: 'declared' })
const told = (before: readonly Service[], after: readonly Service[]): readonly string[] =>
  changesBetween(linesOf(before), linesOf(after)).map(({ text }) => text)

test('without a number all that are expected are waited for, and one at least', () => {
  expect(awaitedOf(www)).toBe(3)
  expect(awaitedOf({ ...www, expected: 0 })).toBe(1)
})

test('an instance that goes is told, and not that the others have other numbers then', () => {
  const three = withInstances(on(0, 'n2'), on(1, 'n1'), on(2, 'n3'))
  const two = withInstances(on(0, 'n1'), on(1, 'n3'), nowhere(2))
  expect(told(three, two)).toEqual(['web:0 on n2: gone', 'web:2: declared'])
  expect(told(two, three)).toEqual(['web:0 on n2: healthy'])
  expect(told(three, three)).toEqual([])
})

test('two instances on one node are told apart, and a state and its reason are changes', () => {
  const both = withInstances(on(0, 'n1'), on(1, 'n1'))
  expect(told([], both)).toEqual(['web:0 on n1: healthy', 'web:1 on n1: healthy'])
  const failing = withInstances(on(0, 'n1'), on(1, 'n1', { state: 'failing', reason: 'no answer' }))
  expect(told(both, failing)).toEqual(['web:1 on n1: failing (no answer)'])
  expect(told(both, withInstances(on(0, 'n1')))).toEqual(['web:1 on n1: gone'])
})

test('a service that is declared no more is gone with all its instances', () => {
  expect(told(withInstances(on(0, 'n1'), nowhere(1)), [])).toEqual(['web:0 on n1: gone', 'web:1: gone'])
})

test('what is missing is the answer, and stands there once: while it waits, the command says for how many', async () => {
  const read = parseXml(
    '<cib><configuration><crm_config/><nodes><node id="1" uname="n1"/></nodes><resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"><meta_attributes id="m"><nvpair id="s" name="systole-service-www" value="port=80"/></meta_attributes></primitive></resources><constraints/></configuration><status/></cib>',
  )
  if (!read.ok) throw new Error('the CIB of this test is malformed')
  const cib = read.value
  const live = localClient({ getState: async () => await Promise.resolve(stoppedState(undefined, 'n1', true)) })
  const said: string[] = []
  const typed = async (timeout: string) =>
    await runLine({
      commands: [serviceWait],
      line: ['service', 'wait', 'www', `--timeout=${timeout}`],
      terminal: scriptedTerminal(said),
      openCluster: () => ({
        live,
        readCib: async () => await Promise.resolve({ cib, version: 1 }),
        push: async () => await Promise.reject(new Error('nothing is changed')),
        close: () => undefined,
      }),
    })
  const missing = {
    standardOutput: 'www: 0 of 1 healthy\n  web: declared (it runs on no node yet)\n',
    exitCode: 75,
  }
  expect(await typed('600ms')).toMatchObject(missing)
  expect(said).toEqual(['Waiting for 1 healthy of www; now 0 of 1 healthy.'])
  expect(await typed('0')).toMatchObject(missing)
  expect(said).toHaveLength(1)
})
