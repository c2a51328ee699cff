import { addToGroup, readConfiguration, removeFromGroup } from '../../../cib/index.ts'
import { besides, ungroupLines } from '../../as-pcs/removals.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { describeRemoved } from '../../change/removed.ts'
import { expectWords } from '../../grammar/words.ts'

export const resourceGroupAdd: Command = {
  path: ['resource', 'group', 'add'],
  usage: '<group> <resource>... [--before=<resource> | --after=<resource>]',
  summary: 'Add resources to a group, and create the group if it does not exist',
  details:
    'Members of a group run on the same node, start in order and stop in reverse order. A member of another group leaves that group.',
  flags: [
    ...changeFlags,
    { name: 'before', value: 'resource', summary: 'Add them before this member' },
    { name: 'after', value: 'resource', summary: 'Add them after this member' },
  ],
  completes: ['resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'resource group add <group> <resource>...' })
    const [group = '', ...resources] = call.words
    const before = call.flags.get('before')
    const after = call.flags.get('after')
    if (before !== undefined && after !== undefined)
      throw new Refusal({ own: '--before and --after exclude each other.', about: { code: 'before-and-after' } })
    const place = {
      ...(typeof before === 'string' ? { before } : {}),
      ...(typeof after === 'string' ? { after } : {}),
    }
    return await changeCib(call, {
      edit: (cib) => addToGroup(cib, { group, resources, ...place, keepsGroups: call.speech.program === 'pcs' }),
      message: () => `${resources.join(', ')} ${resources.length === 1 ? 'is' : 'are'} in the group ${group}.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const resourceGroupRemove: Command = {
  path: ['resource', 'group', 'remove'],
  aliases: [
    ['resource', 'group', 'delete'],
    ['resource', 'ungroup'],
  ],
  usage: '<group> [<resource>...]',
  summary: 'Remove resources from a group, or the whole group if none are named',
  flags: changeFlags,
  completes: ['resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'resource group remove <group> [<resource>...]' })
    const [group = '', ...resources] = call.words
    return await changeCib(call, {
      edit: (cib) => removeFromGroup(cib, { group, resources, staysCloned: judgesAsPcs(call.speech) }),
      message: (edited) =>
        resources.length === 0
          ? `Removed the group ${group}.${describeRemoved(edited, [group])}`
          : `${resources.join(', ')} left the group ${group}.${describeRemoved(edited, resources)}`,
      facts: ({ removed }) => ({ removed }),
      notices: ({ cib }, before) => besides(ungroupLines(before, cib, group)),
    })
  },
}

export const resourceGroupList: Command = {
  path: ['resource', 'group', 'list'],
  usage: '',
  summary: 'List groups and their members',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'resource group list' })
    const groups = readConfiguration((await call.cluster.readCib()).cib).resources.flatMap((resource) => {
      const group = resource.kind === 'clone' ? resource.child : resource
      return group.kind === 'group' ? [{ id: group.id, members: group.members.map(({ id }) => id) }] : []
    })
    return done(groups.map(({ id, members }) => `${id}: ${members.join(' ')}\n`).join(''), groups)
  },
}
