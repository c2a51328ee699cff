/** Writes one line of each kind to its standard output; `journal`: as if systemd had connected that with its journal, `elsewhere`: another one. */
import { fstatSync } from 'node:fs'
import { openLog } from '../../src/daemon/host/log.ts'

const [where = ''] = process.argv.slice(2)
const { dev, ino } = fstatSync(1)
if (where === 'journal') process.env.JOURNAL_STREAM = `${dev}:${ino}`
if (where === 'elsewhere') process.env.JOURNAL_STREAM = `${dev}:${ino + 1}`
const log = openLog('n1', 'info')
log.debug('not written')
log.info('an information')
log.warn('a warning', { word: 'a\nb' })
log.error('an error')
