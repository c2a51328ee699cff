import { failed, ok, parseDurationMs } from '../../../base/index.ts'
import {
  childElement,
  childElements,
  createPrimitive,
  deleteResources,
  type EditResult,
  elementWithId,
  findResource,
  type NvPair,
  primitiveDefinitions,
  type ResourceDefinition,
  readConfiguration,
  removeNode,
  setResourceMeta,
  type XmlElement,
} from '../../../cib/index.ts'
import { canBeFenced, fenceTopologyOf, type Schedule } from '../../../scheduler/index.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import type { Message } from '../../call/message.ts'
import { changeCib } from '../../change/change.ts'
import { decide } from '../../change/decide.ts'
import { emptyGuest, stopConnections } from '../../change/stop-connections.ts'
import { onlyKnown } from '../../grammar/constraint-words.ts'
import { readResourceWords } from '../../grammar/resource-words.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'
import { advisedOperations, operationMistakes, parameterMistakes, resolveResourceAgent } from '../../host/agents.ts'

export const nodeAddRemote: Command = {
  path: ['cluster', 'node', 'add-remote'],
  usage: '<node> [<address>] [<option>=<value>...] [op <operation> <name>=<value>...] [meta <name>=<value>...]',
  summary: 'Add a remote node: a host that runs resources without being a cluster member',
  details:
    'The connection to a remote node is a resource. The host first needs a certificate with its name: run `systole cluster token --remote --node <node>` here, and `systoled --remote --join <address of a node>` on the host, which reads the token from standard input.',
  examples: ['systole cluster node add-remote east-05 10.0.0.5 reconnect_interval=60'],
  flags: [
    ...changeFlags,
    { name: 'no-default-ops', summary: 'Do not add the operations that the agent recommends, except a monitor' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'cluster node add-remote <node> [<address>]' })
    const [id = '', second, ...more] = call.words
    const hasAddress = second !== undefined && !second.includes('=') && second !== 'op' && second !== 'meta'
    const written = readResourceWords(hasAddress ? more : call.words.slice(1), new Map())
    if (written.parameters.has('server')) throw new Refusal('Specify the address after the node name, without server=.')
    const server = hasAddress ? second : id
    const parameters = { server, ...Object.fromEntries(written.parameters) }
    const force = call.flags.has('force')
    const installed = await resolveResourceAgent('ocf:pacemaker:remote', {
      force: true,
      unasked: call.cluster.isScratch === true,
    })
    const mistakes = [
      ...parameterMistakes(installed, written.parameters, { required: false }),
      ...operationMistakes(
        installed,
        written.operations.map(({ name }) => name),
      ),
    ]
    if (mistakes.length > 0 && !force) throw new Refusal(...mistakes)
    const advised = advisedOperations(installed).filter(
      ({ name }) => name === 'monitor' || !call.flags.has('no-default-ops'),
    )
    const isLetIn = await hasUsedToken(call, id)
    return await changeCib(call, {
      edit: (cib) => {
        refuseTaken(cib, id, server)
        return createPrimitive(cib, {
          id,
          agent: { class: 'ocf', provider: 'pacemaker', type: 'remote' },
          parameters,
          meta: Object.fromEntries(written.meta),
          operations: written.operations.map(({ name, attributes }) => ({
            name,
            attributes: Object.fromEntries(attributes),
          })),
          advisedOperations: advised,
          force,
        })
      },
      message: ({ cib }) =>
        `Added the remote node ${id}.${isLetIn ? '' : certificateHint(id)}${fencingGap(decide(cib, call.terminal.now()), id)}`,
      facts: ({ created }) => ({ created }),
    })
  },
}

/** Whether a host has a certificate of that name from a token that is remembered still. A file has no hosts. */
async function hasUsedToken({ cluster }: Call, name: string): Promise<boolean> {
  if (cluster.live === undefined) return true
  const { tokens } = await cluster.live.listJoinTokens({}).catch(() => ({ tokens: [] }))
  return tokens.some(({ role, usedBy }) => role === 'remote' && usedBy === name)
}

