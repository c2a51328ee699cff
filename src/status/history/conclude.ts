/**
 * What a resource's history on one node adds up to: where it is active, whether it is failed, and what the last failure
 * asks for (on-fail). A resource that a lost node ran calls for fencing that node.
 */
import { assertNever } from '../../base/index.ts'
import type { OnFail } from '../cluster-status.ts'
import { isActiveRole, type NodeDraft, type PrimitiveDraft, type World } from '../drafts.ts'
import { markForFencing } from '../fence.ts'
import { addActive, block } from './active.ts'
import type { Reading } from './reading.ts'

export function concludeReading(reading: Reading): void {
  const { world, node, resource, role } = reading
  const { state } = resource
  // A probe that has not answered tells nothing.
  if (role !== undefined) state.knownOn.add(node.name)
  if (isActiveRole(role)) fenceWhereLost(reading)
  if (reading.onFail !== 'ignore') state.onFail ??= { node: node.name, action: reading.onFail }
  // An unclean node is fenced anyway, and what it ran may then start again.
  const onFail = node.unclean ? 'ignore' : reading.onFail
  applyOnFail(reading, onFail)
  requireFencingOfConnection(world, resource)
  if (isActiveRole(role) && role !== undefined) {
    addActive(world, resource, node, role)
    if (onFail !== 'ignore') state.failed = true
    if (onFail !== 'ignore' && onFail !== 'demote' && onFail !== 'block') state.mustStop = true
  } else if (role === 'Stopped' && state.partialMigration?.source === node.name) {
    // The source was stopped after it handed over: the target still runs.
    reading.role = 'Started'
  }
}

/** It is thought to be running on a node that is not there. */
function fenceWhereLost({ world, node, resource }: Reading): void {
  const { state } = resource
  if (node.online || node.maintenance || !state.managed) return
  if (node.kind === 'guest') {
    state.failed = true
    state.mustStop = true
  } else if (world.options.fencingEnabled) {
    // A remote node whose connection is healthy is fenced only if the connection cannot be made again elsewhere.
    if (node.kind === 'remote' && node.connectionResource?.state.failed === false) {
      node.unseen = true
      const unless = 'fencing will be revoked if remote connection can be re-established elsewhere'
      markForFencing(node, `${resource.id} is active there (${unless})`)
      return
    }
  } else return
  markForFencing(node, `${resource.id} is thought to be active there`)
}

function applyOnFail(reading: Reading, onFail: OnFail): void {
  const { world, node, resource, role } = reading
  const { state } = resource
  switch (onFail) {
    case 'ignore':
      return
    case 'demote':
      state.failed = true
      state.demoteOn.push(node.name)
      return
    case 'fence':
      markForFencing(node, `${resource.id} failed there`)
      return
    case 'standby':
      node.standby = true
      node.standbyOnFail = true
      return
    case 'block':
      block(state)
      return
    case 'stop':
      state.demandedRole = { role: 'Stopped', reason: 'on-fail=stop' }
      return
    case 'recover':
      if (!isActiveRole(role)) return
      fail(resource)
      state.recoverOn.push(node.name)
      return
    case 'restart-container':
      fail(resource)
      if (resource.container !== undefined) {
        // A bundle's container may be on another node than the connection into it.
        const on = resource.parent?.kind === 'bundle' ? undefined : node.name
        world.containersToStop.push({ container: resource.container, on })
      }
      return
    case 'reset-remote':
      resetRemote(world, resource)
      return
    default:
      assertNever(onFail)
  }
}

function fail({ state }: PrimitiveDraft): void {
  state.failed = true
  state.mustStop = true
}

function resetRemote(world: World, resource: PrimitiveDraft): void {
  fail(resource)
  const node = connectedNode(world, resource)
  if (world.options.fencingEnabled && node?.kind === 'remote' && !node.fenced)
    markForFencing(node, 'remote connection is unrecoverable')
  // With a reconnect interval it stays down until the failure is cleared.
  if (resource.reconnectIntervalMs !== undefined)
    resource.state.demandedRole = { role: 'Stopped', reason: 'remote reset' }
}

/** Once the connection has failed, a lost remote node is fenced whether or not it will be connected again. */
function requireFencingOfConnection(world: World, resource: PrimitiveDraft): void {
  const node = connectedNode(world, resource)
  if (resource.state.failed && node?.unclean === true) node.unseen = false
}

function connectedNode(world: World, { connectionOf }: PrimitiveDraft): NodeDraft | undefined {
  return connectionOf === undefined ? undefined : world.nodes.get(connectionOf)
}
