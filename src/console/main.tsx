/** Where the console begins. */
import { render } from 'preact'
import { App } from './app.tsx'
import { keptTheme, wearTheme } from './base/session.ts'

const place = document.getElementById('console')
if (place) {
  wearTheme(keptTheme())
  place.replaceChildren()
  render(<App />, place)
}
