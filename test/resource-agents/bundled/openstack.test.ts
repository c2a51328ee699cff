import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../support/free-ports.ts'
import { BundledAgents } from './bundled-agents.ts'

/** The agents of OpenStack's services with an HTTP server that answers in a service's place. */
let agents: BundledAgents
let port: number
beforeEach(async () => {
  agents = new BundledAgents()
  port = await freePort()
})
afterEach(() => agents.remove())

const answers = (wanted: object): void => writeFileSync(agents.path('answers'), JSON.stringify(wanted))
const served = () => ({
  command: `${process.execPath} ${import.meta.dirname}/stand-in.mjs ${port} ${agents.path('answers')}`,
  user: 'root',
  url_timeout: '1',
  stop_timeout: '2',
})

describe('an API', () => {
  const glance = (operation: string) =>
    agents.run('glance-api', operation, { ...served(), url: `http://127.0.0.1:${port}/` })

  test('that answers as the service does is well; with an error, or with silence, it has failed', async () => {
    answers({ '/': { code: 300 } })
    try {
      expect((await glance('start')).exitCode).toBe(0)
      expect((await glance('monitor')).exitCode).toBe(0)
      answers({ '/': { code: 503 } })
      expect(await glance('monitor')).toMatchObject({ exitCode: 1, exitReason: expect.stringContaining('is 503') })
      answers({ hang: true })
      expect(await glance('monitor')).toMatchObject({ exitCode: 1, exitReason: expect.stringContaining('timed out') })
    } finally {
      expect((await glance('stop')).exitCode).toBe(0)
    }
    expect((await glance('monitor')).exitCode).toBe(7)
  })

  test('whose package is missing does not run, cannot start, and is stopped already', async () => {
    const bare = (operation: string) => agents.run('heat-api-cfn', operation, {})
    expect((await bare('monitor')).exitCode).toBe(7)
    expect(await bare('start')).toMatchObject({ exitCode: 5, exitReason: expect.stringContaining('heat-api-cfn') })
    expect((await bare('stop')).exitCode).toBe(0)
  })
})

describe('a worker without an API', () => {
  const workers = [
    { type: 'nova-scheduler', path: '/os-services', list: 'services', well: { state: 'up' }, ill: { state: 'down' } },
    { type: 'cinder-volume', path: '/os-services', list: 'services', well: { state: 'up' }, ill: { state: 'down' } },
    { type: 'neutron-l3-agent', path: '/agents', list: 'agents', well: { alive: true }, ill: { alive: false } },
    { type: 'heat-engine', path: '/services', list: 'services', well: { status: 'up' }, ill: { status: 'down' } },
  ]
  for (const { type, path, list, well, ill } of workers)
    test(`${type} is well as long as its project’s API does not call it down`, async () => {
      writeFileSync(
        agents.path('openrc'),
        `export OS_AUTH_URL=http://127.0.0.1:${port}/v3 OS_USERNAME=admin OS_PASSWORD='a "secret"\\' OS_PROJECT_NAME=admin\n`,
      )
      const said = (record: object) =>
        answers({
          '/': {},
          '/v3/auth/tokens': { code: 201, token: 'the-token' },
          [`/api${path}`]: {
            wants: 'the-token',
            body: {
              [list]: [
                { host: 'elsewhere', ...ill },
                { id: 1, host: hostname(), binary: type, ...record },
              ],
            },
          },
        })
      const worker = (operation: string, level = '10', more = {}) =>
        agents.run(type, operation, {
          ...served(),
          url: `http://127.0.0.1:${port}/`,
          openrc: agents.path('openrc'),
          api: `http://127.0.0.1:${port}/api`,
          grace_time: '3600',
          OCF_CHECK_LEVEL: level,
          ...more,
        })
      said(well)
      try {
        expect((await worker('start')).exitCode).toBe(0)
        expect(await worker('monitor')).toMatchObject({ exitCode: 0 })
        said(ill)
        // It has only just started; and a monitor that does not look so far finds nothing.
        expect((await worker('monitor')).exitCode).toBe(0)
        expect((await worker('monitor', '0', { grace_time: '1' })).exitCode).toBe(0)
        await expect
          .poll(() => worker('monitor', '10', { grace_time: '1' }))
          .toMatchObject({ exitCode: 1, exitReason: expect.stringMatching(/says that .* is down$/) })
        // Nobody can be asked: that is not the worker's failure.
        answers({ '/': {} })
        expect((await worker('monitor', '10', { grace_time: '1' })).exitCode).toBe(0)
        expect((await worker('monitor', '10', { openrc: '' })).exitCode).toBe(6)
      } finally {
        expect((await worker('stop')).exitCode).toBe(0)
      }
    })
})
