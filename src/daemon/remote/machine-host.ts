/** A remote node's part in facts and health: reads its machine when the member that holds its connection asks (hardware/remote-hardware.ts), and answers. */
import { type CallHandlers, type HardwareCalls, measured } from '../../remote/index.ts'
import { type Reading, readHardware } from '../hardware/read-hardware.ts'
import { emptyMemory, ownBmc, readHealth } from '../hardware/read-health.ts'

/** Shorter than the patience of the member: what hangs is killed here. */
const readingMs = 50_000

export class MachineHost implements CallHandlers<HardwareCalls> {
  readonly #memory = emptyMemory()
  #reading: Reading | undefined

  /** Whoever asks meanwhile gets the same: a dozen programs are not started twice. */
  readonly hardware = async (): Promise<HardwareCalls['hardware']['answer']> => {
    const reading = this.#reading ?? readHardware(readingMs)
    this.#reading = reading
    try {
      return await reading.result
    } finally {
      if (this.#reading === reading) this.#reading = undefined
    }
  }

  readonly health = async (): Promise<HardwareCalls['health']['answer']> =>
    measured(await readHealth(ownBmc(), this.#memory))

  close(): void {
    this.#reading?.end()
  }
}
