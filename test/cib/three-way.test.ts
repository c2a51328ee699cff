/** A description put into a configuration by three sides: what it said, what runs, what it says. */
import { expect, test } from 'vitest'
import { configurationElement, mergeThreeWays, parseXml, printXml, type XmlElement } from '../../src/cib/index.ts'

function configuration(inner: string): XmlElement {
  const parsed = parseXml(`<cib><configuration>${inner}</configuration></cib>`)
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  return parsed.value
}

const resources = (inner: string): string => `<resources>${inner}</resources>`
const web = (...pairs: readonly string[]): string =>
  resources(
    `<primitive id="web" class="ocf" provider="pacemaker" type="Dummy"><instance_attributes id="w">${pairs
      .map(
        (pair, at) =>
          `<nvpair id="w-${at}-${pair.split('=')[0]}" name="${pair.split('=')[0]}" value="${pair.split('=')[1]}"/>`,
      )
      .join('')}</instance_attributes></primitive>`,
  )
const dummy = (id: string): string => `<primitive id="${id}" class="ocf" provider="pacemaker" type="Dummy"/>`
const operation = (attributes: string): string =>
  resources(
    `<primitive id="web" class="ocf" provider="pacemaker" type="Dummy"><operations><op id="m" name="monitor" interval="10s" ${attributes}/></operations></primitive>`,
  )
const location = (score: number): string =>
  `<constraints><rsc_location id="l" rsc="web" node="n1" score="${score}"/></constraints>`
const properties = (pairs: string): string =>
  `<crm_config><cluster_property_set id="o">${pairs}</cluster_property_set></crm_config>`

/** Without the white space between elements. */
const plain = (cib: XmlElement): string => printXml(configurationElement(cib)).replaceAll(/>\s+</g, '><')

interface Case {
  readonly name: string
  readonly base?: string
  readonly running: string
  readonly wanted: string
  readonly overwrites?: boolean
  readonly prunes?: true
  /** Texts that the result has, and has not. */
  readonly has?: readonly string[]
  readonly lacks?: readonly string[]
  readonly conflicts?: readonly string[]
  readonly kept?: readonly string[]
  readonly unchanged?: true
}

