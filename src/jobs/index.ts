/**
 * Commands that people and rollouts run on nodes. A *task* is one command on one node (`task-step.ts`: it runs at most once, and one
 * result of it is recorded); a *job* is a command on some nodes, in the order that is asked for (`job-step.ts`).
 */
export { hasEnded, type JobNode, type JobRecord, lockOwner, parseJob, type TaskLife } from './job.ts'
export { type JobEffect, jobStep } from './job-step.ts'
export { isFinished, isTaskId, parseTask, type TaskOwner, type TaskRecord, type TaskState } from './task.ts'
export { cleanTasks, type OffNode, type TaskCleaning } from './task-cleaning.ts'
export { type TaskAction, type TaskResult, type TaskSelf, type TaskTrace, taskStep } from './task-step.ts'
