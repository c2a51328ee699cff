/** Counts on, so that what changes without an event is asked again. */
import { useEffect, useState } from 'preact/hooks'

export function useTurn(everyMs: number): number {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTurn((before) => before + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return turn
}
