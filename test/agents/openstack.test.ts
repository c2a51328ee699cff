import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { deployments } from './openstack-services.ts'

/** The bundled agents with the services that they are for, as Debian packages them: on one node, each with a database of its own. */
const lab = new Lab(['n1'], { disks: deployments.flatMap(({ folders }) => folders) })

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
}, 300_000)
afterAll(() => lab.close(), 60_000)

const inShell = async (line: string): Promise<string> => (await lab.inNode('n1', 'bash', '-c', line)).trim()

/** As crm_mon's readers see it: running, and with nothing failed. */
async function runs(agent: string): Promise<boolean> {
  const { resources } = await lab.status('n1')
  return resources.some(({ id, role, failed }) => id === agent && role === 'Started' && !failed)
}

for (const { agent, user, files, prepare, command, log, checkedUrl, url, code } of deployments)
  describe(agent, { timeout: 900_000 }, () => {
    const answer = (): Promise<string> => inShell(`curl -s -o /dev/null -m 20 -w '%{http_code}' ${url}`)

    test('its service is deployed', async () => {
      for (const [path, text] of Object.entries(files)) {
        writeFileSync(join(lab.folder, 'nodes/n1/disks', path), text)
        await inShell(`chgrp ${user} ${path} && chmod 640 ${path}`)
      }
      for (const line of prepare) await inShell(line)
    })

    test('a start ends when the API answers', async () => {
      const operations = [
        'op',
        'start',
        'timeout=300s',
        'op',
        'stop',
        'timeout=60s',
        'op',
        'monitor',
        'interval=5s',
        'timeout=60s',
      ]
      const parameters = [`command=${command}`, `log=${log}`, 'url_timeout=30']
      if (checkedUrl !== undefined) parameters.push(`url=${checkedUrl}`)
      await lab.systole(
        'n1',
        'resource',
        'create',
        agent,
        `ocf:systole:${agent}`,
        ...parameters,
        ...operations,
        '--wait=400',
      )
      expect(await runs(agent)).toBe(true)
      expect(await answer()).toBe(code)
    })

    test('one that is killed, and one that hangs, is found and answers again', async () => {
      for (const signal of ['KILL', 'STOP']) {
        await inShell(`pkill -${signal} -u ${user}`)
        await lab.until(
          `the monitor finds what ${signal} did`,
          async () => (await lab.systole('n1', 'resource', 'failcount', 'show', agent)).includes(agent),
          300_000,
        )
        await lab.until(`${agent} runs again`, async () => (await runs(agent)) && (await answer()) === code, 400_000)
        await lab.systole('n1', 'resource', 'cleanup', agent)
      }
    })

    test('a stop leaves nothing of it', async () => {
      await lab.systole('n1', 'resource', 'disable', agent, '--wait=120')
      expect(await inShell(`pgrep -u ${user} || true`)).toBe('')
    })
  })
