/** Finding the definition of an option under any of its names. */
import { clusterOptions } from './cluster-options.ts'
import type { OptionDefinition } from './definition.ts'
import { fenceDeviceOptions } from './fencing-options.ts'
import { operationOptions } from './operation-options.ts'
import { cloneMetaOptions, commonMetaOptions, groupMetaOptions, guestMetaOptions } from './resource-options.ts'

export type ResourceKind = 'primitive' | 'group' | 'clone' | 'bundle'

/** The meta-attributes that a kind of resource takes. Every kind takes all: members inherit what is set around them. */
export function metaOptionsFor(kind: ResourceKind): readonly OptionDefinition[] {
  switch (kind) {
    case 'primitive':
      return [...commonMetaOptions, ...guestMetaOptions]
    case 'group':
      return [...commonMetaOptions, ...groupMetaOptions, ...guestMetaOptions]
    case 'clone':
    case 'bundle':
      return [...cloneMetaOptions, ...commonMetaOptions, ...guestMetaOptions]
  }
}

export function findOption(options: readonly OptionDefinition[], name: string): OptionDefinition | undefined {
  return options.find((option) => option.name === name || option.otherNames?.includes(name) === true)
}

export const clusterOption = (name: string): OptionDefinition | undefined => findOption(clusterOptions, name)

export const fenceDeviceOption = (name: string): OptionDefinition | undefined => findOption(fenceDeviceOptions, name)

export const operationOption = (name: string): OptionDefinition | undefined => findOption(operationOptions, name)

export const metaOption = (kind: ResourceKind, name: string): OptionDefinition | undefined =>
  findOption(metaOptionsFor(kind), name)
