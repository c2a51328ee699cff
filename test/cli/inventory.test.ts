/** Ansible runs what stands in templates of an inventory, on its own host: nobody who may write a part of the configuration gets one in. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-inventory-'))
const file = join(folder, 'cib.xml')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const evil = "{{ lookup('pipe', 'id') }}"
const role = (name: string): string =>
  `<instance_attributes id="a-${name.length}"><nvpair id="p-${name.length}" name="${name}-role" value="true"/></instance_attributes>`
const remote = (id: string, server: string): string =>
  `<primitive id="${id}" class="ocf" provider="pacemaker" type="remote"><instance_attributes id="${id}-i"><nvpair id="${id}-s" name="server" value="${server}"/></instance_attributes></primitive>`
const guest = (name: string): string =>
  `<primitive id="vm" class="ocf" provider="heartbeat" type="VirtualDomain"><meta_attributes id="vm-m"><nvpair id="vm-r" name="remote-node" value="${name}"/></meta_attributes></primitive>`

test('templates and options in names, ids, addresses and roles are left out of the inventory', async () => {
  writeFileSync(
    file,
    `<cib validate-with="pacemaker-3.9"><configuration><crm_config/><nodes>
<node id="1" uname="n1">${role('db')}${role(evil)}</node><node id="${evil}" uname="n2"/><node id="3" uname="${evil}"/><node id="4" uname="--connection=local"/></nodes>
<resources>${remote('east', evil)}${remote('west', 'fe80::1%eth0')}${remote('north', 'north.example.org')}${guest(`x${evil}`)}</resources><constraints/></configuration><status/></cib>`,
  )
  const { standardOutput } = await runLine({
    commands: allCommands,
    line: ['-f', file, 'inventory', '--list'],
    terminal: scriptedTerminal(),
    openCluster: () => fileAccess(file),
  })
  expect(standardOutput).not.toMatch(/[{]{2}|lookup|--connection/)
  const { _meta: meta } = JSON.parse(standardOutput) as { readonly _meta: { readonly hostvars: object } }
  expect(meta.hostvars).toMatchObject({
    n1: { systole_id: '1', systole_roles: ['db'] },
    n2: {},
    east: {},
    west: { ansible_host: 'fe80::1%eth0' },
    north: { ansible_host: 'north.example.org' },
  })
  expect(Object.keys(meta.hostvars).toSorted()).toEqual(['east', 'n1', 'n2', 'north', 'west'])
})
