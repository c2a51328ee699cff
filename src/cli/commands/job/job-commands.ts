import type { Command } from '../../call/command.ts'
import { jobCopy } from './copy.ts'
import { jobCancel, jobList, jobOutput, jobRun, jobShow } from './job.ts'

/** What runs commands and copies files on nodes. */
export const jobCommands: readonly Command[] = [jobRun, jobCopy, jobList, jobShow, jobOutput, jobCancel]
