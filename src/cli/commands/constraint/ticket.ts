import { createTicketConstraint, deleteTicketConstraints, type LossPolicy } from '../../../cib/index.ts'
import { tellForcedParts } from '../../as-pcs/forced-parts.ts'
import { truthReader } from '../../as-pcs/written-truth.ts'
import { type Call, type Command, changeFlags, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { onlyKnown, readRole, readSetOptions, readSets } from '../../grammar/constraint-words.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'

const options = '[loss-policy=fence|stop|freeze|demote] [id=<id>]'

export const constraintTicketAdd: Command = {
  path: ['constraint', 'ticket', 'add'],
  usage: `<ticket> [<role>] <resource> ${options}`,
  summary: 'Allow a resource to run only while the cluster holds a ticket',
  examples: ['systole constraint ticket add site-a web loss-policy=stop'],
  flags: changeFlags,
  completes: ['anything', 'resource'],
  run: async (call) => {
    const names = call.words.filter((word) => !word.includes('='))
    expectWords(names, {
      atLeast: 2,
      atMost: 3,
      usage: `constraint ticket add <ticket> [<role>] <resource> ${options}`,
    })
    const pairs = parsePairs(
      call.words.filter((word) => word.includes('=')),
      'options',
    )
    onlyKnown(pairs, ['loss-policy', 'id'], 'A ticket constraint')
    const [ticket = '', first = '', second] = names
    checkTicketName(call, ticket)
    await tellForcedParts(call, [second ?? first])
    const role = second === undefined ? undefined : readRole(first)
    const [lossPolicy, id] = [readLossPolicy(pairs.get('loss-policy')), pairs.get('id')]
    return await changeCib(call, {
      edit: (cib) =>
        createTicketConstraint(cib, {
          ticket,
          on: { by: 'id', id: second ?? first, ...(role === undefined ? {} : { role }) },
          force: call.flags.has('force'),
          ...(lossPolicy === undefined ? {} : { lossPolicy }),
          ...(id === undefined ? {} : { id }),
        }),
      message: ({ created }) => `${second ?? first} depends on the ticket ${ticket} (${created[0] ?? ''}).`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const constraintTicketSet: Command = {
  path: ['constraint', 'ticket', 'set'],
  usage: `<resource>... [role=<role>] [set <resource>...]... setoptions ticket=<ticket> ${options}`,
  summary: 'Allow sets of resources to run only while the cluster holds a ticket',
  flags: changeFlags,
  completes: ['resource'],
  run: async (call) => {
    const { sets, options: own } = readSets(['set', ...call.words])
    onlyKnown(own, ['ticket', 'loss-policy', 'id'], 'A ticket constraint of sets')
    const ticket = own.get('ticket')
    if (ticket === undefined || ticket === '')
      throw new Refusal({
        own: "The ticket is missing: 'setoptions ticket=<ticket>'.",
        about: { code: 'required-missing', names: ['ticket'] },
      })
    checkTicketName(call, ticket)
    await tellForcedParts(
      call,
      sets.flatMap(({ members }) => members),
    )
    const [lossPolicy, id] = [readLossPolicy(own.get('loss-policy')), own.get('id')]
    return await changeCib(call, {
      edit: (cib) =>
        createTicketConstraint(cib, {
          ticket,
          on: {
            by: 'sets',
            sets: sets.map((set) => readSetOptions(set, 'A set in a ticket constraint', truthReader(call.speech))),
          },
          force: call.flags.has('force'),
          ...(lossPolicy === undefined ? {} : { lossPolicy }),
          ...(id === undefined ? {} : { id }),
        }),
      message: ({ created }) => `Ticket constraint ${created[0] ?? ''} is configured.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const constraintTicketDelete: Command = {
  path: ['constraint', 'ticket', 'delete'],
  aliases: [['constraint', 'ticket', 'remove']],
  usage: '<ticket> <resource>',
  summary: "Remove a resource's dependency on a ticket",
  flags: changeFlags,
  completes: ['anything', 'resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, atMost: 2, usage: 'constraint ticket delete <ticket> <resource>' })
    const [ticket = '', resource = ''] = call.words
    return await changeCib(call, {
      edit: (cib) => deleteTicketConstraints(cib, { ticket, resource }),
      message: ({ removed }) =>
        `Deleted: ${removed.map(({ id, element, from }) => (element === 'resource_ref' ? `${id} out of ${from}` : id)).join(', ')}.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}

/** pcs takes names that booth takes. */
function checkTicketName({ speech }: Call, ticket: string): void {
  if (speech.program === 'pcs' && !/^[a-zA-Z\d-]{1,63}$/.test(ticket))
    throw new Refusal({
      own: `booth ticket name '${ticket}' is not valid, use up to 63 alphanumeric characters or dash`,
      about: { code: 'bad-ticket-name', ticket },
    })
}

function readLossPolicy(text: string | undefined): LossPolicy | undefined {
  if (text === undefined || text === 'stop' || text === 'demote' || text === 'fence' || text === 'freeze') return text
  throw new Refusal({
    own: `'${text}' is not a loss-policy. Specify fence, stop, freeze or demote.`,
    about: { code: 'bad-choice', name: 'loss-policy', value: text, choices: ['fence', 'stop', 'freeze', 'demote'] },
  })
}
