import { didYouMean, ok, similarWords } from '../../../base/index.ts'
import { describeTarget, readConfiguration, removeFencingLevels } from '../../../cib/index.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Command, changeFlags, done, Refusal, refused } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'
import { asDevices, onlyOne, readLevelWords, readTarget } from './level-words.ts'

export const stonithLevelVerify: Command = {
  path: ['stonith', 'level', 'verify'],
  usage: '',
  summary: 'Check that the nodes and devices of the fencing topology exist',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith level verify' })
    const { fencingLevels, nodes, resources } = readConfiguration((await call.cluster.readCib()).cib)
    const remotes = resources.filter((resource) => resource.kind === 'primitive' && resource.agent.type === 'remote')
    const names = [...nodes.map(({ name }) => String(name)), ...remotes.map(({ id }) => String(id))]
    const devices = resources.flatMap((resource) =>
      resource.kind === 'primitive' && resource.agent.class === 'stonith' ? [String(resource.id)] : [],
    )
    const wrong = fencingLevels.flatMap(({ index, target, devices: own }) => [
      ...(target.by === 'node' && !names.includes(target.node)
        ? [
            `Level ${index} is for the node '${target.node}', which does not exist.${didYouMean(similarWords(target.node, names))}`,
          ]
        : []),
      ...own
        .filter((device) => !devices.includes(device))
        .map(
          (device) =>
            `Level ${index} of ${describeTarget(target)} names the fence device '${device}', which does not exist.${didYouMean(similarWords(device, devices))}`,
        ),
    ])
    if (wrong.length > 0) return refused(...wrong)
    // pcs says nothing where nothing is wrong, and scripts take any word for a mistake.
    const text = call.speech.program === 'pcs' ? '' : 'All nodes and devices of the fencing topology exist.\n'
    return done(text, { levels: fencingLevels.length, wrong })
  },
}

const oldSyntax =
  "Syntax 'pcs stonith level clear [<target> | <stonith id(s)>] is deprecated and will be removed. Please use 'pcs stonith level clear [target <target>] | [stonith <stonith id>...]'."

/** pcs 0.11 looks whether a device could have such a name, and not whether there is one. */
function refuseNoIds(words: readonly string[]): void {
  const wrong = words.find((word) => !/^[A-Za-z_][\w.-]*$/.test(word))
  if (wrong !== undefined)
    throw new Refusal({ own: `'${wrong}' is not an id of a fence device.`, about: { code: 'bad-id', id: wrong } })
}

export const stonithLevelClear: Command = {
  path: ['stonith', 'level', 'clear'],
  usage: '[target <node> | stonith <fence device>...]',
  summary: 'Remove all fencing levels, or those of a target or with certain devices',
  flags: changeFlags,
  completes: [{ words: ['target', 'stonith'] }, 'node'],
  run: async (call) => {
    const { target, devices, bare } = readLevelWords(call.words)
    const [word] = bare
    if (word !== undefined && call.speech.dialect === '0.12')
      throw new Refusal(`Specify which levels to remove: 'target ${word}' or 'stonith ${word}'. Nothing was removed.`)
    if (target !== undefined && devices.length > 0) throw onlyOne()
    const { cib: running } = await call.cluster.readCib()
    const targets = readConfiguration(running).fencingLevels.map(({ target }) => describeTarget(target))
    // Without a keyword, as older scripts write it, a word is a target if a level has it, and a list of devices otherwise.
    const typed = word !== undefined && targets.includes(word) ? readTarget(word) : target
    const all = typed === undefined ? [...asDevices(bare), ...devices] : devices
    const isOld = word !== undefined && judgesAsPcs(call.speech)
    if (isOld) call.tell({ code: 'deprecated', text: oldSyntax })
    if (isOld && typed === undefined) refuseNoIds(all)
    return await changeCib(call, {
      edit: (cib) => {
        const result = removeFencingLevels(cib, {
          ...(typed === undefined ? {} : { target: typed }),
          ...(all.length === 0 ? {} : { devices: all }),
        })
        // pcs 0.11 tries the word as a target and as devices, and is content where neither is there.
        return result.ok || !isOld ? result : ok({ cib, created: [], removed: [] })
      },
      message: ({ removed }) =>
        removed.length === 0 ? 'There is no level to remove.' : `Removed: ${removed.map(({ id }) => id).join(', ')}.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}
