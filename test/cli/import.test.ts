import { describe, expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { corosyncFacts, parseCorosyncConf } from '../../src/cli/import/corosync-conf.ts'
import { findingsOf } from '../../src/cli/import/findings.ts'

const conf = `# Please read the corosync.conf.5 manual page
totem {
    version: 2
    cluster_name: shop
    token: 3000
    interface {
        linknumber: 0
    }
}

nodelist {
    node {
        ring0_addr: 10.0.0.1
        name: n1
        nodeid: 1
    }
    node {
        ring0_addr: n2.example
        nodeid: 2
    }
}

quorum {
    provider: corosync_votequorum
    two_node: 1
    wait_for_all: 1
    auto_tie_breaker: 1
    device {
        model: net
    }
}
`

describe('corosync.conf', () => {
  test('nodes, times and quorum options are read', () => {
    const parsed = parseCorosyncConf(conf)
    expect('badLine' in parsed ? undefined : corosyncFacts(parsed)).toEqual({
      clusterName: 'shop',
      nodes: [
        { name: 'n1', address: '10.0.0.1', id: '1' },
        { name: 'n2.example', address: 'n2.example', id: '2' },
      ],
      tokenMs: 3000,
      twoNode: true,
      quorumDevice: 'net',
      quorumOptions: ['wait_for_all', 'auto_tie_breaker'],
    })
  })

  for (const [name, text, badLine] of [
    ['a stray word', 'totem {\nnonsense\n}', 2],
    ['a section that is not closed', 'totem {\nversion: 2', 2],
    ['a brace too many', 'totem {\n}\n}', 3],
  ] as const)
    test(`${name} is named by its line`, () => expect(parseCorosyncConf(text)).toEqual({ badLine }))
})

describe('what stands in the way', () => {
  const cib = (resources: string) => {
    const parsed = parseXml(
      `<cib><configuration><crm_config/><nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>` +
        `<resources>${resources}</resources><constraints/></configuration><status/></cib>`,
    )
    if (!parsed.ok) throw new Error('the test has a mistake')
    return parsed.value
  }
  const dummy = '<primitive id="d" class="ocf" provider="pacemaker" type="Dummy"/>'
  const missing = (agent: { readonly type: string }) =>
    agent.type === 'Dummy' ? undefined : `${agent.type} is missing.`
  const cases: readonly {
    readonly name: string
    readonly resources: string
    readonly nodes: readonly string[]
    readonly problems: readonly string[]
    readonly notes: readonly string[]
  }[] = [
    { name: 'nothing, where all is there', resources: dummy, nodes: ['n1', 'n2'], problems: [], notes: [] },
    {
      name: 'a node that is not in this cluster',
      resources: dummy,
      nodes: ['n1'],
      problems: ["The node n2 is in the CIB and not in this cluster: add it with 'systole cluster node add n2'."],
      notes: [],
    },
    {
      name: 'an agent that is not installed, told once',
      resources: `<group id="g"><primitive id="a" class="ocf" provider="x" type="Odd"/><primitive id="b" class="ocf" provider="x" type="Odd"/></group>`,
      nodes: ['n1', 'n2', 'n3'],
      problems: ['Odd is missing.'],
      notes: ['The node n3 of this cluster is not in the CIB: nothing there keeps resources away from it.'],
    },
    {
      name: 'fence devices whose disk nobody reads',
      resources: `<primitive id="sbd" class="stonith" type="external/sbd"/><clone id="c"><primitive id="disk" class="stonith" type="fence_sbd"/></clone>`,
      nodes: ['n1', 'n2'],
      problems: [
        ...[
          ['sbd', 'external/sbd'],
          ['disk', 'fence_sbd'],
        ].map(
          ([id, type]) =>
            `The fence device ${id}: ${type} writes to a disk which a node must read by itself, and systoled does not: it would call a node fenced that runs on, and its resources would run twice. Use fence_scsi, or a watchdog (stonith sbd enable).`,
        ),
        'external/sbd is missing.',
        'fence_sbd is missing.',
      ],
      notes: [],
    },
    {
      name: 'remote and guest nodes',
      resources: `<primitive id="r" class="ocf" provider="pacemaker" type="remote"/><primitive id="vm" class="ocf" provider="pacemaker" type="Dummy"><meta_attributes id="m"><nvpair id="n" name="remote-node" value="guest"/></meta_attributes></primitive>`,
      nodes: ['n1', 'n2'],
      problems: [
        "The host of the remote node r must join this cluster: 'systoled --remote --join' on it.",
        "The guest node guest, which vm runs, must join this cluster: 'systoled --remote --join' in it, with --node guest.",
        'remote is missing.',
      ],
      notes: [],
    },
  ]
  for (const { name, resources, nodes, problems, notes } of cases)
    test(name, () =>
      expect(findingsOf({ cib: cib(resources), corosync: undefined, clusterNodes: nodes, missing })).toEqual({
        problems,
        notes,
      }),
    )

  test('what corosync.conf says and the CIB cannot hold', () => {
    const parsed = parseCorosyncConf(conf)
    const corosync = 'badLine' in parsed ? undefined : corosyncFacts(parsed)
    expect(findingsOf({ cib: cib(dummy), corosync, clusterNodes: ['n1', 'n2'], missing }).notes).toEqual([
      'The node n2 is in the CIB and not in corosync.conf: it may be long gone.',
      'token is 3000 ms there; here a node that is silent for 1000 ms is given up, unless another is set: systole cluster config update totem token=3000.',
      'two_node: two nodes here behave alike, without an option.',
      'The quorum device (net) is not used here: a witness takes its place (systole quorum device add).',
      'auto_tie_breaker has no counterpart: lost voters are replaced once they are fenced.',
    ])
  })
})
