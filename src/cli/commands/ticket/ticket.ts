import { childElement, childElements, type XmlElement } from '../../../cib/index.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { expectWords } from '../../words.ts'

interface Verb {
  readonly verb: 'grant' | 'revoke' | 'standby' | 'unstandby'
  readonly summary: string
  readonly says: string
  readonly change: { readonly granted?: boolean; readonly standby?: boolean }
}

const verbs: readonly Verb[] = [
  {
    verb: 'grant',
    summary: 'Let this cluster hold a ticket, so that what depends on it may run here',
    says: 'is granted to this cluster',
    change: { granted: true },
  },
  {
    verb: 'revoke',
    summary: 'Take a ticket from this cluster: what depends on it stops as its loss-policy says',
    says: 'is revoked from this cluster',
    change: { granted: false },
  },
  {
    verb: 'standby',
    summary: 'Stop what depends on a ticket although it is granted',
    says: 'is in standby',
    change: { standby: true },
  },
  {
    verb: 'unstandby',
    summary: 'Let what depends on a granted ticket run again',
    says: 'is out of standby',
    change: { standby: false },
  },
]

/** Only a ticket that is granted could be held twice. */
export const forceFlag = (verb: Verb['verb']): Flag => ({
  name: 'force',
  summary: verb === 'grant' ? 'You have made sure that no other cluster holds it' : `Not needed: ${verb} asks nothing`,
  ...(verb !== 'grant' && { withoutEffect: `ticket ${verb} asks for nothing that would have to be forced.` }),
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
    'Nobody decides between sites here: make sure that no other cluster holds the ticket before it is granted to this one. Where booth is set up, it does: booth ticket grant.',
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
      `If another cluster holds ${id}, what depends on it would run twice. Revoke it there, then add --force.`,
    )
  await live.setTicket({ id, attributes: {}, forget: false, ...change })
  return done(`The ticket ${id} ${says}.\n`, { ticket: id, ...change })
}

export const ticketCleanup: Command = {
  path: ['ticket', 'cleanup'],
  aliases: [['booth', 'ticket', 'cleanup']],
  usage: '<ticket>',
  summary: 'Forget what is recorded of a ticket',
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'ticket cleanup <ticket>' })
    const id = call.words[0] ?? ''
    await liveCluster(call).setTicket({ id, attributes: {}, forget: true })
    return done(`The ticket ${id} is forgotten.\n`, { ticket: id, forgotten: true })
  },
}

export const ticketStatus: Command = {
  path: ['ticket', 'status'],
  bare: [['ticket']],
  usage: '',
  summary: 'Show which tickets the cluster knows, and which it holds',
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
