import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { type ClusterFile, parseClusterFile, printClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { isBelieved, type Said } from '../../src/daemon/node-list/others-say.ts'
import { Admission } from '../../src/daemon/peers/admission.ts'
import { askOthers } from '../../src/daemon/peers/ask-for-list.ts'
import { type NodeCaller, serialOf } from '../../src/rpc/index.ts'

const key = (letter: string): string => `${letter.repeat(43)}=`
const keyOf = (name: string): string => key(name.toUpperCase())

/** A list by its version and the letters of its nodes, each of which has a key of its own; behind a minus, whose key is revoked. */
function list(text: string): ClusterFile {
  const [version = '', names = '', revoked = ''] = text.split(/[ -]+/)
  const parsed = parseClusterFile(
    JSON.stringify({
      clusterName: 'x',
      nodesVersion: Number(version),
      nodes: [...names].map((name) => ({ name, keys: [keyOf(name)] })),
      revoked: [...revoked].map((name) => serialOf(keyOf(name))),
    }),
  )
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}

const saying = (answers: Readonly<Record<string, string>>): readonly Said[] =>
  Object.entries(answers).map(([node, text]) => ({ node: nodeName(node), file: list(text) }))

/** Of r, to a host whose list is of version 3. */
const verdicts: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
  ['nobody else answers', {}, true],
  ['a cold cluster: all have the list that this host has', { a: '3 abhr', b: '3 abhr' }, true],
  ['the only one that is up to date brings its list', { a: '3 abhr', r: '7 hr' }, true],
  ['one of three says that it was removed', { a: '4 ah-r' }, false],
  ['two of four do, and it brings a list of its own', { a: '4 abh-r', b: '4 abh-r', r: '99 hr' }, false],
  ['who knows no more than this host speaks for nobody', { a: '4 abh-r', b: '3 abhr', c: '3 abhr' }, false],
  ['who was removed itself and says so of others is alone', { a: '4 abhr', b: '4 abhr', x: '99 hx' }, true],
  ['it was removed and joined again: by its former key it is nobody', { a: '4 ahr-r' }, false],
  ['an older list that has it not yet says nothing', { a: '2 ah' }, true],
]
for (const [name, answers, believed] of verdicts)
  test(`a node's word to a host without quorum: ${name}`, () => {
    expect(isBelieved(list('3 abchrx'), { name: 'r', keys: [keyOf('r')] }, saying(answers))).toBe(believed)
  })

/** What host h, which was off, takes of what these answer. */
async function taken(answers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const lists: string[] = []
  await askOthers({
    self: nodeName('h'),
    file: () => list('3 abhr'),
    onNodeList: ({ nodes, nodesVersion }) => lists.push(`${nodesVersion} ${nodes.map(({ name }) => name).join('')}`),
    peers: {
      to: (node: string) => ({
        getClusterFile: async () => {
          const text = answers[node]
          if (text === undefined) throw new Error('off')
          return { json: printClusterFile(list(text)), quorate: true }
        },
      }),
    } as never,
  })
  return lists
}

test('a host that was off takes no list that a removed node has made up while others can be asked', async () => {
  expect(await taken({ a: '4 abh-r', b: '4 abh-r', r: '99 hr' })).toEqual(['4 abh', '4 abh'])
  // Of two, each of whom says that the other was removed, it believes neither.
  expect(await taken({ a: '4 abh-r', r: '99 hr' })).toEqual([])
})

test('where nobody else answers, the one that does is believed', async () => {
  expect(await taken({ a: '7 ach' })).toEqual(['7 ach'])
})

const caller: NodeCaller = { kind: 'node', name: 'r', key: keyOf('r'), role: 'member' }
const asking = [
  'StartCluster',
  'StopCluster',
  'EnableCluster',
  'UpdateClusterFile',
  'ReadTaskOutput',
  'RunFenceDevice',
  'ReadJournal',
]
for (const name of [...asking, 'GetClusterFile', 'CheckLinks'])
  test(`${name} of a node that was removed while this host was off`, async () => {
    let own = list('3 abhr')
    let isCurrent = false
    let asked = 0
    let answers = saying({ a: '4 abh-r', r: '99 hr' })
    const { admit } = new Admission({
      log: { warn: () => undefined } as never,
      file: () => own,
      refresh: async () => undefined,
      isCurrent: () => isCurrent,
      askOthers: () => {
        asked++
        return Promise.resolve(answers)
      },
    })
    const call = async (): Promise<string> =>
      await admit(caller, `/systole.Node/${name}`).then(
        () => 'heard',
        (error: { readonly code: string }) => error.code,
      )
    const asks = asking.includes(name)
    expect(await call()).toBe(asks ? 'disputed' : 'heard')
    for (let again = 0; again < 20; again++) await call()
    expect(asked).toBe(asks ? 1 : 0)
    // With quorum its own list counts, and nobody is asked.
    isCurrent = true
    expect(await call()).toBe('heard')
    expect(asked).toBe(asks ? 1 : 0)
    isCurrent = false
    answers = saying({})
    await expect.poll(call).toBe('heard')
    // What the others say is taken before the caller is answered.
    own = list('4 abh-r')
    expect(await call()).toBe('removed')
  })

test('what the others bring meanwhile counts before the caller is answered', async () => {
  let own = list('3 abhr')
  const { admit } = new Admission({
    log: { warn: () => undefined } as never,
    file: () => own,
    refresh: async () => undefined,
    isCurrent: () => false,
    askOthers: () => {
      own = list('4 abh-r')
      return Promise.resolve([])
    },
  })
  await expect(admit(caller, '/systole.Node/StartCluster')).rejects.toMatchObject({ code: 'removed' })
})
