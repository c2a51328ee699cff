/** The commands that agents call, by name. */
import { attrdUpdater } from './attrd-updater.ts'
import { cibadmin } from './cibadmin.ts'
import { crmAttribute } from './crm-attribute.ts'
import { crmMon } from './crm-mon.ts'
import { crmNode } from './crm-node.ts'
import { crmResource } from './crm-resource.ts'
import { crmFailcount } from './fail-count.ts'
import { exitCodes, printed, refused, type ToolCall, type ToolReply, type ToolWorld } from './world.ts'

/** The version of Pacemaker's tools whose options and output these are; agents compare it. */
const version = '2.1.5'

export async function runTool(call: ToolCall, world: ToolWorld): Promise<ToolReply> {
  if (call.arguments.some((word) => word === '--version' || word === '-$'))
    return printed(`Pacemaker ${version}\nThis is Systole, which speaks for it.\n`)
  switch (call.tool) {
    case 'crm_attribute':
    case 'crm_master':
      return await crmAttribute(call, world)
    case 'attrd_updater':
      return await attrdUpdater(call, world)
    case 'crm_node':
      return crmNode(call, world)
    case 'cibadmin':
      return cibadmin(call, world)
    case 'crm_mon':
      return await crmMon(call, world)
    case 'crm_resource':
      return await crmResource(call, world)
    case 'crm_failcount':
      return await crmFailcount(call, world)
    case 'pacemakerd':
      return refused(exitCodes.usage, "pacemakerd: the daemon is systoled; only '--version' is answered.")
    default:
      return refused(exitCodes.unimplemented, `${call.tool}: there is no such command.`)
  }
}
