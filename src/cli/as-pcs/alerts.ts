/** Empty programs and recipients, and a recipient's value that another of the same alert has. */
import { childElement, childElements, configurationElement } from '../../cib/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { saidByPcs } from '../call/message.ts'

export async function refuseAlertValues(call: Call, name: string): Promise<void> {
  const { words } = call
  if (name === 'alert create' && words.includes('path=')) refuseMissing('path')
  if (name === 'alert recipient add' && words.includes('value=')) refuseMissing('value')
  if (name !== 'alert recipient update') return
  const value = words.find((word) => word.startsWith('value='))?.slice('value='.length)
  if (value === '') throw new Refusal(saidByPcs("Recipient value '' is not valid."))
  if (value !== undefined) await refuseTaken(call, words[0] ?? '', value)
}

function refuseMissing(option: string): never {
  throw new Refusal({ own: `The ${option} is missing.`, about: { code: 'required-missing', names: [option] } })
}

async function refuseTaken(call: Call, id: string, value: string): Promise<void> {
  const { cib } = await call.cluster.readCib()
  const section = childElement(configurationElement(cib), 'alerts')
  const alert = section && childElements(section, 'alert').find((one) => recipients(one).some((r) => r.id === id))
  if (!alert || !recipients(alert).some((other) => other.id !== id && other.value === value)) return
  const own = `Recipient '${value}' in alert '${alert.attributes.id}' already exists`
  const taken = saidByPcs(`${own}, use --force to override`)
  if (!call.flags.has('force')) throw new Refusal({ ...taken, own: `${own}. Add --force to have both.` })
  call.tell({ code: 'forced', messages: [taken] })
}

const recipients = (
  alert: Parameters<typeof childElements>[0],
): readonly Readonly<Record<string, string | undefined>>[] =>
  childElements(alert, 'recipient').map(({ attributes }) => attributes)
