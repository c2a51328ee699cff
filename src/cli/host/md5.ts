import { createHash } from 'node:crypto'

/** What operation digests are made with; it protects nothing. */
export const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
