import { banNode, findResource, preferNode, type Role } from '../../../cib/index.ts'
import { type Command, changeFlags, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { resourceLocations } from '../../facts/locations.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'
import { endOfLifetime, hasLifetime, refusePart } from './move.ts'

export const resourceMoveWithConstraint: Command = {
  path: ['resource', 'move-with-constraint'],
  usage: '<resource> [<node>] [lifetime=<duration>] [--promoted] [--wait[=<seconds>]]',
  summary: "Move a resource with a constraint that remains until 'resource clear' or the end of its lifetime",
  details: 'Without a node, the resource is banned from its current node.',
  flags: [
    ...changeFlags,
    { name: 'promoted', summary: 'Only the promoted role' },
    { name: 'master', summary: 'The same as --promoted' },
  ],
  completes: ['resource', 'node'],
  run: async (call) => {
    const isOption = (word: string): boolean => word.startsWith('lifetime=')
    const words = call.words.filter((word) => !isOption(word))
    expectWords(words, { atLeast: 1, atMost: 2, usage: 'resource move-with-constraint <resource> [<node>]' })
    const lifetime = parsePairs(call.words.filter(isOption), 'options').get('lifetime')
    const [resource = '', node] = words
    await refusePart(call, resource)
    const { cib } = await call.cluster.readCib()
    const [current] = findResource(cib, resource) ? resourceLocations(cib, resource, call.terminal.now()) : []
    if (node === undefined && current === undefined && findResource(cib, resource))
      throw new Refusal({
        own: `'${resource}' is not running. Specify the node to move it to.`,
        about: { code: 'runs-nowhere' },
      })
    const role: Role | undefined = call.flags.has('promoted') || call.flags.has('master') ? 'Promoted' : undefined
    const constraint = {
      resource,
      origin: { author: call.terminal.user, time: call.terminal.now().toISOString() },
      ...(role === undefined ? {} : { role }),
      ...(hasLifetime(call, lifetime) ? { until: endOfLifetime(lifetime, call.terminal.now()) } : {}),
    }
    return await changeCib(call, {
      edit: (document) =>
        node === undefined
          ? banNode(document, { ...constraint, node: current ?? '' })
          : preferNode(document, { ...constraint, node }),
      notices: () => [{ code: 'moved-with-constraint', resource }],
      message: ({ created }) =>
        `${resource} ${node === undefined ? `is banned from ${current ?? ''}` : `prefers ${node}`} (${created[0] ?? ''}) until 'resource clear ${resource}'.`,
      facts: ({ created }) => ({ created }),
    })
  },
}
