/** An action of a transition's graph, as the controller sends it to whoever carries it out. Fields that came later may be missing. */
import * as v from 'valibot'
import type { ClusterAction, ResourceAction } from '../../transition/index.ts'
import {
  countForm,
  type Form,
  listUpTo,
  nodeForm,
  numberForm,
  resourceForm,
  textsForm,
  textUpTo,
  wordForm,
} from './words.ts'

/** Actions that are waited for, and nodes. */
const many = 100_000
/** Names of a resource and its operation in one. */
const keyForm = textUpTo(1024)
/** Of one parameter. */
const longestParameter = 1024 * 1024

export const agentForm = v.object({
  class: textUpTo(255),
  provider: v.exactOptional(textUpTo(255)),
  type: textUpTo(255),
})

const common = {
  id: countForm,
  inputs: v.optional(listUpTo(many, countForm), []),
  attributes: v.optional(textsForm(longestParameter), {}),
  priority: v.optional(numberForm, 0),
  operation: wordForm,
  key: keyForm,
  internalKey: v.exactOptional(keyForm),
  routerNode: v.exactOptional(nodeForm),
  downed: v.optional(listUpTo(many, nodeForm), []),
}

export const actionForm: Form<ResourceAction | ClusterAction> = v.variant('kind', [
  v.object({
    ...common,
    kind: v.literal('resource'),
    resource: resourceForm,
    longId: v.exactOptional(resourceForm),
    intervalMs: numberForm,
    expectedExitCode: v.exactOptional(numberForm),
    migration: v.exactOptional(v.object({ source: nodeForm, target: nodeForm })),
    agent: agentForm,
    node: nodeForm,
    nodeId: wordForm,
  }),
  v.object({
    ...common,
    kind: v.literal('cluster'),
    node: v.exactOptional(nodeForm),
    nodeId: v.exactOptional(wordForm),
    resource: v.exactOptional(resourceForm),
    longId: v.exactOptional(resourceForm),
    agent: v.exactOptional(agentForm),
  }),
])
