/**
 * What our CIBs and results claim to be written for. Agents compare the feature set (from 3.19.7 on they know that they need not edit
 * `validate-with`); Debian's Pacemaker 2.1.5 reads such CIBs, and refuses to write them.
 */
export const featureSet = '3.20.5'
export const schemaName = 'pacemaker-3.9'

/** The Pacemaker whose commands we have, by their options: `dc-version` in the CIB, and what `--version` and crm_mon print. */
export const pacemakerVersion = '3.0.2'
