/** Services that resources offer: declared as a meta-attribute of the resource, so that a CIB carries them wherever it goes. */
import {
  definitionsAround,
  type EditResult,
  findResource,
  parseBoolean,
  readConfiguration,
  setResourceMeta,
  type XmlElement,
} from '../../../cib/index.ts'
import {
  declaredGates,
  declaredServices,
  mostOfResource,
  mostServices,
  nodeAddress,
  parseService,
  printService,
  type ServiceDefinition,
  serviceAttributePrefix,
} from '../../../services/index.ts'
import { type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'
import { secondsOf } from '../../host/host-time.ts'
import { knownServices, serviceNamed } from './known.ts'
import { printOneService, printServices, serviceFacts } from './print.ts'

const createUsage =
  '<name> <resource> port=<number> [protocol=tcp|udp] [tags=<tag>,...] [weight=<number>] [address=node|<resource>|<ip>] [role=Promoted] [expected=<number>] [check=monitor|tcp|http|grpc|command [path=<path>] [grpc-service=<name>] [command=<name>] [interval=<duration>] [timeout=<duration>]]'

export const serviceCreate: Command = {
  path: ['service', 'create'],
  usage: createUsage,
  summary: 'Declare a service that a resource offers',
  details:
    'The service has one instance wherever the resource, or an instance of the clone or bundle, runs. An instance is healthy while the recorded results of its resource say so and, with check=tcp, http, grpc or command, while that check passes on its node. With role=Promoted only promoted instances count. The address is the address of the node, an IP address, or the parameter ip of a resource such as IPaddr2. The declaration is the meta-attribute systole-service-<name> of the resource.',
  examples: [
    'systole service create keystone keystone-clone port=5000 tags=public,v3 check=http path=/healthcheck',
    'systole service create database galera-bundle port=3306 role=Promoted',
    'systole service create www web port=80 address=vip',
  ],
  flags: changeFlags,
  completes: ['anything', 'resource', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 3, usage: `service create ${createUsage}` })
    const [name = '', resource = '', ...words] = call.words
    const service = read({ name, resource }, words)
    return await changeCib(call, {
      edit: (cib) => declare(cib, service),
      message: () => `Service ${name} is declared on ${resource}.`,
      facts: () => ({ service }),
    })
  },
}

export const serviceUpdate: Command = {
  path: ['service', 'update'],
  usage: '<name> <option>=<value>...',
  summary: 'Change the declaration of a service; an empty value restores the default',
  examples: ['systole service update keystone weight=10 tags='],
  flags: changeFlags,
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'service update <name> <option>=<value>...' })
    const [name = '', ...words] = call.words
    return await changeCib(call, {
      edit: (cib) => {
        const before = declaredIn(cib, name)
        const changed = words.map((word) => word.slice(0, Math.max(word.indexOf('='), 0)))
        const kept = printService(before)
          .split(' ')
          .filter((word) => !changed.some((key) => word.startsWith(`${key}=`)))
        const service = read(before, [...kept, ...words.filter((word) => !/^[^=]*=$/.test(word))])
        refuseUnfit(cib, service)
        return write(cib, service, printService(service))
      },
      message: () => `Service ${name}: ${words.join(' ')}.`,
    })
  },
}

export const serviceDelete: Command = {
  path: ['service', 'delete'],
  aliases: [['service', 'remove']],
  usage: '<name>',
  summary: 'Remove the declaration of a service; its resource stays as it is',
  flags: changeFlags,
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'service delete <name>' })
    const [name = ''] = call.words
    return await changeCib(call, {
      edit: (cib) => {
        const waiting = declaredGates(readConfiguration(cib)).gates.filter(
          ({ service, dns }) => service === name && dns === undefined,
        )
        if (waiting.length > 0 && !call.flags.has('force'))
          throw new Refusal(
            `${waiting.map(({ resource }) => resource).join(', ')} would never start: ${waiting.length === 1 ? 'a gate waits' : 'gates wait'} for ${name}. Remove the gate first ('systole service gate list' shows them), or add --force.`,
          )
        return write(cib, declaredIn(cib, name), '')
      },
      message: () => `Service ${name} is no longer declared.`,
    })
  },
}

