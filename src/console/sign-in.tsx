/** As a user of the host, or with a token. Either is shown to the daemon here, so that a wrong one is refused with its sentence. */
import { useState } from 'preact/hooks'
import { ApiProblem, apiWith, type Credentials, logIn } from './base/api.ts'

type How = 'user' | 'token'

export function SignIn({
  why,
  onCredentials,
}: {
  readonly why: string | undefined
  readonly onCredentials: (credentials: Credentials) => void
}) {
  const [how, setHow] = useState<How>('user')
  const [given, setGiven] = useState({ user: '', password: '', token: '' })
  const [refusal, setRefusal] = useState(why)
  const [busy, setBusy] = useState(false)
  const send = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      onCredentials(how === 'user' ? await logIn(given.user, given.password) : await withToken(given.token.trim()))
    } catch (error) {
      setRefusal(error instanceof ApiProblem ? error.message : 'This node does not answer.')
      setBusy(false)
    }
  }
  const note = (name: keyof typeof given) => ({
    spellcheck: false,
    value: given[name],
    required: true,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      setGiven({ ...given, [name]: currentTarget.value }),
  })
  return (
    <main class="sign-in">
      <form onSubmit={(event) => void send(event)} aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">
          Systole <span class="muted">on {location.hostname}</span>
        </h1>
        <fieldset>
          <legend>Sign in with</legend>
          {(['user', 'token'] as const).map((one) => (
            <label key={one} class="check">
              <input type="radio" name="how" checked={how === one} onChange={() => setHow(one)} />
              {one === 'user' ? 'user and password' : 'a token'}
            </label>
          ))}
        </fieldset>
        {how === 'user' ? (
          <>
            <label>
              User
              <input type="text" autocomplete="username" {...note('user')} />
            </label>
            <label>
              Password
              <input type="password" autocomplete="current-password" {...note('password')} />
            </label>
            <p class="muted">
              As on this node; a witness asks one of the nodes. A member of the group haclient, or a user that the
              access control lists name.
            </p>
          </>
        ) : (
          <>
            <label>
              API token
              <input type="password" autocomplete="off" {...note('token')} />
            </label>
            <p class="muted">
              On a node, <code>systole token create NAME --administrator</code> makes one; with <code>--role=ROLE</code>{' '}
              it may do what the role permits. This tab keeps it until it is closed.
            </p>
          </>
        )}
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

async function withToken(token: string): Promise<Credentials> {
  const credentials = { kind: 'token', token } as const
  await apiWith(credentials, () => undefined).who()
  return credentials
}
