/** Which page is shown, by the part of the address behind the hash: `#/now/web`. */
import { useEffect, useState } from 'preact/hooks'

export interface Route {
  readonly page: string
  /** What is looked at there. */
  readonly name: string | undefined
}

export function routeIn(hash: string): Route {
  const [, page = '', name] = hash.split('/')
  let read: string | undefined
  try {
    read = name === undefined || name === '' ? undefined : decodeURIComponent(name)
  } catch {
    read = undefined
  }
  return { page: page === '' ? 'now' : page, name: read }
}

export const linkTo = (page: string, name?: string): string =>
  name === undefined ? `#/${page}` : `#/${page}/${encodeURIComponent(name)}`

export function useRoute(): Route {
  const [route, setRoute] = useState(routeIn(location.hash))
  useEffect(() => {
    const look = (): void => setRoute(routeIn(location.hash))
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return route
}