const certificateHint = (name: string): string =>
  ` If the host has no certificate with that name yet, run \`systole cluster token --remote --node ${name}\` here and \`systoled --remote --join <address of a node>\` on the host, which reads that token.`

/**
 * Nothing is reached by two connections: names, and addresses, of remote and guest nodes are there once. Where no address is written, the name
 * is the address.
 */
export function refuseTaken(cib: XmlElement, name: string, address?: string): void {
  const connections = connectionsOf(cib)
  const named = connections.some((other) => other.name === name)
  const reaches = (wanted: string): boolean => connections.some(({ addresses }) => addresses.includes(wanted))
  const isTaken = named || (address === undefined && reaches(name))
  const isId = !isTaken && elementWithId(cib, name) !== undefined
  const found = new Set([...(isTaken ? [name] : []), ...(address !== undefined && reaches(address) ? [address] : [])])
  if (found.size > 0 || isId)
    throw new Refusal(
      ...[...found].map((word) => alreadyExists(word, 'a remote or guest node has this name or address')),
      ...(isId ? [alreadyExists(name, 'the configuration has an element with this id')] : []),
    )
}

/** For `resource create`, which checks the id itself. */
export function refuseTakenAddress(cib: XmlElement, address: string): void {
  if (connectionsOf(cib).some(({ addresses }) => addresses.includes(address)))
    throw new Refusal(alreadyExists(address, 'a remote or guest node has this address'))
}

const alreadyExists = (word: string, why: string): Message => ({
  own: `'${word}' already exists: ${why}.`,
  about: { code: 'said-by-pcs', errors: [`'${word}' already exists`], closes: true },
})

const connectionsOf = (cib: XmlElement): readonly Connection[] =>
  readConfiguration(cib)
    .resources.flatMap((resource) => [resource, ...primitiveDefinitions(resource)])
    .flatMap((resource) => [...remoteConnection(resource), ...guestConnection(resource)])

interface Connection {
  readonly name: string
  readonly addresses: readonly string[]
}

function remoteConnection(resource: ResourceDefinition): readonly Connection[] {
  if (resource.kind !== 'primitive' || resource.agent.provider !== 'pacemaker' || resource.agent.type !== 'remote')
    return []
  const addresses = resource.parameters
    .flatMap(({ pairs }) => pairs)
    .flatMap(({ name, value }) => (name === 'server' || name === 'addr' ? [value] : []))
  return [{ name: resource.id, addresses: addresses.length > 0 ? addresses : [resource.id] }]
}

function guestConnection(resource: ResourceDefinition): readonly Connection[] {
  const guest = guestOf(resource)
  return guest === undefined ? [] : [{ name: guest.node, addresses: [guest.address ?? guest.node] }]
}

/** A sentence that begins with a blank, where the loss of the node could not be mended. */
function fencingGap(decision: Schedule, name: string): string {
  const { status } = decision
  const node = status.nodes.find((candidate) => candidate.name === name)
  if (node === undefined || !status.options.fencingEnabled || canBeFenced(fenceTopologyOf(decision, node))) return ''
  return ` No fence device can fence it: if it becomes unreachable, the resources that it may run are not recovered.`
}

