/**
 * Plays: orchestration files of Directord, and services of Task-Core, as one graph of steps on nodes, and how it goes on. Pure: the command line reads the
 * files, the daemon performs the effects (src/daemon/plays), each node its components.
 */
export { isName, notAName } from './check-component.ts'
export type { Component, PlayFile } from './component.ts'
export { type AskedPlay, checkPlay, isAskedPlay, timeoutOf } from './door.ts'
export { boxesAsSvg, type DrawnBox, graphAsDot, graphAsSvg, layersOf, quoted } from './draw.ts'
export { commonSwitches, commonValues, defaultTimeoutS, grammars } from './grammar.ts'
export { type NamedStep, type PlayStep, resolveNames } from './graph.ts'
export { leaveOutWithoutArgument } from './partial-arguments.ts'
export { isDone, isOver, newPlay, type PlayHost, type PlayRecord, type PlayStepRecord, parsePlay } from './play.ts'
export { type NodeLife, type PlayEffect, type PlayWord, type PlayWorld, playStep, playWord } from './play-step.ts'
export type { PlaySource } from './read-jobs.ts'
export { readOrchestrations } from './read-orchestration.ts'
export { readTaskCore } from './read-task-core.ts'
export { inventorySchema, orchestrationSchema, rolesSchema, serviceSchema } from './schemas.ts'
