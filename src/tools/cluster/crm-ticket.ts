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
import { always, flag, type GivenOption, hasOption, lastOf, optionValue, valued, valueNotDone } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { knownTickets, statusOf } from '../status-of.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'
import { type TicketListing, ticketConstraints, ticketElement, ticketLine } from './ticket-list.ts'

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
    valueNotDone('set-name,n', 'ID', 'tickets have no sets of attributes'),
    valueNotDone('nvpair,i', 'ID', 'tickets have no pairs'),
    always('quiet,Q', 'a value is printed alone'),
  ],
  printsXml: true,
  xmlVersions: { tickets: '2.35' },
  exits: { format: exitCodes.noSuchObject },
  run: async (call, world) => await run(call, world),
}

/** Of several commands a listing comes first, then what is asked for with -G. */
async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const { given } = call
  if (lastOf(given, commands) === undefined) return refused(exitCodes.usage, 'crm_ticket: Must supply a command')
  const ticket = optionValue(given, 'ticket')
  const listing = (['info', 'details', 'raw'] as const).find((name) => hasOption(given, name))
  if (listing !== undefined) return list(listing, ticket, world)
  const last = lastOf(given, commands)?.name
  if (last === 'query-xml') return queryXml(ticket, world)
  if (last === 'constraints') return constraints(ticket, world)
  const wanted = optionValue(given, 'get-attr')
  if (ticket === undefined)
    return refused(
      wanted === undefined ? exitCodes.usage : exitCodes.noSuchObject,
      'crm_ticket: Must supply ticket ID with -t',
    )
  return wanted === undefined ? await change(call, ticket, world) : getAttribute(call, ticket, wanted, world)
}

function ticketsElement(cib: XmlElement): XmlElement | undefined {
  const status = childElement(cib, 'status')
  return status && childElement(status, 'tickets')
}

function findTicket(cib: XmlElement, id: string): XmlElement | undefined {
  const tickets = ticketsElement(cib)
  return tickets && childElements(tickets, 'ticket_state').find(({ attributes }) => attributes.id === id)
}

function list(how: TicketListing, only: string | undefined, world: ToolWorld): ToolReply {
  const tickets = knownTickets(statusOf(world)).filter(({ id }) => only === undefined || id === only)
  if (only !== undefined && tickets.length === 0) return noTicket(only)
  return printed(
    tickets.map((ticket) => `${ticketLine(how, ticket)}\n`).join(''),
    tickets.length === 0 ? [] : [element('tickets', {}, tickets.map(ticketElement))],
  )
}

const noTicket = (id: string): ToolReply => refused(exitCodes.noSuchObject, `crm_ticket: No such ticket '${id}'`)

function queryXml(ticket: string | undefined, world: ToolWorld): ToolReply {
  const found = ticket === undefined ? ticketsElement(world.cib()) : findTicket(world.cib(), ticket)
  return found === undefined
    ? refused(exitCodes.noSuchObject, 'crm_ticket: Could not query ticket XML: No such device or address')
    : printed(`State XML:\n\n${printXml(found)}`, [
        element('tickets', {}, found.name === 'tickets' ? childElements(found).map(asTicket) : [asTicket(found)]),
      ])
}

const asTicket = ({ attributes }: XmlElement): XmlElement => element('ticket', attributes)

function constraints(ticket: string | undefined, world: ToolWorld): ToolReply {
  const section = childElement(configurationElement(world.configuration()), 'constraints') ?? element('constraints')
  const found = childElements(section, 'rsc_ticket').filter(
    ({ attributes }) => ticket === undefined || attributes.ticket === ticket,
  )
  return found.length === 0
    ? refused(exitCodes.noSuchObject, 'crm_ticket: Could not show ticket constraints: No such device or address')
    : printed(`Constraints XML:\n\n${found.map(printXml).join('')}`, ticketConstraints(found))
}

