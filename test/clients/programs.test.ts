/** Programs that people and monitors run beside a cluster: Debian's pcs and crmsh, the Prometheus exporter, Ansible's modules. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientLab, configuration, formClientCluster, must, script, twice } from './client-lab.ts'

const nodes = ['n1', 'n2', 'n3']
const lab = clientLab(nodes)
beforeAll(async () => {
  await lab.start()
  await formClientCluster(lab)
}, 180_000)
afterAll(() => lab.close(), 60_000)

/** Lines of a script that may fail, because what they make is there already: how each ended. */
async function each(lines: readonly string[]): Promise<readonly string[]> {
  const ended: string[] = []
  for (const line of lines) {
    const { exitCode, output } = await script(lab, 'n1', line)
    ended.push(`${exitCode} ${line}${exitCode === 0 ? '' : `: ${output.trim()}`}`)
  }
  return ended
}

describe('Debian’s pcs 0.11 over our cibadmin and crm_mon', () => {
  const pcs = '/usr/sbin/pcs'
  const changes = [
    `${pcs} property set no-quorum-policy=freeze`,
    `${pcs} resource create vip ocf:heartbeat:Dummy op monitor interval=10s`,
    `${pcs} resource create db ocf:pacemaker:Stateful promotable`,
    `${pcs} resource group add g vip`,
    `${pcs} resource update vip fake=changed`,
    `${pcs} resource meta vip priority=5`,
    `${pcs} resource defaults update resource-stickiness=100`,
    `${pcs} constraint location g prefers n1=50`,
    `${pcs} constraint colocation add g with Promoted db-clone 30`,
    `${pcs} constraint order promote db-clone then start g`,
    `${pcs} constraint location db-clone rule score=-INFINITY not_defined absent and rack eq z`,
    `${pcs} stonith level add 1 n1 fence-n1`,
    `${pcs} node attribute n1 rack=a`,
    `${pcs} tag create t vip`,
    `${pcs} cluster cib /tmp/a.xml && cp /tmp/a.xml /tmp/b.xml && ${pcs} -f /tmp/b.xml resource disable vip && ${pcs} cluster cib-push /tmp/b.xml diff-against=/tmp/a.xml; rm -f /tmp/a.xml /tmp/b.xml`,
    `${pcs} resource enable vip --wait=60`,
  ]

  test('what it changes is made once', async () => {
    const { first, second } = await twice(lab, async () => await each(changes))
    expect(first.filter((line) => !line.startsWith('0 '))).toEqual([])
    // Only what is refused as there already fails.
    const failed = second.filter((line) => !line.startsWith('0 '))
    for (const line of failed) expect(line).toMatch(/already|duplicate/i)
    await must(lab, 'n1', `${pcs} resource config vip | grep -q fake=changed`)
  })

  test('what it shows, it shows', async () => {
    const shown = [
      'status',
      'status --full',
      'config',
      'resource',
      'stonith',
      'constraint --full',
      'cluster verify',
      'status nodes',
      'quorum status',
      'property',
      'stonith history',
      'resource failcount show',
      'status xml',
      'resource relations vip',
    ]
    const ended = await each(shown.map((line) => `${pcs} ${line}`))
    expect(ended.filter((line) => !line.startsWith('0 '))).toEqual([])
  })

  test('it moves, sets aside and takes back', async () => {
    const acts = [
      'resource move g n2 --wait=60',
      'resource clear g',
      'node standby n3 --wait=60',
      'node unstandby n3 --wait=60',
      'resource restart g',
      'resource cleanup vip',
      'resource refresh vip',
      'resource ban g n3 --wait=60',
      'resource clear g',
      'resource disable g --wait=60',
      'resource enable g --wait=60',
    ]
    const ended = await each(acts.map((line) => `${pcs} ${line}`))
    expect(ended.filter((line) => !line.startsWith('0 '))).toEqual([])
  })
})

