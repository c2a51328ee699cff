/**
 * The key of a host that asks to be let in: the same one as long as it asks with the same token. A token is used up before the host hears of it, so
 * whoever has not heard the answer, or was ended meanwhile, asks again; the cluster answers the holder of that key alone.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import {
  askToEnrol,
  createKeys,
  type EnrolmentAnswer,
  type JoinToken,
  RefusedError,
  UnreachableError,
} from '../../rpc/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Paths } from '../host/paths.ts'

export interface Admitted {
  readonly answer: EnrolmentAnswer
  /** PEM, private. */
  readonly key: string
  /** Once what was answered is on the disk. */
  readonly keep: () => void
}

const attempts = 3
const retryMs = 500

export async function askToJoin(
  paths: Paths,
  at: Parameters<typeof askToEnrol>[0],
  token: JoinToken,
  asked: Omit<Parameters<typeof askToEnrol>[2], 'publicKey'>,
): Promise<Admitted> {
  const { publicKey, key } = await keyFor(paths, token)
  const keep = (): void => rmSync(fileOf(paths), { force: true })
  for (let attempt = 1; ; attempt++)
    try {
      return { answer: await askToEnrol(at, token, { ...asked, publicKey }), key, keep }
    } catch (error) {
      // Where nobody was reached nothing was asked.
      if (error instanceof RefusedError || error instanceof UnreachableError || attempt >= attempts) throw error
      await delay(retryMs)
    }
}

/** Beside the folder of certificates, which is emptied where this host leaves another cluster first. */
const fileOf = ({ pki }: Paths): string => `${pki}.joining`

async function keyFor(paths: Paths, { secret }: JoinToken): Promise<Awaited<ReturnType<typeof createKeys>>> {
  const token = createHash('sha256').update(secret).digest('hex')
  const known = readKey(paths, token)
  if (known !== undefined) return known
  const made = await createKeys()
  writeWhole(fileOf(paths), JSON.stringify({ token, key: made.key }), 0o600)
  return made
}

/** One that is damaged, or of another token, is as none. */
function readKey(paths: Paths, token: string): Awaited<ReturnType<typeof createKeys>> | undefined {
  try {
    const kept = JSON.parse(readIfThere(fileOf(paths)) ?? '{}') as { readonly token?: unknown; readonly key?: unknown }
    if (kept.token !== token || typeof kept.key !== 'string') return undefined
    const publicKey = createPublicKey(createPrivateKey(kept.key)).export({ type: 'spki', format: 'pem' }).toString()
    return { publicKey, key: kept.key }
  } catch {
    return undefined
  }
}
