import { describe, expect, test } from 'vitest'
import { monotonicMs, resourceId } from '../../src/base/index.ts'
import { formatTransitionKey } from '../../src/cib/index.ts'
import {
  type ExecutorEffect,
  type ExecutorInput,
  type ExecutorState,
  initialExecutor,
  nextDueAt,
  type Operation,
  stepExecutor,
} from '../../src/executor/index.ts'

/** Drives the core and writes down what it does, one line for each effect. */
class Node {
  state: ExecutorState = initialExecutor()
  now = 0
  readonly said: string[] = []
  /** The call ids of what was begun last, by resource. */
  readonly calls = new Map<string, number>()

  give(...inputs: readonly ExecutorInput[]): readonly string[] {
    const from = this.said.length
    for (const input of inputs) {
      const { state, effects } = stepExecutor(this.state, input, monotonicMs(this.now))
      this.state = state
      for (const effect of effects) this.#note(effect)
    }
    return this.said.slice(from)
  }

  execute(resource: string, operation: string, more: Partial<Operation> = {}): readonly string[] {
    return this.give({ kind: 'execute', operation: op(resource, operation, more) })
  }

  announced(resource: string, written = true): readonly string[] {
    const callId = this.calls.get(resource) ?? 0
    return this.give({ kind: 'announced', callId, resource: resourceId(resource), written })
  }

  finished(resource: string, exitCode = 0, status: 'done' | 'timeout' | 'cancelled' = 'done'): readonly string[] {
    const callId = this.calls.get(resource) ?? 0
    const outcome = { status, exitCode, execTimeMs: 5 }
    return this.give({ kind: 'finished', callId, resource: resourceId(resource), outcome })
  }

  recorded(resource: string, revision: number): readonly string[] {
    return this.give({ kind: 'recorded', callId: this.calls.get(resource) ?? 0, revision })
  }

  /** Started and announced: running until `finished`. */
  run(resource: string, operation: string, more: Partial<Operation> = {}): void {
    this.execute(resource, operation, more)
    this.announced(resource)
  }

  at(now: number): readonly string[] {
    this.now = now
    return this.give({ kind: 'tick' })
  }

  #note(effect: ExecutorEffect): void {
    switch (effect.kind) {
      case 'announce':
        this.calls.set(effect.result.resource, effect.callId)
        this.said.push(`announce ${effect.result.resource} ${effect.result.operation} term ${effect.term}`)
        return
      case 'run':
        this.calls.set(effect.operation.resource, effect.callId)
        this.said.push(`run ${effect.operation.resource} ${effect.operation.operation}`)
        return
      case 'record': {
        const { resource, operation, status, exitCode } = effect.result
        this.said.push(`record ${resource} ${operation} ${status} ${exitCode}`)
        return
      }
      case 'kill':
        this.said.push(`kill ${effect.resource}`)
        return
      case 'refuse':
        this.said.push(`refuse ${effect.why}`)
        return
      case 'forget-operation':
        this.said.push(`forget ${effect.resource} ${effect.operation} ${effect.intervalMs}`)
        return
      case 'forget-resource':
        this.said.push(`forget ${effect.resource}`)
        return
      default:
        this.said.push(`stopped locally, failed: ${effect.failed.join() || 'none'}`)
    }
  }
}

let actions = 0
function op(resource: string, operation: string, more: Partial<Operation> = {}): Operation {
  return {
    resource: resourceId(resource),
    agent: { class: 'ocf', provider: 'test', type: 'web' },
    operation,
    intervalMs: 0,
    startDelayMs: 0,
    timeoutMs: 20_000,
    attributes: {},
    key: { action: ++actions, transition: 1, expectedExitCode: 0, uuid: 'u' },
    term: 5,
    plannedFrom: 100,
    ...more,
  }
}

const monitor = { intervalMs: 10_000 }
const ended = (resource: string, node: Node): ExecutorInput => ({
  kind: 'finished',
  callId: node.calls.get(resource) ?? 0,
  resource: resourceId(resource),
  outcome: { status: 'done', exitCode: 0, execTimeMs: 5 },
})
const withoutDc = (resource: string, operation: string): Operation => {
  const { term: _, plannedFrom: __, ...rest } = op(resource, operation)
  return rest
}

