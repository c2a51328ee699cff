/**
 * A node's health (Pacemaker Explained, "Tracking Node Health"): the attributes whose names begin with `#health`, each
 * red, yellow, green or a score, counted by `node-health-strategy`.
 *
 * | strategy | red | yellow | green | a number |
 * | --- | --- | --- | --- | --- |
 * | none | 0 | 0 | 0 | 0 |
 * | migrate-on-red | -INFINITY | 0 | 0 | itself |
 * | only-green | -INFINITY | -INFINITY | 0 | itself |
 * | progressive, custom | node-health-red | node-health-yellow | node-health-green | itself |
 *
 * The score of a node is the sum; `progressive` adds `node-health-base`.
 */
import { addScores, INFINITY_SCORE, parseScore, type Score } from '../../cib/index.ts'
import type { ClusterOptions, NodeStatus } from '../cluster-status.ts'

interface Colours {
  readonly red: Score
  readonly yellow: Score
  readonly green: Score
}

export function healthOf(
  attributes: ReadonlyMap<string, string>,
  options: ClusterOptions,
): Pick<NodeStatus, 'healthScore' | 'health'> {
  const values = [...attributes].filter(([name]) => name.startsWith('#health')).map(([, value]) => value)
  return { healthScore: healthScore(values, options), health: healthColour(values, options) }
}

function healthScore(values: readonly string[], options: ClusterOptions): Score {
  const colours = coloursOf(options)
  if (colours === undefined) return 0
  const base = options.nodeHealthStrategy === 'progressive' ? options.nodeHealthBase : 0
  return addScores(base, ...values.map((value) => scoreOfValue(value, colours)))
}

/** The worst of a node's health attributes, as it is shown. */
function healthColour(values: readonly string[], options: ClusterOptions): NodeStatus['health'] {
  const colours = coloursOf(options)
  if (colours === undefined) return 'green'
  const worst = values.map((value) => rankOfValue(value, colours)).reduce((a, b) => Math.min(a, b), 1)
  return worst < 0 ? 'red' : worst === 0 ? 'yellow' : 'green'
}

function coloursOf(options: ClusterOptions): Colours | undefined {
  switch (options.nodeHealthStrategy) {
    case 'none':
      return undefined
    case 'migrate-on-red':
      return { red: -INFINITY_SCORE, yellow: 0, green: 0 }
    case 'only-green':
      return { red: -INFINITY_SCORE, yellow: -INFINITY_SCORE, green: 0 }
    case 'progressive':
    case 'custom':
      return { red: options.nodeHealthRed, yellow: options.nodeHealthYellow, green: options.nodeHealthGreen }
  }
}

function scoreOfValue(value: string, colours: Colours): Score {
  const colour = colourNamed(value)
  return colour === undefined ? (parseScore(value) ?? 0) : colours[colour]
}

/** Negative is red, 0 yellow, positive green: by the colour that is written, else by what the colours themselves count. */
function rankOfValue(value: string, colours: Colours): number {
  const colour = colourNamed(value)
  const score = scoreOfValue(value, colours)
  if (colour === undefined) return score <= colours.red ? -1 : score <= colours.yellow && differ(colours) ? 0 : 1
  return colour === 'red' ? -1 : colour === 'yellow' ? 0 : 1
}

/** Where yellow counts as much as green, a number cannot tell which it is. */
const differ = ({ yellow, green }: Colours): boolean => yellow !== green

function colourNamed(value: string): keyof Colours | undefined {
  const word = value.toLowerCase()
  return word === 'red' || word === 'yellow' || word === 'green' ? word : undefined
}
