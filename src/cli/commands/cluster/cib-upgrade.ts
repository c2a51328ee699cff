import { ok } from '../../../base/index.ts'
import { upgradeSchema } from '../../../cib/index.ts'
import { changeCib } from '../../change.ts'
import { type Command, changeFlags, Refusal } from '../../command.ts'
import { expectWords } from '../../words.ts'

export const clusterCibUpgrade: Command = {
  path: ['cluster', 'cib-upgrade'],
  usage: '',
  summary: 'Upgrade the CIB to the newest schema',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster cib-upgrade' })
    return await changeCib(call, {
      edit: (cib) => {
        const upgraded = upgradeSchema(cib)
        if (!upgraded.ok) throw new Refusal(...upgraded.reports)
        return ok({ cib: upgraded.value, created: [], removed: [] })
      },
      notices: () => [{ code: 'schema-is-newest' }],
      message: () => 'The CIB uses the newest schema.',
    })
  },
}
