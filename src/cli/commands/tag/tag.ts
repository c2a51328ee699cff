import { createTag, deleteTags, readConfiguration, updateTag } from '../../../cib/index.ts'
import { type Command, changeFlags, Refusal } from '../../call/command.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import { changeCib } from '../../change/change.ts'
import { chosen } from '../../grammar/chosen.ts'
import { expectWords } from '../../grammar/words.ts'
import { commandsText, tagCommands } from '../../pcs-form/as-commands.ts'
import { rebuildingCommands } from '../../replay/index.ts'

export const tagConfig: Command = {
  path: ['tag', 'config'],
  bare: [['tag']],
  aliases: [
    ['tag', 'list'],
    ['tag', 'show'],
  ],
  usage: '[<tag>...] [--output-format text|cmd|json]',
  summary: 'Show tags and the ids that they contain',
  flags: [formatFlag],
  completes: ['tag'],
  run: async (call) => {
    const { cib } = await call.cluster.readCib()
    const tags = chosen(readConfiguration(cib).tags, call.words, 'tag')
    const text = tags.map(({ id, members }) => `${id}\n${members.map((member) => `  ${member}\n`).join('')}`).join('')
    return await inFormat(call, {
      text: () => text,
      nothing: 'No tags are defined.',
      json: tags,
      pcsJson: () => ({ tags: tags.map(({ id, members }) => ({ id, idref_list: members })) }),
      pcsCmd: () => commandsText(tagCommands(tags)),
      cmd: () => rebuildingCommands(call, cib, { sections: ['tags'], ids: tags.map(({ id }) => id) }),
    })
  },
}

export const tagCreate: Command = {
  path: ['tag', 'create'],
  usage: '<tag> <id> [<id>...]',
  summary: 'Create a tag: one name for several resources in commands and constraints',
  examples: ['systole tag create frontend web vip'],
  flags: changeFlags,
  completes: ['anything', 'resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'tag create <tag> <id> [<id>...]' })
    const [id = '', ...members] = call.words
    return await changeCib(call, {
      edit: (cib) => createTag(cib, { id, members }),
      message: () => `The tag ${id} contains ${members.join(', ')}.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const tagDelete: Command = {
  path: ['tag', 'delete'],
  aliases: [['tag', 'remove']],
  usage: '<tag>...',
  summary: 'Delete tags; the tagged elements remain',
  flags: changeFlags,
  completes: ['tag'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'tag delete <tag>...' })
    return await changeCib(call, {
      edit: (cib) => deleteTags(cib, { ids: call.words }),
      message: () => `Deleted: ${call.words.join(', ')}.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}

export const tagUpdate: Command = {
  path: ['tag', 'update'],
  usage: '<tag> [add <id>... [--before <id> | --after <id>]] [remove <id>...]',
  summary: 'Add, move and remove ids of a tag',
  flags: [
    ...changeFlags,
    { name: 'before', value: 'id', summary: 'Add the ids before this one' },
    { name: 'after', value: 'id', summary: 'Add the ids after this one' },
  ],
  completes: ['tag', { words: ['add', 'remove'] }, 'resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 3, usage: 'tag update <tag> [add <id>...] [remove <id>...]' })
    const [id = '', verb, ...rest] = call.words
    const split = rest.findIndex((word) => word === 'add' || word === 'remove')
    const first = split < 0 ? rest : rest.slice(0, split)
    const second = split < 0 ? [] : rest.slice(split + 1)
    if (verb !== 'add' && verb !== 'remove')
      throw new Refusal(`Expected 'add' or 'remove' after the tag, not '${verb ?? ''}'.`)
    const [before, after] = [call.flags.get('before'), call.flags.get('after')]
    if (before !== undefined && after !== undefined)
      throw new Refusal({ own: '--before and --after exclude each other.', about: { code: 'before-and-after' } })
    const [add, remove] = verb === 'add' ? [first, second] : [second, first]
    return await changeCib(call, {
      edit: (cib) =>
        updateTag(cib, {
          id,
          add,
          remove,
          ...(typeof before === 'string' ? { before } : {}),
          ...(typeof after === 'string' ? { after } : {}),
        }),
      message: () => `Changed the tag ${id}.`,
    })
  },
}
