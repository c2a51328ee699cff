/** What the cluster keeps beside its configuration: tokens, clients, the fleet, certificates, versions that wait, locks. */
import { childElements, configurationElement } from '../../cib/index.ts'
import type { Messages } from '../../rpc/index.ts'
import { Refusal } from '../call/command.ts'
import { type Foreseen, listed, type Scene } from './scene.ts'

export const aboutRecords = {
  withdrawJoinTokens: async ({ ids }: Messages['JoinTokenIds'], { live }: Scene): Promise<Foreseen> => {
    const { tokens } = await live.listJoinTokens({})
    const open = tokens.filter(({ state }) => state === 'open').map(({ id }) => id)
    const unknown = ids.filter((id) => !open.includes(id))
    if (unknown.length > 0)
      throw new Refusal(
        ...unknown.map((id) => `There is no unused join token '${id}'. To see them: systole cluster token list`),
      )
    const meant = ids.length === 0 ? open : ids
    const sentence =
      meant.length === 0
        ? 'There are no unused join tokens.'
        : `It would withdraw ${meant.join(', ')}: nobody could join with ${meant.length === 1 ? 'it' : 'them'}.`
    return { sentence, facts: { tokens: meant } }
  },
  revokeApiToken: async ({ name }: Messages['ApiTokenName'], { live }: Scene): Promise<Foreseen> => {
    const { tokens } = await live.listApiTokens({})
    const token = tokens.find((one) => one.name === name)
    if (token === undefined) throw new Refusal(`There is no token '${name}'. \`systole token list\` lists the tokens.`)
    const who = token.roles.length === 0 ? 'of an administrator' : `with the roles ${token.roles.join(', ')}`
    return { sentence: `It would revoke the token '${name}' ${who}: requests with it would be refused at once.` }
  },
  removeApiClient: async ({ name }: Messages['ApiClientName'], { live }: Scene): Promise<Foreseen> => {
    const { clients } = await live.listApiClients({})
    const entry = clients.find(({ client }) => client?.name === name)
    if (entry === undefined)
      throw new Refusal(`There is no client '${name}'. \`systole console client list\` lists the clients.`)
    return { sentence: `It would stop accepting certificates of ${entry.subject}.` }
  },
  removeFleetCluster: async ({ name }: Messages['FleetClusterName'], { live }: Scene): Promise<Foreseen> => {
    const { clusters } = await live.getFleet({})
    if (clusters.every((one) => one.name !== name))
      throw new Refusal(`The fleet has no cluster '${name}'. \`systole fleet list\` lists them.`)
    return { sentence: `It would remove the cluster ${name} from the fleet.` }
  },
  renewCertificate: async (_: Messages['Empty'], { live }: Scene): Promise<Foreseen> => {
    const { node, validUntil } = await live.getCertificates({})
    return {
      sentence: `It would renew the certificate and key of ${node}, which are valid until ${validUntil}. Nothing would restart.`,
    }
  },
  rotateAuthority: async ({ without }: Messages['RotateRequest'], { live }: Scene): Promise<Foreseen> => {
    const { rotation, nodes, silent } = await live.getPkiStatus({})
    const left = without.length === 0 ? '' : ` ${listed(without)} would be left behind and have to join again.`
    if (rotation !== undefined) return { sentence: `The authority is being replaced already.${left}` }
    if (silent.length > 0)
      throw new Refusal(...silent.map((node) => `${node} is not heard: all members must be online.`))
    return {
      sentence: `It would replace the cluster's authority, and the keys and certificates of ${listed(nodes.map(({ node }) => node))}, the witness and remote nodes. The store members would restart one after another.${left}`,
    }
  },
  confirmChange: async ({ version }: Messages['ConfirmChangeRequest'], { live }: Scene): Promise<Foreseen> => {
    const { versions } = await live.listConfigVersions({})
    const meant = versions.find((one) => one.version === version)
    if (meant?.confirmUntil === undefined)
      throw new Refusal(`Version ${version} of the configuration does not wait for confirmation.`)
    return {
      sentence: `It would keep version ${version} of the configuration, which would be taken back at ${meant.confirmUntil} otherwise.`,
    }
  },
  acquireLock: async (
    { name, owner, ttlMs, user }: Messages['AcquireLockRequest'],
    { live }: Scene,
  ): Promise<Foreseen> => {
    const { locks } = await live.listLocks({})
    const lock = locks.find((one) => one.name === name)
    const isOwn = lock !== undefined && owner !== undefined && lock.owner === owner
    if (lock !== undefined && !isOwn)
      throw new Refusal(`${lock.owner} holds the lock ${name} on ${lock.node}, since ${lock.since}.`)
    const time = `${Math.round(ttlMs / 1000)} s`
    return {
      sentence: isOwn
        ? `It would extend the lock ${name} of ${owner} by ${time}.`
        : `It would acquire the lock ${name} for ${owner ?? user}, for ${time}.`,
    }
  },
  releaseLock: async ({ name, owner, force }: Messages['ReleaseLockRequest'], { live }: Scene): Promise<Foreseen> => {
    const { locks } = await live.listLocks({})
    const lock = locks.find((one) => one.name === name)
    if (lock === undefined) return { sentence: `Nobody holds the lock ${name}.` }
    if (owner !== undefined && lock.owner !== owner && !force)
      throw new Refusal(`${lock.owner} holds the lock ${name} on ${lock.node}. Add --force to release it.`)
    return {
      sentence: `It would release the lock ${name} of ${lock.owner}, if that is who asks${force ? ' or not' : ''}.`,
    }
  },
  testAlert: ({ alert, recipients }: Messages['AlertTestRequest'], { cib }: Scene): Foreseen => {
    const alerts = childElements(configurationElement(cib), 'alerts').flatMap((all) => childElements(all, 'alert'))
    const meant = alerts.find(({ attributes }) => attributes.id === alert)
    if (meant === undefined) throw new Refusal(`There is no alert '${alert}'.`)
    const all = childElements(meant, 'recipient')
    const isMeant = ({ attributes: { id = '', value = '' } }: (typeof all)[number]): boolean =>
      recipients.length === 0 || recipients.includes(id) || recipients.includes(value)
    const unknown = recipients.filter((one) =>
      all.every(({ attributes }) => attributes.id !== one && attributes.value !== one),
    )
    if (unknown.length > 0)
      throw new Refusal(...unknown.map((one) => `The alert '${alert}' has no recipient '${one}'.`))
    const to = all.filter(isMeant).map(({ attributes: { value = '' } }) => value)
    const whom = to.length === 0 ? 'without a recipient' : `to ${listed(to)}`
    return {
      sentence: `It would run ${meant.attributes.path ?? ''} once ${whom}, with an event that is marked as a test.`,
    }
  },
}
