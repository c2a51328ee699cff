/** A certificate of the administrator's own for the HTTPS API of this node. */
import { resolve } from 'node:path'
import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'
import { certificateLines } from './console.ts'

const setUsage = 'console certificate set <certificate file> <key file>'

export const consoleCertificateSet: Command = {
  path: ['console', 'certificate', 'set'],
  usage: '<certificate file> <key file>',
  summary: 'Show a certificate of your own at the HTTPS API of this node',
  details:
    'The files are PEM: the certificate of this node first, then those of the authorities between it and the one that clients trust. The certificate is checked and shown at once, without a restart. The daemon keeps a copy, and looks at the files for a newer certificate where root alone can write there; `systole status` warns before it expires.',
  examples: ['systole console certificate set /etc/ssl/n1/fullchain.pem /etc/ssl/n1/privkey.pem'],
  completes: ['file', 'file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, atMost: 2, usage: setUsage })
    const [certificateFile = '', keyFile = ''] = call.words.map((path) => resolve(path))
    const live = liveCluster(call)
    const [certificate, key] = await Promise.all([certificateFile, keyFile].map(call.terminal.readFile))
    if (certificate === undefined || key === undefined)
      throw new Refusal(`Arguments are missing. Usage: systole ${setUsage}.`)
    const status = await live.changeConsoleCertificate({ certificate, key, certificateFile, keyFile })
    const isFollowed = (status.certificate?.files.length ?? 0) > 0
    const lines = [
      'The HTTPS API of this node shows this certificate:',
      ...certificateLines(status),
      isFollowed
        ? 'A newer one in these files is shown by itself.'
        : 'This is a copy: run the command again after the certificate was renewed. (Files that root alone can write, given by root, are followed.)',
      ...(status.enabled ? [] : ['The API is closed: `systole console enable` opens it.']),
    ]
    return done(`${lines.join('\n')}\n`, status)
  },
}

export const consoleCertificateUnset: Command = {
  path: ['console', 'certificate', 'unset'],
  usage: '',
  summary: 'Show a certificate of the cluster at the HTTPS API of this node again',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'console certificate unset' })
    const live = liveCluster(call)
    const before = await live.getConsole({})
    if (before.certificate === undefined && before.warnings.length === 0)
      return done('Nothing to change: the HTTPS API of this node shows a certificate of the cluster.\n', before)
    const status = await live.changeConsoleCertificate({})
    return done(
      'The HTTPS API of this node shows a certificate of the cluster again. The copy of yours and of its key is deleted.\n',
      status,
    )
  },
}
