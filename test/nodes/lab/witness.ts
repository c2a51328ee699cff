/** A witness in the lab: one of its machines, which is no node of the cluster. */
import type { Lab } from './lab.ts'

export interface Quorum {
  readonly quorate: boolean
  readonly votes: { readonly present: number; readonly expected: number; readonly needed: number }
  readonly members: readonly { readonly node: string; readonly votes: boolean }[]
  readonly witness: { readonly name: string; readonly state: string; readonly votes: boolean } | null
  readonly twoNode: { readonly alone: boolean; readonly message?: string } | null
}

export async function quorum(lab: Lab, node: string): Promise<Quorum> {
  return JSON.parse(await lab.systole(node, 'quorum', 'status', '--json')) as Quorum
}

/** The lines of pcs, and the one that the second of them prints. */
export async function addWitness(lab: Lab, node: string, host: string): Promise<void> {
  await lab.until('its daemon answers', async () => {
    const said = await lab.inNode(host, 'pcs', 'qdevice', 'setup', 'model', 'net', '--enable', '--start')
    return said.includes('can be a witness')
  })
  const said = await lab.inNode(
    node,
    'pcs',
    'quorum',
    'device',
    'add',
    'model',
    'net',
    `host=${host}`,
    'algorithm=ffsplit',
  )
  const line = said.split('\n')[1]?.trim() ?? ''
  await lab.inNode(host, 'bash', '-c', line)
  await untilVotes(lab, node, 3)
}

/** So many of three votes are there, and count. */
export async function untilVotes(lab: Lab, node: string, present: number): Promise<void> {
  await lab.until(`${present} of 3 votes are there`, async () => {
    const { votes, quorate } = await quorum(lab, node)
    return quorate && votes.present === present && votes.expected === 3
  })
}
