import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseRolloutText } from '../../src/cli/rollout/read-file.ts'
import { holdsOn, parseExpression } from '../../src/rollout/expression.ts'
import { readRollout } from '../../src/rollout/index.ts'
import { right, withLine, wrong } from './wrong-files.ts'

const examples = resolve(import.meta.dirname, '../../examples/rollouts')

describe('examples', () => {
  for (const name of readdirSync(examples))
    test(`${name} is right`, () =>
      expect(parseRolloutText(readFileSync(join(examples, name), 'utf8'))).toMatchObject({ kind: 'read' }))

  test('a file is read with the standards of everything that it leaves out', () => {
    const text = 'rollout: shop\nversion: "2"\nnodes: all\nsteps:\n  actions:\n    - run: /usr/bin/install now\n'
    expect(parseRolloutText(text)).toMatchObject({
      definition: {
        name: 'shop',
        version: '2',
        nodes: [{ kind: 'all' }],
        maxUnavailable: 1,
        hold: 'drain',
        onFailure: 'halt',
        commands: [
          {
            stage: 'actions',
            name: 'install',
            argv: ['/bin/sh', '-c', '/usr/bin/install now'],
            timeoutMs: 600_000,
            retries: 0,
            reboots: false,
          },
        ],
      },
    })
  })
})

describe('clusters of the fleet', () => {
  const read = (clusters: unknown): ReturnType<typeof readRollout> =>
    readRollout({ rollout: 'a', version: '2', nodes: 'all', clusters, steps: { actions: [{ run: 'true' }] } })

  test('are waves, each of one cluster or of several', () =>
    expect(read(['pilot', ['west', 'east']])).toMatchObject({ value: { clusters: [['pilot'], ['west', 'east']] } }))

  test.each([
    [['west', ['east', 'west']], /^clusters\.1: The cluster 'west' is in the list twice/],
    [[], /^clusters: /],
    [[['a b']], /^clusters\.0/],
    ['west', /^clusters: .*list of waves/],
    [[[]], /^clusters\.0: /],
  ])('%j is refused with its place', (clusters, sentence) => {
    const result = read(clusters)
    expect(result.ok ? [] : result.reports.map((one) => `${one.path.join('.')}: ${one.sentence}`).join()).toMatch(
      sentence,
    )
  })
})

describe('a playbook', () => {
  const commandOf = (command: object, stage = 'actions'): ReturnType<typeof readRollout> =>
    readRollout({
      rollout: 'a',
      version: '2',
      nodes: 'all',
      steps: { actions: [{ run: 'true' }], [stage]: [command] },
    })
  const reports = (command: object, stage?: string): readonly string[] => {
    const read = commandOf(command, stage)
    return read.ok ? [] : read.reports.map(({ path, sentence }) => `${path.join('.')}: ${sentence}`)
  }

  test('is a command with its own meaning of exit codes, over which the file decides', () => {
    const play = { playbook: '/srv/site.yml', vars: { color: 'red' }, 'exit-codes': { '2': 'failed' } }
    expect(commandOf({ ...play, 'undo-playbook': '/srv/back.yml' })).toMatchObject({
      value: {
        commands: [
          {
            name: 'site.yml',
            playbook: { path: '/srv/site.yml', place: 'node' },
            undoPlaybook: '/srv/back.yml',
            exitCodes: { '2': 'failed', '5': 'failed' },
          },
        ],
      },
    })
  })

  test('is taken back in one way, and where it was played', () => {
    const both = { playbook: '/srv/site.yml', undo: 'true', 'undo-playbook': '/srv/back.yml' }
    expect(reports(both)).toEqual(['steps.actions.0.undo-playbook: Specify undo, or undo-playbook, not both.'])
    expect(reports({ playbook: '/srv/site.yml', 'playbook-on': 'dc', undo: 'true' })).toEqual([
      'steps.actions.0.undo: A playbook that runs on the DC is taken back by an undo-playbook.',
    ])
    expect(reports({ playbook: '/srv/site.yml', 'undo-playbook': '/srv/back.yml' }, 'validate')).toEqual([
      'steps.validate.0.undo-playbook: A validation changes nothing and has no undo.',
    ])
  })
})

describe('mistakes', () => {
  test('the file that the mistakes are made in is right', () =>
    expect(parseRolloutText(right.join('\n'))).toMatchObject({ kind: 'read' }))

  for (const [line, text, at, field, sentence] of wrong)
    test(`${text.trim() || 'a line is left out'}`, () => {
      const read = parseRolloutText(withLine(line, text))
      expect(read).toMatchObject({ kind: 'wrong' })
      const mistakes = read.kind === 'wrong' ? read.mistakes : []
      const found = mistakes.find((one) => sentence.test(one.sentence))
      expect(found, JSON.stringify(mistakes)).toMatchObject({ line: at, field })
      for (const one of mistakes) expect(one.sentence).toMatch(/^[A-Z'0-9-].*[.?]$/)
    })

  test('all mistakes of a file are told at once', () => {
    const read = parseRolloutText('rollout: a b\nversion: 1\nnodes: all\nsteps: {actions: [{run: 5}]}\n')
    expect(read.kind === 'wrong' && read.mistakes.map(({ line, field }) => `${line} ${field}`)).toEqual([
      '1 rollout',
      '2 version',
      '4 steps.actions[0].run',
    ])
  })

  test('all is the only word that nodes takes', () =>
    expect(parseRolloutText('rollout: a\nversion: "1"\nnodes: some\nsteps: {actions: [{run: ls}]}\n')).toMatchObject({
      mistakes: [{ line: 3, field: 'nodes', sentence: "'some' is not all." }],
    }))

  test('aliases of aliases are refused before they fill the memory', () => {
    const laughs = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...'bcdefghi'.split('').map((name, at) => {
        const before = 'abcdefgh'[at]
        return `${name}: &${name} [*${before}, *${before}, *${before}, *${before}, *${before}, *${before}, *${before}, *${before}, *${before}]`
      }),
    ].join('\n')
    expect(parseRolloutText(laughs)).toMatchObject({ mistakes: [{ sentence: /refers to itself/ }] })
  })

  test('values that no file makes are refused as well: the daemon gets them from anybody', () => {
    for (const value of [undefined, null, 'text', 5, [], {}, { rollout: 'a', version: '1', nodes: 'all', steps: null }])
      expect(readRollout(value).ok, JSON.stringify(value)).toBe(false)
  })
})

describe('expressions on node attributes', () => {
  const attributes = new Map([
    ['rack', 'a'],
    ['cores', '16'],
    ['note', 'two words'],
  ])
  const table: readonly (readonly [string, boolean])[] = [
    ['rack eq a', true],
    ['rack ne a', false],
    ['rack eq a and cores gt 9', true],
    ['cores lt 9', false],
    ['cores lte 16', true],
    ['cores gte 17', false],
    ['disk eq ssd', false],
    ['disk ne ssd', true],
    ['disk lt 5', false],
    ['defined rack', true],
    ['not_defined rack', false],
    ['rack eq b or cores eq 16', true],
    ['rack eq b or cores eq 16 and rack eq b', false],
    ['(rack eq b or cores eq 16) and rack eq a', true],
    ['note eq "two words"', true],
    ['rack gt A', true],
  ]
  for (const [text, holds] of table)
    test(`${text}: ${holds}`, () => {
      const expression = parseExpression(text)
      expect(typeof expression === 'string' ? expression : holdsOn(expression, attributes)).toBe(holds)
    })
})
