/** Names that become files on nodes have an end where they enter. */
import { expect, test } from 'vitest'
import { longestAttributeName, longestId, longestName, tooLong } from '../../src/base/index.ts'
import { describeCibReport, element, parseXml, validateCib } from '../../src/cib/index.ts'
import { idSource } from '../../src/cib/schema/ids.ts'

const long = 'a'.repeat(260)

function errors(configuration: string): readonly string[] {
  const parsed = parseXml(`<cib><configuration>${configuration}</configuration></cib>`)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return validateCib(parsed.value).flatMap((report) =>
    report.code === 'too-long' ? [describeCibReport(report).replace(/^line \d+, column \d+: /, '')] : [],
  )
}

const dummy = (id: string, inside = '', of = 'class="ocf" provider="pacemaker" type="Dummy"'): string =>
  `<resources><primitive id="${id}" ${of}>${inside}</primitive></resources>`
const shown = `${'a'.repeat(39)}…`

const cases: readonly (readonly [what: string, configuration: string, sentence: string])[] = [
  ['a resource', dummy(long), `The id of the primitive '${shown}' has 260 bytes. The limit is 128.`],
  [
    'a resource of two bytes a letter',
    dummy('é'.repeat(65)),
    `The id of the primitive '${'é'.repeat(65)}' has 130 bytes. The limit is 128.`,
  ],
  [
    'a group',
    `<resources><group id="${long}"><primitive id="a" class="ocf" provider="pacemaker" type="Dummy"/></group></resources>`,
    `The id of the group '${shown}' has 260 bytes. The limit is 128.`,
  ],
  [
    'a node',
    `<nodes><node id="1" uname="${long}"/></nodes>`,
    `The uname of the node '1' '${shown}' has 260 bytes. The limit is 128.`,
  ],
  [
    'an agent',
    dummy('a', '', `class="ocf" provider="pacemaker" type="${long}"`),
    `The type of the primitive 'a' '${shown}' has 260 bytes. The limit is 128.`,
  ],
  [
    'an operation',
    dummy('a', `<operations><op id="o" name="${long}" interval="10s"/></operations>`),
    `The name of the op 'o' '${shown}' has 260 bytes. The limit is 128.`,
  ],
  [
    'a parameter',
    dummy('a', `<instance_attributes id="i"><nvpair id="n" name="${long}" value="1"/></instance_attributes>`),
    `The name of the nvpair 'n' '${shown}' has 260 bytes. The limit is 255.`,
  ],
  [
    'a guest node',
    dummy('a', `<meta_attributes id="i"><nvpair id="n" name="remote-node" value="${long}"/></meta_attributes>`),
    `The name of the guest node '${shown}' has 260 bytes. The limit is 128.`,
  ],
  [
    'a ticket',
    `${dummy('a')}<constraints><rsc_ticket id="t" rsc="a" ticket="${long}"/></constraints>`,
    `The ticket of the rsc_ticket 't' '${shown}' has 260 bytes. The limit is 128.`,
  ],
  [
    'a role',
    `<acls><acl_role id="${long}"/></acls>`,
    `The id of the acl_role '${shown}' has 260 bytes. The limit is 128.`,
  ],
  [
    'a constraint',
    `${dummy('a')}<constraints><rsc_location id="${'l'.repeat(1025)}" rsc="a" node="n" score="1"/></constraints>`,
    `The id of the rsc_location '${'l'.repeat(39)}…' has 1025 bytes. The limit is 1024.`,
  ],
]

test.each(cases)('the name of %s is not too long', (_what, configuration, sentence) => {
  expect(errors(configuration)).toEqual([sentence])
})

test('names of the greatest length pass', () => {
  expect(errors(dummy('a'.repeat(longestName)))).toEqual([])
  expect(tooLong('name', 'a'.repeat(longestAttributeName), longestAttributeName)).toBeUndefined()
})

test('an id that is made of many names is cut, and stays one of a kind', () => {
  const ids = idSource(element('cib', {}, [element('configuration')]))
  const wanted = Array.from({ length: 30 }, (_, i) => `resource-${i}-${'a'.repeat(60)}`).join('_')
  const [first, second] = [ids.free(wanted), ids.free(wanted)]
  expect(first.length).toBeLessThanOrEqual(longestId)
  expect(second).toBe(`${first}-1`)
})