describe('one operation at a time', () => {
  test('an operation that changes a resource begins after its pending record is written', () => {
    const node = new Node()
    expect(node.execute('web', 'start')).toEqual(['announce web start term 5'])
    expect(node.announced('web')).toEqual(['run web start'])
    expect(node.finished('web')).toEqual(['record web start done 0'])
  })

  test('a pending record that the store refuses means that nothing runs', () => {
    const node = new Node()
    node.execute('web', 'start')
    expect(node.announced('web', false)).toEqual([])
    expect(node.execute('web', 'stop')).toEqual(['announce web stop term 5'])
  })

  test('word that something has happened brings the next monitor forward, once', () => {
    const node = new Node()
    node.run('web', 'start')
    node.finished('web')
    node.execute('web', 'monitor', { intervalMs: 60_000 })
    node.finished('web')
    expect(node.at(1000)).toEqual([])
    expect(node.give({ kind: 'noticed', resource: resourceId('web') })).toEqual(['run web monitor'])
    expect(node.give({ kind: 'noticed', resource: resourceId('web') })).toEqual([])
    expect(node.finished('web', 7)).toEqual(['record web monitor done 7'])
    expect(node.at(60_999)).toEqual([])
    expect(node.at(61_000)).toEqual(['run web monitor'])
    expect(node.give({ kind: 'noticed', resource: resourceId('unknown') })).toEqual([])
  })

  test('a probe changes nothing and begins at once', () => {
    expect(new Node().execute('web', 'monitor')).toEqual(['run web monitor'])
  })

  test('operations of one resource wait for each other, those of another do not', () => {
    const node = new Node()
    node.run('web', 'start')
    expect(node.execute('web', 'promote')).toEqual([])
    expect(node.execute('db', 'start')).toEqual(['announce db start term 5'])
    expect(node.finished('web')).toEqual(['record web start done 0', 'announce web promote term 5'])
  })

  test.each(['start', 'stop'])('a %s that is sent twice is done once, even when it has ended', (operation) => {
    const node = new Node()
    const asked = op('web', operation)
    node.give({ kind: 'execute', operation: asked })
    expect(node.give({ kind: 'execute', operation: asked })).toEqual([])
    node.announced('web')
    expect(node.give({ kind: 'execute', operation: asked })).toEqual([])
    expect(node.finished('web')).toEqual([`record web ${operation} done 0`])
    expect(node.give({ kind: 'execute', operation: asked })).toEqual([])
  })

  test('a result that comes twice, or of an operation that is not there, changes nothing', () => {
    const node = new Node()
    node.run('web', 'start')
    node.finished('web')
    expect(node.finished('web')).toEqual([])
  })

  test('nothing begins beside an agent that a former daemon has left running', () => {
    const node = new Node()
    node.give({ kind: 'left-agent', resource: resourceId('web') })
    expect(node.execute('web', 'monitor')).toEqual([])
    expect(node.give({ kind: 'left-agent-gone', resource: resourceId('web') })).toEqual(['run web monitor'])
  })

  test('call ids grow', () => {
    const node = new Node()
    node.run('web', 'start')
    const first = node.calls.get('web') ?? 0
    node.finished('web')
    node.run('web', 'stop')
    expect(node.calls.get('web')).toBeGreaterThan(first)
  })
})

