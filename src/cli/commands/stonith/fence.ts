import { type Command, done, Refusal, refused } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { isNode } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'

export const stonithFence: Command = {
  path: ['stonith', 'fence'],
  usage: '<node> [--off | --on]',
  summary: 'Fence a node now: reboot it, or turn it off or on',
  details: 'Returns when the fence devices have confirmed the result or failed. The node loses power without warning.',
  flags: [
    { name: 'off', summary: 'Turn the node off and leave it off' },
    { name: 'on', summary: 'Turn the node on' },
  ],
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'stonith fence <node> [--off | --on]' })
    if (call.flags.has('off') && call.flags.has('on')) throw new Refusal('--off and --on exclude each other.')
    const target = call.words[0] ?? ''
    const action = call.flags.has('off') ? 'off' : call.flags.has('on') ? 'on' : 'reboot'
    if (await isNode(call, target)) call.terminal.progress(`Fencing ${target} (${action}) …`)
    const { succeeded, message } = await liveCluster(call).fence({ target, action })
    if (!succeeded) return refused(`Fencing ${target} (${action}) failed: ${message}`)
    return done(`Node ${target} was fenced (${action}).\n`, { target, action, succeeded, message })
  },
}
