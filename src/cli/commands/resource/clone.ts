import { cloneResource, isPromotable, uncloneResource } from '../../../cib/index.ts'
import { adviseClone } from '../../as-pcs/create-words.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, type Outcome, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { describeRemoved } from '../../change/removed.ts'
import { promotableTwice, readClone } from '../../grammar/resource-words.ts'
import { expectWords } from '../../grammar/words.ts'
import { refuseUnpromotable } from '../../host/clone-options.ts'

export const resourceClone: Command = {
  path: ['resource', 'clone'],
  usage: '<resource | group> [<clone id>] [meta <name>=<value>...]',
  summary: 'Clone a resource or group: run it on several nodes',
  examples: ['systole resource clone ping meta interleave=true'],
  flags: changeFlags,
  completes: ['resource'],
  run: (call) => clone(call, false),
}

export const resourcePromotable: Command = {
  path: ['resource', 'promotable'],
  aliases: [['resource', 'master']],
  usage: '<resource | group> [<clone id>] [meta <name>=<value>...]',
  summary: 'Create a promotable clone of a resource or group',
  flags: changeFlags,
  completes: ['resource'],
  run: (call) => clone(call, true),
}

export const resourceUnclone: Command = {
  path: ['resource', 'unclone'],
  usage: '<clone | resource>',
  summary: 'Remove the clone around a resource or group',
  flags: changeFlags,
  completes: ['resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'resource unclone <clone | resource>' })
    const id = call.words[0] ?? ''
    return await changeCib(call, {
      edit: (cib) => uncloneResource(cib, { id, onlyCloned: judgesAsPcs(call.speech) }),
      message: ({ removed }) => {
        const clone = removed.find(({ element }) => element === 'clone')
        return clone ? `Removed the clone ${clone.id}.` : `${id} is not cloned.`
      },
      facts: ({ removed }) => ({ removed }),
    })
  },
}

async function clone(call: Call, promotable: boolean): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, usage: call.command.usage })
  const [resource = '', ...rest] = call.words
  if (judgesAsPcs(call.speech)) adviseClone(call, rest)
  const { id, meta } = readClone(rest)
  if (promotable && meta.has('promotable')) throw new Refusal(promotableTwice)
  const cloneMeta = Object.fromEntries(meta)
  if (isPromotable({ promotable, cloneMeta })) {
    const { cib } = await call.cluster.readCib()
    await refuseUnpromotable(call, cib, resource)
  }
  return await changeCib(call, {
    edit: (cib) =>
      cloneResource(cib, {
        resource,
        promotable,
        cloneMeta,
        keepsMembers: judgesAsPcs(call.speech),
        force: call.flags.has('force'),
        ...(id === undefined ? {} : { cloneId: id }),
      }),
    message: (edited) =>
      `${resource} is cloned as ${edited.created[0] ?? ''}${promotable ? ', which can be promoted' : ''}.${describeRemoved(edited, [])}`,
    facts: ({ created, removed }) => ({ created, removed }),
  })
}
