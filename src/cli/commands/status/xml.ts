import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { agentHost } from '../../agents.ts'
import { type Command, done, Refusal } from '../../command.ts'
import { expectWords } from '../../words.ts'

export const statusXml: Command = {
  path: ['status', 'xml'],
  usage: '',
  summary: 'Show the status as XML, in the form of crm_mon',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'status xml' })
    if (!call.cluster.live) throw new Refusal("'status xml' needs a running cluster: leave out -f.")
    // crm_mon is the one place that knows this form.
    const monitor = join(agentHost().toolsFolder, 'crm_mon')
    const { stdout } = await promisify(execFile)(monitor, ['-1', '-r', '--output-as=xml'], {
      env: { ...process.env, SYSTOLE_TOOLS_SOCKET: `${process.env.SYSTOLE_ROOT ?? ''}/run/systole/tools.sock` },
      maxBuffer: 64 * 1024 * 1024,
    })
    return done(stdout, { xml: stdout })
  },
}
