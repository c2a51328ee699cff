/** What tests of keepalived.conf share: a folder with an empty CIB of two nodes, and the command line on it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileAccess } from '../../../src/cli/access/file-access.ts'
import { allCommands } from '../../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../../src/cli/start/run.ts'
import { scriptedTerminal } from '../scripted-terminal.ts'

export const empty = `<cib validate-with="pacemaker-3.9" admin_epoch="0" epoch="1" num_updates="0" have-quorum="1"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o-1" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes><resources/><constraints/></configuration><status>${[
  '1',
  '2',
]
  .map(
    (id) =>
      `<node_state id="${id}" uname="n${id}" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="${id}"><lrm_resources/></lrm></node_state>`,
  )
  .join('')}</status></cib>`

/** An instance, with further lines from the fourth on. */
export const instance = (inner: string): string =>
  `vrrp_instance V {\n interface eth0\n virtual_ipaddress { 10.0.0.1/24 }\n${inner}\n}\n`

export class Typing {
  readonly folder = mkdtempSync(join(tmpdir(), 'systole-keepalived-'))
  readonly cib = join(this.folder, 'cib.xml')

  at(name: string): string {
    return join(this.folder, name)
  }

  /** No resource is there. */
  begin(): void {
    writeFileSync(this.cib, empty)
  }

  async type(...line: readonly string[]): Promise<Printed> {
    return await runLine({
      commands: allCommands,
      line: ['-f', this.cib, ...line],
      terminal: { ...scriptedTerminal(), listFolder: async (path) => await readdir(path) },
      openCluster: () => fileAccess(this.cib),
    })
  }

  close(): void {
    rmSync(this.folder, { recursive: true })
  }
}
