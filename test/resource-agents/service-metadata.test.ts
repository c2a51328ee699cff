import { expect, test } from 'vitest'
import { scriptMetadata, unitMetadata } from '../../src/resource-agents/service-metadata.ts'

const script = `#!/bin/sh
### BEGIN INIT INFO
# Provides:          web
# Short-Description: starts the web server
# Description:       starts the web server
#                    with all of its sites
# Default-Start:     2 3 4 5
### END INIT INFO
# Short-Description: not this one
`

test('the head of an LSB script describes it', () => {
  const metadata = scriptMetadata('lsb:web', script)
  expect(metadata.shortDescription).toBe('starts the web server')
  expect(metadata.longDescription).toBe('starts the web server with all of its sites')
  expect(metadata.actions.find(({ name }) => name === 'monitor')).toMatchObject({
    timeoutMs: 15_000,
    intervalMs: 15_000,
  })
})

test('a script without a head is described by nothing', () => {
  expect(scriptMetadata('lsb:bare', '#!/bin/sh\n')).toMatchObject({ shortDescription: '', longDescription: '' })
})

test('a unit advises what systemd needs', () => {
  const { shortDescription, actions, parameters } = unitMetadata('systemd:web', 'A web server')
  expect(shortDescription).toBe('A web server')
  expect(parameters).toEqual([])
  expect(actions.map(({ name, timeoutMs }) => `${name} ${timeoutMs}`)).toEqual([
    'start 100000',
    'stop 100000',
    'status 100000',
    'monitor 100000',
  ])
})
