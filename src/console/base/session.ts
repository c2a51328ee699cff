/** The token, for as long as this tab of the browser is open. Other pages of other origins cannot read it, and it is written nowhere else. */
const key = 'systole-token'

export function keptToken(): string | undefined {
  return sessionStorage.getItem(key) ?? undefined
}

export function keepToken(token: string): void {
  sessionStorage.setItem(key, token)
}

export function forgetToken(): void {
  sessionStorage.removeItem(key)
}

/** Dark or light, as it was chosen here; otherwise as the system has it. */
const themeKey = 'systole-theme'

export type Theme = 'dark' | 'light' | 'system'

export function keptTheme(): Theme {
  const kept = localStorage.getItem(themeKey)
  return kept === 'dark' || kept === 'light' ? kept : 'system'
}

export function wearTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(themeKey)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(themeKey, theme)
    document.documentElement.dataset.theme = theme
  }
}
