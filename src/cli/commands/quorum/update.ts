/**
 * Corosync's options of quorum, as `votequorum(5)` means them. None of them can be set: whose votes are a majority is decided by the store, and
 * who must wait for whom follows from the number of nodes. So an option is taken where it says what is so already, and refused otherwise.
 */
import { didYouMean, similarWords } from '../../../base/index.ts'
import type { ClusterState } from '../../../rpc/index.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { startedCluster } from '../../call/live.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'

const usage =
  '[auto_tie_breaker=[0|1]] [last_man_standing=[0|1]] [last_man_standing_window=[<time in ms>]] [wait_for_all=[0|1]]'

export const quorumUpdate: Command = {
  path: ['quorum', 'update'],
  usage,
  summary: "Accept Corosync’s quorum options whose values match the cluster's",
  details:
    "These values are automatic: see 'quorum config'. Two nodes without a witness have wait_for_all=1, every other cluster has wait_for_all=0; auto_tie_breaker and last_man_standing are 0. An empty value means the default.",
  completes: [{ words: ['auto_tie_breaker=', 'last_man_standing=', 'last_man_standing_window=', 'wait_for_all='] }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: `quorum update ${usage}` })
    const options = parsePairs(call.words, 'options of quorum')
    const wrong = refusedOptions(options, await startedCluster(call))
    if (wrong.length > 0) throw new Refusal(...wrong)
    return done('Nothing to change: the cluster already works like this.\n', {
      changed: false,
      ...Object.fromEntries(options),
    })
  },
}

type Judged = Pick<ClusterState, 'twoNode'>

/** A sentence for each option that the cluster cannot have. */
export function refusedOptions(options: ReadonlyMap<string, string>, state: Judged): readonly string[] {
  return [...options].flatMap(([name, value]) => {
    const judge = judges[name]
    if (!judge)
      return [
        `'${name}' is not a quorum option.${didYouMean(similarWords(name, Object.keys(judges)))} Usage: systole quorum update ${usage}.`,
      ]
    if (value === '') return []
    const sentence = judge(value, state)
    return sentence === undefined ? [] : [sentence]
  })
}

type Judge = (value: string, state: Judged) => string | undefined

const judges: Readonly<Record<string, Judge>> = {
  auto_tie_breaker: flag('auto_tie_breaker', (on) =>
    on
      ? 'auto_tie_breaker=1 is not possible: the store needs more than half of the votes. Use a witness to break ties (quorum device add).'
      : undefined,
  ),
  last_man_standing: flag('last_man_standing', (on) =>
    on
      ? "last_man_standing=1 would remove the votes of nodes that are only unreachable. Systole removes the votes of fenced nodes automatically, one after another. If two voters are lost at once, use 'quorum unblock'."
      : undefined,
  ),
  last_man_standing_window: (value) =>
    /^\d+$/.test(value)
      ? 'last_man_standing_window requires last_man_standing, which Systole does not have: a lost node’s vote is removed as soon as it is fenced.'
      : `'${value}' is not a time for last_man_standing_window. Specify whole milliseconds.`,
  wait_for_all: flag('wait_for_all', (on, state) => {
    if (on === (state.twoNode !== undefined)) return undefined
    return on
      ? 'wait_for_all=1 applies only to two nodes without a witness. In this cluster more than half of the votes must be present, so waiting is not needed. To give other nodes time to boot: property set dc-deadtime=<time>.'
      : "wait_for_all=0 is not possible for two nodes: a node that boots alone cannot know what the other did and changed without it. Add a witness (quorum device add), or confirm with 'quorum unblock' that the other node is off."
  }),
}

function flag(name: string, judge: (on: boolean, state: Judged) => string | undefined): Judge {
  return (value, state) =>
    value === '0' || value === '1'
      ? judge(value === '1', state)
      : `'${value}' is not a value for ${name}. Specify 0 or 1.`
}
