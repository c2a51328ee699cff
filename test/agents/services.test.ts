import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../nodes/lab/network.ts'
import { ServiceLab } from './service-lab.ts'

/** A shared disk with a web server on it behind an address; services that have only init scripts; agents that watch a node. */
const lab = new ServiceLab([])
const folder = lab.lab.folder

const web = (pid: string) => `ServerName lab
ServerRoot /etc/apache2
PidFile ${pid}
Listen 80
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule status_module /usr/lib/apache2/modules/mod_status.so
LoadModule authz_host_module /usr/lib/apache2/modules/mod_authz_host.so
ErrorLog /run/apache2-lab.log
DocumentRoot /mnt/systole-lab
<Location /server-status>
  SetHandler server-status
  Require local
</Location>
`

beforeAll(async () => {
  await lab.start()
  writeFileSync(join(folder, 'apache.conf'), web('/run/apache2-lab.pid'))
  await run('truncate', '-s', '32M', join(folder, 'disk.img'))
  await run('mkfs.ext4', '-q', '-O', '^has_journal', join(folder, 'disk.img'))
}, 300_000)

afterAll(() => lab.close(), 60_000)

describe('a web server on a shared disk', () => {
  test('Filesystem, apache and IPaddr2 start in the order of their group', async () => {
    await lab.line(`resource create disk ocf:heartbeat:Filesystem device=${folder}/disk.img directory=/mnt/systole-lab
      fstype=ext4 options=loop op monitor interval=5s --group site`)
    await lab.line(`resource create pause ocf:heartbeat:Delay startdelay=1 stopdelay=0 mondelay=0 --group site`)
    await lab.line(`resource create web ocf:heartbeat:apache configfile=${folder}/apache.conf
      httpd=/usr/sbin/apache2 statusurl=http://127.0.0.1/server-status op monitor interval=5s --group site`)
    await lab.line(`resource create vip ocf:heartbeat:IPaddr2 ip=${lab.address} cidr_netmask=24 nic=eth0 --group site`)
    await lab.untilActive('vip', 'Started', 1)
    const [node = ''] = await lab.active('disk', 'Started')
    await lab.lab.inNode(node, 'sh', '-c', 'echo written >/mnt/systole-lab/page')
    await lab.clientUntil(
      'the page is there',
      (page) => page.trim() === 'written',
      'curl',
      '-sf',
      `http://${lab.address}/page`,
    )
  })

  test('the node loses power: another mounts the disk, and the page is there', async () => {
    await lab.untilSettled()
    const [victim = ''] = await lab.active('disk', 'Started')
    await lab.lab.inNode(victim, 'sync')
    await lab.powerOff(victim)
    const gap = await lab.clientUntil(
      'the page is there again',
      (page) => page.trim() === 'written',
      'curl',
      '-sf',
      '--max-time',
      '1',
      `http://${lab.address}/page`,
    )
    console.log(`apache on a shared disk: gap ${gap} ms`)
    expect(await lab.active('disk', 'Started')).not.toContain(victim)
    await lab.powerOn(victim)
    await lab.untilOnline()
    await lab.line('resource delete site')
    await lab.untilActive('disk', 'Started', 0)
  })
})

describe('services by their init scripts', () => {
  test('memcached runs everywhere, and one that is killed is started again', async () => {
    await lab.line('resource create memory lsb:memcached op monitor interval=2s clone')
    await lab.untilActive('memory', 'Started', 3)
    const node = lab.nodes[0] ?? ''
    await lab.lab.inNode(node, 'sh', '-c', 'kill -9 $(pgrep -x memcached)')
    await lab.lab.until('the failure is known', async () =>
      (await lab.systole('resource', 'failcount', 'memory')).includes(node),
    )
    await lab.lab.until(
      'it runs again',
      async () => (await lab.lab.inNode(node, 'sh', '-c', 'pgrep -x memcached || true')).trim() !== '',
    )
    await lab.untilActive('memory', 'Started', 3)
  })
})

