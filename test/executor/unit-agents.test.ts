import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-ports.ts'
import { SystemdBox } from './systemd-box/systemd-box.ts'

/** The bundled agents where a distribution's unit runs the service: a real systemd, in a box. */
let box: SystemdBox
let port: number
beforeAll(async () => {
  port = await freePort()
  box = await SystemdBox.start({
    'glance-api.service': `[Service]\nExecStart=/usr/bin/python3 -m http.server --bind 127.0.0.1 --directory /run/site ${port}\nRestart=always\n`,
    'openstack-heat-engine.service': '[Service]\nType=oneshot\nExecStart=/bin/false\n',
  })
  cpSync(resolve(import.meta.dirname, '../../agents'), box.path('/run/agents'), { recursive: true })
})
afterAll(() => box?.close())

function agent(type: string, operation: string): { readonly code: number; readonly said: string } {
  const variables = [`OCF_RESKEY_url=http://127.0.0.1:${port}/`, 'OCF_RESKEY_codes=200', 'OCF_RESOURCE_INSTANCE=tested']
  const program = join('/run/agents/ocf/systole', type)
  const script = `${program} ${operation} 2>&1; echo "code $?"`
  const into = ['-t', String(box.init), '-m', '-p', '-u', '-i', '-C', 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin']
  const said = execFileSync('nsenter', [...into, ...variables, 'sh', '-c', script], { encoding: 'utf8' })
  return { code: Number(/code (\d+)\n$/.exec(said)?.[1]), said }
}

describe('a unit whose API is asked', () => {
  const dropIn = () => existsSync(box.path('/run/systemd/system/glance-api.service.d/50-systole.conf'))

  test('starts, is well while it answers, and stops', () => {
    expect(agent('glance-api', 'monitor')).toMatchObject({ code: 7 })
    execFileSync('mkdir', [box.path('/run/site')])
    expect(agent('glance-api', 'start')).toMatchObject({ code: 0 })
    expect(box.processes('http.server')).toHaveLength(1)
    expect(dropIn()).toBe(true)
    expect(agent('glance-api', 'monitor')).toMatchObject({ code: 0 })
    expect(agent('glance-api', 'start')).toMatchObject({ code: 0 })
    expect(agent('glance-api', 'stop')).toMatchObject({ code: 0 })
    expect(box.processes('http.server')).toHaveLength(0)
    expect(dropIn()).toBe(false)
    expect(agent('glance-api', 'stop')).toMatchObject({ code: 0 })
  })

  test('has failed when its API answers with errors, which systemd does not see', () => {
    agent('glance-api', 'start')
    execFileSync('rmdir', [box.path('/run/site')])
    const { code, said } = agent('glance-api', 'monitor')
    expect([code, said]).toEqual([1, expect.stringContaining('the answer is 404, not 200')])
    agent('glance-api', 'stop')
  })

  test('that was killed is down, and systemd does not start it behind the cluster’s back', async () => {
    execFileSync('mkdir', [box.path('/run/site')])
    agent('glance-api', 'start')
    for (const pid of box.processes('http.server')) process.kill(pid, 'SIGKILL')
    await expect.poll(() => agent('glance-api', 'monitor').code).toBe(7)
    expect(agent('glance-api', 'monitor').said).toContain('glance-api.service has failed')
    expect(agent('glance-api', 'start').code).toBe(0)
    agent('glance-api', 'stop')
  })

  test('that fails to start says where to read why', () => {
    const { code, said } = agent('heat-engine', 'start')
    expect([code, said]).toEqual([1, expect.stringContaining('openstack-heat-engine.service did not start')])
  })
})