function getAttribute(call: ParsedCall, ticket: string, name: string, world: ToolWorld): ToolReply {
  const { id: _, ...attributes } = findTicket(world.cib(), ticket)?.attributes ?? {}
  const value = attributes[name] ?? optionValue(call.given, 'default')
  if (value === undefined) return { exitCode: exitCodes.noSuchObject, output: '', errors: '' }
  const attribute = element('attribute', { name, value })
  return printed(`${value}\n`, [element('tickets', {}, [element('ticket', { id: ticket }, [attribute])])])
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
  // What is not granted can be forgotten.
  const isGranted = parseBoolean(findTicket(world.cib(), ticket)?.attributes.granted ?? '') === true
  const dangerous = isCleanup && !isGranted ? undefined : dangerIn(given)
  if (dangerous !== undefined && !isForced) return notForced(ticket, dangerous, isCleanup)
  const withoutValue = lastSetWithoutValue(given)
  if (withoutValue !== undefined)
    return refused(exitCodes.usage, `crm_ticket: Must supply value with -v for -S ${withoutValue}`)
  // Who deletes an attribute sets none in the same call.
  const isDeletion = hasOption(given, 'delete-attr')
  if (isDeletion && !isThere)
    return refused(exitCodes.noSuchObject, 'crm_ticket: Could not modify ticket: No such device or address')
  if (isCleanup && !isThere) return printed('')
  const refusal = await world.edit(
    (cib) => (isCleanup ? forgotten(cib, ticket) : changed(call, cib, ticket, world.now())),
    { command: commandLine(call), whole: true, ...(isDeletion ? { counts: 'updates' as const } : {}) },
  )
  return refusal ?? printed(isCleanup ? `Cleaned up ${ticket}\n` : '')
}

function notForced(ticket: string, dangerous: 'grant' | 'revoke', isCleanup: boolean): ToolReply {
  const said = [
    warning(ticket, dangerous).trimEnd(),
    ...(isCleanup ? [] : ['crm_ticket: Ticket modification not allowed without --force']),
  ]
  return {
    exitCode: isCleanup ? exitCodes.insufficientPrivileges : exitCodes.unsafe,
    output: '',
    errors: said.map((line) => `${line}\n`).join(''),
    said,
  }
}

/** The attributes that are set, each with the value that follows or precedes it. */
function assignments(given: readonly GivenOption[]): readonly (readonly [string, string | undefined])[] {
  const names = given.flatMap(({ name, value }) => (name === 'set-attr' && value !== undefined ? [value] : []))
  const values = given.flatMap(({ name, value }) => (name === 'attr-value' && value !== undefined ? [value] : []))
  return names.map((name, index) => [name, values[index]] as const)
}

const lastSetWithoutValue = (given: readonly GivenOption[]): string | undefined =>
  assignments(given).find(([, value]) => value === undefined)?.[0]

/** Whether it grants the ticket or takes it away, by whatever command. */
function dangerIn(given: readonly GivenOption[]): 'grant' | 'revoke' | undefined {
  if (hasOption(given, 'grant')) return 'grant'
  if (hasOption(given, 'revoke') || hasOption(given, 'cleanup')) return 'revoke'
  if (given.some(({ name, value }) => name === 'delete-attr' && value === 'granted')) return 'revoke'
  const granted = assignments(given).find(([name]) => name === 'granted')
  if (granted === undefined) return undefined
  return parseBoolean(granted[1] ?? '') === true ? 'grant' : 'revoke'
}

function forgotten(cib: XmlElement, ticket: string): XmlElement {
  const found = findTicket(cib, ticket)
  return found === undefined ? cib : removed(cib, found)
}

function changed({ given }: ParsedCall, cib: XmlElement, ticket: string, now: number): XmlElement {
  const [whole, before] = withTicket(cib, ticket)
  const attributes: Record<string, string> = { ...before.attributes }
  const wasGranted = attributes.granted === 'true'
  const deleted = given.flatMap(({ name, value }) => (name === 'delete-attr' && value !== undefined ? [value] : []))
  if (deleted.length > 0) for (const name of deleted) delete attributes[name]
  else Object.assign(attributes, settings(given))
  if (!wasGranted && attributes.granted === 'true') attributes['last-granted'] = String(now)
  return replaced(whole, before, { ...before, attributes })
}

function settings(given: readonly GivenOption[]): Readonly<Record<string, string>> {
  const flags = given.flatMap(({ name }): readonly (readonly [string, string])[] =>
    name === 'grant' || name === 'revoke'
      ? [['granted', String(name === 'grant')]]
      : name === 'standby' || name === 'activate'
        ? [['standby', String(name === 'standby')]]
        : [],
  )
  return Object.fromEntries([...flags, ...assignments(given).map(([name, value = '']) => [name, value] as const)])
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
