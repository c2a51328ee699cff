/** Ids are branded, so that two of different kinds cannot be swapped in a call. They are made where text is parsed. */
declare const brand: unique symbol
export type Branded<T, Name extends string> = T & { readonly [brand]: Name }

export type NodeName = Branded<string, 'NodeName'>
export type ResourceId = Branded<string, 'ResourceId'>
/** Milliseconds of a monotonic clock: differences mean something, the value itself does not. */
export type MonotonicMs = Branded<number, 'MonotonicMs'>

/** For parsers at the edge and for tests: the one place where plain text becomes a node name. */
export const nodeName = (text: string): NodeName => text as NodeName
/** For parsers at the edge and for tests: the one place where plain text becomes a resource id. */
export const resourceId = (text: string): ResourceId => text as ResourceId
/** For clocks and for tests. */
export const monotonicMs = (value: number): MonotonicMs => value as MonotonicMs
