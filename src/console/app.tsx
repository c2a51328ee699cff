/** Who is signed in, and the page that is asked for. */
import { useMemo, useState } from 'preact/hooks'
import { apiWith } from './base/api.ts'
import { forgetToken, keepToken, keptToken } from './base/session.ts'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'

export function App() {
  const [token, setToken] = useState(keptToken)
  const [why, setWhy] = useState<string>()
  const leave = (sentence?: string): void => {
    forgetToken()
    setWhy(sentence)
    setToken(undefined)
  }
  const api = useMemo(
    () =>
      token === undefined
        ? undefined
        : apiWith(token, () => leave('The token is not valid any more: it has expired, or was revoked.')),
    [token],
  )
  if (api === undefined)
    return (
      <SignIn
        why={why}
        onToken={(given) => {
          keepToken(given)
          setWhy(undefined)
          setToken(given)
        }}
      />
    )
  return <Shell api={api} onLeave={() => leave()} />
}
