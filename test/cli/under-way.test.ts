import { expect, test } from 'vitest'
import { describeUnderWay, underWay } from '../../src/cli/commands/why/under-way.ts'

type Explained = Parameters<typeof underWay>[0]['instances'][number]
type Transition = Parameters<typeof underWay>[1]['transition']

const instance = (facts: object) => ({ instances: [{ changes: [], ...facts } as unknown as Explained] })
const running = (pending: readonly string[]) => ({ transition: { state: 'running', pending } as unknown as Transition })
const promote = { changes: [{ what: 'Promote' }] }

test('a promotion that is planned waits for a start elsewhere, and why says so', () => {
  const actions = underWay(instance(promote), running(['rabbitmq start on n2']))
  expect(describeUnderWay(actions)).toBe(
    'In progress in the cluster: rabbitmq start on n2. Other planned actions may have to wait.\n',
  )
})

test('nothing is said of a resource for which nothing is planned, or whose own action is under way', () => {
  expect(underWay(instance({}), running(['rabbitmq start on n2']))).toEqual([])
  const pending = { node: 'n1', operation: 'promote' }
  expect(underWay(instance({ ...promote, pending }), running(['galera promote on n1']))).toEqual([])
})
