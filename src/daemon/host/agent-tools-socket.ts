/** Where crm_attribute and the other commands of agents reach the daemon. */
import { join } from 'node:path'
import type { Paths } from './paths.ts'

export function agentToolsSocket(paths: Paths): string {
  return join(paths.run, 'tools.sock')
}
