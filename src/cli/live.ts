/** For commands that only a running cluster can answer. */
import type { LocalClient } from '../rpc/index.ts'
import { type Call, Refusal } from './command.ts'

export function liveCluster(call: Call): LocalClient {
  if (call.cluster.live) return call.cluster.live
  throw new Refusal(`'systole ${call.command.path.join(' ')}' needs a running cluster: leave out -f.`)
}
