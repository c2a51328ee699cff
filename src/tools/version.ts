/** What these commands claim to be: agents and tools compare it. */
export { featureSet, pacemakerVersion, schemaName } from '../cib/index.ts'

/**
 * The schema of an empty CIB (`cibadmin --empty`, `crm_shadow --create-empty`) where no schemas of Pacemaker are installed: that of this Pacemaker. Otherwise it is
 * the newest that is, as with Pacemaker's commands, which come with theirs: crmsh reads it before anything else. New clusters begin with {@link schemaName}.
 */
export const emptySchema = 'pacemaker-4.0'

/** The version of the XML output (`pacemaker-result`). */
export const apiVersion = '2.25'