describe('recurring operations', () => {
  test('the first result is told, then only another one', () => {
    const node = new Node()
    expect(node.execute('web', 'monitor', monitor)).toEqual(['run web monitor'])
    expect(node.finished('web')).toEqual(['record web monitor done 0'])
    expect(node.at(9_999)).toEqual([])
    expect(node.at(10_000)).toEqual(['run web monitor'])
    expect(node.finished('web')).toEqual([])
    node.at(20_000)
    expect(node.finished('web', 7)).toEqual(['record web monitor done 7'])
    node.at(30_000)
    expect(node.finished('web', 7)).toEqual([])
    node.at(40_000)
    expect(node.finished('web', 0)).toEqual(['record web monitor done 0'])
    node.at(50_000)
    expect(node.finished('web', 1, 'timeout')).toEqual(['record web monitor timeout 1'])
  })

  test('the interval counts from the end of the last run', () => {
    const node = new Node()
    node.execute('web', 'monitor', monitor)
    node.now = 4_000
    node.finished('web')
    expect(nextDueAt(node.state)).toBe(14_000)
  })

  test('a start delay comes before the first run', () => {
    const node = new Node()
    expect(node.execute('web', 'monitor', { ...monitor, startDelayMs: 500 })).toEqual([])
    expect(node.at(500)).toEqual(['run web monitor'])
  })

  test('a cancelled one does not run again, and a run under way is not told', () => {
    const node = new Node()
    node.execute('web', 'monitor', monitor)
    const cancel = { kind: 'cancel', term: 5, resource: resourceId('web'), operation: 'monitor', ...monitor } as const
    expect(node.give(cancel)).toEqual(['forget web monitor 10000'])
    expect(node.finished('web', 7)).toEqual([])
    expect(node.at(60_000)).toEqual([])
  })

  test.each(['stop', 'demote', 'promote', 'migrate_to', 'reload-agent'])(
    '%s ends them, and waits for a run under way',
    (name) => {
      const node = new Node()
      node.execute('web', 'monitor', monitor)
      expect(node.execute('web', name)).toEqual([])
      expect(node.finished('web', 7)).toEqual([`announce web ${name} term 5`])
      node.announced('web')
      expect(node.finished('web')).toEqual([`record web ${name} done 0`])
      expect(node.at(60_000)).toEqual([])
    },
  )

  test('a notification leaves them alone', () => {
    const node = new Node()
    node.execute('web', 'monitor', monitor)
    node.finished('web')
    node.execute('web', 'notify')
    node.finished('web')
    expect(node.at(10_000)).toEqual(['run web monitor'])
  })

  test('two of them run one after the other', () => {
    const node = new Node()
    node.execute('web', 'monitor', monitor)
    node.execute('web', 'monitor', { intervalMs: 60_000 })
    expect(node.finished('web')).toEqual(['record web monitor done 0', 'run web monitor'])
    expect(node.finished('web')).toEqual(['record web monitor done 0'])
  })

  test('the same one again replaces the old one, and its first result is told', () => {
    const node = new Node()
    node.execute('web', 'monitor', monitor)
    node.finished('web')
    expect(node.execute('web', 'monitor', monitor)).toEqual(['run web monitor'])
    expect(node.finished('web')).toEqual(['record web monitor done 0'])
  })

  test('a resource whose history is deleted is not monitored any more', () => {
    const node = new Node()
    node.execute('web', 'monitor', monitor)
    node.finished('web')
    expect(node.give({ kind: 'forget', term: 5, resource: resourceId('web') })).toEqual(['forget web'])
    expect(node.at(10_000)).toEqual([])
  })
})

describe('terms', () => {
  test('the command of an old term is refused, whatever it is', () => {
    const node = new Node()
    node.execute('web', 'start', { term: 7 })
    expect(node.execute('db', 'start', { term: 6 })).toEqual(['refuse old-term'])
    const old = { term: 6, resource: resourceId('web') }
    expect(node.give({ kind: 'cancel', ...old, operation: 'monitor', ...monitor })).toEqual(['refuse old-term'])
    expect(node.give({ kind: 'forget', ...old })).toEqual(['refuse old-term'])
  })

  test('an equal or higher one is taken', () => {
    const node = new Node()
    node.execute('web', 'monitor', { term: 7 })
    expect(node.execute('db', 'monitor', { term: 7 })).toEqual(['run db monitor'])
    expect(node.execute('ip', 'monitor', { term: 9 })).toEqual(['run ip monitor'])
    expect(node.state.term).toBe(9)
  })
})