export const serviceList: Command = {
  path: ['service', 'list'],
  bare: [['service']],
  usage: '',
  summary: 'Show the declared services and where they are healthy',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'service list' })
    const { services, mistakes } = await knownServices(call)
    for (const mistake of mistakes) call.terminal.progress(`Warning: ${mistake}`)
    return done(printServices(services), { services: services.map(serviceFacts), mistakes })
  },
}

export const serviceShow: Command = {
  path: ['service', 'show'],
  usage: '<name>',
  summary: 'Show the instances of a service: node, state, address, and when they were verified',
  examples: ['systole service show keystone --json'],
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'service show <name>' })
    const service = serviceNamed(await knownServices(call), call.words[0] ?? '')
    return done(printOneService(service, secondsOf(call.terminal.now())), serviceFacts(service))
  },
}

function read(named: Pick<ServiceDefinition, 'name' | 'resource'>, words: readonly string[]): ServiceDefinition {
  const broken = words.filter((word) => /\s/.test(word))
  if (broken.length > 0) throw new Refusal(...broken.map((word) => `'${word}' may not have blanks in it.`))
  const parsed = parseService(named, words.join(' '))
  if (!parsed.ok) throw new Refusal(...parsed.reports)
  return parsed.value
}

function declaredIn(cib: XmlElement, name: string): ServiceDefinition {
  const { services } = declaredServices(readConfiguration(cib))
  return serviceNamed(
    { services: services.map((definition) => ({ definition, expected: 0, instances: [] })), mistakes: [] },
    name,
  ).definition
}

function declare(cib: XmlElement, service: ServiceDefinition): EditResult {
  const { services } = declaredServices(readConfiguration(cib))
  const before = services.find(({ name }) => name === service.name)
  if (services.filter(({ resource }) => resource === service.resource).length >= mostOfResource)
    throw new Refusal(`${service.resource} declares ${mostOfResource} services, which is the limit. Delete one first.`)
  if (services.length >= mostServices)
    throw new Refusal(`The cluster has ${mostServices} services, which is the limit. Delete one first.`)
  if (before)
    throw new Refusal(
      `The service ${service.name} is declared by ${before.resource} already. Change it with 'systole service update ${service.name}', or delete it first.`,
    )
  refuseUnfit(cib, service)
  return write(cib, service, printService(service))
}

function refuseUnfit(cib: XmlElement, { resource, role, address }: ServiceDefinition): void {
  const found = findResource(cib, resource)
  if (found && role === 'Promoted' && !mayBePromoted(cib, resource))
    throw new Refusal(`${resource} is not promotable, so no instance of it has the role Promoted.`)
  if (address !== nodeAddress && !/[.:]/.test(address) && findResource(cib, address) === undefined)
    throw new Refusal(
      `There is no resource '${address}'. The address of a service is node, an IP address, or a resource with the parameter ip.`,
    )
}

/** The clone or bundle itself, or what is in one. */
function mayBePromoted(cib: XmlElement, resource: string): boolean {
  return definitionsAround(readConfiguration(cib), resource).some(
    (one) =>
      one.kind === 'bundle' ||
      (one.kind === 'clone' &&
        (one.isMasterElement ||
          one.meta.some(({ pairs }) => pairs.some(({ name, value }) => name === 'promotable' && parseBoolean(value))))),
  )
}

function write(
  cib: XmlElement,
  { name, resource }: Pick<ServiceDefinition, 'name' | 'resource'>,
  value: string,
): EditResult {
  return setResourceMeta(cib, { id: resource, meta: { [`${serviceAttributePrefix}${name}`]: value }, force: true })
}
