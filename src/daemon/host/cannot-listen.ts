/** Why this host cannot listen somewhere, in a sentence. */
import { OutsideError } from '../../base/index.ts'

interface Place {
  readonly host?: string | undefined
  readonly port: number
}

export class CannotListenError extends OutsideError {
  override readonly name = 'CannotListenError'
  /** The host does not have it now, and may get it: a network card that comes up late, or was down for a moment. */
  readonly lacksAddress: boolean
  constructor(why: string, lacksAddress: boolean, cause: unknown) {
    super(why, { cause })
    this.lacksAddress = lacksAddress
  }
}

/** Failures that have no sentence are answered as they are. */
export function cannotListen(error: unknown, { host, port }: Place): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const where = host === undefined ? `port ${port}` : `${host} port ${port}`
  switch (error.code) {
    case 'EADDRNOTAVAIL':
      return new CannotListenError(`This host does not have its address ${host} now.`, true, error)
    case 'EADDRINUSE':
      return new CannotListenError(`Another program listens on ${where}.`, false, error)
    case 'EACCES':
      return new CannotListenError(`This program may not listen on ${where}.`, false, error)
    default:
      return error
  }
}
