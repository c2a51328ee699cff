/** The status as it is now, by the event stream: begun again by itself where it ends, from the event that was seen last. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Api, ApiProblem } from './api.ts'
import { afterEvent, eventReader, type Status } from './event-stream.ts'

export interface Live {
  readonly status: Status | undefined
  /** Not connected: why. What is shown is as it was then. */
  readonly trouble: string | undefined
  /** When the last event came. */
  readonly heard: Date | undefined
}

const [firstPauseMs, longestPauseMs] = [250, 5000]

export function useLive(api: Api): Live {
  const [live, setLive] = useState<Live>({ status: undefined, trouble: undefined, heard: undefined })
  const last = useRef<Live>(live)
  useEffect(() => {
    const end = new AbortController()
    const show = (next: Partial<Live>): void => {
      last.current = { ...last.current, ...next }
      setLive(last.current)
    }
    void follow(api, end.signal, {
      onStatus: (change) => show({ status: change(last.current.status), trouble: undefined, heard: new Date() }),
      onTrouble: (trouble) => show({ trouble }),
    })
    return () => end.abort()
  }, [api])
  return live
}

interface Follower {
  readonly onStatus: (change: (status: Status | undefined) => Status | undefined) => void
  readonly onTrouble: (sentence: string) => void
}

async function follow(api: Api, signal: AbortSignal, { onStatus, onTrouble }: Follower): Promise<void> {
  let lastId: string | undefined
  let pauseMs = firstPauseMs
  while (!signal.aborted) {
    try {
      const response = await api.open(lastId, signal)
      const read = eventReader()
      const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      for (;;) {
        const { done, value = '' } = (await pieces?.read()) ?? { done: true }
        if (done) break
        const events = read(value)
        if (events.length === 0) continue
        lastId = events.findLast(({ id }) => id !== '')?.id ?? lastId
        pauseMs = firstPauseMs
        onStatus((status) => events.reduce(afterEvent, status))
      }
      onTrouble('The connection to this node has ended.')
    } catch (error) {
      if (signal.aborted) return
      onTrouble(error instanceof ApiProblem ? error.message : 'The connection to this node was cut.')
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}
