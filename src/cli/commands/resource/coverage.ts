/** `resource coverage`: which resources nobody looks at, and how closely the others are looked at. */
import { type Command, done } from '../../call/command.ts'
import { coverageLines, coverageOf } from '../../facts/verified.ts'
import { expectWords } from '../../grammar/words.ts'
import { secondsOf } from '../../host/host-time.ts'
import { knownServices } from '../service/known.ts'

export const resourceCoverage: Command = {
  path: ['resource', 'coverage'],
  usage: '[--unchecked]',
  summary: 'Show when each resource was last verified, by what and how deep, and what nobody checks',
  details:
    'A resource is checked by a recurring monitor, or by the own check of a service that it or its clone offers. The level is OCF_CHECK_LEVEL of the monitor. Fence devices are listed as well. The exit code is 1 when nobody checks one of them.',
  examples: ['systole resource coverage', 'systole resource coverage --unchecked'],
  flags: [{ name: 'unchecked', summary: 'Only list what nobody checks' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'resource coverage [--unchecked]' })
    const { status, services } = await knownServices(call)
    const all = coverageOf(status, services)
    const open = all.filter(({ unchecked }) => unchecked !== undefined)
    const shown = call.flags.has('unchecked') ? open : all
    const names = [...new Set(open.map(({ resource }) => resource))]
    const total = new Set(all.map(({ resource }) => resource)).size
    const summary =
      names.length === 0
        ? `All ${total} resources are checked.`
        : `Nobody checks ${names.length} of ${total} resources: ${names.join(', ')}.`
    const lines = [...coverageLines(shown, secondsOf(call.terminal.now())), summary]
    const facts = shown.map(({ verified, ...one }) => ({
      ...one,
      verified: verified.map(({ since, ...rest }) => ({
        ...rest,
        ...(since === undefined ? {} : { since: new Date(since * 1000).toISOString() }),
      })),
    }))
    return done(`${lines.join('\n')}\n`, { resources: facts, unchecked: names, total }, names.length === 0 ? 0 : 1)
  },
}
