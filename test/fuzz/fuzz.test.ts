/** The parts of the differential fuzz test that need no reference: it draws, compares and reduces as it says. */
import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { type Answer, type Comparison, compareAnswers } from './answer.ts'
import { allNamed, type Tree, toTree } from './cib-tree.ts'
import { createFuzz, type Fuzz } from './fuzz.ts'
import { join } from './join.ts'
import { withOldWords } from './old-words.ts'
import { createRandom } from './random.ts'
import { shrink } from './shrink.ts'

const text = `<cib have-quorum="1"><configuration>
  <crm_config><cluster_property_set id="o"><nvpair id="f" name="fencing-enabled" value="false"/></cluster_property_set></crm_config>
  <nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
  <resources><primitive id="a" class="ocf" provider="pacemaker" type="Dummy"/><group id="g">
    <primitive id="b" class="ocf" provider="pacemaker" type="Dummy"/><primitive id="c" class="ocf" provider="pacemaker" type="Dummy"/>
  </group></resources>
  <constraints><rsc_location id="l" rsc="a" node="n1" score="5"/><rsc_colocation id="k" rsc="a" with-rsc="g" score="7"/></constraints>
</configuration><status>
  <node_state id="1" uname="n1" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="1"><lrm_resources>
    <lrm_resource id="b" class="ocf" provider="pacemaker" type="Dummy"><lrm_rsc_op id="b_last_0" operation="start" call-id="3" rc-code="0" op-status="0" interval="0"/></lrm_resource>
  </lrm_resources></lrm></node_state></status></cib>`

function smallCib(): Tree {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error('the CIB of this test is malformed')
  return toTree(parsed.value)
}

const silent: Answer = { summary: '', scores: '', graph: '<transition_graph/>' }

const fuzzAgainst = (answer: (cib: Tree, calls: number) => Answer): Fuzz => {
  let calls = 0
  return {
    reference: {
      version: 'a fake',
      isOld: false,
      exclusions: [],
      simulate: (cib) => answer(cib, calls++),
      close: () => undefined,
    },
    cases: [{ name: 'small', cib: smallCib() }],
    levels: ['status'],
    shrinks: false,
    asks: true,
  }
}

test('a case on which both differ as it is serves no comparison', () => {
  expect(createFuzz(fuzzAgainst(() => silent))(1)).toEqual({ kind: 'unusable' })
})

test('the same seed makes the same changes', () => {
  const changesOf = (seed: number): readonly string[] => {
    const seen: string[] = []
    const fuzz = fuzzAgainst((cib) => {
      seen.push(JSON.stringify(cib))
      return silent
    })
    createFuzz({ ...fuzz, levels: [] })(seed)
    return seen
  }
  expect(changesOf(7)).toEqual(changesOf(7))
  expect(changesOf(7)).not.toEqual(changesOf(8))
})

test('answers differ by lines, whatever their order and their blanks', () => {
  const of = (...lines: readonly string[]): Answer => ({
    ...silent,
    summary: ['Transition Summary:', ...lines].join('\n'),
  })
  const wanted: Comparison = { levels: ['transition'], loosely: false }
  expect(
    compareAnswers(of('  * Start a  ( n1 )', '  * Stop b ( n2 )'), of('* Stop b ( n2 )', '* Start a ( n1 )'), wanted),
  ).toEqual([])
  expect(compareAnswers(of('* Start a ( n1 )'), of('* Start a ( n2 )'), wanted)).toEqual([
    { level: 'transition', onlyOurs: ['* Start a ( n1 )'], onlyTheirs: ['* Start a ( n2 )'] },
  ])
})

test('a reduced CIB keeps what the difference needs and nothing that can go', () => {
  const small = shrink(smallCib(), (cib) => allNamed(cib, 'rsc_location').length > 0)
  expect(
    allNamed(small, 'rsc_location', 'rsc_colocation', 'primitive', 'node').map(({ attributes }) => attributes.id),
  ).toEqual(['l'])
})

test('some cases are asked a what-if question, in the words of both sides', () => {
  const asked = new Set<string>()
  const fuzz = fuzzAgainst(() => silent)
  const note = (_: Tree, args: readonly string[]): Answer => {
    for (const option of args.filter((arg) => arg.startsWith('--'))) asked.add(option)
    return silent
  }
  const compare = createFuzz({ ...fuzz, reference: { ...fuzz.reference, simulate: note }, levels: [] })
  for (let seed = 1; seed <= 200; seed++) compare(seed)
  expect([...asked]).toEqual(
    expect.arrayContaining(['--node-down', '--node-fail', '--op-inject', '--op-fail', '--quorum']),
  )
})

test('two cases in one cluster keep their resources, constraints and histories apart, on the nodes of the first', () => {
  const cib = join(smallCib(), smallCib())
  const ids = (name: string): readonly (string | undefined)[] =>
    allNamed(cib, name).map(({ attributes }) => attributes.id)
  expect(ids('primitive')).toEqual(['a', 'b', 'c', 'joined-a', 'joined-b', 'joined-c'])
  expect(allNamed(cib, 'rsc_location').map(({ attributes: { rsc, node } }) => `${rsc} ${node}`)).toEqual([
    'a n1',
    'joined-a n1',
  ])
  expect(
    allNamed(cib, 'node_state').map((state) => allNamed(state, 'lrm_resource').map(({ attributes }) => attributes.id)),
  ).toEqual([['b', 'joined-b']])
  expect(ids('node')).toEqual(['1', '2'])
})

test('a CIB is written with names of an old schema', () => {
  const written = withOldWords(smallCib(), createRandom(4))
  expect(written.attributes['validate-with']).toMatch(/^pacemaker-[12]/)
  expect(allNamed(written, 'nvpair').map(({ attributes }) => attributes.name)).toContain('stonith_enabled')
})
