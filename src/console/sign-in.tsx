/** A token is shown to the daemon once before it is kept, so that a wrong one is refused here, with the daemon's sentence. */
import { useState } from 'preact/hooks'
import { ApiProblem, apiWith } from './base/api.ts'

export function SignIn({
  why,
  onToken,
}: {
  readonly why: string | undefined
  readonly onToken: (token: string) => void
}) {
  const [token, setToken] = useState('')
  const [refusal, setRefusal] = useState(why)
  const [busy, setBusy] = useState(false)
  const send = async (event: Event): Promise<void> => {
    event.preventDefault()
    const given = token.trim()
    if (given === '') return setRefusal('Paste a token.')
    setBusy(true)
    try {
      // What it begins with is kept for the stream of the picture, which follows.
      const end = new AbortController()
      await apiWith(given, () => undefined).open(undefined, end.signal)
      end.abort()
      onToken(given)
    } catch (error) {
      setRefusal(error instanceof ApiProblem ? error.message : 'This node does not answer.')
      setBusy(false)
    }
  }
  return (
    <main class="sign-in">
      <form onSubmit={(event) => void send(event)} aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">
          Systole <span class="muted">on {location.hostname}</span>
        </h1>
        <label for="token">API token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={token}
          aria-describedby="token-help"
          aria-invalid={refusal !== undefined}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <p id="token-help" class="muted">
          On a node, <code>systole token create NAME --administrator</code> makes one; with <code>--role=ROLE</code> it
          may do what the role permits. This tab keeps it until it is closed.
        </p>
        <p role="alert" class="refusal">
          {refusal}
        </p>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </main>
  )
}
