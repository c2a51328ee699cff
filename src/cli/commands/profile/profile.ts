/** Hardware profiles: what a role needs of a machine, and which nodes have it. */
import { didYouMean, similarWords } from '../../../base/index.ts'
import {
  createLocation,
  type EditResult,
  readConfiguration,
  setClusterOptions,
  type XmlElement,
} from '../../../cib/index.ts'
import {
  exclusionRule,
  isProfileName,
  matchProfile,
  mostProfiles,
  type Profile,
  type ProfileMatch,
  parseExpression,
  printExpression,
  profileOptionPrefix,
  profilesIn,
} from '../../../hardware/index.ts'
import { type Call, type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import { alignColumns } from '../../call/table.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'
import { factsByNode } from '../node/facts.ts'

export const profileCreate: Command = {
  path: ['profile', 'create'],
  usage: "<name> '<expression>'",
  summary: 'Define the hardware that a role needs',
  details:
    "An expression compares facts (systole node facts): 'memory >= 64 GiB and disks >= 2', with and, or, not and parentheses, where and binds closer than or. Memory and disk have a unit (MiB, GiB, TiB, MB, GB, TB), network has Mbit/s or Gbit/s; texts compare with = and !=. A fact that is not known satisfies nothing. The profile is the cluster option systole-profile-<name>.",
  examples: ["systole profile create controller 'memory >= 64 GiB and disks >= 2'"],
  flags: changeFlags,
  completes: ['anything'],
  run: async (call) => {
    const usage = "profile create <name> '<expression>'"
    expectWords(call.words, { atLeast: 2, usage })
    const [name = '', ...words] = call.words
    if (!isProfileName(name))
      throw new Refusal(
        `'${name}' cannot be a profile. Use up to 64 letters, digits, dots, underscores and hyphens, beginning with a letter or digit.`,
      )
    const text = words.join(' ')
    const parsed = parseExpression(text)
    if (!parsed.ok)
      throw new Refusal(
        ...parsed.reports.map(
          ({ column, problem }) => `The expression is wrong at character ${column}: ${problem}. It says: ${text}`,
        ),
      )
    const expression = printExpression(parsed.value)
    return await changeCib(call, {
      edit: (cib) => create(cib, name, expression),
      message: () => `Profile ${name}: ${expression}.`,
      facts: () => ({ name, expression }),
    })
  },
}

function create(cib: XmlElement, name: string, expression: string): EditResult {
  const { profiles } = profilesIn(readConfiguration(cib))
  const before = profiles.find((one) => one.name === name)
  if (before !== undefined && printExpression(before.expression) !== expression)
    throw new Refusal(
      `The profile ${name} exists: ${printExpression(before.expression)}. Delete it first with 'systole profile delete ${name}'.`,
    )
  if (before === undefined && profiles.length >= mostProfiles)
    throw new Refusal(`The cluster has ${mostProfiles} profiles, which is the limit. Delete one first.`)
  return setClusterOptions(cib, { values: { [`${profileOptionPrefix}${name}`]: expression }, force: true })
}

export const profileDelete: Command = {
  path: ['profile', 'delete'],
  aliases: [['profile', 'remove']],
  usage: '<name>',
  summary: 'Delete a profile; constraints that were made from it stay',
  flags: changeFlags,
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'profile delete <name>' })
    const [name = ''] = call.words
    return await changeCib(call, {
      edit: (cib) => {
        // One that cannot be read can be deleted as well.
        const option = `${profileOptionPrefix}${name}`
        const written = readConfiguration(cib).options.some(({ pairs }) => pairs.some((pair) => pair.name === option))
        if (!written) profileNamed(cib, name)
        return setClusterOptions(cib, { values: { [option]: '' }, force: true })
      },
      message: () => `Profile ${name} is deleted.`,
    })
  },
}

export const profileList: Command = {
  path: ['profile', 'list'],
  bare: [['profile']],
  usage: '',
  summary: 'Show the profiles and how many nodes match each',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'profile list' })
    const matches = await matchAll(call)
    const rows = matches.map(({ profile, matching, others }) => [
      profile.name,
      `${matching.length} of ${matching.length + others.length}`,
      printExpression(profile.expression),
    ])
    return done(rows.length === 0 ? 'There are no profiles.\n' : alignColumns(rows), { profiles: matches.map(factsOf) })
  },
}