describe('a start that another DC has begun', () => {
  test('answers for the same one that the next DC asks for, under its key', () => {
    const node = new Node()
    node.run('web', 'start')
    const again = op('web', 'start', { term: 6 })
    expect(node.give({ kind: 'execute', operation: again })).toEqual(['announce web start term 6'])
    expect(node.announced('web')).toEqual([])
    const { effects } = stepExecutor(node.state, ended('web', node), monotonicMs(0))
    expect(effects).toEqual([
      expect.objectContaining({ kind: 'record', result: expect.objectContaining({ key: again.key, exitCode: 0 }) }),
    ])
  })

  test('does so as well where the next DC is lost before it could be told', () => {
    const node = new Node()
    node.run('web', 'start')
    node.execute('web', 'start', { term: 6 })
    node.announced('web', false)
    expect(node.execute('web', 'start', { term: 7 })).toEqual(['announce web start term 7'])
    expect(node.finished('web')).toEqual(['record web start done 0'])
  })

  const others: readonly { readonly name: string; readonly asked: Partial<Operation> }[] = [
    { name: 'with other parameters', asked: { attributes: { port: '81', CRM_meta_timeout: '20000' } } },
    { name: 'with more time', asked: { timeoutMs: 60_000 } },
    { name: 'of another agent', asked: { agent: { class: 'lsb', type: 'web' } } },
    { name: 'that the same DC plans anew', asked: { term: 5 } },
  ]
  test.each(others)('does not answer for one $name', ({ asked }) => {
    const node = new Node()
    node.run('web', 'start', { attributes: { port: '80', CRM_meta_timeout: '20000' } })
    const again = { attributes: { port: '80', CRM_meta_timeout: '60000' }, term: 6, ...asked }
    expect(node.execute('web', 'start', again)).toEqual([])
    expect(node.finished('web')).toContain(`announce web start term ${asked.term ?? 6}`)
  })

  test('does not answer where something is to be done before', () => {
    const node = new Node()
    node.run('web', 'start')
    node.execute('web', 'stop')
    expect(node.execute('web', 'start', { term: 6 })).toEqual([])
  })

  test('that was not written yet is asked for as a new one', () => {
    const node = new Node()
    node.execute('web', 'start')
    expect(node.execute('web', 'start', { term: 6 })).toEqual([])
    expect(node.announced('web', false)).toEqual(['announce web start term 6'])
  })
})

