import { childElement, childElements, type XmlElement } from '../../../cib/index.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'

interface Verb {
  readonly verb: 'grant' | 'revoke' | 'standby' | 'unstandby'
  readonly summary: string
  readonly says: string
  readonly change: { readonly granted?: boolean; readonly standby?: boolean }
}

const verbs: readonly Verb[] = [
  {
    verb: 'grant',
    summary: 'Grant a ticket to this cluster, so that dependent resources can run',
    says: 'is granted to this cluster',
    change: { granted: true },
  },
  {
    verb: 'revoke',
    summary: 'Revoke a ticket from this cluster: dependent resources follow their loss-policy',
    says: 'is revoked from this cluster',
    change: { granted: false },
  },
  {
    verb: 'standby',
    summary: 'Put a ticket in standby: dependent resources stop although it is granted',
    says: 'is in standby',
    change: { standby: true },
  },
  {
    verb: 'unstandby',
    summary: 'Take a ticket out of standby',
    says: 'is out of standby',
    change: { standby: false },
  },
]

/** Only a ticket that is granted could be held twice. */
export const forceFlag = (verb: Verb['verb']): Flag => ({
  name: 'force',
  summary:
    verb === 'grant'
      ? 'Confirm that no other cluster holds the ticket'
      : `Without effect: ${verb} asks for no confirmation`,
  ...(verb !== 'grant' && { withoutEffect: `ticket ${verb} has no check that could be overridden.` }),
})

/** What each does is run by `booth ticket grant` and `revoke` as well, where there is no booth. */
export const ticketVerbs = verbs.map((each) => ({ ...each, run: (call: Call) => changeTicket(call, each) }))

/** `ticket grant` and its kin. Nobody decides between sites: grant a ticket to one cluster only. */
export const ticketCommands: readonly Command[] = ticketVerbs.map(({ verb, summary, run }) => ({
  path: ['ticket', verb],
  ...(verb === 'standby' || verb === 'unstandby' ? { aliases: [['booth', 'ticket', verb]] } : {}),
  usage: verb === 'grant' ? '<ticket> [--force]' : '<ticket>',
  summary,
  details:
    "This command does not coordinate sites: make sure that no other cluster holds the ticket first. If booth is set up, use 'booth ticket grant', which does.",
  flags: [forceFlag(verb)],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: `ticket ${verb} <ticket>` })
    return await run(call)
  },
}))

async function changeTicket(call: Call, { verb, says, change }: Verb): Promise<Outcome> {
  const id = call.words[0] ?? ''
  const live = liveCluster(call)
  if (verb === 'grant' && !call.flags.has('force'))
    throw new Refusal(
      `If another cluster holds ${id}, dependent resources would run twice. Revoke it there, then add --force.`,
    )
  await live.setTicket({ id, attributes: {}, forget: false, ...change })
  return done(`The ticket ${id} ${says}.\n`, { ticket: id, ...change })
}

export const ticketCleanup: Command = {
  path: ['ticket', 'cleanup'],
  aliases: [['booth', 'ticket', 'cleanup']],
  usage: '<ticket>',
  summary: 'Delete the recorded state of a ticket',
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'ticket cleanup <ticket>' })
    const id = call.words[0] ?? ''
    await liveCluster(call).setTicket({ id, attributes: {}, forget: true })
    return done(`Deleted the recorded state of the ticket ${id}.\n`, { ticket: id, forgotten: true })
  },
}

export const ticketStatus: Command = {
  path: ['ticket', 'status'],
  bare: [['ticket']],
  usage: '',
  summary: 'Show the known tickets and whether they are granted',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'ticket status' })
    const facts = ticketsOf((await call.cluster.readCib()).cib)
    const lines = facts.map(
      ({ id, granted, standby }) => `${id}: ${granted ? 'granted' : 'revoked'}${standby ? ', standby' : ''}\n`,
    )
    return done(lines.length === 0 ? 'No tickets are known.\n' : lines.join(''), facts)
  },
}

function ticketsOf(
  cib: XmlElement,
): readonly { readonly id: string; readonly granted: boolean; readonly standby: boolean }[] {
  const status = childElement(cib, 'status')
  const tickets = status && childElement(status, 'tickets')
  return (tickets ? childElements(tickets, 'ticket_state') : []).map(({ attributes }) => ({
    id: attributes.id ?? '',
    granted: attributes.granted === 'true',
    standby: attributes.standby === 'true',
  }))
}
