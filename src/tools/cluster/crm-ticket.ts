/** crm_ticket: tickets of clusters at several sites, granted and revoked (crm_ticket(8)). */
import {
  childElement,
  childElements,
  configurationElement,
  element,
  parseBoolean,
  printXml,
  type XmlElement,
} from '../../cib/index.ts'
import { appended, removed, replaced, withSection } from '../cib/tree.ts'
import { commandLine } from '../command-line.ts'
import { exitCodes } from '../exit-codes.ts'
import { knownTickets, statusOf } from '../monitor/status-of.ts'
import { ctime } from '../monitor/times.ts'
import { flag, type GivenOption, hasOption, lastOf, optionValue, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

const commands = [
  'info',
  'details',
  'raw',
  'query-xml',
  'constraints',
  'grant',
  'revoke',
  'standby',
  'activate',
  'get-attr',
  'set-attr',
  'delete-attr',
  'cleanup',
]

export const crmTicket: Tool = {
  name: 'crm_ticket',
  summary: 'Show, grant and revoke tickets',
  options: [
    valued('ticket,t', 'TICKET', 'The ticket that is meant'),
    flag('info,l', 'Show tickets'),
    flag('details,L', 'Show tickets with all their attributes'),
    flag('raw,w', 'Show the ids of tickets'),
    flag('query-xml,q', 'Show the recorded state as XML'),
    flag('constraints,c', 'Show the constraints that depend on tickets'),
    flag('grant,g', 'Grant it to this site (with --force)'),
    flag('revoke,r', 'Revoke it (with --force)'),
    flag('standby,s', 'Keep it, but let its resources rest'),
    flag('activate,a', 'End its standby'),
    valued('get-attr,G', 'NAME', 'Show an attribute'),
    valued('set-attr,S', 'NAME', 'Set an attribute (with --attr-value)'),
    valued('delete-attr,D', 'NAME', 'Delete an attribute'),
    flag('cleanup,C', 'Forget the ticket (with --force)'),
    valued('attr-value,v', 'VALUE', 'The value to set'),
    valued('default,d', 'VALUE', 'Printed where an attribute is not set'),
    flag('force,f', 'Do what is dangerous'),
    { ...valued('set-name,n', 'ID', 'Nothing: tickets have no sets of attributes'), ignored: 'told' },
    { ...valued('nvpair,i', 'ID', 'Nothing: tickets have no pairs'), ignored: 'told' },
    { ...flag('quiet,Q', 'Nothing: a value is printed alone'), ignored: true },
  ],
  run: async (call, world) => await run(call, world),
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const { given } = call
  const command = lastOf(given, commands)
  const ticket = optionValue(given, 'ticket')
  if (command === undefined) return refused(exitCodes.usage, 'crm_ticket: Must supply a command')
  switch (command.name) {
    case 'info':
    case 'details':
    case 'raw':
      return list(command.name, ticket, world)
    case 'query-xml':
      return queryXml(ticket, world)
    case 'constraints':
      return constraints(ticket, world)
    default:
      if (ticket === undefined) return refused(exitCodes.usage, 'crm_ticket: Must supply ticket ID with -t')
      return command.name === 'get-attr'
        ? getAttribute(call, ticket, command.value ?? '', world)
        : await change(call, ticket, world)
  }
}

function ticketsElement(cib: XmlElement): XmlElement | undefined {
  const status = childElement(cib, 'status')
  return status && childElement(status, 'tickets')
}

function findTicket(cib: XmlElement, id: string): XmlElement | undefined {
  const tickets = ticketsElement(cib)
  return tickets && childElements(tickets, 'ticket_state').find(({ attributes }) => attributes.id === id)
}

function list(how: 'info' | 'details' | 'raw', only: string | undefined, world: ToolWorld): ToolReply {
  const tickets = knownTickets(statusOf(world)).filter(({ id }) => only === undefined || id === only)
  if (only !== undefined && tickets.length === 0) return noTicket(only)
  const lines = tickets.map(({ id, granted, standby, lastGranted, attributes }) => {
    if (how === 'raw') return `${id}\n`
    const state = `${id}\t${granted ? 'granted' : 'revoked'} ${standby ? '[standby]' : '         '}`
    const last = lastGranted === undefined ? [] : [`last-granted='${ctime(lastGranted)}'`]
    if (how === 'info') return `${state}${last.map((text) => ` ${text}`).join('')}\n`
    const others = [...attributes].filter(([name]) => !['granted', 'standby', 'last-granted', 'id'].includes(name))
    const details = [
      ...(attributes.has('granted') ? [`granted=${granted}`] : []),
      ...(attributes.has('standby') ? [`standby=${standby}`] : []),
      ...last,
      ...others.map(([name, value]) => `${name}=${value}`),
    ]
    return details.length === 0 ? `${state}\n` : `${state} (${details.join(', ')})\n`
  })
  return printed(lines.join(''))
}

const noTicket = (id: string): ToolReply => refused(exitCodes.noSuchObject, `crm_ticket: No such ticket '${id}'`)

function queryXml(ticket: string | undefined, world: ToolWorld): ToolReply {
  const found = ticket === undefined ? ticketsElement(world.cib()) : findTicket(world.cib(), ticket)
  return found === undefined
    ? refused(exitCodes.noSuchObject, 'crm_ticket: Could not query ticket XML: No such device or address')
    : printed(`State XML:\n\n${printXml(found)}`)
}

function constraints(ticket: string | undefined, world: ToolWorld): ToolReply {
  const section = childElement(configurationElement(world.configuration()), 'constraints') ?? element('constraints')
  const found = childElements(section, 'rsc_ticket').filter(
    ({ attributes }) => ticket === undefined || attributes.ticket === ticket,
  )
  return found.length === 0
    ? refused(exitCodes.noSuchObject, 'crm_ticket: Could not show ticket constraints: No such device or address')
    : printed(`Constraints XML:\n\n${found.map(printXml).join('')}`)
}

function getAttribute(call: ParsedCall, ticket: string, name: string, world: ToolWorld): ToolReply {
  const { id: _, ...attributes } = findTicket(world.cib(), ticket)?.attributes ?? {}
  const value = attributes[name] ?? optionValue(call.given, 'default')
  return value === undefined ? { exitCode: exitCodes.noSuchObject, output: '', errors: '' } : printed(`${value}\n`)
}

function warning(ticket: string, command: string): string {
  if (command === 'grant')
    return `This command cannot help you verify whether '${ticket}' has been already granted elsewhere.\nIf you really want to grant '${ticket}' to this site now, and you know what you are doing,\nplease specify --force.\n`
  return `Revoking '${ticket}' can trigger the specified 'loss-policy'(s) relating to '${ticket}'.\n\nYou can check that with:\ncrm_ticket --ticket ${ticket} --constraints\n\nOtherwise before revoking '${ticket}', you may want to make '${ticket}' standby with:\ncrm_ticket --ticket ${ticket} --standby\n\nIf you really want to revoke '${ticket}' from this site now, and you know what you are doing,\nplease specify --force.\n`
}

/** Several commands of one call are done together. */
async function change(call: ParsedCall, ticket: string, world: ToolWorld): Promise<ToolReply> {
  const { given } = call
  const isCleanup = hasOption(given, 'cleanup')
  const isForced = hasOption(given, 'force')
  const isThere = findTicket(world.cib(), ticket) !== undefined
  if (isCleanup && !isThere && !isForced) return noTicket(ticket)
  const dangerous = dangerIn(given)
  if (dangerous !== undefined && !isForced)
    return {
      exitCode: exitCodes.insufficientPrivileges,
      output: warning(ticket, dangerous),
      errors: isCleanup ? '' : 'crm_ticket: Ticket modification not allowed\n',
    }
  if (hasOption(given, 'set-attr') && optionValue(given, 'attr-value') === undefined)
    return refused(exitCodes.usage, 'crm_ticket: Must supply attribute value with -v for option -S')
  // What is not there is forgotten already, and has no attribute to delete.
  const onlyTakes =
    isCleanup ||
    lastOf(
      given,
      changes.filter((name) => name !== 'delete-attr'),
    ) === undefined
  if (onlyTakes && !isThere) return printed('')
  const refusal = await world.edit(
    (cib) => (isCleanup ? forgotten(cib, ticket) : changed(call, cib, ticket, world.now())),
    {
      command: commandLine(call),
      whole: true,
    },
  )
  return refusal ?? printed(isCleanup ? `Cleaned up ${ticket}\n` : '')
}

const changes = ['grant', 'revoke', 'standby', 'activate', 'set-attr', 'delete-attr']

/** Whether it grants the ticket or takes it away, by whatever command. */
function dangerIn(given: readonly GivenOption[]): 'grant' | 'revoke' | undefined {
  if (hasOption(given, 'grant')) return 'grant'
  if (hasOption(given, 'revoke') || hasOption(given, 'cleanup')) return 'revoke'
  if (given.some(({ name, value }) => name === 'delete-attr' && value === 'granted')) return 'revoke'
  if (!given.some(({ name, value }) => name === 'set-attr' && value === 'granted')) return undefined
  return parseBoolean(optionValue(given, 'attr-value') ?? '') === true ? 'grant' : 'revoke'
}

function forgotten(cib: XmlElement, ticket: string): XmlElement {
  const found = findTicket(cib, ticket)
  return found === undefined ? cib : removed(cib, found)
}

function changed({ given }: ParsedCall, cib: XmlElement, ticket: string, now: number): XmlElement {
  const [whole, before] = withTicket(cib, ticket)
  const attributes: Record<string, string> = { ...before.attributes }
  const wasGranted = attributes.granted === 'true'
  for (const { name, value = '' } of given) {
    if (name === 'grant') attributes.granted = 'true'
    else if (name === 'revoke') attributes.granted = 'false'
    else if (name === 'standby') attributes.standby = 'true'
    else if (name === 'activate') attributes.standby = 'false'
    else if (name === 'set-attr') attributes[value] = optionValue(given, 'attr-value') ?? ''
    else if (name === 'delete-attr') delete attributes[value]
  }
  if (!wasGranted && attributes.granted === 'true') attributes['last-granted'] = String(now)
  return replaced(whole, before, { ...before, attributes })
}

function withTicket(cib: XmlElement, ticket: string): readonly [XmlElement, XmlElement] {
  const there = findTicket(cib, ticket)
  if (there !== undefined) return [cib, there]
  const made = element('ticket_state', { id: ticket })
  const withStatus = withSection(cib, 'status')
  const tickets = ticketsElement(withStatus)
  if (tickets !== undefined) return [replaced(withStatus, tickets, appended(tickets, made)), made]
  const status = childElement(withStatus, 'status') ?? element('status')
  return [replaced(withStatus, status, appended(status, element('tickets', {}, [made]))), made]
}
