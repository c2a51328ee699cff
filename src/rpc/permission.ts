/** Whether a call may be made, asked of the daemon without making it: for what shows beforehand what a command would do. */
import { localService } from './generated/systole.ts'
import type { LocalClient } from './local-client.ts'
import type { Request } from './method.ts'
import { RefusedError } from './report.ts'

/** Loaded with the first question, as most commands ask none; before its rights are given up by a process that reads no file afterwards. */
export const loadPermission = async () => await import('./forms/codec.ts')

/** Refused as the call would be. A daemon of an older version does not know the question, and checks the call itself when it comes. */
export async function refuseWhoMayNot<Name extends keyof typeof localService>(
  live: Pick<LocalClient, 'getPermission'>,
  call: Name,
  request: Request<(typeof localService)[Name]>,
): Promise<void> {
  const { encode } = await loadPermission()
  const asked = Buffer.from(encode(localService[call].request, request)).toString('base64')
  try {
    await live.getPermission({ call, request: asked })
  } catch (error) {
    if (error instanceof RefusedError) throw error
  }
}
