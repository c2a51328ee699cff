import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { withLostArrivals } from '../../src/controller/lost-arrivals.ts'

/** `alpha vm migrate_to 0`, in the order in which they happened. */
function viewOf(...operations: readonly string[]) {
  const records = operations.map((text, index) => {
    const [node = '', resource = '', operation = '', code = ''] = text.split(' ')
    const status = code === '193' ? '-1' : '0'
    const attributes = { operation, 'rc-code': code, 'op-status': status, 'call-id': String(index), interval: '0' }
    const target = operation === 'migrate_to' ? { migrate_target: 'beta' } : {}
    const agent = { class: 'ocf', provider: 'sim', type: 'Dummy' }
    return [
      text,
      {
        node: nodeName(node),
        resource: resourceId(resource),
        agent,
        recordId: `${resource}_${operation}_0`,
        attributes: { ...attributes, ...target },
      },
    ] as const
  })
  return { ...emptyView, operations: new Map(records) }
}

const forgetAlpha = { kind: 'delete-history', node: nodeName('alpha') } as const
const probeBeta = { kind: 'delete-history', node: nodeName('beta'), resource: 'vm' }

const cases: readonly { readonly name: string; readonly operations: readonly string[]; readonly probed: boolean }[] = [
  {
    name: 'where a resource may have arrived unseen it is probed',
    operations: ['beta vm monitor 7', 'alpha vm start 0', 'alpha vm migrate_to 193'],
    probed: true,
  },
  {
    name: 'where it was stopped before it came again it is probed',
    operations: ['beta vm stop 0', 'alpha vm migrate_to 0'],
    probed: true,
  },
  {
    name: 'where its arrival is known it is not',
    operations: ['alpha vm migrate_to 0', 'beta vm migrate_from 0'],
    probed: false,
  },
  {
    name: 'where its arrival has no result yet it is probed',
    operations: ['beta vm monitor 7', 'alpha vm migrate_to 0', 'beta vm migrate_from 193'],
    probed: true,
  },
  {
    name: 'where it was sent before it was stopped at its source alone it is probed',
    operations: ['beta vm monitor 7', 'alpha vm migrate_to 0', 'alpha vm stop 0'],
    probed: true,
  },
  {
    name: 'where it has arrived and gone it is not',
    operations: ['alpha vm migrate_to 0', 'beta vm migrate_from 0', 'alpha vm stop 0', 'beta vm stop 0'],
    probed: false,
  },
  {
    name: 'a migration that is over is none',
    operations: ['beta vm monitor 7', 'alpha vm migrate_to 0', 'alpha vm start 0'],
    probed: false,
  },
]
for (const { name, operations, probed } of cases)
  test(`${name} when the source's history is deleted`, () => {
    const edits = withLostArrivals(viewOf(...operations), [forgetAlpha])
    expect(edits).toEqual(probed ? [forgetAlpha, probeBeta] : [forgetAlpha])
  })

test('nothing is probed where one resource is forgotten, or another node', () => {
  const view = viewOf('beta vm monitor 7', 'alpha vm migrate_to 0')
  for (const edit of [
    { ...forgetAlpha, resource: resourceId('vm') },
    { ...forgetAlpha, node: nodeName('gamma') },
  ])
    expect(withLostArrivals(view, [edit])).toEqual([edit])
})
