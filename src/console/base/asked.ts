/** What the API answers to a question, asked again whenever one of `after` changes; the answer before stays until then. */
import { useEffect, useState } from 'preact/hooks'
import { type Api, ApiProblem, type Query } from './api.ts'

export interface Asked<T> {
  readonly answer: T | undefined
  readonly refusal: string | undefined
  readonly isAsking: boolean
}

export function useAsked<T>(
  api: Api,
  { path, query = [] }: { readonly path: string; readonly query?: Query },
  after: unknown = undefined,
): Asked<T> {
  const key = JSON.stringify([path, query])
  const [asked, setAsked] = useState<Asked<T> & { readonly key: string }>({
    key,
    answer: undefined,
    refusal: undefined,
    isAsking: true,
  })
  useEffect(() => {
    const end = new AbortController()
    setAsked((before) =>
      before.key === key
        ? { ...before, isAsking: true }
        : { key, answer: undefined, refusal: undefined, isAsking: true },
    )
    api
      .read<T>(path, query, end.signal)
      .then(({ result }) => setAsked({ key, answer: result, refusal: undefined, isAsking: false }))
      .catch((error: unknown) => {
        if (end.signal.aborted) return
        const refusal = error instanceof ApiProblem ? error.message : 'The answer cannot be read.'
        setAsked({ key, answer: undefined, refusal, isAsking: false })
      })
    return () => end.abort()
  }, [api, key, after])
  return asked
}
