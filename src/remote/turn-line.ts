/**
 * The other side's calls wait for their turn, each kind in a line of its own: however many come, so many are worked on at once and in a
 * second, and no more wait than there is room for. So a remote node that asks without end has nobody's time but its own.
 */
export interface Pace {
  /** Of each kind. */
  readonly atOnce: number
  readonly perSecond: number
  /** May come together once nothing came for a while. */
  readonly burst: number
  readonly waiting: number
  readonly waitingBytes: number
}

/** The cluster may ask a remote node for whatever it likes. */
export const unhurried: Pace = {
  atOnce: Number.POSITIVE_INFINITY,
  perSecond: Number.POSITIVE_INFINITY,
  burst: Number.POSITIVE_INFINITY,
  waiting: 100_000,
  waitingBytes: 1024 * 1024 * 1024,
}

/** Far more than agents ask for: a thousand resources that are probed at once have their results told in a few seconds. */
export const ofRemoteNode: Pace = {
  atOnce: 8,
  perSecond: 200,
  burst: 1000,
  waiting: 10_000,
  waitingBytes: 32 * 1024 * 1024,
}

type Work = () => Promise<void>

interface Line {
  readonly waiting: { readonly bytes: number; readonly work: Work }[]
  running: number
  left: number
  filledAt: number
  timer: NodeJS.Timeout | undefined
}

export class TurnLine {
  readonly #pace: Pace
  readonly #lines = new Map<string, Line>()
  #waiting = 0
  #bytes = 0

  constructor(pace: Pace) {
    this.#pace = pace
  }

  /** `kind` is one of a few that this side knows. False where there is no room. */
  add({ kind, bytes }: { readonly kind: string; readonly bytes: number }, work: Work): boolean {
    const { burst, waiting, waitingBytes } = this.#pace
    if (this.#waiting >= waiting || this.#bytes + bytes > waitingBytes) return false
    const line = this.#lines.get(kind) ?? {
      waiting: [],
      running: 0,
      left: burst,
      filledAt: performance.now(),
      timer: undefined,
    }
    this.#lines.set(kind, line)
    line.waiting.push({ bytes, work })
    this.#waiting++
    this.#bytes += bytes
    this.#go(line)
    return true
  }

  #go(line: Line): void {
    while (line.waiting.length > 0 && line.running < this.#pace.atOnce && this.#mayBegin(line)) {
      const next = line.waiting.shift()
      if (!next) return
      this.#waiting--
      this.#bytes -= next.bytes
      line.left--
      line.running++
      void next.work().finally(() => {
        line.running--
        this.#go(line)
      })
    }
  }

  #mayBegin(line: Line): boolean {
    const { perSecond, burst } = this.#pace
    const now = performance.now()
    if (Number.isFinite(perSecond)) line.left = Math.min(burst, line.left + ((now - line.filledAt) * perSecond) / 1000)
    line.filledAt = now
    if (line.left >= 1) return true
    line.timer ??= setTimeout(
      () => {
        line.timer = undefined
        this.#go(line)
      },
      Math.ceil(1000 / perSecond),
    ).unref()
    return false
  }
}
