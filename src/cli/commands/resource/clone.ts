import { cloneResource, uncloneResource } from '../../../cib/index.ts'
import { changeCib } from '../../change.ts'
import { type Call, type Command, changeFlags, type Outcome } from '../../command.ts'
import { readClone } from '../../resource-words.ts'
import { expectWords } from '../../words.ts'

export const resourceClone: Command = {
  path: ['resource', 'clone'],
  usage: '<resource | group> [<clone id>] [meta <name>=<value>...]',
  summary: 'Run a resource or group on several nodes at once',
  examples: ['systole resource clone ping meta interleave=true'],
  flags: changeFlags,
  completes: ['resource'],
  run: (call) => clone(call, false),
}

export const resourcePromotable: Command = {
  path: ['resource', 'promotable'],
  aliases: [['resource', 'master']],
  usage: '<resource | group> [<clone id>] [meta <name>=<value>...]',
  summary: 'Run a resource or group on several nodes, some of them promoted',
  flags: changeFlags,
  completes: ['resource'],
  run: (call) => clone(call, true),
}

export const resourceUnclone: Command = {
  path: ['resource', 'unclone'],
  usage: '<clone | resource>',
  summary: 'Make a clone a single resource again',
  flags: changeFlags,
  completes: ['resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'resource unclone <clone | resource>' })
    const id = call.words[0] ?? ''
    return await changeCib(call, {
      edit: (cib) => uncloneResource(cib, { id }),
      message: ({ removed }) => `The clone ${removed[0]?.id ?? id} is a single resource again.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}

async function clone(call: Call, promotable: boolean): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, usage: call.command.usage })
  const [resource = '', ...rest] = call.words
  const { id, meta } = readClone(rest)
  return await changeCib(call, {
    edit: (cib) =>
      cloneResource(cib, {
        resource,
        promotable,
        cloneMeta: Object.fromEntries(meta),
        force: call.flags.has('force'),
        ...(id === undefined ? {} : { cloneId: id }),
      }),
    message: ({ created }) =>
      `${resource} is cloned as ${created[0] ?? ''}${promotable ? ', which can be promoted' : ''}.`,
    facts: ({ created }) => ({ created }),
  })
}
