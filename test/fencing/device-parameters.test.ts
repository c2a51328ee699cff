/** `pcmk_<action>_action` of a device reaches its fence agent: a real program, which writes down how it was called. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { readFenceDevices, runDevice } from '../../src/fencing/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-device-'))
afterAll(() => rmSync(folder, { recursive: true }))
const agent = join(folder, 'fence_told')
writeFileSync(agent, `#!/bin/sh\ncat >${folder}/told\n`)
chmodSync(agent, 0o755)

const host = {
  ocfRoot: '/usr/lib/ocf',
  moreAgentFolders: [],
  toolsFolder: '/nonexistent',
  toolsSocket: '/nonexistent',
  runFolder: folder,
  fenceFolders: [folder],
}

const rows = [
  { name: 'pcmk_on_action=diag', action: 'on', says: 'diag' },
  { name: 'pcmk_status_action=power-state', action: 'status', says: 'power-state' },
  { name: 'pcmk_list_action=list-status', action: 'list', says: 'list-status' },
  { name: 'pcmk_monitor_action=metadata', action: 'monitor', says: 'metadata' },
] as const

test.each(rows)('$name: the agent is asked for that', async ({ name, action, says }) => {
  const [parameter = '', value = ''] = name.split('=')
  expect(await askedWith(action, `<nvpair id="p" name="${parameter}" value="${value}"/>`)).toBe(says)
  expect(await askedWith(action)).toBe(action)
})

async function askedWith(action: (typeof rows)[number]['action'], pair = ''): Promise<string | undefined> {
  const cib =
    parseXml(`<cib><configuration><crm_config/><nodes/><resources><primitive id="f" class="stonith" type="fence_told">
    <instance_attributes id="a">${pair}</instance_attributes></primitive></resources><constraints/></configuration><status/></cib>`)
  if (!cib.ok) throw new Error('bad test')
  const [device] = readFenceDevices(readConfiguration(cib.value), { metadata: new Map() })
  if (!device) throw new Error('there is no device')
  await runDevice({ device, action, timeoutMs: 10_000 }, host)
  return /^action=(.*)$/m.exec(readFileSync(join(folder, 'told'), 'utf8'))?.[1]
}
