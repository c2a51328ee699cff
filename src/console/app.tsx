/** Who is signed in, and the page that is asked for. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { apiWith, type Credentials, runningSession } from './base/api.ts'
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
    if (isLooking) void runningSession().then(enter, () => enter(undefined))
  }, [])
  const api = useMemo(
    () =>
      credentials === undefined
        ? undefined
        : apiWith(credentials, () =>
            leave(
              credentials.kind === 'token'
                ? 'The token is not valid any more: it has expired, or was revoked.'
                : 'The session has ended. Sign in again.',
            ),
          ),
    [credentials],
  )
  if (isLooking) return <p class="loading">Looking for a session …</p>
  if (api === undefined) return <SignIn why={why} onCredentials={enter} />
  return <Shell api={api} onLeave={() => void api.leave().finally(() => leave())} />
}