describe('agents that watch a node', () => {
  test('ping sets an attribute, and a service keeps away from a node that reaches nobody', async () => {
    await lab.line(
      'resource create reach ocf:pacemaker:ping host_list=10.83.0.253 multiplier=100 dampen=1s attempts=1 timeout=1 op monitor interval=2s clone',
    )
    await lab.untilActive('reach', 'Started', 3)
    await lab.line('resource create job ocf:pacemaker:Dummy')
    await lab.systole('constraint', 'location', 'job', 'rule', 'score=-INFINITY', 'not_defined pingd or pingd lt 100')
    await lab.untilActive('job', 'Started', 1)
    const [node = ''] = await lab.active('job', 'Started')
    // The node loses its way to the client, and to nobody else.
    await lab.lab.inNode(node, 'ip', 'route', 'add', 'blackhole', '10.83.0.253/32')
    await lab.lab.until('the service has moved', async () => {
      const [now] = await lab.active('job', 'Started')
      return now !== undefined && now !== node
    })
    await lab.lab.inNode(node, 'ip', 'route', 'del', 'blackhole', '10.83.0.253/32')
    await lab.line('resource delete job')
    await lab.line('resource delete reach-clone')
  })

  test('a red health attribute empties a node', async () => {
    await lab.line('resource create job ocf:pacemaker:Dummy')
    await lab.untilActive('job', 'Started', 1)
    await lab.line('property set node-health-strategy=only-green')
    const [node = ''] = await lab.active('job', 'Started')
    await lab.lab.inNode(node, `${folder}/systole/shims/attrd_updater`, '-n', '#health-lab', '-U', 'red')
    await lab.lab.until('the service has moved', async () => {
      const [now] = await lab.active('job', 'Started')
      return now !== undefined && now !== node
    })
    await lab.lab.inNode(node, `${folder}/systole/shims/attrd_updater`, '-n', '#health-lab', '-D')
  })

  test('ClusterMon writes a page, with our crm_mon, that follows the cluster', async () => {
    await lab.line(`resource create mon ocf:pacemaker:ClusterMon update=1000 htmlfile=/run/mon.html pidfile=/run/mon.pid
      extra_options=-r op monitor interval=2s`)
    await lab.untilActive('mon', 'Started', 1)
    const [node = ''] = await lab.active('mon', 'Started')
    const page = () => lab.lab.inNode(node, 'cat', '/run/mon.html')
    await lab.lab.until('the page names what runs', async () => (await page()).includes('ocf:pacemaker:ClusterMon'))
    await lab.line('resource create late ocf:pacemaker:Dummy')
    await lab.lab.until('the page has what came later', async () => /late[\s\S]*Started/.test(await page()))
    await lab.lab.inNode(node, 'sh', '-c', 'kill -9 $(cat /run/mon.pid)')
    await lab.lab.until('the failure is known', async () =>
      (await lab.systole('resource', 'failcount', 'mon')).includes(node),
    )
    await lab.untilActive('mon', 'Started', 1)
    const again = (await lab.lab.inNode(node, 'cat', '/run/mon.pid')).trim()
    await lab.line('resource delete mon')
    await lab.lab.until(
      'crm_mon has ended',
      async () => (await lab.lab.inNode(node, 'sh', '-c', `[ -d /proc/${again} ] || echo gone`)).trim() === 'gone',
    )
    await lab.line('resource delete late')
  })
})

describe('Pacemaker’s own examples', () => {
  test('Delay takes the time that it is told for a start, a monitor and a stop', async () => {
    await lab.line(
      `resource create slow ocf:heartbeat:Delay startdelay=2 stopdelay=2 mondelay=1 op monitor interval=3s`,
    )
    const began = Date.now()
    await lab.untilActive('slow', 'Started', 1)
    expect(Date.now() - began).toBeGreaterThan(1500)
    const stopped = Date.now()
    await lab.line('resource disable slow')
    await lab.untilActive('slow', 'Started', 0)
    expect(Date.now() - stopped).toBeGreaterThan(1900)
    await lab.line('resource delete slow')
  })

  test('Stateful is promoted on one node, and on another when that one loses power', async () => {
    await lab.line(`resource create state ocf:pacemaker:Stateful op monitor interval=2s op monitor interval=1s
      role=Promoted promotable`)
    await lab.untilActive('state', 'Promoted', 1)
    await lab.untilActive('state', 'Unpromoted', 2)
    const [victim = ''] = await lab.active('state', 'Promoted')
    const began = Date.now()
    await lab.powerOff(victim)
    await lab.lab.until('another is promoted', async () => {
      const [now] = await lab.active('state', 'Promoted')
      return now !== undefined && now !== victim
    })
    console.log(`Stateful: promoted elsewhere after ${Date.now() - began} ms`)
    await lab.powerOn(victim)
    await lab.untilOnline()
    await lab.untilActive('state', 'Unpromoted', 2)
    await lab.line('resource delete state-clone')
  })

  test('Dummy moves with a live migration: nothing stops before it runs elsewhere', async () => {
    await lab.line('resource create guest ocf:pacemaker:Dummy meta allow-migrate=true')
    await lab.untilActive('guest', 'Started', 1)
    const [from = ''] = await lab.active('guest', 'Started')
    const to = lab.nodes.find((node) => node !== from) ?? ''
    await lab.systole('resource', 'move', 'guest', to)
    await lab.lab.until('it is there', async () => (await lab.active('guest', 'Started')).join() === to)
    await lab.untilSettled()
    const history = await lab.lab.inNode(to, `${folder}/systole/shims/cibadmin`, '-Q', '-o', 'status')
    const done = [...history.matchAll(/operation_key="guest_(\w+)_0"[^>]*on_node="(\w+)"/g)].map(
      ([, what, where]) => `${what} ${where}`,
    )
    expect(done).toEqual(expect.arrayContaining([`stop ${from}`, `migrate_from ${to}`]))
    expect(done).not.toContain(`start ${to}`)
    await lab.line('resource delete guest')
  })
})