export const profileMatch: Command = {
  path: ['profile', 'match'],
  usage: '[<name>]',
  summary: 'Show which nodes match which profile, what the others lack, and which match none',
  details: 'With a name, the exit code is 1 where no node matches.',
  examples: ['systole profile match', 'systole profile match controller --json'],
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'profile match [<name>]' })
    const [name] = call.words
    const all = await matchAll(call)
    const chosen = name === undefined ? all : all.filter(({ profile }) => profile.name === name)
    if (name !== undefined && chosen.length === 0)
      throw unknownProfile(
        name,
        all.map(({ profile }) => profile),
      )
    if (all.length === 0) return done('There are no profiles.\n', { profiles: [], unmatched: [] })
    const unmatched = [...new Set(all.flatMap(({ others }) => others.map(({ node }) => node)))].filter((node) =>
      all.every(({ matching }) => !matching.includes(node)),
    )
    const rest =
      name === undefined && unmatched.length > 0 ? `These nodes match no profile: ${unmatched.join(', ')}.\n` : ''
    const failed = name !== undefined && chosen[0]?.matching.length === 0
    return done(
      `${chosen.map(printMatch).join('')}${rest}`,
      { profiles: chosen.map(factsOf), ...(name === undefined ? { unmatched } : {}) },
      failed ? 1 : 0,
    )
  },
}

export const profileRequire: Command = {
  path: ['profile', 'require'],
  usage: '<name> <resource>',
  summary: 'Keep a resource off every node that does not match a profile',
  details:
    'This creates a location constraint, profile-<name>-<resource>, whose rule is made from the profile as it is now. A node is also avoided while its facts are not known, as in the first seconds after it has joined. Remove it with constraint delete.',
  examples: ['systole profile require controller galera'],
  flags: changeFlags,
  completes: ['anything', 'resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, atMost: 2, usage: 'profile require <name> <resource>' })
    const [name = '', resource = ''] = call.words
    for (const sentence of (await matchAll(call)).find(({ profile }) => profile.name === name)?.nobody ?? [])
      call.terminal.progress(`Warning: ${sentence}`)
    return await changeCib(call, {
      edit: (cib) =>
        createLocation(cib, {
          id: `profile-${name}-${resource}`,
          resource: { by: 'id', id: resource },
          where: { by: 'rule', rule: exclusionRule(profileNamed(cib, name).expression) },
          force: call.flags.has('force'),
        }),
      message: () => `${resource} runs only on nodes that match the profile ${name}.`,
      facts: () => ({ name, resource, constraint: `profile-${name}-${resource}` }),
    })
  },
}

function profileNamed(cib: XmlElement, name: string): Profile {
  const { profiles } = profilesIn(readConfiguration(cib))
  const found = profiles.find((one) => one.name === name)
  if (found === undefined) throw unknownProfile(name, profiles)
  return found
}

const unknownProfile = (name: string, profiles: readonly Profile[]): Refusal =>
  new Refusal(
    `There is no profile '${name}'.${didYouMean(
      similarWords(
        name,
        profiles.map((one) => one.name),
      ),
    )}`,
  )

async function matchAll(call: Call): Promise<readonly ProfileMatch[]> {
  const { cib } = await call.cluster.readCib()
  const { profiles, mistakes } = profilesIn(readConfiguration(cib))
  for (const mistake of mistakes) call.terminal.progress(`Warning: ${mistake}`)
  const nodes = await factsByNode(call)
  return profiles.map((profile) => matchProfile(profile, nodes))
}

const factsOf = ({ profile, matching, others, nobody }: ProfileMatch): unknown => ({
  name: profile.name,
  expression: printExpression(profile.expression),
  matching,
  others,
  nobody,
})

function printMatch({ profile, matching, others, nobody }: ProfileMatch): string {
  const rows = others.map(({ node, lacks }) => [node, lacks.join(', ')])
  return [
    `${profile.name}: ${printExpression(profile.expression)}\n`,
    `  Matching: ${matching.length === 0 ? 'none' : matching.join(', ')}\n`,
    ...nobody.map((sentence) => `  ${sentence}\n`),
    rows.length === 0 ? '' : `  Not matching:\n${alignColumns(rows, '    ')}`,
  ].join('')
}
