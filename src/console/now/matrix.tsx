/** Resources by node. Few rows are a table with words; many stand side by side in dense blocks, so that one look holds them all. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { NodeFacts } from '../../cli/index.ts'
import { Shape } from '../base/mark.tsx'
import { wordOf } from '../base/marks.ts'
import { linkTo } from '../base/route.ts'
import { useWidth } from '../base/use-width.ts'
import { blocksOf, cellOf, type Row, rowMark, type Seen, seenRows } from './picture.ts'

const mostRoomy = 24
/** More rows than this are made as small as can be read. */
const mostDense = 90
/** Of a dense block. */
const columnWidths = { dense: 18, tiny: 14 }
const letterWidths = { dense: 6.7, tiny: 6.2 }
const gap = 12

type Density = keyof typeof columnWidths

/** Room for the longest name, within reason. */
function namesWidthFor(seen: readonly Seen[], density: Density): number {
  const letters = seen.map(({ row, depth }) => row.name.length + depth * 2 + (isTold(row) ? 3 : 0))
  return Math.min(190, Math.max(80, Math.max(...letters) * letterWidths[density] + 24))
}

export function Matrix({
  name,
  rows,
  nodes,
  keep,
  isSearching,
  selected,
}: {
  readonly name: string
  readonly rows: readonly Row[]
  readonly nodes: readonly NodeFacts[]
  readonly keep: (row: Row) => boolean
  readonly isSearching: boolean
  readonly selected: string | undefined
}) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const place = useRef<HTMLDivElement>(null)
  const width = useWidth(place)
  useEffect(() => {
    const { current } = place
    current?.addEventListener('keydown', walk)
    return () => current?.removeEventListener('keydown', walk)
  }, [])
  const seen = seenRows(rows, { keep, isOpen: ({ path }) => isSearching || unfolded.has(path) })
  const isTiny = seen.length > mostDense
  const isDense = isTiny || seen.length > mostRoomy || nodes.length > 10
  const density: Density = isTiny ? 'tiny' : 'dense'
  const namesWidth = isDense && seen.length > 0 ? namesWidthFor(seen, density) : undefined
  const tableWidth = (namesWidth ?? 0) + columnWidths[density] * nodes.length
  const blocks = isDense ? blocksOf(seen, Math.max(1, Math.floor((width + gap) / (tableWidth + gap)))) : [seen]
  const fold = (row: Row): void => {
    const next = new Set(unfolded)
    if (!next.delete(row.path)) next.add(row.path)
    setUnfolded(next)
  }
  return (
    <div ref={place} class={`matrix ${isDense ? 'dense' : ''} ${isTiny ? 'tiny' : ''}`}>
      {seen.length === 0 && (
        <p class="muted">{rows.length === 0 ? 'There are no resources.' : 'No resource matches.'}</p>
      )}
      {blocks.map((block, at) =>
        block.length === 0 ? null : (
          <table
            key={block[0]?.row.path ?? at}
            aria-label={blocks.length > 1 ? `${name}, part ${at + 1}` : name}
            style={isDense ? { width: tableWidth } : {}}
          >
            <thead>
              <tr>
                <th scope="col" style={namesWidth === undefined ? {} : { width: namesWidth }}>
                  Resource
                </th>
                {nodes.map((node) => (
                  <th key={node.name} scope="col" class="node-column">
                    <a href={linkTo('now', node.name)}>{node.name}</a>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.map((one) => (
                <MatrixRow
                  key={one.row.path}
                  seen={one}
                  nodes={nodes}
                  isSelected={one.row.name === selected}
                  onFold={fold}
                />
              ))}
            </tbody>
          </table>
        ),
      )}
    </div>
  )
}

/** What no cell shows, or must be seen from afar, stands beside the name too. */
function isTold(row: Row): boolean {
  const mark = rowMark(row)
  return mark === 'failed' || mark === 'blocked' || row.primitives.every((one) => one.nodes.length === 0)
}

function MatrixRow({
  seen: { row, depth, isOpen },
  nodes,
  isSelected,
  onFold,
}: {
  readonly seen: Seen
  readonly nodes: readonly NodeFacts[]
  readonly isSelected: boolean
  readonly onFold: (row: Row) => void
}) {
  const mark = rowMark(row)
  return (
    <tr class={`${isSelected ? 'selected' : ''} is-${mark}`}>
      <th scope="row" class={`depth-${Math.min(depth, 3)}`}>
        {row.rows.length > 0 ? (
          <button
            type="button"
            class="fold"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${row.name}`}
            onClick={() => onFold(row)}
          >
            {isOpen ? '▾' : '▸'}
          </button>
        ) : (
          <span class="fold" />
        )}
        <a class="row-link" href={linkTo('now', row.name)} title={row.agent === '' ? row.kind : row.agent}>
          {row.name}
        </a>
        {row.kind !== 'primitive' && <span class="kind">{row.kind}</span>}
        {isTold(row) && (
          <span class={`row-state is-${mark}`}>
            <Shape mark={mark} />
            <span class="word">{wordOf(mark)}</span>
          </span>
        )}
      </th>
      {nodes.map((node) => {
        const cell = cellOf(row, node.name)
        return (
          <td key={node.name} title={cell && `${row.name} on ${node.name}: ${cell.text}`}>
            {cell && (
              <span class={`cell is-${cell.mark}`}>
                <Shape mark={cell.mark} />
                <span class="word">{cell.text}</span>
              </span>
            )}
          </td>
        )
      })}
    </tr>
  )
}

/** Arrows go from row to row, and fold. */
function walk(event: KeyboardEvent): void {
  const { target, currentTarget } = event
  if (!(target instanceof HTMLElement && currentTarget instanceof HTMLElement)) return
  const from = target.closest('tr')
  if (from === null || !target.matches('.row-link, .fold')) return
  const links = [...currentTarget.querySelectorAll<HTMLElement>('.row-link')]
  const own = from.querySelector<HTMLElement>('.row-link')
  const at = own === null ? -1 : links.indexOf(own)
  const fold = from.querySelector<HTMLButtonElement>('button.fold')
  const isOpen = fold?.getAttribute('aria-expanded') === 'true'
  if (event.key === 'ArrowDown') links[at + 1]?.focus()
  else if (event.key === 'ArrowUp') links[at - 1]?.focus()
  else if (event.key === 'ArrowRight' && fold !== null && !isOpen) fold.click()
  else if (event.key === 'ArrowLeft' && fold !== null && isOpen) fold.click()
  else return
  event.preventDefault()
}
