/** A folder of small agents made by a test, and the host that finds them. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceId } from '../../src/base/index.ts'
import type { AgentCall, AgentHost } from '../../src/resource-agents/index.ts'

export interface AgentFolder {
  readonly path: string
  readonly host: AgentHost
  /** Writes `ocf:test:NAME`, a shell script. Without `meta-data` in it, it has the least metadata there can be. */
  add(name: string, script: string): void
  call(type: string, more?: Partial<AgentCall>): AgentCall
  remove(): void
}

const leastMetadata = `[ "$1" = meta-data ] && { echo '<resource-agent name="test"/>'; exit 0; }\n`

export function agentFolder(): AgentFolder {
  const path = mkdtempSync(join(tmpdir(), 'systole-agents-'))
  mkdirSync(join(path, 'ocf/test'), { recursive: true })
  const host: AgentHost = {
    ocfRoot: '/usr/lib/ocf',
    moreAgentFolders: [join(path, 'ocf')],
    toolsFolder: join(path, 'tools'),
    toolsSocket: join(path, 'tools.sock'),
    runFolder: join(path, 'run'),
  }
  return {
    path,
    host,
    add(name, script) {
      const file = join(path, 'ocf/test', name)
      const metadata = script.includes('meta-data') ? '' : leastMetadata
      writeFileSync(file, `#!/bin/sh\n${metadata}${script}\n`)
      chmodSync(file, 0o755)
    },
    call(type, more = {}) {
      const agent = { class: 'ocf', provider: 'test', type }
      return { agent, resource: resourceId(type), operation: 'start', attributes: {}, timeoutMs: 20_000, ...more }
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
