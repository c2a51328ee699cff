/** Where a command takes a join token from. What stands on a command line every user of the host can read; a file or standard input not. */
import { type Call, type Flag, Refusal } from '../call/command.ts'

export const tokenFlags: readonly Flag[] = [
  {
    name: 'token',
    value: 'token',
    summary:
      'The token, or - to read it from standard input; other users of this host can see a token on the command line',
  },
  { name: 'token-file', value: 'file', summary: 'Read the token from a file' },
]

export async function readJoinToken({ flags, terminal }: Pick<Call, 'flags' | 'terminal'>): Promise<string> {
  const [written, file] = [flags.get('token'), flags.get('token-file')]
  if (typeof written === 'string' && typeof file === 'string')
    throw new Refusal('--token and --token-file exclude each other.')
  if (typeof file === 'string') return (await terminal.readFile(file)).trim()
  if (typeof written === 'string' && written !== '-') {
    terminal.progress(
      'Warning: every user of this host can see a token on the command line. Use --token - (standard input) or --token-file=<file> instead.',
    )
    return written
  }
  const read = (await terminal.readInput('Token: ')).trim()
  if (read !== '') return read
  throw new Refusal(
    'A token is required: --token - reads it from standard input. Create one with `systole cluster token` on a cluster node.',
  )
}

/** What is typed on the host that joins: the shell gives it the token, and no list of processes shows it. */
export const withTokenOnInput = (command: string, token: string): string => `${command} --token - <<< ${token}`
