/** crm_resource --list-options: the meta-attributes of a primitive, and the parameters that every fence device has. */
import { fenceDeviceOptions, metaOptionsFor } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { listOptions, type OptionList } from '../option-list.ts'
import { hasOption } from '../options.ts'
import { refused, type ToolReply } from '../reply.ts'
import type { ParsedCall } from '../tool.ts'

const lists: Readonly<Record<string, () => OptionList>> = {
  primitive: () => ({
    name: 'primitive-meta',
    title: 'Primitive meta-attributes',
    description: 'Meta-attributes applicable to primitive resources',
    options: metaOptionsFor('primitive'),
  }),
  fencing: () => ({
    name: 'fence-attributes',
    title: 'Fencing resource common parameters',
    description:
      'Parameters that every fence device may have, whatever its agent: the cluster reads them, not the agent.',
    options: fenceDeviceOptions,
  }),
}

export function listedOptions({ given }: ParsedCall, kind: string): ToolReply {
  const list = lists[kind]?.()
  return list === undefined
    ? refused(exitCodes.usage, 'crm_resource: Error parsing option --list-options')
    : listOptions(list, { all: hasOption(given, 'all') })
}
