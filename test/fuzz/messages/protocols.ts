/**
 * Every protocol that a peer may speak to a daemon, with messages that it does understand. `feed` hands a message to the code that takes it
 * from the socket; whatever that throws besides what it is meant to throw would end the daemon.
 */
import { defined } from '../../../src/base/index.ts'
import { respond } from '../../../src/daemon/discovery/responder.ts'
import { parseClusterFile } from '../../../src/daemon/node-list/cluster-file.ts'
import { longest, ownerForms, remoteForms } from '../../../src/remote/forms.ts'
import { Link } from '../../../src/remote/link.ts'
import { ofRemoteNode, unhurried } from '../../../src/remote/turn-line.ts'
import { encode, type MessageName } from '../../../src/rpc/forms/codec.ts'
import { readEnrolmentAnswer, readEnrolmentRefusal, readEnrolmentRequest } from '../../../src/rpc/forms/enrolment.ts'
import {
  actionForm,
  BadMessageError,
  checkedJson,
  deviceAnswerForm,
  frame,
  localService,
  nodeService,
  readMessage,
  witnessService,
} from '../../../src/rpc/index.ts'
import { readPulses } from '../../../src/rpc/pulse-channel.ts'
import { parseToolCall } from '../../../src/tools/socket.ts'
import { decoded, edns, portsOf, questionPacket, serviceOf } from '../../daemon/discovery/asking.ts'
import type { Random } from '../random.ts'
import { mutateBytes, mutateValue } from './mutate.ts'
import { createWire, type Wire } from './wire.ts'

export interface Protocol {
  readonly name: string
  /** `accepted`: it was taken for a message. */
  readonly feed: (random: Random) => 'accepted' | 'refused'
  /**
   * Before each seed: what one seed does is then the same whatever came before it. A frame that says it is as long as a message may be is filled by all that follows
   * on its connection, which looks like memory that is lost.
   */
  readonly begin?: () => void
}

const pulse = {
  node: 'beta',
  incarnation: 1_795_000_000_000,
  sequence: 7,
  silent: ['gamma'],
  silentLinks: [{ node: 'alpha', link: 1 }],
  padding: '  ',
}

function action() {
  return {
    kind: 'resource',
    id: 3,
    inputs: [1, 2],
    attributes: { ip: '10.0.0.1', CRM_meta_timeout: '20000' },
    priority: 0,
    operation: 'start',
    key: 'web_start_0',
    resource: 'web',
    intervalMs: 0,
    agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
    node: 'n1',
    nodeId: '1',
    downed: [],
  }
}

const deviceAnswer = { succeeded: true, power: 'on', timedOut: false, output: '', message: 'done' }

const clusterFile = {
  clusterName: 'testing',
  store: { kind: 'etcd' },
  nodes: [
    { name: 'n1', id: '1', address: '10.0.0.1' },
    { name: 'n2', id: '2', address: '10.0.0.2' },
  ],
}

const record = {
  node: 'r1',
  resource: 'web',
  agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
  recordId: 'web_last_0',
  attributes: { operation: 'start', 'rc-code': '0' },
}

const taskWork = { argv: ['true'], env: { A: 'b' }, timeoutMs: 1000, owner: { kind: 'job', name: 'j1' } }
const taskResult = { started: '2026-01-01T00:00:00.000Z', ended: '2026-01-01T00:00:01.000Z', exitCode: 0, tail: 'x' }

const calls = {
  member: {
    record: { records: [record], failure: { resource: 'web', operation: 'monitor', intervalMs: 10_000, at: 1 } },
    announce: { records: [record], term: 5 },
    forget: { resource: 'web', recordId: 'web_last_0' },
    tool: { tool: 'crm_attribute', arguments: ['-n', 'a', '-v', '1'], resource: 'web' },
    taken: { by: 'n2' },
    renew: { publicKey: 'PEM' },
    leave: {},
  },
  remote: {
    own: { owner: 'n1', token: 5, firstCallId: 1 },
    perform: { term: 3, plannedFrom: 9, transitionKey: '1:1:0:x', timeoutMs: 1000, action: action() },
    release: {},
    task: { id: 'j1.1', begin: taskWork, cancel: true, waitMs: 20_000 },
    readTask: { id: 'j1.1', offset: 3, waitMs: 0 },
    tasks: { drop: ['j1.1'] },
    writeFile: { id: 'a'.repeat(16), path: '/f', phase: 'check', offset: 0, data: '', sha256: '', size: 1, mode: 420 },
  },
}

const answers: Readonly<Record<string, unknown>> = {
  perform: { accepted: true, done: false, why: '', highestTerm: 3, message: '' },
  own: { accepted: true, highestToken: 5, incarnation: 17 },
  tool: { exitCode: 0, output: 'n1\n', errors: '' },
  record: { revision: 4 },
  task: { trace: { kind: 'ended', result: taskResult }, incarnation: 17, bootId: 'b' },
}

const enrolment = {
  secret: 's',
  node: 'n4',
  publicKey: 'PEM',
  remote: false,
  certificate: 'PEM',
  authority: { certificate: 'PEM' },
  clusterFile: '{}',
  code: 'refused',
  sentences: ['No.'],
}

