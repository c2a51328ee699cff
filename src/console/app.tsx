/** Who is signed in, and the page that is asked for. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ApiProblem, apiWith, type Credentials, runningSession } from './base/api.ts'
import { forgetToken, keepToken, keptToken } from './base/session.ts'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'

const kept = (): Credentials | undefined => {
  const token = keptToken()
  return token === undefined ? undefined : { kind: 'token', token }
}

export function App() {
  const [credentials, setCredentials] = useState(kept)
  const [isLooking, setIsLooking] = useState(credentials === undefined)
  const [why, setWhy] = useState<string>()
  const enter = (given: Credentials | undefined): void => {
    if (given?.kind === 'token') keepToken(given.token)
    setWhy(undefined)
    setCredentials(given)
    setIsLooking(false)
  }
  const leave = (sentence?: string): void => {
    forgetToken()
    setWhy(sentence)
    setCredentials(undefined)
  }
  useEffect(() => {
    if (isLooking)
      void runningSession().then(enter, (error: unknown) => {
        enter(undefined)
        if (error instanceof ApiProblem) setWhy(error.message)
      })
  }, [])
  const api = useMemo(
    () => (credentials === undefined ? undefined : apiWith(credentials, () => leave(over[credentials.kind]))),
    [credentials],
  )
  if (isLooking) return <p class="loading">Looking for a session …</p>
  if (api === undefined) return <SignIn why={why} onCredentials={enter} />
  const left = credentials?.kind === 'certificate' ? certificateStays : undefined
  return <Shell api={api} onLeave={() => void api.leave().finally(() => leave(left))} />
}

const over = {
  token: 'The token is no longer valid: it has expired, or was revoked.',
  session: 'The session has ended. Sign in again.',
  certificate: 'The certificate of this browser is no longer accepted.',
} as const

const certificateStays =
  'The browser shows its certificate with each request. Reload this page to go on with it, or sign in as another user.'
