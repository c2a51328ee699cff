/** The daemon's local API with the calls that a test answers itself. Every other call is refused, so that nobody relies on an answer which no daemon gives. */
import { type Handlers, type LocalClient, localService, refuse } from '../../src/rpc/index.ts'

type LocalHandlers = Handlers<typeof localService>

const names = Object.keys(localService)
const refusing = Object.fromEntries(
  names.map((name) => [
    name,
    async (): Promise<never> =>
      await Promise.reject(refuse('not-answered', `The test does not answer the call '${name}'.`)),
  ]),
)

export function localClient(answers: Partial<LocalClient>): LocalClient {
  const client: Partial<LocalClient> = { ...refusing, close: () => undefined, ...answers }
  if (isWhole<LocalClient>(client)) return client
  throw new Error('A call is missing.')
}

export function localHandlers(answers: Partial<LocalHandlers>): LocalHandlers {
  const handlers: Partial<LocalHandlers> = { ...refusing, ...answers }
  if (isWhole<LocalHandlers>(handlers)) return handlers
  throw new Error('A call is missing.')
}

const isWhole = <Calls extends object>(calls: Partial<Calls>): calls is Calls => names.every((name) => name in calls)