describe('without quorum', () => {
  test.each(['start', 'promote', 'migrate_to', 'migrate_from', 'reload'])('%s is refused', (name) => {
    const node = new Node()
    node.give({ kind: 'quorum', quorate: false })
    expect(node.execute('web', name)).toEqual(['refuse no-quorum'])
  })

  test.each(['stop', 'demote', 'monitor'])('%s is taken', (name) => {
    const node = new Node()
    node.give({ kind: 'quorum', quorate: false })
    expect(node.execute('web', name)).not.toEqual(['refuse no-quorum'])
  })

  test('a start that waits is dropped', () => {
    const node = new Node()
    node.execute('web', 'monitor')
    node.execute('web', 'start')
    node.give({ kind: 'quorum', quorate: false })
    expect(node.finished('web', 7)).toEqual(['record web monitor done 7'])
  })

  test('a start that was announced but has not begun does not begin, and does not stay pending', () => {
    const node = new Node()
    node.execute('web', 'start')
    node.give({ kind: 'quorum', quorate: false })
    expect(node.announced('web')).toEqual(['record web start cancelled 193'])
    node.give({ kind: 'quorum', quorate: true })
    expect(node.execute('web', 'monitor')).toEqual(['run web monitor'])
  })

  test('what nobody stands behind any more does not begin, and monitors go on', () => {
    const node = new Node()
    node.execute('web', 'monitor', { intervalMs: 1000 })
    node.finished('web', 0)
    node.execute('db', 'start')
    node.execute('ip', 'monitor')
    node.execute('ip', 'stop')
    node.give({ kind: 'withdraw' })
    expect(node.announced('db', false)).toEqual([])
    expect(node.finished('ip', 0)).toEqual(['record ip monitor done 0'])
    expect(node.at(1000)).toEqual(['run web monitor'])
  })

  test('the node stops what it runs stage by stage, without the store', () => {
    const node = new Node()
    const stages = [
      [withoutDc('web', 'stop'), withoutDc('ip', 'stop')],
      [withoutDc('db', 'demote')],
      [withoutDc('db', 'stop')],
    ]
    expect(node.give({ kind: 'stop-locally', stages })).toEqual(['run web stop', 'run ip stop'])
    expect(node.finished('ip')).toEqual(['record ip stop done 0'])
    expect(node.finished('web')).toEqual(['record web stop done 0', 'run db demote'])
    expect(node.finished('db')).toEqual(['record db demote done 0', 'run db stop'])
    expect(node.finished('db')).toEqual(['record db stop done 0', 'stopped locally, failed: none'])
  })

  test('a stop that fails holds nothing up and is told', () => {
    const node = new Node()
    node.give({ kind: 'stop-locally', stages: [[withoutDc('web', 'stop')], [withoutDc('ip', 'stop')]] })
    expect(node.finished('web', 1)).toEqual(['record web stop done 1', 'run ip stop'])
    expect(node.finished('ip')).toEqual(['record ip stop done 0', 'stopped locally, failed: web'])
  })

  test('a start under way is interrupted, then stopped; what waits is dropped', () => {
    const node = new Node()
    node.run('web', 'start')
    node.execute('web', 'promote')
    expect(node.give({ kind: 'stop-locally', stages: [[withoutDc('web', 'stop')]] })).toEqual(['kill web'])
    expect(node.finished('web', 1, 'cancelled')).toEqual(['run web stop'])
    expect(node.finished('web')).toEqual(['record web stop done 0', 'stopped locally, failed: none'])
  })

  test('a resource that is not to be stopped is left alone, its monitor included', () => {
    const node = new Node()
    node.execute('db', 'monitor', monitor)
    node.run('web', 'start')
    expect(node.give({ kind: 'stop-locally', stages: [[withoutDc('ip', 'stop')]] })).toEqual(['run ip stop'])
    expect(node.finished('web')).toEqual(['record web start done 0'])
    expect(node.finished('db', 7)).toEqual(['record db monitor done 7'])
  })

  test('a stop under way is left to end', () => {
    const node = new Node()
    node.run('web', 'stop')
    expect(node.give({ kind: 'stop-locally', stages: [[withoutDc('web', 'stop')]] })).toEqual([])
  })

  test('a start whose pending record nobody confirms does not delay the stop', () => {
    const node = new Node()
    node.execute('web', 'start')
    expect(node.give({ kind: 'stop-locally', stages: [[withoutDc('web', 'stop')]] })).toEqual(['run web stop'])
  })

  test('what was planned before that was known starts nothing', () => {
    const node = new Node()
    const start = (plannedFrom: number) => node.execute('db', 'start', { plannedFrom })
    node.give({ kind: 'stop-locally', stages: [[withoutDc('web', 'stop')], [withoutDc('ip', 'stop')]] })
    expect(start(100)).toEqual(['refuse outdated'])
    node.finished('web')
    node.recorded('web', 110)
    expect(start(110)).toEqual(['refuse outdated'])
    node.finished('ip')
    expect(start(120)).toEqual(['refuse outdated'])
    node.recorded('ip', 120)
    expect(start(119)).toEqual(['refuse outdated'])
    expect(node.execute('db', 'stop', { plannedFrom: 119 })).toEqual(['announce db stop term 5'])
    expect(node.execute('web', 'start', { plannedFrom: 120 })).toEqual(['announce web start term 5'])
  })

  test('a stop that another decision took out of line is not waited for', () => {
    const node = new Node()
    const stages = [[withoutDc('web', 'stop')]]
    node.run('web', 'start')
    const started = node.calls.get('web') ?? 0
    node.give({ kind: 'stop-locally', stages })
    node.give({ kind: 'stop-locally', stages })
    const outcome = { status: 'cancelled', exitCode: 1, execTimeMs: 5 } as const
    expect(node.give({ kind: 'finished', callId: started, resource: resourceId('web'), outcome })).toEqual([
      'run web stop',
    ])
    node.finished('web')
    node.recorded('web', 120)
    expect(node.execute('web', 'start', { plannedFrom: 120 })).toEqual(['announce web start term 5'])
  })

  test('nothing to stop is done at once', () => {
    expect(new Node().give({ kind: 'stop-locally', stages: [[], []] })).toEqual(['stopped locally, failed: none'])
  })
})

test('a daemon that ends takes nothing new and monitors nothing, and tells what still ends', () => {
  const node = new Node()
  node.execute('db', 'monitor', monitor)
  node.finished('db')
  node.run('web', 'start')
  node.execute('web', 'monitor', monitor)
  node.give({ kind: 'close' })
  expect(node.execute('ip', 'stop')).toEqual(['refuse closing'])
  expect(node.finished('web')).toEqual(['record web start done 0'])
  expect(node.at(60_000)).toEqual([])
})

test('the key that a result carries is the one that was asked with', () => {
  const start = op('web', 'start')
  const { effects } = stepExecutor(initialExecutor(40), { kind: 'execute', operation: start }, monotonicMs(0))
  const [first] = effects
  if (first?.kind !== 'announce') throw new Error('expected an announcement')
  expect(formatTransitionKey(first.result.key)).toBe(formatTransitionKey(start.key))
  expect(first.result).toMatchObject({ callId: 40, status: 'pending', exitCode: 193 })
})