export const nodeDeleteRemote: Command = {
  path: ['cluster', 'node', 'delete-remote'],
  aliases: [['cluster', 'node', 'remove-remote']],
  usage: '<node or address>',
  summary: 'Remove a remote node and its connection from the cluster',
  details: 'Its resources stop first.',
  flags: [
    ...changeFlags,
    { name: 'no-stop', summary: 'Do not wait for its resources to stop' },
    {
      name: 'future',
      summary: 'Without effect, accepted for compatibility with pcs: the command already has the future behavior',
      withoutEffect: 'the command already has the future behavior.',
    },
  ],
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'cluster node delete-remote <node or address>' })
    const wanted = call.words[0] ?? ''
    const known = findConnection((await call.cluster.readCib()).cib, wanted)
    if (known) await stopConnections(call, [known.id])
    return await changeCib(call, {
      edit: (cib) => {
        const connection = findConnection(cib, wanted)
        if (!connection) return failed({ code: 'not-found', what: 'remote node', id: wanted, similar: [] })
        return then(deleteResources(cib, { ids: [connection.id] }), (without) => withoutEntry(without, connection.id))
      },
      message: () => `Removed the remote node ${wanted}.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}

/** By its name or its address. */
function findConnection(cib: XmlElement, wanted: string): { readonly id: string } | undefined {
  const isAddress = ({ name, value }: NvPair) => (name === 'server' || name === 'addr') && value === wanted
  return readConfiguration(cib).resources.find(
    (resource) =>
      resource.kind === 'primitive' &&
      resource.agent.type === 'remote' &&
      resource.agent.provider === 'pacemaker' &&
      (resource.id === wanted || resource.parameters.some(({ pairs }) => pairs.some(isAddress))),
  )
}

const guestOptions = ['remote-addr', 'remote-port', 'remote-connect-timeout']

export const nodeAddGuest: Command = {
  path: ['cluster', 'node', 'add-guest'],
  usage: '<node> <resource> [remote-addr=<address>] [remote-port=<port>] [remote-connect-timeout=<duration>]',
  summary: 'Add a guest node: a virtual machine or container, run by a resource, that runs resources itself',
  flags: changeFlags,
  completes: ['anything', 'resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'cluster node add-guest <node> <resource> [remote-addr=<address>]' })
    const [node = '', resource = '', ...words] = call.words
    const options = parsePairs(words, 'options of a guest node')
    onlyKnown(options, guestOptions, 'A guest node')
    checkGuestOptions(options)
    const address = options.get('remote-addr')
    return await changeCib(call, {
      edit: (cib) => {
        // pcs knows the members from corosync.conf, and of a file it knows none.
        const isUnknown = judgesAsPcs(call.speech) && call.cluster.live === undefined
        const names = isUnknown ? [] : readConfiguration(cib).nodes.map(({ name }) => String(name))
        if (names.includes(node) || findResource(cib, node))
          return failed({ code: 'id-in-use', id: node, by: 'a node or resource' })
        refuseAsGuest(cib, resource)
        refuseTaken(cib, node, address)
        const meta = { 'remote-node': node, 'remote-addr': address ?? node, ...Object.fromEntries(options) }
        return setResourceMeta(cib, { id: resource, meta })
      },
      message: () =>
        `${resource} runs the guest node ${node}. The guest needs a certificate with that name: run \`systole cluster token --remote --node ${node}\` here and \`systoled --remote --join\` in the guest.`,
      facts: () => ({ node, resource }),
    })
  },
}

function checkGuestOptions(options: ReadonlyMap<string, string>): void {
  const [port, timeout] = [options.get('remote-port'), options.get('remote-connect-timeout')]
  if (port !== undefined && !(/^[1-9]\d*$/.test(port) && Number(port) <= 65_535))
    throw new Refusal(`'${port}' is not a port. Specify a number from 1 to 65535.`)
  if (timeout !== undefined && parseDurationMs(timeout) === undefined)
    throw new Refusal(`'${timeout}' is not a remote-connect-timeout. Specify a duration such as 60s.`)
}

/** Only what runs in one place can be a node. */
function refuseAsGuest(cib: XmlElement, id: string): void {
  const found = singleResources(cib).find((resource) => resource.id === id)
  const node = found && guestOf(found)?.node
  if (node !== undefined) throw new Refusal(`${id} already runs the guest node ${node}.`)
  if (findResource(cib, id) && found?.kind !== 'primitive')
    throw new Refusal(`${id} cannot be a guest node: only a primitive that is not cloned can.`)
}

/** Members of groups for their groups; a clone or bundle is itself. */
const singleResources = (cib: XmlElement): readonly ResourceDefinition[] =>
  readConfiguration(cib).resources.flatMap((resource): readonly ResourceDefinition[] =>
    resource.kind === 'group' ? resource.members : [resource],
  )

