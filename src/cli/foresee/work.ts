/** What is under way on nodes: jobs, plays, rollouts. */
import { isOver, type PlayRecord } from '../../plays/index.ts'
import { hasEnded, hasFleetEnded, rolloutWord, words } from '../../rollout/index.ts'
import type { Messages } from '../../rpc/index.ts'
import { Refusal } from '../call/command.ts'
import { knownNow } from '../rollout/known.ts'
import { type Foreseen, listed, type Scene } from './scene.ts'

export const aboutWork = {
  cancelJob: async ({ id }: Messages['CancelJobRequest'], { live }: Scene): Promise<Foreseen> => {
    const { nodes } = await live.getJob({ id, waitMs: 0 })
    const running = nodes.filter(({ state }) => state === 'started').map(({ node }) => node)
    const where =
      running.length === 0
        ? 'It runs nowhere now'
        : `Its command would get SIGTERM on ${listed(running)}, and SIGKILL after ten seconds`
    return { sentence: `It would cancel the job ${id}. ${where}; it would begin nowhere else.` }
  },
  changePlay: async ({ id, word }: Messages['PlayWordRequest'], { live }: Scene): Promise<Foreseen> => {
    const { known } = await live.listPlays({ id, waitMs: 0 })
    const [play] = JSON.parse(known) as readonly PlayRecord[]
    if (play === undefined) throw new Refusal(`There is no play '${id}'.`)
    if (isOver(play)) throw new Refusal(`The play ${id} is over: it is ${play.state}.`)
    return {
      sentence: `It would ${word} the play ${id}: no further step would begin, and commands that run would be ended.`,
    }
  },
  changeRollout: async (
    { id, word, user }: Messages['RolloutWordRequest'],
    { call, now }: Scene,
  ): Promise<Foreseen> => {
    const { rollouts, fleet = [] } = await knownNow(call, { id })
    const over = fleet.find((one) => one.id === id)
    const said = words.find((one) => one === word)
    if (over !== undefined) {
      if (hasFleetEnded(over)) throw new Refusal(`The rollout ${id} has ended: it is ${over.state}.`)
      return { sentence: `It would ${word} the rollout ${id} in ${listed(over.parts.map(({ cluster }) => cluster))}.` }
    }
    const rollout = rollouts.find((one) => one.id === id)
    if (rollout === undefined || said === undefined) throw new Refusal(`There is no rollout '${id}'.`)
    const heard = rolloutWord(rollout, { word: said, by: user }, now.getTime())
    if ('refused' in heard) throw new Refusal(heard.refused)
    const nodes = rollout.nodes.filter(({ phase }) => phase !== 'waiting').map(({ node }) => node)
    return { sentence: `${sentences[said](id, listed(nodes))}${hasEnded(heard.state) ? ' It would be over.' : ''}` }
  },
}

const sentences: Readonly<Record<(typeof words)[number], (id: string, begun: string) => string>> = {
  pause: (id, begun) =>
    `No further node of the rollout ${id} would begin.${begun === '' ? '' : ` ${begun} would be finished.`}`,
  resume: (id) =>
    `The rollout ${id} would continue: a node that failed with the command that failed, the others in their turns.`,
  abort: (id, begun) =>
    begun === ''
      ? `The rollout ${id} would end. No command has begun on any node: there is nothing to put back.`
      : `The undo commands of the rollout ${id} would run in reverse order, where its commands have begun: ${begun}.`,
  confirm: (id, begun) => `The rollout ${id} would be complete, and ${begun} keep what it has done.`,
}
