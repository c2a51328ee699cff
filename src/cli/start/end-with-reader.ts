/** As a shell reports a program that SIGPIPE has ended. */
const closedPipeExit = 141

/** Whoever reads the output has had enough, as `head` in `systole status | head -1`: the command ends without a word. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      process.exit(closedPipeExit)
    })
}
