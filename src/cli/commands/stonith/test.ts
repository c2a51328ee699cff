import { didYouMean, similarWords } from '../../../base/index.ts'
import { primitiveDefinitions, readConfiguration } from '../../../cib/index.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'
import { resolveFenceAgent } from '../../host/agents.ts'
import { deviceObjections } from '../../host/device-test.ts'

export const stonithTest: Command = {
  path: ['stonith', 'test'],
  usage: '<device>',
  summary: 'Check from this host that a fence device answers with its parameters; nothing is switched',
  details: 'This runs the agent’s monitor here. The cluster runs the same where the device is started.',
  examples: ['systole stonith test fence-n1'],
  completes: ['fence-device'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'stonith test <device>' })
    const [id = ''] = call.words
    const { cib } = await call.cluster.readCib()
    const devices = readConfiguration(cib)
      .resources.flatMap(primitiveDefinitions)
      .filter(({ agent }) => agent.class === 'stonith')
    const device = devices.find((one) => one.id === id)
    if (device === undefined)
      throw new Refusal(
        `There is no fence device '${id}'.${didYouMean(
          similarWords(
            id,
            devices.map((one) => String(one.id)),
          ),
        )}`,
      )
    const installed = await resolveFenceAgent(device.agent.type, { force: false, exact: false, unasked: false })
    const parameters = Object.fromEntries(
      device.parameters.flatMap(({ rule, pairs }) =>
        rule === undefined ? pairs.map(({ name, value }) => [name, value ?? ''] as const) : [],
      ),
    )
    const objections = await deviceObjections(installed, parameters)
    const text =
      objections.length === 0 ? `The fence device ${id} answers.\n` : objections.map((one) => `${one}\n`).join('')
    return done(text, { device: id, answers: objections.length === 0, objections }, objections.length === 0 ? 0 : 1)
  },
}
