/** Ids that people type: six characters, none of which is taken for another. */
import { randomInt } from 'node:crypto'

const characters = 'abcdefghjkmnpqrstuvwxyz23456789'
const length = 6

export const jobId = (): string => Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
