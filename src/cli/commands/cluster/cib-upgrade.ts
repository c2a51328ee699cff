import { ok } from '../../../base/index.ts'
import { changeCib } from '../../change.ts'
import { type Command, changeFlags } from '../../command.ts'
import { expectWords } from '../../words.ts'

/** The newest of Pacemaker's schemas whose elements are all known here. */
const newest = { major: 3, minor: 9 }

export const clusterCibUpgrade: Command = {
  path: ['cluster', 'cib-upgrade'],
  usage: '',
  summary: 'Write into the CIB that it follows the newest schema, for tools that look at it',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster cib-upgrade' })
    const schema = `pacemaker-${newest.major}.${newest.minor}`
    return await changeCib(call, {
      edit: (cib) => {
        const [, major, minor] = /^pacemaker-(\d+)\.(\d+)$/.exec(cib.attributes['validate-with'] ?? '') ?? []
        const isNewer =
          Number(major) > newest.major || (Number(major) === newest.major && Number(minor) >= newest.minor)
        const upgraded = isNewer ? cib : { ...cib, attributes: { ...cib.attributes, 'validate-with': schema } }
        return ok({ cib: upgraded, created: [], removed: [] })
      },
      message: () => `The CIB follows ${schema} or a newer schema.`,
    })
  },
}
