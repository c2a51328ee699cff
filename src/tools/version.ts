/** What these commands claim to be: agents and tools compare it. */
export { featureSet, pacemakerVersion, schemaName } from '../cib/index.ts'

/** The schema of an empty CIB (`cibadmin --empty`, `crm_shadow --create-empty`): that of this Pacemaker. New clusters begin with {@link schemaName}. */
export const emptySchema = 'pacemaker-4.0'

/** The version of the XML output (`pacemaker-result`). */
export const apiVersion = '2.25'
