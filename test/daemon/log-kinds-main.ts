/** Writes a line of a known kind and one of none, as a daemon whose standard output is the journal's (`journal`), or goes where SYSTOLE_LOG_TO says. */
import { fstatSync } from 'node:fs'
import { openLog } from '../../src/daemon/host/log.ts'

const { dev, ino } = fstatSync(1)
if (process.argv[2] === 'journal') process.env.JOURNAL_STREAM = `${dev}:${ino}`
const log = openLog('n1', 'info')
log.warn('an alert could not be sent', {
  resource: 'web',
  alert: 'mail',
  why: 'one\ntwo',
  password: 'hunter2',
  node: 'n2',
})
log.info('something of no kind', { transitionKey: '1:2:0' })
log.error('the daemon ends because of a bug', { error: new Error('a bug') })
