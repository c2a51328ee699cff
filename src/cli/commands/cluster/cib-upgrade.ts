import { ok, type Result } from '../../../base/index.ts'
import { upgradeSchema, upgradeToNewest, type XmlElement } from '../../../cib/index.ts'
import { type Command, changeFlags, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'

export const clusterCibUpgrade: Command = {
  path: ['cluster', 'cib-upgrade'],
  usage: '',
  summary: 'Upgrade the CIB to the newest schema',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster cib-upgrade' })
    return await changeCib(call, {
      edit: (cib) => {
        // Older versions of pcs come with Pacemaker 2, whose newest schema is the one of our new CIBs.
        const upgraded = call.speech.dialect === '0.12' ? newest(cib) : upgradeSchema(cib)
        if (!upgraded.ok) throw new Refusal(...upgraded.reports)
        return ok({ cib: upgraded.value, created: [], removed: [] })
      },
      notices: () => [{ code: 'schema-is-newest' }],
      message: () => 'The CIB uses the newest schema.',
    })
  },
}

function newest(cib: XmlElement): Result<XmlElement, string> {
  const upgraded = upgradeToNewest(cib)
  return upgraded.ok ? ok(upgraded.value.cib) : upgraded
}
