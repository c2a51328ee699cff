/** Gates: what a resource waits for before it starts, as a meta-attribute of that resource. */
import {
  definitionsAround,
  type EditResult,
  findResource,
  readConfiguration,
  setResourceMeta,
  type XmlElement,
} from '../../../cib/index.ts'
import {
  declaredGates,
  declaredServices,
  type GateDefinition,
  type GateState,
  gateAttributePrefix,
  gatesOf,
  mostGates,
  parseGate,
  printGate,
} from '../../../services/index.ts'
import { type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import { alignColumns } from '../../call/table.ts'
import { changeCib } from '../../change/change.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'

const addUsage =
  '<resource> <service> [min=<number>] [dns=<name> [server=<ip>[:<port>]] [interval=<duration>] [timeout=<duration>]]'

export const serviceGateAdd: Command = {
  path: ['service', 'gate', 'add'],
  usage: addUsage,
  summary: 'Let a resource start only while a service has enough healthy members',
  details:
    'The resource starts on no node before at least min members (default 1) of the service are healthy: their monitors and the check of the service say so. A resource that runs already goes on, and may be restarted where it runs, whatever becomes of the service later. With dns=<name> each node asks DNS instead (SRV, A and AAAA records) for the members of a service of another cluster, such as keystone.service.west.example, every 5 s; <service> is then only the name of the gate. A resource may have several gates. The declaration is the meta-attribute systole-requires-<service> of the resource.',
  examples: [
    'systole service gate add api keystone min=2',
    'systole service gate add api west-keystone dns=keystone.service.west.example min=2',
  ],
  flags: changeFlags,
  completes: ['resource', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: `service gate add ${addUsage}` })
    const [resource = '', service = '', ...words] = call.words
    const broken = words.filter((word) => /\s/.test(word))
    if (broken.length > 0) throw new Refusal(...broken.map((word) => `'${word}' may not have blanks in it.`))
    const parsed = parseGate({ resource, service }, words.join(' '))
    if (!parsed.ok) throw new Refusal(...parsed.reports)
    const gate = parsed.value
    return await changeCib(call, {
      edit: (cib) => declare(cib, gate),
      message: () => `${resource} starts once ${inWords(gate)}.`,
      facts: () => ({ gate }),
    })
  },
}

export const serviceGateRemove: Command = {
  path: ['service', 'gate', 'remove'],
  aliases: [['service', 'gate', 'delete']],
  usage: '<resource> <service>',
  summary: 'Remove a gate: the resource no longer waits for the service',
  flags: changeFlags,
  completes: ['resource', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, atMost: 2, usage: 'service gate remove <resource> <service>' })
    const [resource = '', service = ''] = call.words
    return await changeCib(call, {
      edit: (cib) => {
        const { gates, unreadable } = declaredGates(readConfiguration(cib))
        if (![...gates, ...unreadable].some((one) => one.resource === resource && one.service === service))
          throw new Refusal(`${resource} has no gate '${service}'. To see all gates: systole service gate list`)
        return write(cib, { resource, service }, '')
      },
      message: () => `${resource} no longer waits for ${service}.`,
    })
  },
}

export const serviceGateList: Command = {
  path: ['service', 'gate', 'list'],
  bare: [['service', 'gate']],
  usage: '',
  summary: 'Show what resources wait for before they start, and which gates are closed on which nodes',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'service gate list' })
    const { cib } = await call.cluster.readCib()
    const status = statusOf(call, cib)
    const { mistakes } = declaredGates(status.configuration)
    for (const mistake of mistakes) call.terminal.progress(`Warning: ${mistake}`)
    const nodes = status.nodes.map(({ name }) => String(name))
    const gates = gatesOf(status).map((gate) => factsOf(gate, nodes))
    const rows = gates.map(({ resource, service, needs, state, closed }) => [
      resource,
      service,
      needs ?? '-',
      state,
      reasonsIn(closed),
    ])
    return done(rows.length === 0 ? 'No resource has a gate.\n' : alignColumns(rows), { gates, mistakes })
  },
}

function factsOf(gate: GateState, nodes: readonly string[]) {
  const { resource, service, definition, closedOn } = gate
  const closed = nodes.flatMap((node) => {
    const why = closedOn(node)
    return why === undefined ? [] : [{ node, why }]
  })
  return {
    resource,
    service,
    ...(definition === undefined ? {} : { needs: printGate(definition), definition }),
    state: closed.length === 0 ? 'open' : closed.length === nodes.length ? 'closed' : 'partly closed',
    closed,
  } as const
}

/** The same reason on all nodes is told once. */
function reasonsIn(closed: readonly { readonly node: string; readonly why: string }[]): string {
  const reasons = [...new Set(closed.map(({ why }) => why))]
  if (reasons.length === 1) return reasons.join('')
  return closed.map(({ node, why }) => `${node}: ${why}`).join('; ')
}

const inWords = ({ service, min, dns }: GateDefinition): string =>
  `at least ${min} member${min === 1 ? '' : 's'} of ${dns === undefined ? service : dns.name} ${min === 1 ? 'is' : 'are'} healthy`

function declare(cib: XmlElement, gate: GateDefinition): EditResult {
  const configuration = readConfiguration(cib)
  const { resource, service, dns } = gate
  const { gates, unreadable } = declaredGates(configuration)
  if (gates.some((one) => one.resource === resource && one.service === service))
    throw new Refusal(
      `${resource} has the gate ${service} already. Remove it first: systole service gate remove ${resource} ${service}`,
    )
  if (gates.length + unreadable.length >= mostGates)
    throw new Refusal(`The cluster has ${mostGates} gates, which is the limit. Remove one first.`)
  if (dns === undefined && findResource(cib, resource) !== undefined) {
    const { services } = declaredServices(configuration)
    const provider = services.find(({ name }) => name === service)?.resource
    if (provider === undefined)
      throw new Refusal(
        `No resource declares the service ${service}. Declare it with 'systole service create', or specify dns=<name> for a service of another cluster.`,
      )
    const own = definitionsAround(configuration, resource).map(({ id }) => String(id))
    const around = definitionsAround(configuration, provider).map(({ id }) => String(id))
    if (own.includes(provider) || around.includes(resource))
      throw new Refusal(`${resource} offers the service ${service} itself, and would wait for itself for ever.`)
  }
  return write(cib, gate, printGate(gate))
}

function write(
  cib: XmlElement,
  { resource, service }: Pick<GateDefinition, 'resource' | 'service'>,
  value: string,
): EditResult {
  return setResourceMeta(cib, { id: resource, meta: { [`${gateAttributePrefix}${service}`]: value }, force: true })
}
