/** The first page: what needs attention, the nodes, and everything that they run, in one picture. */
import { useMemo, useState } from 'preact/hooks'
import type { ResourceFacts, StatusFacts } from '../../cli/index.ts'
import type { Api } from '../base/api.ts'
import { WhyPanel } from '../why/why-panel.tsx'
import { AttentionList } from './attention-list.tsx'
import { HeatMap } from './heat-map.tsx'
import { Legend } from './legend.tsx'
import { Matrix } from './matrix.tsx'
import { NodeStrip } from './node-strip.tsx'
import { columnsOf, isFenceDevice, needsAttention, rowsOf } from './picture.ts'

export function Now({
  api,
  status,
  selected,
}: {
  readonly api: Api
  readonly status: StatusFacts
  readonly selected: string | undefined
}) {
  const [search, setSearch] = useState('')
  const [onlyTrouble, setOnlyTrouble] = useState(false)
  const { resources, attention } = status
  const rows = useMemo(() => {
    const all = rowsOf(resources.filter((one) => !isFenceDevice(one)))
    return { services: all, devices: rowsOf(resources.filter(isFenceDevice)) }
  }, [resources])
  const { columns, heat } = useMemo(() => columnsOf(status.nodes), [status.nodes])
  const keep = useMemo(() => {
    const sought = search.trim().toLowerCase()
    return (row: (typeof rows.services)[number]): boolean =>
      (!onlyTrouble || needsAttention(row, attention)) &&
      (sought === '' || row.name.toLowerCase().includes(sought) || row.primitives.some((one) => matches(one, sought)))
  }, [search, onlyTrouble, attention])
  return (
    <div class={selected === undefined ? 'now' : 'now with-panel'}>
      <div class="picture">
        <AttentionList attention={attention} />
        <NodeStrip status={status} nodes={columns} selected={selected} />
        {heat.length > 0 && <HeatMap nodes={heat} status={status} selected={selected} />}
        <section class="resources-matrix" aria-labelledby="resources-title">
          <div class="section-head">
            <h2 id="resources-title">Resources</h2>
            <span class="muted">{countsOf(resources)}</span>
            <span class="push" />
            <label>
              <span class="sr">Find a resource, agent or node</span>
              <input
                type="search"
                placeholder="Find …"
                value={search}
                onInput={(event) => setSearch(event.currentTarget.value)}
              />
            </label>
            <label class="check">
              <input
                type="checkbox"
                checked={onlyTrouble}
                onChange={(event) => setOnlyTrouble(event.currentTarget.checked)}
              />
              only with trouble
            </label>
          </div>
          <Matrix
            name="Resources by node"
            rows={rows.services}
            nodes={columns}
            keep={keep}
            isSearching={search.trim() !== ''}
            selected={selected}
          />
          {rows.devices.length > 0 && (
            <details class="devices">
              <summary>
                Fence devices <span class="muted">({rows.devices.length})</span>
              </summary>
              <Matrix
                name="Fence devices by node"
                rows={rows.devices}
                nodes={columns}
                keep={keep}
                isSearching={search.trim() !== ''}
                selected={selected}
              />
            </details>
          )}
          <Legend />
        </section>
      </div>
      {selected !== undefined && <WhyPanel api={api} name={selected} status={status} />}
    </div>
  )
}

const matches = (one: ResourceFacts, sought: string): boolean =>
  one.id.toLowerCase().includes(sought) ||
  one.agent.toLowerCase().includes(sought) ||
  one.nodes.some((node) => node.toLowerCase().includes(sought))

function countsOf(resources: readonly ResourceFacts[]): string {
  const active = resources.filter(({ nodes }) => nodes.length > 0).length
  const failed = resources.filter((one) => one.failed).length
  return `${active} of ${resources.length} active${failed > 0 ? `, ${failed} failed` : ''}`
}
