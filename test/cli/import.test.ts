import { describe, expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { missingHere } from '../../src/cli/commands/import/import.ts'
import { type CorosyncFacts, corosyncFacts, parseCorosyncConf } from '../../src/cli/import/corosync-conf.ts'
import { corosyncNotes, type OwnCluster } from '../../src/cli/import/corosync-notes.ts'
import { findingsOf } from '../../src/cli/import/findings.ts'
import { setupLine } from '../../src/cli/import/setup-line.ts'

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

const twoRings = `totem {
    version: 2
    cluster_name: shop
    transport: knet
    crypto_cipher: aes256
    interface {
        linknumber: 0
        knet_link_priority: 1
        mcastport: 5405
    }
    interface {
        linknumber: 1
        knet_link_priority: 2
    }
}
nodelist {
${['10.1.0.1', '10.1.0.2', 'n3-b'].map((second, index) => `    node {\n        ring0_addr: 10.0.0.${index + 1}\n        ring1_addr: ${second}\n        name: n${index + 1}\n        nodeid: ${index + 1}\n${index === 1 ? '        quorum_votes: 2\n' : ''}    }`).join('\n')}
}
quorum {
    provider: corosync_votequorum
    device {
        model: net
        net {
            host: q1
            algorithm: lms
        }
        heuristics {
            mode: sync
        }
    }
}
logging {
    to_syslog: yes
}
`

function factsOf(text: string): CorosyncFacts {
  const parsed = parseCorosyncConf(text)
  if ('badLine' in parsed) throw new Error(`line ${parsed.badLine} of the test's file is wrong`)
  return corosyncFacts(parsed)
}

/** n1, n2 and n3, each with the addresses of these networks. */
const cluster = (...networks: readonly (readonly string[])[]): OwnCluster => ({
  nodes: ['n1', 'n2', 'n3'].map((name, node) => ({
    name,
    links: networks.map((addresses, number) => ({ number, address: addresses[node] ?? '', priority: 1 })),
  })),
  tokenMs: 1000,
  witness: undefined,
})
const first = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
const second = ['10.1.0.1', '10.1.0.2', '10.1.0.3']
const addressOf = (written: string) => (written === 'n3-b' ? '10.1.0.3' : written)

describe('the networks of corosync.conf', () => {
  const isLink = (note: string) => note.startsWith('Link')
  const cases: readonly { readonly name: string; readonly own: OwnCluster; readonly notes: readonly string[] }[] = [
    {
      name: 'that this cluster lacks is told with the command that adds it',
      own: cluster(first),
      notes: [
        'Link 1 of corosync.conf is not a link of this cluster. To add it: systole cluster link add n1=10.1.0.1 n2=10.1.0.2 n3=10.1.0.3 options link_priority=2.',
      ],
    },
    {
      name: 'that is preferred there is to be preferred here',
      own: cluster(first, second),
      notes: ['Link 1 has the priority 2 in corosync.conf: systole cluster link update 1 options link_priority=2.'],
    },
    {
      name: 'may have another number here',
      own: cluster(second, first),
      notes: ['Link 1 has the priority 2 in corosync.conf: systole cluster link update 0 options link_priority=2.'],
    },
    {
      name: 'may have other addresses here',
      own: cluster(['10.0.0.1', '10.0.0.9', '10.0.0.3'], second),
      notes: [
        'Link 0 of corosync.conf has other addresses than link 0 of this cluster. To use them: systole cluster link update 0 n2=10.0.0.2.',
        'Link 1 has the priority 2 in corosync.conf: systole cluster link update 1 options link_priority=2.',
      ],
    },
    { name: 'are nothing to compare with a CIB in a file', own: { ...cluster(), nodes: [] }, notes: [] },
  ]
  for (const { name, own, notes } of cases)
    test(name, () => expect(corosyncNotes(factsOf(twoRings), own, addressOf).filter(isLink)).toEqual(notes))

  test('of an older file, which names no addresses, are told', () => {
    const older = 'totem {\ninterface {\nringnumber: 0\nbindnetaddr: 10.0.0.0\nmcastaddr: 239.1.1.1\n}\n}\n'
    expect(corosyncNotes(factsOf(older), cluster(first), addressOf).filter(isLink)).toEqual([
      'Link 0 is defined only by its network in corosync.conf (bindnetaddr: 10.0.0.0). If this cluster does not use it: systole cluster link add n1=<address there> n2=<address there> n3=<address there>.',
    ])
    // Of a CIB in a file nobody knows the nodes.
    const [note] = corosyncNotes(factsOf(older), { ...cluster(first), nodes: [] }, addressOf).filter(isLink)
    expect(note).toContain('systole cluster link add <node>=<address there> ….')
  })
})

test('what else of corosync.conf is not taken over is told', () => {
  const notes = corosyncNotes(factsOf(twoRings), cluster(first, second), addressOf)
  expect(notes.filter((note) => !note.startsWith('Link'))).toEqual([
    'token is not set in corosync.conf (3650 ms with 3 nodes); in Systole a node is suspected after 1000 ms of silence. To change that: systole cluster config update totem token=3650.',
    "The quorum device of q1 is not imported. Use a witness instead: once all nodes run, run 'systole quorum device add model net host=q1'. It prints the command to run on q1, where Systole must be installed; corosync-qnetd may remain.",
    'algorithm lms has no equivalent: a witness votes as with ffsplit.',
    'The heuristics of the quorum device have no equivalent.',
    'n2 has 2 votes in Corosync (quorum_votes); in Systole a node has one vote or none.',
    'Not imported, because it is specific to Corosync or has no equivalent: totem.transport, totem.crypto_cipher, interface.mcastport, logging.',
  ])
})

describe('corosync.conf', () => {
  test('nodes, times and quorum options are read', () => {
    const parsed = parseCorosyncConf(conf)
    expect('badLine' in parsed ? undefined : corosyncFacts(parsed)).toEqual({
      clusterName: 'shop',
      nodes: [
        { name: 'n1', id: '1', links: [{ number: 0, address: '10.0.0.1' }], votes: 1 },
        { name: 'n2.example', id: '2', links: [{ number: 0, address: 'n2.example' }], votes: 1 },
      ],
      links: [{ number: 0 }],
      tokenMs: 3000,
      effectiveTokenMs: 3000,
      twoNode: true,
      quorumDevice: { model: 'net', heuristics: false },
      quorumOptions: ['wait_for_all', 'auto_tie_breaker'],
      others: [],
    })
  })

  test('several links, a quorum device and what nothing corresponds to are read', () => {
    expect(factsOf(twoRings)).toMatchObject({
      nodes: [
        {
          name: 'n1',
          links: [
            { number: 0, address: '10.0.0.1' },
            { number: 1, address: '10.1.0.1' },
          ],
        },
        { name: 'n2', votes: 2 },
        { name: 'n3' },
      ],
      links: [
        { number: 0, priority: 1 },
        { number: 1, priority: 2 },
      ],
      tokenMs: undefined,
      effectiveTokenMs: 3650,
      quorumDevice: { model: 'net', host: 'q1', algorithm: 'lms', heuristics: true },
      others: ['totem.transport', 'totem.crypto_cipher', 'interface.mcastport', 'logging'],
    })
  })

  test('the command that sets up the same nodes begins with the host on which it is typed', () => {
    expect(setupLine(factsOf(twoRings), 'n2')).toBe(
      'systole cluster setup shop n2 addr=10.0.0.2 addr=10.1.0.2 n1 addr=10.0.0.1 addr=10.1.0.1 n3 addr=10.0.0.3 addr=n3-b',
    )
    expect(setupLine(factsOf(conf), 'n1')).toContain(' n2.example addr=n2.example totem token=3000')
    expect(setupLine(factsOf('totem {\n}'), 'n1')).toBeUndefined()
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
      problems: ["The node n2 is in the CIB but not in this cluster. Add it with 'systole cluster node add n2'."],
      notes: [],
    },
    {
      name: 'an agent that is not installed, told once',
      resources: `<group id="g"><primitive id="a" class="ocf" provider="x" type="Odd"/><primitive id="b" class="ocf" provider="x" type="Odd"/></group>`,
      nodes: ['n1', 'n2', 'n3'],
      problems: ['Odd is missing.'],
      notes: ['The node n3 of this cluster is not in the CIB, so no constraint keeps resources away from it.'],
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
            `The fence device ${id}: ${type} writes to a disk that each node must read, but n1, n2 would not read it: a node reported as fenced would keep running, and its resources would run twice. Configure the disk on every node first (stonith sbd enable device=<path>), or use fence_scsi or a watchdog.`,
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
        "The host of the remote node r must join this cluster: run 'systoled --remote --join' on it.",
        "The guest node guest, which vm runs, must join this cluster: run 'systoled --remote --join' in it, with --node guest.",
        'remote is missing.',
      ],
      notes: [],
    },
  ]
  for (const { name, resources, nodes, problems, notes } of cases)
    test(name, () =>
      expect(
        findingsOf({
          cib: cib(resources),
          corosync: undefined,
          own: cluster(),
          addressOf,
          clusterNodes: nodes,
          missing,
        }),
      ).toEqual({
        problems,
        notes,
      }),
    )

  test('what corosync.conf says and the CIB cannot hold', () => {
    expect(
      findingsOf({
        cib: cib(dummy),
        corosync: factsOf(conf),
        own: { ...cluster(), nodes: [] },
        addressOf,
        clusterNodes: ['n1', 'n2'],
        missing,
      }).notes,
    ).toEqual([
      'The node n2 is in the CIB but not in corosync.conf. It may no longer exist.',
      'token is 3000 ms in corosync.conf; in Systole a node is suspected after 1000 ms of silence. To change that: systole cluster config update totem token=3000.',
      'two_node: not needed, clusters of two nodes behave like this without an option.',
      "The quorum device of <host> is not imported. Use a witness instead: once all nodes run, run 'systole quorum device add model net host=<host>'. It prints the command to run on <host>, where Systole must be installed; corosync-qnetd may remain.",
      'auto_tie_breaker has no equivalent: lost voters are replaced once they are fenced.',
    ])
  })
})

test('a fence plugin of cluster-glue is not to be installed: an agent for the same device takes its place', () => {
  expect(missingHere({ class: 'stonith', type: 'external/sbd' })).toContain('plugin of cluster-glue')
  expect(missingHere({ class: 'stonith', type: 'fence_no_such' })).toContain('Install it on every node.')
})