describe('crmsh', () => {
  const text = `primitive ip ocf:heartbeat:Dummy params fake=a op monitor interval=10s timeout=20s
primitive site ocf:heartbeat:Dummy op monitor interval=11s timeout=20s
primitive st ocf:pacemaker:Stateful op monitor interval=9s role=Promoted op monitor interval=8s role=Unpromoted
group shop ip site
ms st-clone st meta notify=true
location shop-n2 shop 40: n2
location shop-rule shop rule -inf: not_defined gpu and rack eq z
colocation shop-with-st 20: shop st-clone:Master
order st-first Mandatory: st-clone:promote shop:start
property batch-limit=20
rsc_defaults rsc-options: migration-threshold=3
`

  test('loads a configuration twice, and changes nothing the second time', async () => {
    const file = join(lab.folder, 'shop.crm')
    writeFileSync(file, text)
    const { first, second } = await twice(
      lab,
      async () => await script(lab, 'n1', `crm -F configure load update ${file}`),
    )
    expect([first.exitCode, second.exitCode], `${first.output}\n${second.output}`).toEqual([0, 0])
    const shown = await must(lab, 'n1', 'crm configure show')
    expect(shown).toContain('location shop-n2 shop 40: n2')
  })

  test('lists agents and describes one', async () => {
    const begun = performance.now()
    const listed = await must(lab, 'n1', 'crm ra list ocf')
    console.log(`crm ra list ocf: ${Math.round(performance.now() - begun)} ms`)
    expect(listed).toContain('IPaddr2')
    expect(await must(lab, 'n1', 'crm ra list ocf pacemaker')).toContain('Stateful')
    expect(await must(lab, 'n1', 'crm ra providers Dummy')).toMatch(/heartbeat\s+pacemaker/)
    expect(await must(lab, 'n1', 'crm ra info ocf:heartbeat:IPaddr2')).toContain('cidr_netmask')
  })

  test('works on a shadow, where it looks for them, and commits it', async () => {
    await must(lab, 'n1', 'crm cib new trial && crm -c trial configure property no-quorum-policy=stop')
    expect(await must(lab, 'n1', 'crm cib list')).toContain('trial')
    expect(await must(lab, 'n1', 'ls /var/lib/pacemaker/cib')).toContain('shadow.trial')
    expect(await must(lab, 'n1', 'crm -c trial cib diff')).toContain('no-quorum-policy')
    await must(lab, 'n1', 'crm cib commit trial')
    expect(await configuration(lab)).toContain('value="stop"')
    await must(lab, 'n1', 'crm cib delete trial')
  })

  test('shows status, moves, sets aside and takes back', async () => {
    const lines = [
      'crm status',
      'crm status full',
      'crm resource status shop',
      'crm -w resource move shop n3',
      'crm resource clear shop',
      'crm -w resource stop shop',
      'crm -w resource start shop',
      'crm node standby n3',
      'crm node online n3',
      'crm node show',
      'crm node attribute n1 set color red',
      'crm node attribute n1 show color',
      'crm resource cleanup ip',
      'crm resource failcount ip show n1',
      'crm resource scores',
      'crm configure verify',
      'crm configure show xml',
      'crm configure delete --force shop-rule',
    ]
    const ended = await each(lines)
    expect(ended.filter((line) => !line.startsWith('0 '))).toEqual([])
  })

  test('its report, which its history is made from, finds the nodes and collects what one has', async () => {
    // There is no process of Pacemaker’s to be seen: it reads the file of the cluster’s CIB.
    const found = await must(lab, 'n1', 'CIB_file=/var/lib/pacemaker/cib/cib.xml crm node server')
    expect(found.trim().split('\n')).toEqual(nodes)
    // The other nodes are reached by ssh, which the lab's nodes have not.
    const collected = await must(lab, 'n1', 'crm report -n n1 -S /run/r1 2>/dev/null; tar tf /run/r1.tar.bz2')
    expect(collected).toContain('r1/n1/ha-log.txt')
  })
})

test('the Prometheus exporter: every collector succeeds', async () => {
  const metrics = await must(
    lab,
    'n1',
    'ha_cluster_exporter --web.listen-address=127.0.0.1:9664 >/dev/null 2>&1 & id=$!; for try in $(seq 100); do curl -sf http://127.0.0.1:9664/metrics && break; sleep 0.1; done; kill $id',
  )
  const scrapes = [...metrics.matchAll(/^ha_cluster_scrape_success\{collector="(\w+)"\} (\d)/gm)].map(
    ([, name, ok]) => `${name} ${ok}`,
  )
  expect(scrapes).toEqual(expect.arrayContaining(['corosync 1', 'pacemaker 1']))
  expect(metrics).toMatch(/ha_cluster_pacemaker_nodes\{[^}]*node="n1"[^}]*status="online"[^}]*\} 1/)
  expect(metrics).toMatch(/ha_cluster_corosync_quorate 1/)
})

test('Ansible reads the nodes, their roles and states from the inventory', async () => {
  const inventory = resolve(import.meta.dirname, '../../bin/systole-inventory')
  await must(lab, 'n1', 'systole role add db n1 n2')
  const hosts = async (pattern: string): Promise<readonly string[]> =>
    (await must(lab, 'n1', `ansible -i ${inventory} ${pattern} --list-hosts`)).match(/\bn\d\b/g) ?? []
  expect(await hosts('role_db')).toEqual(['n1', 'n2'])
  expect(await hosts("'state_online:!role_db'")).toEqual(['n3'])
  const address = await must(lab, 'n1', `ansible -i ${inventory} n3 -c local -m debug -a 'var=ansible_host'`)
  expect(address).toContain(lab.network.address('n3'))
  expect(await must(lab, 'n1', `ansible-inventory -i ${inventory} --host n1`)).toContain('"systole_kind": "member"')
  await must(lab, 'n1', 'systole role remove db n1 n2')
})

test('Ansible’s community.general.pacemaker_cluster: online is no change, the second time as well', async () => {
  const file = join(lab.folder, 'online.yml')
  writeFileSync(
    file,
    `- hosts: localhost
  gather_facts: false
  tasks:
    - community.general.pacemaker_cluster: { state: online }
      register: whole
    - community.general.pacemaker_cluster: { state: cleanup }
`,
  )
  const before = await configuration(lab)
  for (const node of ['n1', 'n2']) {
    const output = await must(lab, node, `ansible-playbook -i localhost, -c local ${file}`)
    expect(output).toMatch(/ok=2 +changed=1 .*failed=0/)
  }
  expect(await configuration(lab)).toBe(before)
  const stop = join(lab.folder, 'offline.yml')
  writeFileSync(
    stop,
    `- hosts: localhost
  gather_facts: false
  tasks:
    - community.general.pacemaker_cluster: { state: offline, timeout: 60 }
    - community.general.pacemaker_cluster: { state: offline, timeout: 60 }
    - community.general.pacemaker_cluster: { state: online, timeout: 60 }
    - community.general.pacemaker_cluster: { state: online, timeout: 60 }
`,
  )
  expect(await must(lab, 'n3', `ansible-playbook -i localhost, -c local ${stop}`)).toMatch(/ok=4 +changed=2 .*failed=0/)
})
