/** Every command, in the order of the reference. */
import { attrdUpdater } from '../attributes/attrd-updater.ts'
import { crmAttribute } from '../attributes/crm-attribute.ts'
import { crmFailcount } from '../attributes/crm-failcount.ts'
import { crmMaster, crmStandby } from '../attributes/wrappers.ts'
import { cibadmin } from '../cib/cibadmin.ts'
import { crmDiff } from '../cib/crm-diff.ts'
import { crmRule } from '../cib/crm-rule.ts'
import { crmShadow } from '../cib/crm-shadow.ts'
import { crmVerify } from '../cib/crm-verify.ts'
import { corosyncCfgtool, corosyncCmapctl, corosyncQuorumtool } from '../cluster/corosync.ts'
import { crmNode } from '../cluster/crm-node.ts'
import { crmReport } from '../cluster/crm-report.ts'
import { crmTicket } from '../cluster/crm-ticket.ts'
import { crmadmin } from '../cluster/crmadmin.ts'
import { pacemakerd } from '../cluster/pacemakerd.ts'
import { stonithAdmin } from '../cluster/stonith-admin.ts'
import { crmError } from '../errors/crm-error.ts'
import { crmMon } from '../monitor/crm-mon.ts'
import { crmResource } from '../resource/crm-resource.ts'
import { crmSimulate } from '../simulate/crm-simulate.ts'
import { iso8601 } from '../time/iso8601.ts'
import type { Tool } from '../tool.ts'

export const allTools: readonly Tool[] = [
  crmAttribute,
  crmMaster,
  crmStandby,
  attrdUpdater,
  crmFailcount,
  crmNode,
  crmMon,
  crmResource,
  cibadmin,
  crmDiff,
  crmRule,
  crmShadow,
  crmVerify,
  crmSimulate,
  crmTicket,
  crmadmin,
  stonithAdmin,
  crmReport,
  crmError,
  iso8601,
  pacemakerd,
  corosyncCfgtool,
  corosyncQuorumtool,
  corosyncCmapctl,
]
