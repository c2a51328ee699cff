/** Where an answer differs on purpose; the reference of the commands tells of it too. */
import type { AnswerDifference } from './compare.ts'
import type { Call, ToolAnswer } from './run.ts'

interface Answers {
  readonly theirs: ToolAnswer
  readonly ours: ToolAnswer
}

export interface Purpose {
  readonly reason: string
  /** Whether a call may differ so. */
  readonly covers: (call: Call, difference: AnswerDifference, answers: Answers) => boolean
}

const [usage, configuration] = [64, 78]

export const purposes: readonly Purpose[] = [
  {
    reason: 'a wrong call or a CIB that makes no sense is refused with a sentence, without the usage or the whole CIB',
    covers: (_, { aspect }, { theirs }) =>
      (aspect === 'errors' || aspect === 'output') && (theirs.code === usage || theirs.code === configuration),
  },
  {
    reason: 'a value that an option or an attribute cannot have is refused, and not only ignored later',
    covers: (_, __, { ours }) => ours.code === configuration && /'[^']*' is no /.test(ours.errors + ours.output),
  },
  {
    reason: 'crm_standby asks for the node where it runs by its name',
    covers: ({ tool }, _, { theirs }) => tool === 'crm_standby' && theirs.errors.includes('name=-n to a UUID'),
  },
  {
    reason: 'crm_verify says where it could not read its input',
    covers: ({ tool }, { aspect }, { theirs }) =>
      tool === 'crm_verify' && aspect === 'errors' && theirs.errors.includes("Couldn't parse input"),
  },
  {
    reason:
      'access control lists are kept for Pacemaker and not applied, so that nothing is done or shown as another user',
    covers: ({ tool, words }) =>
      tool === 'cibadmin' && words.some((word) => /^(?:-U|--user|-S|--show-access)/.test(word)),
  },
  {
    reason: 'what a path finds is elements: a count, or a path that is none, is a mistake of the caller',
    covers: ({ tool, words }) => tool === 'cibadmin' && words.some((word) => word.startsWith('count(')),
  },
  {
    reason: 'an upgrade counts the epoch as any other change; Pacemaker counts the administrator’s',
    covers: ({ tool, words }, { aspect }) =>
      tool === 'cibadmin' && aspect === 'files' && words.some((word) => word === '-u' || word === '--upgrade'),
  },
  {
    reason: 'what cibadmin --modify --allow-create makes is a change as any other, and counted; 2.1 forgets to',
    covers: ({ tool, words }, { aspect, onlyTheirs }) =>
      tool === 'cibadmin' && aspect === 'files' && words.some(isCreating) && onlyTheirs.every(isRoot),
  },
  {
    reason: 'a configuration is erased, and what is recorded of the nodes stays: what runs is still known',
    covers: ({ tool, words }, { aspect }) =>
      tool === 'cibadmin' && aspect === 'files' && words.some((word) => word === '-E' || word === '--erase'),
  },
  {
    reason: 'the digest of a text comes without a title on standard error',
    covers: ({ tool, words }, { aspect }) =>
      tool === 'cibadmin' && aspect === 'errors' && words.some((word) => /^(?:-5|-6|--md5)/.test(word)),
  },
  {
    reason: 'two documents with other names differ, and a difference has one format for every document',
    covers: ({ tool, words }) =>
      tool === 'crm_diff' && words.some((word) => ['-O', 'fragment.xml', 'patch.xml'].includes(word)),
  },
  {
    reason: 'what crmadmin exports has names that a shell takes',
    covers: ({ tool, words }, { aspect }) => tool === 'crmadmin' && aspect === 'output' && words.includes('-B'),
  },
  {
    reason: 'a simulation without --live-check works on CIB_file; 2.1 cannot make its copy of it',
    covers: ({ tool }, _, { theirs }) => tool === 'crm_simulate' && theirs.code === 70,
  },
  {
    reason: 'defaults are not of a node: none has to be known',
    covers: ({ tool, words }) =>
      tool === 'crm_attribute' &&
      words.some((word) => word === 'rsc_defaults' || word === 'op_defaults') &&
      !words.some((word) => word === '-N' || word === '--node'),
  },
]

const isCreating = (word: string): boolean => word === '-c' || word === '--allow-create'
const isRoot = (line: string): boolean => line.startsWith('<cib ')

export const purposeOf = (call: Call, difference: AnswerDifference, answers: Answers): string | undefined =>
  purposes.find(({ covers }) => covers(call, difference, answers))?.reason
