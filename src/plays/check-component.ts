/** What the grammar of a verb does not say of its options and words. */
import type { Component } from './component.ts'
import { longestTimeoutS } from './grammar.ts'

/** Also of components of users, and of commands of Task-Core: time limits are counted with, and names are names of files on the node. */
export function wrongCommonValues(options: Component['options']): readonly string[] {
  const mistakes: string[] = []
  for (const name of ['timeout', 'seconds', 'retry', 'retry-wait']) {
    const value = options[name]
    if (value !== undefined && !(/^\d{1,6}$/.test(value) && Number(value) <= longestTimeoutS))
      mistakes.push(`'${value}' is not a whole number: --${name} needs one.`)
  }
  if (options.timeout !== undefined && Number(options.timeout) === 0) mistakes.push('--timeout must be at least 1.')
  for (const name of [options['stdout-arg'], options['stderr-arg']])
    if (name !== undefined && !isName(name)) mistakes.push(`'${name}' is not the name of an argument.`)
  return mistakes
}

export const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(text)
export const evictable = ['jobs', 'parents', 'args', 'envs', 'query', 'all']

/** What the grammar does not say. */
export function checkOfVerb(
  verb: string,
  { options, text = '', words = [] }: Pick<Component, 'options' | 'text' | 'words'>,
): readonly string[] {
  const [first = ''] = words
  switch (verb) {
    case 'ARG':
    case 'ENV':
      return isName(text.split(/\s/)[0] ?? '') ? [] : [`'${text.split(/\s/)[0]}' is not a name: letters, digits and _.`]
    case 'QUERY':
    case 'QUERY_WAIT':
      return isName(first) ? [] : [`'${first}' is not the name of an argument.`]
    case 'CACHEEVICT':
      return evictable.includes(first) ? [] : [`'${first}' is not one of ${evictable.join(', ')}.`]
    case 'SERVICE':
    case 'DNF':
    case 'APT':
      return words.flatMap((word) => notAName(word) ?? [])
    case 'REBOOT':
      return first === '' || /^\d{1,4}$/.test(first) ? [] : [`'${first}' is not a number of seconds.`]
    case 'WAIT':
      if (options.seconds !== undefined && text !== '') return ['WAIT --seconds takes nothing else.']
      if (options.url !== undefined && !/^(https?:\/\/|\{\{)\S/.test(text)) return [`'${text}' is not a URL.`]
      return options.cmd !== undefined && text === '' ? ['WAIT --cmd needs a command.'] : []
    case 'POD':
      return options['exec-run'] !== undefined && text === '' && options.command === undefined
        ? ['POD --exec-run needs a command.']
        : []
    case 'CONTAINER_IMAGE':
      if (words.some((word) => notAName(word) !== undefined)) return words.flatMap((word) => notAName(word) ?? [])
      if (options.tag !== undefined && words.length !== 2) return ['CONTAINER_IMAGE --tag needs two images.']
      if (options.list !== undefined) return words.length > 0 ? ['CONTAINER_IMAGE --list takes no image.'] : []
      return words.length === 0 ? ['CONTAINER_IMAGE needs an image.'] : []
    default:
      return []
  }
}

/** Programs of the node take it for an option. */
export const notAName = (word: string): string | undefined =>
  word === '' || word.startsWith('-') ? `'${word}' is not a name: a name does not begin with -.` : undefined