const cases: readonly Case[] = [
  { name: 'what is there already changes nothing', running: web('a=1'), wanted: web('a=1'), unchanged: true },
  { name: 'what the file does not name stays', running: web('a=1', 'b=2'), wanted: web('a=1'), unchanged: true },
  {
    name: 'the first time the file wins',
    running: web('a=1', 'b=2'),
    wanted: web('a=9'),
    has: ['"9"', '"2"'],
    lacks: ['"1"'],
  },
  {
    name: 'an option that the file changed is changed',
    base: web('a=1'),
    running: web('a=1', 'b=2'),
    wanted: web('a=9'),
    has: ['"9"', '"2"'],
  },
  {
    name: 'of options that the file no longer names at all, those that others have set beside them stay',
    base: web('a=1'),
    running: web('a=1', 'b=2'),
    wanted: resources(dummy('web')),
    has: ['"2"'],
    lacks: ['"1"'],
  },
  {
    name: 'a set whose options all go goes as well',
    base: web('a=1'),
    running: web('a=1'),
    wanted: resources(dummy('web')),
    lacks: ['instance_attributes'],
  },
  {
    name: 'an option that the file no longer names goes',
    base: web('a=1', 'b=2'),
    running: web('a=1', 'b=2', 'c=3'),
    wanted: web('a=1'),
    has: ['"1"', '"3"'],
    lacks: ['"2"'],
  },
  {
    name: 'an option that the cluster changed stays',
    base: web('a=1'),
    running: web('a=5'),
    wanted: web('a=1'),
    unchanged: true,
    kept: ['web a'],
  },
  {
    name: 'an option that both changed is a conflict',
    base: web('a=1'),
    running: web('a=5'),
    wanted: web('a=9'),
    unchanged: true,
    conflicts: ['web a'],
  },
  {
    name: 'an option that both changed alike is none',
    base: web('a=1'),
    running: web('a=9'),
    wanted: web('a=9'),
    unchanged: true,
  },
  {
    name: 'with overwrite the file wins',
    base: web('a=1'),
    running: web('a=5'),
    wanted: web('a=9'),
    overwrites: true,
    has: ['"9"'],
  },
  {
    name: 'a resource that the file no longer names goes, with what was added to it',
    base: web('a=1'),
    running: web('a=1', 'b=2'),
    wanted: resources(''),
    lacks: ['web'],
  },
  {
    name: 'a resource that the cluster changed and the file removed is a conflict',
    base: web('a=1'),
    running: web('a=5'),
    wanted: resources(''),
    has: ['"5"'],
    conflicts: ['web '],
  },
  {
    name: 'a resource that the file never named stays',
    base: resources(dummy('x')),
    running: resources(dummy('x') + dummy('other')),
    wanted: resources(''),
    has: ['other'],
    lacks: ['"x"'],
  },
  {
    name: 'a resource that the cluster removed stays removed',
    base: web('a=1'),
    running: resources(''),
    wanted: web('a=1'),
    unchanged: true,
    kept: ['web '],
  },
  {
    name: 'a resource that the cluster removed and the file changed is a conflict',
    base: web('a=1'),
    running: resources(''),
    wanted: web('a=2'),
    unchanged: true,
    conflicts: ['web '],
  },
  {
    name: 'a constraint is one thing',
    base: location(1),
    running: location(2),
    wanted: location(3),
    unchanged: true,
    conflicts: ['l '],
  },
  {
    name: 'a constraint that only the file changed is changed',
    base: location(1),
    running: location(1),
    wanted: location(3),
    has: ['score="3"'],
  },
  {
    name: 'a resource moves into a group that the file makes',
    running: resources(dummy('a') + dummy('b')),
    wanted: resources(`<group id="g">${dummy('b')}${dummy('a')}</group>`),
    has: [`<group id="g"><primitive id="b"`],
  },
  {
    name: 'a group that the file no longer has leaves who was added to it',
    base: resources(`<group id="g">${dummy('a')}</group>`),
    running: resources(`<group id="g">${dummy('a')}${dummy('new')}</group>`),
    wanted: resources(dummy('a')),
    has: ['"new"', '"a"'],
    lacks: ['group'],
  },
  {
    name: 'a new member stands where the file has it',
    base: resources(`<group id="g">${dummy('a')}${dummy('c')}</group>`),
    running: resources(`<group id="g">${dummy('a')}${dummy('c')}</group>`),
    wanted: resources(`<group id="g">${dummy('a')}${dummy('b')}${dummy('c')}</group>`),
    has: [`id="a" class="ocf" provider="pacemaker" type="Dummy"/><primitive id="b"`],
  },
  {
    name: 'the file’s order counts where it has changed it',
    base: resources(`<group id="g">${dummy('a')}${dummy('b')}</group>`),
    running: resources(`<group id="g">${dummy('a')}${dummy('b')}</group>`),
    wanted: resources(`<group id="g">${dummy('b')}${dummy('a')}</group>`),
    has: [`<group id="g"><primitive id="b"`],
  },
  {
    name: 'the first time the order in a group is the file’s',
    running: resources(`<group id="g">${dummy('a')}${dummy('b')}</group>`),
    wanted: resources(`<group id="g">${dummy('b')}${dummy('a')}</group>`),
    has: [`<group id="g"><primitive id="b"`],
  },
  {
    name: 'an order in a group that only the cluster changed stays, and is named',
    base: resources(`<group id="g">${dummy('a')}${dummy('b')}</group>`),
    running: resources(`<group id="g">${dummy('b')}${dummy('a')}</group>`),
    wanted: resources(`<group id="g">${dummy('a')}${dummy('b')}</group>`),
    unchanged: true,
    kept: ['g the order of its members'],
  },
  {
    name: 'an order in a group that both changed is a conflict',
    base: resources(`<group id="g">${dummy('a')}${dummy('b')}${dummy('c')}</group>`),
    running: resources(`<group id="g">${dummy('b')}${dummy('a')}${dummy('c')}</group>`),
    wanted: resources(`<group id="g">${dummy('c')}${dummy('b')}${dummy('a')}</group>`),
    conflicts: ['g the order of its members'],
  },
  {
    name: 'with overwrite the order in a group is the file’s',
    base: resources(`<group id="g">${dummy('a')}${dummy('b')}</group>`),
    running: resources(`<group id="g">${dummy('b')}${dummy('a')}</group>`),
    wanted: resources(`<group id="g">${dummy('a')}${dummy('b')}</group>`),
    overwrites: true,
    has: [`<group id="g"><primitive id="a"`],
  },
  {
    name: 'what a file never said of an operation stays the first time',
    running: operation('timeout="60s" on-fail="fence"'),
    wanted: operation('timeout="20s"'),
    has: ['timeout="20s"', 'on-fail="fence"'],
  },
  {
    name: 'an agent of another class has no provider left of the one before',
    running: resources(dummy('a')),
    wanted: resources('<primitive id="a" class="systemd" type="a"/>'),
    has: ['class="systemd"'],
    lacks: ['provider'],
  },
  {
    name: 'the kind of a node is not what a file takes away',
    base: '<nodes><node id="1" uname="n1" type="remote"/></nodes>',
    running: '<nodes><node id="1" uname="n1" type="remote"/></nodes>',
    wanted: '<nodes><node uname="n1"/></nodes>',
    unchanged: true,
  },
  {
    name: 'pruned is what nobody named, in a section that the file has',
    running: web('a=1', 'b=2') + location(1),
    wanted: web('a=1'),
    prunes: true,
    has: ['"1"', 'rsc_location'],
    lacks: ['"2"'],
  },
  {
    name: 'pruned are attributes of operations that the file does not name',
    running: operation('timeout="60s" on-fail="fence"'),
    wanted: operation('timeout="20s"'),
    prunes: true,
    has: ['timeout="20s"'],
    lacks: ['on-fail'],
  },
  {
    name: 'who prunes overwrites nothing: what both have changed is a conflict',
    base: web('a=1'),
    running: web('a=5', 'b=2'),
    wanted: web('a=9'),
    prunes: true,
    has: ['"5"'],
    conflicts: ['web a'],
  },
  {
    name: 'who prunes overwrites nothing: what only the cluster changed stays',
    base: web('a=1'),
    running: web('a=5', 'b=2'),
    wanted: web('a=1'),
    prunes: true,
    has: ['"5"'],
    lacks: ['"2"'],
    kept: ['web a'],
  },
  {
    name: 'who prunes removes what has gone from the file with its section',
    base: web('a=1') + location(1),
    running: web('a=1') + location(1),
    wanted: web('a=1'),
    prunes: true,
    has: ['"web"'],
    lacks: ['rsc_location'],
  },
  {
    name: 'who prunes removes neither nodes nor what they are, nor the cluster’s own options',
    running: `${properties('<nvpair id="v" name="dc-version" value="1"/><nvpair id="p" name="p" value="1"/>')}<nodes><node id="1" uname="n1" type="remote"><instance_attributes id="i"><nvpair id="r" name="rack" value="a"/></instance_attributes></node><node id="2" uname="n2"/></nodes>`,
    wanted: '<crm_config/><nodes><node uname="n1"/></nodes>',
    prunes: true,
    has: ['dc-version', 'uname="n1" type="remote"', 'uname="n2"'],
    lacks: ['"p"', 'rack'],
  },
  {
    name: 'nodes are not removed',
    base: '<nodes><node id="1" uname="n1"/></nodes>',
    running: '<nodes><node id="1" uname="n1"/></nodes>',
    wanted: '<nodes/>',
    unchanged: true,
  },
  {
    name: 'parts without ids are found by their names',
    running: properties('<nvpair id="own" name="p" value="1"/>'),
    wanted:
      '<crm_config><cluster_property_set><nvpair name="p" value="2"/><nvpair name="q" value="3"/></cluster_property_set></crm_config>',
    has: ['id="own" name="p" value="2"', 'id="o-q" name="q" value="3"'],
  },
]

test.each(cases)(
  '$name',
  ({ base = '', running, wanted, overwrites, prunes, has, lacks, conflicts = [], kept = [], unchanged }) => {
    const start = configuration(running)
    const sides = {
      base: configuration(base),
      wanted: configuration(wanted),
      ...(overwrites && { overwrites }),
      ...(prunes && { prunesAllBut: new Set(['dc-version']) }),
    }
    const merged = mergeThreeWays(start, sides)
    const text = plain(merged.cib)
    expect(merged.conflicts.map(({ id, what }) => `${id} ${what}`)).toEqual(conflicts)
    expect(merged.kept.map(({ id, what }) => `${id} ${what}`)).toEqual(kept)
    if (unchanged) expect(text).toBe(plain(start))
    for (const one of has ?? []) expect(text).toContain(one)
    for (const one of lacks ?? []) expect(text).not.toContain(one)
  },
)
