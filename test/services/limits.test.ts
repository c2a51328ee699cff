import { expect, test } from 'vitest'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { declaredServices, mostOfResource, mostServices } from '../../src/services/index.ts'

/** Whoever may change one meta-attribute decides how often every node connects somewhere: there is an end to it. */
function declared(resources: number, each: number) {
  const pairs = (resource: number): string =>
    Array.from({ length: each }, (_, at) => {
      const name = `s${resource}-${at}`
      return `<nvpair id="${name}" name="systole-service-${name}" value="port=80 check=tcp interval=1s"/>`
    }).join('')
  const primitives = Array.from(
    { length: resources },
    (_, at) =>
      `<primitive id="r${at}" class="ocf" provider="heartbeat" type="Dummy"><meta_attributes id="m${at}">${pairs(at)}</meta_attributes></primitive>`,
  )
  const cib = parseXml(
    `<cib><configuration><crm_config/><nodes/><resources>${primitives.join('')}</resources><constraints/></configuration><status/></cib>`,
  )
  if (!cib.ok) throw new Error('not XML')
  return declaredServices(readConfiguration(cib.value))
}

test('of the services of one resource the first ones count, and a sentence names the limit', () => {
  expect(declared(1, mostOfResource)).toMatchObject({ mistakes: [] })
  const { services, mistakes } = declared(1, mostOfResource + 1)
  expect(services).toHaveLength(mostOfResource)
  expect(services.some(({ name }) => name === `s0-${mostOfResource}`)).toBe(false)
  expect(mistakes).toEqual(['r0 declares 21 services. The limit is 20: only the first ones count.'])
})

test('of all services the first ones count, and a sentence names the limit', () => {
  const resources = mostServices / mostOfResource
  expect(declared(resources, mostOfResource)).toMatchObject({ mistakes: [] })
  const { services, mistakes } = declared(resources + 1, mostOfResource)
  expect(services).toHaveLength(mostServices)
  expect(mistakes).toEqual(['The configuration declares 520 services. The limit is 500: only the first ones count.'])
})

test('mistakes have an end too', () => {
  const { mistakes } = declared(100, mostOfResource + 1)
  expect(mistakes).toHaveLength(22)
  expect(mistakes.at(-1)).toBe('There are 80 more mistakes in the declarations of services.')
})