export const protocols: readonly Protocol[] = [
  pulses(),
  link('a remote node’s calls to a member', 'member'),
  link('a member’s calls to a remote node', 'remote'),
  grpc(),
  json('actions', action(), (text) => checkedJson(actionForm, 'an action', text)),
  json('answers of fence devices', deviceAnswer, (text) => checkedJson(deviceAnswerForm, 'an answer', text)),
  json('lists of nodes', clusterFile, (text) => {
    if (!parseClusterFile(text, 'ignored').ok) throw new BadMessageError('refused with reports')
  }),
  json('enrolment, both ways', enrolment, (text) => {
    const read = [readEnrolmentRequest(text), readEnrolmentAnswer(text), readEnrolmentRefusal(text)]
    if (read.every((one) => one === undefined)) throw new BadMessageError('none of the three')
  }),
  tools(),
  dns(),
]

function pulses(): Protocol {
  return {
    name: 'pulses',
    feed: (random) => {
      const wire = createWire()
      let heard = 0
      const beta = { name: 'beta', key: '' }
      readPulses(wire.socket, beta, {
        isPeer: () => true,
        onPulse: ({ node, incarnation, sequence }) => {
          if (node !== 'beta' || !Number.isFinite(incarnation + sequence))
            throw new Error('a pulse that must not count')
          heard++
        },
        onBroken: () => undefined,
        onBadMessage: () => undefined,
      })
      const value = random.below(2) === 0 ? encoded('Pulse', mutateValue(pulse, random)) : undefined
      const bytes = value ?? mutateBytes(encode('Pulse', pulse), random)
      const cut = bytes.subarray(0, 65_535)
      const framed = random.below(5) === 0 ? mutateBytes(frame(2, cut), random) : frame(2, cut)
      wire.say(framed)
      wire.socket.destroy()
      return heard > 0 ? 'accepted' : 'refused'
    },
  }
}

/** A value that protobuf cannot write is none that a peer can send in this way. */
function encoded(name: MessageName, value: unknown): Buffer | undefined {
  try {
    return encode(name, value as never)
  } catch {
    return undefined
  }
}

function link(name: string, side: keyof typeof calls): Protocol {
  let open: { readonly wire: Wire; readonly isOpen: () => boolean; readonly ask: () => void } | undefined
  const asked = Object.entries(calls[side])
  return {
    name,
    begin: () => {
      open?.wire.socket.destroy()
      open = undefined
    },
    feed: (random) => {
      if (!open?.isOpen()) {
        open = side === 'member' ? memberSide() : remoteSide()
      }
      open.ask()
      const [call, body] = defined(random.pick(asked), 'a call')
      const id = 1 + random.below(3)
      const message = random.pick<unknown>([
        { kind: 'call', id, name: call, body: mutateValue(body, random) },
        mutateValue({ kind: 'call', id, name: call, body }, random),
        { kind: 'call', id, name: random.pick(['toString', '__proto__', 'constructor', 'then']), body },
        { kind: 'answer', id, body: mutateValue(answers[side === 'member' ? 'task' : 'tool'], random) },
        mutateValue({ kind: 'failed', id, message: 'why not' }, random),
        { kind: 'alive' },
      ])
      const text = Buffer.from(JSON.stringify(message) ?? 'null')
      const bytes = random.below(8) === 0 ? mutateBytes(frame(4, text), random) : frame(4, text)
      open.wire.say(bytes)
      return open.isOpen() ? 'accepted' : 'refused'
    },
  }
}

function memberSide() {
  const wire = createWire()
  const terms = { asked: remoteForms, answered: ownerForms, longest: () => longest.fromRemote, pace: ofRemoteNode }
  const opened = new Link(
    wire.socket,
    terms,
    {
      announce: async ({ records }) => ({ written: records.every(({ attributes }) => typeof attributes === 'object') }),
      record: async ({ records }) => ({ revision: records.length }),
      forget: async () => ({}),
      tool: async ({ tool, arguments: words }) => ({ exitCode: words.length % 5, output: tool, errors: '' }),
      taken: async () => ({}),
      renew: async ({ publicKey }) => ({ certificate: publicKey, authority: '' }),
      leave: async () => ({}),
    },
    () => undefined,
  )
  const ask = (): void => void opened.call('task', { id: 'j1.1', waitMs: 0 }).catch(() => undefined)
  return { wire, isOpen: () => !opened.ended, ask }
}

