import { describe, expect, test } from 'vitest'
import { failuresDespiteOneRetry, gaps, longestGapMs, type ServiceAnswer } from './gaps.ts'
import { timelineSvg } from './timeline-svg.ts'

const answers = (...tries: readonly (readonly [asked: number, ok: boolean])[]): readonly ServiceAnswer[] =>
  tries.map(([asked, ok]) => ({ service: 'write a row', asked, answered: asked + 10, ok }))

describe('what clients saw', () => {
  const window = { from: 1000, to: 5000 }

  test('a gap begins with the last good answer before a fault and ends with the next good one', () => {
    const seen = answers([900, true], [1000, false], [2500, false], [3990, true], [4900, true])
    expect(gaps(seen, window, 1000)).toEqual([{ from: 910, to: 4000 }])
    expect(longestGapMs(seen, window)).toBe(3090)
  })

  test('a service that never comes back is away until the end', () => {
    expect(longestGapMs(answers([900, true], [1500, false]), window)).toBe(4090)
  })

  test('a service that was never there is away all the time', () => {
    expect(longestGapMs([], window)).toBe(4000)
  })

  test('one failure is hidden by one retry, two in a row are not', () => {
    expect(failuresDespiteOneRetry(answers([1000, true], [1100, false], [1200, true]), window)).toBe(0)
    expect(failuresDespiteOneRetry(answers([1000, false], [1100, false], [1200, true]), window)).toBe(1)
  })

  test('the drawing has a bar for each gap and names what was done', () => {
    const seen = answers([900, true], [3990, true], [4900, true])
    const happenings = [{ at: 1000, what: 'power off <node1>' }]
    const svg = timelineSvg({ answers: seen, services: ['write a row'], happenings, window })
    expect(svg.match(/fill="#c62828"/g)).toHaveLength(1)
    expect(svg).toContain('<title>3.1 s</title>')
    expect(svg).toContain('power off &lt;node1>')
  })
})
