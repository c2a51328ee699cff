/** All holds of the cluster, whoever has asked for them. */
import { describeHold, parseHold } from '../../../holds/index.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'

export const holdList: Command = {
  path: ['hold', 'list'],
  bare: [['hold']],
  usage: '',
  summary: 'Show what is held for a while: drained nodes, running moves, what rollouts hold',
  details: 'Holds are not part of the configuration. Each ends when it is released, with its time, or with its owner.',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'hold list' })
    const { holds } = await liveCluster(call).listHolds({})
    const rows = holds.flatMap((hold) => {
      const note = parseHold(hold)
      return note === undefined
        ? []
        : [[hold.id, `${describeHold(note)}${hold.kept ? ' (while its command runs)' : ''}`]]
    })
    return done(rows.length === 0 ? 'Nothing is held.\n' : alignColumns(rows), { holds })
  },
}

export const holdRelease: Command = {
  path: ['hold', 'release'],
  usage: '<id>... [--force]',
  summary: 'End holds by their ids',
  details: 'A hold of a rollout, a job or a running command ends with it, or with --force.',
  flags: [{ name: 'force', summary: 'End holds of rollouts, jobs and running commands as well' }],
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 100, usage: 'hold release <id>...' })
    const live = liveCluster(call)
    const known = new Set((await live.listHolds({})).holds.map(({ id }) => id))
    const unknown = call.words.filter((id) => !known.has(id))
    if (unknown.length > 0)
      throw new Refusal(...unknown.map((id) => `There is no hold '${id}'. To see them: systole hold list`))
    const asked = { ids: call.words, force: call.flags.has('force'), user: call.terminal.user }
    const { outcome, holds } = await live.releaseHolds(asked)
    if (outcome === 'held')
      throw new Refusal(
        ...holds.flatMap((hold) => {
          const note = parseHold(hold)
          return note === undefined ? [] : `${describeHold(note)}. Add --force to end it.`
        }),
      )
    return done(`Released: ${holds.map(({ id }) => id).join(', ') || 'nothing'}.\n`, { released: holds })
  },
}
