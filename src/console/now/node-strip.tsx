/** One card for each node: how it is, whether it is the DC, its vote and its links. */
import type { NodeFacts, StatusFacts } from '../../cli/index.ts'
import { Shape } from '../base/mark.tsx'
import { linkTo } from '../base/route.ts'
import { stateOfNode } from './picture.ts'

export function NodeStrip({
  status,
  nodes,
  selected,
}: {
  readonly status: StatusFacts
  readonly nodes: readonly NodeFacts[]
  readonly selected: string | undefined
}) {
  const { witness, quorum } = status
  return (
    <section aria-labelledby="nodes-title">
      <div class="section-head">
        <h2 id="nodes-title">Nodes</h2>
        {!quorum.quorate && <span class="critical">as last known: this node has no quorum</span>}
      </div>
      <ul class={nodes.length > 8 ? 'nodes dense' : 'nodes'}>
        {nodes.map((node) => (
          <NodeCard key={node.name} node={node} status={status} isSelected={node.name === selected} />
        ))}
        {witness !== null && (
          <li class="node">
            <span class="node-name">{witness.name}</span>
            <span class="node-state">
              <Shape mark={witness.state === 'up' ? 'started' : 'failed'} /> witness, {witness.state}
            </span>
            <span class="muted">{witness.votes ? '1 vote' : 'no vote'}</span>
          </li>
        )}
      </ul>
    </section>
  )
}

function NodeCard({
  node,
  status,
  isSelected,
}: {
  readonly node: NodeFacts
  readonly status: StatusFacts
  readonly isSelected: boolean
}) {
  const { mark, word } = stateOfNode(node, status.fencing, status)
  const member = status.members.find((one) => one.node === node.name)
  // With many nodes there is room for what is not as usual.
  const isUsual =
    (node.type !== 'member' || member?.votes === true) &&
    member?.links.every(({ state }) => state !== 'down') !== false &&
    (node.health === 'green' || node.health === '')
  return (
    <li class={`node is-${mark} ${isSelected ? 'selected' : ''}`}>
      <a class="node-name" href={linkTo('now', node.name)}>
        {node.name}
      </a>
      {node.dc && (
        <span class="badge" title="Designated controller: it decides">
          DC
        </span>
      )}
      <span class="node-state">
        <Shape mark={mark} /> {word}
      </span>
      <span class={`muted ${isUsual ? 'usual' : ''}`}>
        {node.type === 'member' ? (member?.votes === true ? '1 vote' : 'no vote') : `${node.type} node`}
        {member !== undefined && member.links.length > 0 && `, ${linksOf(member.links)}`}
        {node.health !== 'green' && node.health !== '' && `, health ${node.health}`}
      </span>
    </li>
  )
}

/** With one link there is nothing to say as long as the node is heard. */
function linksOf(links: StatusFacts['members'][number]['links']): string {
  const down = links.filter(({ state }) => state === 'down')
  if (down.length > 0) return `link ${down.map(({ number }) => number).join(', ')} DOWN`
  return links.length === 1 ? '1 link' : `${links.length} links`
}
