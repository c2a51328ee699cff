/** What clients saw over time as a drawing: a line for each service, broken where it was away, and what was done to the cluster. */
import { type Gap, gaps, type ServiceAnswer } from './gaps.ts'

export interface Happening {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly what: string
}

const labelWidth = 190
const plotWidth = 1000
const rowHeight = 34
const top = 20
/** Shorter ones are the clients' own pauses. */
const visibleGapMs = 1000

export function timelineSvg(drawn: {
  readonly answers: readonly ServiceAnswer[]
  readonly services: readonly string[]
  readonly happenings: readonly Happening[]
  readonly window: Gap
}): string {
  const { answers, services, happenings, window } = drawn
  const x = (time: number) => labelWidth + ((time - window.from) / (window.to - window.from)) * plotWidth
  const legend = top + services.length * rowHeight + 30
  const rows = services.flatMap((service, row) => {
    const y = top + row * rowHeight
    const away = gaps(
      answers.filter((answer) => answer.service === service),
      window,
      visibleGapMs,
    )
    return [
      `<text x="0" y="${y + 16}">${escapeText(service)}</text>`,
      `<rect x="${labelWidth}" y="${y + 4}" width="${plotWidth}" height="16" fill="#2e7d32"/>`,
      ...away.map((gap) => awayMark({ x: x(Math.max(gap.from, window.from)), until: x(gap.to), y, gap })),
    ]
  })
  const marks = happenings.flatMap(({ at, what }, index) => [
    `<line x1="${x(at).toFixed(1)}" x2="${x(at).toFixed(1)}" y1="${top - 6}" y2="${legend - 18}" stroke="#333" stroke-dasharray="3 3"/>`,
    `<text x="${x(at).toFixed(1)}" y="${top - 8}" text-anchor="middle">${index + 1}</text>`,
    `<text x="0" y="${legend + index * 17}">${index + 1}  ${((at - window.from) / 1000).toFixed(1)} s  ${escapeText(what)}</text>`,
  ])
  const height = legend + happenings.length * 17 + 10
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${labelWidth + plotWidth + 20}" height="${height}" font-family="sans-serif" font-size="13">`,
    '<title>When each service answered its clients, and when it did not</title>',
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...rows,
    ...marks,
    '</svg>',
    '',
  ].join('\n')
}

function awayMark(mark: { readonly x: number; readonly until: number; readonly y: number; readonly gap: Gap }): string {
  const { x, until, y, gap } = mark
  const seconds = `${((gap.to - gap.from) / 1000).toFixed(1)} s`
  const width = until - x
  const text =
    width < 34 ? '' : `<text x="${(x + 3).toFixed(1)}" y="${y + 16}" fill="#fff" font-size="11">${seconds}</text>`
  return `<rect x="${x.toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="16" fill="#c62828"><title>${seconds}</title></rect>${text}`
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
