/** Handlers and collectors of others that call the cluster's tools, each twice: DRBD's handlers, booth's check of a service, sos. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientLab, configuration, formClientCluster, must, script, twice } from './client-lab.ts'

const lab = clientLab(['n1', 'n2', 'n3'])
beforeAll(async () => {
  await lab.start()
  await formClientCluster(lab)
}, 180_000)
afterAll(() => lab.close(), 60_000)

describe('DRBD’s handlers', () => {
  const clone =
    '<clone id="ms-r0"><meta_attributes id="ms-r0-m"><nvpair id="ms-r0-p" name="promotable" value="true"/></meta_attributes><primitive id="r0" class="ocf" provider="pacemaker" type="Stateful"><instance_attributes id="r0-i"><nvpair id="r0-r" name="drbd_resource" value="r0"/></instance_attributes></primitive></clone>'

  /** No kernel of a lab has DRBD: its state, as drbdsetup would tell it, is a file. */
  function state(peerDisk: string): string {
    const lines = [
      'exists resource name:r0 role:Primary suspended:no',
      'exists connection name:r0 peer-node-id:1 conn-name:n2 connection:Connecting role:Unknown',
      'exists device name:r0 volume:0 minor:0 disk:UpToDate',
      `exists peer-device name:r0 peer-node-id:1 conn-name:n2 volume:0 replication:Off peer-disk:${peerDisk}`,
      'exists -',
    ]
    const file = join(lab.folder, 'drbdsetup')
    writeFileSync(file, `#!/bin/sh\ncat <<END\n${lines.join('\n')}\nEND\n`, { mode: 0o755 })
    return file
  }

  /** What is said goes to syslog, unless the shell shows its steps: the last of them, where it ends otherwise than it should. */
  async function handler(name: string, upToDate: string, code: number): Promise<void> {
    const { exitCode, output } = await script(
      lab,
      'n1',
      `export PATH=${lab.folder}:$PATH DRBD_RESOURCE=r0 DRBD_MY_NODE_ID=0 DRBD_NODE_ID_0=n1 DRBD_NODE_ID_1=n2 UP_TO_DATE_NODES=${upToDate}
bash -x /usr/lib/drbd/${name} --lock-dir=/run/drbd-lock > /run/handler.log 2>&1
code=$?
[ $code = ${code} ] || tail -n 60 /run/handler.log
exit $code`,
    )
    expect(exitCode, output).toBe(code)
  }

  test('the peer that is behind may not be promoted, and may again once it has caught up', {
    timeout: 300_000,
  }, async () => {
    await must(lab, 'n1', `cibadmin -C -o resources -X '${clone}' && crm_resource --wait`)
    state('DUnknown')
    // 4: the peer is reachable, and outdated by this constraint.
    await twice(lab, () => handler('crm-fence-peer.9.sh', '0x00000001', 4))
    const fenced = await configuration(lab)
    expect(fenced).toContain('drbd-fence-by-handler-r0-ms-r0')
    state('UpToDate')
    await twice(lab, () => handler('crm-unfence-peer.9.sh', '0x00000003', 0))
    expect(await configuration(lab)).not.toContain('drbd-fence-by-handler')
  })
})

test('booth’s check: a service that is stopped on purpose does not keep a ticket away', async () => {
  await must(lab, 'n1', 'pcs resource create service ocf:heartbeat:Dummy --disabled')
  const before = await configuration(lab)
  for (const _ of [1, 2])
    await must(lab, 'n1', 'cd /run && BOOTH_TICKET=ticketA bash /usr/share/booth/service-runnable service')
  expect(await configuration(lab)).toBe(before)
})

test('sos collects what its plugins for Pacemaker and Corosync ask for', { timeout: 900_000 }, async () => {
  const before = await configuration(lab)
  for (const run of ['/run/sos-1', '/run/sos-2']) {
    const words = `--batch --build --tmp-dir ${run} -o pacemaker,corosync -e pacemaker,corosync`
    await must(lab, 'n1', `mkdir ${run} && sos report ${words}`)
    const shown = async (file: string): Promise<string> => await must(lab, 'n1', `cat ${run}/*/sos_commands/${file}`)
    expect(await shown('pacemaker/crm_mon_-1_-A_-n_-r_-t')).toContain('Node List:')
    expect(await shown('pacemaker/crm_configure_show')).toContain('primitive service')
    expect(await shown('pacemaker/pcs_config')).toContain('Resource: service')
    expect(await shown('pacemaker/pcs_status_--full')).toContain('Cluster name: lab')
    expect(await shown('pacemaker/crm_report/cib.xml')).toContain('<primitive id="service"')
    expect(await shown('corosync/corosync-quorumtool_-s')).toContain('Quorate:          Yes')
    expect(await shown('corosync/corosync-cmapctl')).toContain('runtime.votequorum.this_node_id (u32) = 1')
  }
  expect(await configuration(lab)).toBe(before)
})