interface Guest {
  /** The resource. */
  readonly id: string
  readonly node: string
  readonly address?: string
}

function guestOf({ id, meta }: ResourceDefinition): Guest | undefined {
  const written = new Map(meta.flatMap(({ pairs }) => pairs).map(({ name, value }) => [name, value]))
  const [node, address] = [written.get('remote-node'), written.get('remote-addr')]
  return node === undefined ? undefined : { id, node, ...(address === undefined ? {} : { address }) }
}

export const nodeDeleteGuest: Command = {
  path: ['cluster', 'node', 'delete-guest'],
  aliases: [['cluster', 'node', 'remove-guest']],
  usage: '<node, address or resource>',
  summary: 'Remove a guest node; its resource remains',
  details: 'The resources of the guest node stop first. The resource that runs the guest keeps running.',
  flags: [...changeFlags, { name: 'no-stop', summary: 'Do not wait for its resources to stop' }],
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'cluster node delete-guest <node, address or resource>' })
    const wanted = call.words[0] ?? ''
    const guest = singleResources((await call.cluster.readCib()).cib)
      .flatMap((resource) => guestOf(resource) ?? [])
      .find(({ id, node, address }) => [id, node, address].includes(wanted))
    if (!guest)
      throw new Refusal({
        own: `There is no guest node '${wanted}'.`,
        about: { code: 'no-such-item', what: 'guest node', id: wanted },
      })
    await emptyGuest(call, guest.node)
    const meta = Object.fromEntries(['remote-node', ...guestOptions].map((name) => [name, '']))
    return await changeCib(call, {
      edit: (current) =>
        then(setResourceMeta(current, { id: guest.id, meta, force: true }), (without) =>
          withoutEntry(without, guest.node),
        ),
      message: () => `${guest.id} no longer runs a guest node.`,
      facts: () => ({ id: guest.id, node: guest.node }),
    })
  },
}

export const nodeClear: Command = {
  path: ['cluster', 'node', 'clear'],
  usage: '<node>',
  summary: 'Delete all records of a node that has left the cluster',
  details:
    'Deletes its entry, the constraints and fencing levels that name it, and its status. The node must be off or run no cluster resources: the command does not check that.',
  flags: changeFlags,
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'cluster node clear <node>' })
    const name = call.words[0] ?? ''
    const { cib } = await call.cluster.readCib()
    const isListed = readConfiguration(cib).nodes.some((node) => node.name === name)
    if (!call.flags.has('preview')) await call.cluster.live?.clearNode({ node: name })
    const message = `Deleted all records of ${name}.`
    if (!isListed && isRecorded(cib, name))
      return call.flags.has('preview')
        ? done(
            `Preview: nothing was changed. The command would say: ${message}\nThe change would cause no actions.\n`,
            {
              preview: true,
              message,
              actions: [],
              leftStopped: [],
              removed: [],
            },
          )
        : done(`${message}\n`, { removed: [] })
    return await changeCib(call, {
      edit: (current) => removeNode(current, { name }),
      message: () => message,
      facts: ({ removed }) => ({ removed }),
    })
  },
}

function isRecorded(cib: XmlElement, name: string): boolean {
  const status = childElement(cib, 'status')
  return status !== undefined && childElements(status, 'node_state').some(({ attributes }) => attributes.uname === name)
}

/** A second edit on what the first has left. */
function then(first: EditResult, next: (cib: XmlElement) => EditResult): EditResult {
  if (!first.ok) return first
  const second = next(first.value.cib)
  if (!second.ok) return second
  return ok({ ...second.value, removed: [...first.value.removed, ...second.value.removed] })
}

function withoutEntry(cib: XmlElement, name: string): EditResult {
  const known = readConfiguration(cib).nodes.some((node) => node.name === name)
  return known ? removeNode(cib, { name }) : ok({ cib, created: [], removed: [] })
}
