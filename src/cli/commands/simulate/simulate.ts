import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import {
  answerLine,
  type SimulationText,
  type Surroundings,
  simulateCib,
  simulateFile,
  suppose,
  unknownNodes,
  type WhatIf,
} from '../../../scheduler/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../command.ts'
import { readBoolean } from '../../constraint-words.ts'
import { md5 } from '../../md5.ts'
import { expectWords } from '../../words.ts'

export const simulateCommand: Command = {
  path: ['simulate'],
  usage: '[--xml-file=<file>] [--show-scores] [--save-graph=<file>] [-t <date>] | --batch',
  summary: 'Show what the cluster would do, from its present state or that of a CIB in a file',
  details:
    'Without a file, the running cluster. Nothing is touched: it is the scheduler itself, and its graph is played. ' +
    'The text is that of crm_simulate. --batch reads names of files from standard input and answers each with a line of JSON.',
  examples: [
    'systole simulate --node-fail n1',
    'systole simulate --node-down n1 --node-down n2',
    'systole simulate --xml-file saved.xml --show-scores',
  ],
  flags: [
    { name: 'xml-file', letter: 'x', value: 'file', summary: 'A CIB in a file' },
    { name: 'set-datetime', letter: 't', value: 'date', summary: 'The moment for which rules are evaluated' },
    { name: 'show-scores', letter: 's', summary: 'Show the scores' },
    { name: 'quiet', letter: 'Q', summary: 'Only what was asked for' },
    { name: 'save-graph', letter: 'G', value: 'file', summary: 'Write the transition graph as XML' },
    { name: 'save-dotfile', letter: 'D', value: 'file', summary: 'Write the graph as Graphviz dot' },
    { name: 'save-svg', value: 'file', summary: 'Write a drawing of the graph as SVG' },
    { name: 'simulate', letter: 'S', summary: 'Accepted for crm_simulate’s sake: it always simulates' },
    { name: 'node-up', letter: 'u', value: 'node', repeats: true, summary: 'What if the node were online' },
    { name: 'node-down', letter: 'd', value: 'node', repeats: true, summary: 'What if the node had left cleanly' },
    { name: 'node-fail', value: 'node', repeats: true, summary: 'What if the node were lost' },
    { name: 'quorum', letter: 'q', value: 'true|false', summary: 'What if the cluster had quorum, or had not' },
    { name: 'batch', summary: 'Answer names of files on standard input, a line of JSON each' },
  ],
  run: (call) => (call.flags.has('batch') ? answerBatch() : simulateOnce(call)),
}

const surroundings: Surroundings = {
  md5,
  readFile: (path) => readFileSync(path, 'utf8'),
  now: () => Math.floor(Date.now() / 1000),
  ticks: () => performance.now(),
}

async function answerBatch(): Promise<Outcome> {
  for await (const line of createInterface({ input: process.stdin }))
    process.stdout.write(`${answerLine(line, surroundings)}\n`)
  return done('', {})
}

async function simulateOnce(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'simulate [--xml-file=<file>]' })
  const texts = await simulated(call)
  const graphFile = call.flags.get('save-graph')
  if (typeof graphFile === 'string') await call.terminal.writeFile(graphFile, texts.graph())
  const [dotFile, svgFile] = [call.flags.get('save-dotfile'), call.flags.get('save-svg')]
  if (typeof dotFile === 'string') await call.terminal.writeFile(dotFile, texts.drawn().dot)
  if (typeof svgFile === 'string') await call.terminal.writeFile(svgFile, texts.drawn().svg)
  const scores = call.flags.has('show-scores') ? texts.scores() : ''
  const text = call.flags.has('quiet') ? scores : `${texts.summary}${scores === '' ? '' : `\nScores:\n${scores}`}`
  return done(text, {
    summary: texts.summary.split('\n'),
    get scores() {
      return texts.scores().trimEnd().split('\n')
    },
    get graph() {
      return texts.graph()
    },
  })
}

async function simulated(call: Call): Promise<SimulationText> {
  const file = call.flags.get('xml-file')
  const date = call.flags.get('set-datetime')
  const whatIf = readQuestion(call)
  const showScores = call.flags.has('show-scores') || call.flags.has('json')
  if (typeof file === 'string')
    return simulateFile({ file, whatIf, showScores, ...(typeof date === 'string' ? { date } : {}) }, surroundings)
  if (date !== undefined)
    throw new Refusal('-t needs a CIB in a file: save the running one by `systole cluster cib <file>` first.')
  const { cib } = await call.cluster.readCib()
  const unknown = unknownNodes(cib, whatIf)
  if (unknown.length > 0) throw new Refusal(...unknown.map((node) => `There is no node '${node}'.`))
  const now = Math.floor(call.terminal.now().getTime() / 1000)
  return simulateCib({ cib: suppose(cib, whatIf), md5, showScores, now })
}

function readQuestion(call: Call): WhatIf {
  const nodes = (name: string): readonly string[] => {
    const value = call.flags.get(name)
    return typeof value === 'string' ? value.split(',') : []
  }
  const quorum = call.flags.get('quorum')
  return {
    nodesUp: nodes('node-up'),
    nodesDown: nodes('node-down'),
    nodesFailed: nodes('node-fail'),
    ...(typeof quorum === 'string' ? { quorate: readBoolean('quorum', quorum) } : {}),
  }
}
