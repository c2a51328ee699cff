/** An outcome that may be a list of mistakes: all of them are collected, then all of them are shown. */
export type Result<T, Report> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reports: readonly Report[] }

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

export function failed<Report>(...reports: readonly Report[]): {
  readonly ok: false
  readonly reports: readonly Report[]
} {
  return { ok: false, reports }
}
