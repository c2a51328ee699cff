import { exitCodes } from '../exit-codes.ts'

/** A CIB in a file that the caller cannot work on. */
export class CibFileError extends Error {
  override readonly name = 'CibFileError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.noInput) {
    super(message)
    this.exitCode = exitCode
  }
}