function remoteSide() {
  const wire = createWire()
  const terms = { asked: ownerForms, answered: remoteForms, longest: () => longest.toRemote, pace: unhurried }
  const opened = new Link(
    wire.socket,
    terms,
    {
      own: async ({ token }) => ({ accepted: true, highestToken: token, incarnation: 1 }),
      perform: async ({ term }) => ({ accepted: true, done: false, why: '', highestTerm: term, message: '' }),
      pki: async ({ follow }) => ({ trusts: [], certifiedBy: follow === undefined ? '' : 'a'.repeat(64) }),
      release: async () => ({}),
      task: async () => ({ trace: { kind: 'alive' }, incarnation: 1, bootId: 'b' }),
      readTask: async () => ({ data: '', ended: true }),
      tasks: async ({ drop }) => ({ ids: drop }),
      writeFile: async () => ({ outcome: 'same' }),
      hardware: async () => ({ cpus: 8, diskBytes: [1], vendor: 'Acme' }),
      health: async () => ({ fans: { colour: 'red', reasons: ['fan 1'] } }),
    },
    () => undefined,
  )
  const ask = (): void => void opened.call('tool', { tool: 'crm_node', arguments: [] }).catch(() => undefined)
  return { wire, isOpen: () => !opened.ended, ask }
}

function grpc(): Protocol {
  const names = [nodeService, witnessService, localService]
    .flatMap((service) => Object.values(service))
    .flatMap(({ request, response }): MessageName[] => [request, response])
  const samples: Readonly<Partial<Record<MessageName, unknown>>> = {
    ExecuteRequest: {
      term: 3,
      transition: 4,
      transitionKey: '1:4:0:x',
      timeoutMs: 1000,
      action: JSON.stringify(action()),
      plannedFrom: 7,
    },
    RunFenceDeviceRequest: { term: 3, id: 'f', target: 'n2', action: 'off', device: 'd', timeoutMs: 1000, details: '' },
    ClusterFile: { json: JSON.stringify(clusterFile) },
    FollowRequest: { json: JSON.stringify(clusterFile), quorate: true },
    WitnessAnswer: { json: '{}', started: true, counts: true, startedMs: 5, knowsLinks: true, knowsPulseTimes: true },
    LinkRequest: { number: 1, nodes: [{ name: 'n1', address: 'a', more: { addresses: ['b'] } }], priority: 2 },
    TicketRequest: { id: 't', granted: true, attributes: { a: '1' }, forget: false },
    TermAnswer: { accepted: true, done: false, why: '', highestTerm: 3, message: '', loadAverage: 0.5, processors: 2 },
    WitnessHostChange: { kind: 'start' },
  }
  return {
    name: 'gRPC messages between daemons and of the local API',
    feed: (random) => {
      const name = defined(random.pick(names), 'a message')
      const sample = samples[name] ?? {}
      const value = random.below(2) === 0 ? encoded(name, mutateValue(sample, random)) : undefined
      return verdict(() => readMessage(name, value ?? mutateBytes(encode(name, sample as never), random)))
    },
  }
}

function json(name: string, sample: unknown, read: (text: string) => unknown): Protocol {
  return {
    name,
    feed: (random) => {
      const text = JSON.stringify(mutateValue(sample, random)) ?? 'undefined'
      const sent = random.below(5) === 0 ? mutateBytes(Buffer.from(text), random).toString() : text
      return verdict(() => read(sent))
    },
  }
}

function tools(): Protocol {
  const sample = Buffer.from('1\0crm_attribute\0web\0\0-n\0a\0-v\x001\0')
  return {
    name: 'the socket of the tools',
    feed: (random) => (parseToolCall(mutateBytes(sample, random).toString()) === undefined ? 'refused' : 'accepted'),
  }
}

/** Anything else that is thrown is what is looked for. */
function verdict(read: () => unknown): 'accepted' | 'refused' {
  try {
    read()
    return 'accepted'
  } catch (error) {
    if (error instanceof BadMessageError) return 'refused'
    throw error
  }
}

/** Strangers ask: nothing that they send is thrown out of `respond`, and what comes back is a packet of DNS that is no longer than it may be. */
function dns(): Protocol {
  const ports = portsOf('clients=0.0.0.0/0', [serviceOf('web', 2), serviceOf('wide', 60)])
  const valid = [
    questionPacket('web.service.systole'),
    questionPacket('wide.service.systole', 'SRV', { additionals: [edns(4096)] }),
    questionPacket('nosuch.node.systole', 'AAAA', { additionals: [edns(512)] }),
    questionPacket('systole', 'SOA'),
    questionPacket('example.com', 'TXT', { additionals: [edns(1232, 1)] }),
  ]
  let second = 0
  return {
    name: 'questions of DNS',
    feed: (random) => {
      const sent =
        random.below(20) === 0
          ? (random.pick(valid) ?? Buffer.alloc(0))
          : mutateBytes(random.pick(valid) ?? Buffer.alloc(0), random)
      const tcp = random.below(2) === 0
      const address = `192.0.${random.below(256)}.${random.below(256)}`
      // Time goes on, so that nobody is short of it.
      const reply = respond(sent, { address, tcp }, { ...ports, now: () => (second += 1000) })
      if (reply === undefined) return 'refused'
      if (!Buffer.isBuffer(reply)) throw new Error('nobody else is to be asked')
      if (reply.length > (tcp ? 65_535 : 1232)) throw new Error(`an answer of ${reply.length} bytes`)
      const { code } = decoded(reply)
      return code === 'NOERROR' || code === 'NXDOMAIN' ? 'accepted' : 'refused'
    },
  }
}
