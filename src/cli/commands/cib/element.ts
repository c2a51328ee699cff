import { appendElement, configurationSections, elementWithId, parseXml, setDescription } from '../../../cib/index.ts'
import { type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'

export const cibElementDescription: Command = {
  path: ['cib', 'element', 'description'],
  aliases: [
    ['resource', 'description'],
    ['stonith', 'description'],
  ],
  usage: '<id> [<text>]',
  summary: 'Show or set the description of an element by its id; an empty text removes it',
  flags: changeFlags,
  completes: ['resource', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 2, usage: 'cib element description <id> [<text>]' })
    const [id = '', description] = call.words
    if (description === undefined) {
      const found = elementWithId((await call.cluster.readCib()).cib, id)
      if (!found) throw new Refusal(`Nothing in the configuration has the id '${id}'.`)
      const text = found.attributes.description ?? ''
      return done(text === '' ? '' : `${text}\n`, { id, description: text })
    }
    return await changeCib(call, {
      edit: (cib) => setDescription(cib, { id, description }),
      message: () => (description === '' ? `${id} has no description.` : `${id}: ${description}`),
    })
  },
}

export const cibElementCreate: Command = {
  path: ['cib', 'element', 'create'],
  usage: '<section> <xml> [--force]',
  summary: 'Add an element to a section of the CIB as XML, for configuration that no command covers',
  details:
    '--output-format cmd prints this command where no other command fits. With --force, elements that fail validation are accepted, too.',
  flags: changeFlags,
  completes: [{ words: configurationSections }, 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, atMost: 2, usage: 'cib element create <section> <xml>' })
    const [name = '', text = ''] = call.words
    const section = configurationSections.find((known) => known === name)
    if (section === undefined)
      throw new Refusal(`The CIB has no section '${name}': there are ${configurationSections.join(', ')}.`)
    const parsed = parseXml(text)
    if (!parsed.ok) {
      const [report] = parsed.reports
      throw new Refusal(`The XML is not well-formed: column ${report?.place.column}: ${report?.message}.`)
    }
    return await changeCib(call, {
      edit: (cib) => appendElement(cib, { section, element: parsed.value }),
      message: () => `<${parsed.value.name}> is in ${section}.`,
      facts: ({ created }) => ({ created }),
      keepsMistakes: call.flags.has('force'),
    })
  },
}
