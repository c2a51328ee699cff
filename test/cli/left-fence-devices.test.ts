/** Which fence devices name a node that was removed. */
import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { leftFenceDevices } from '../../src/cli/change/left-fence-devices.ts'

const device = (id: string, name: string, value: string): string =>
  `<primitive id="${id}" class="stonith" type="fence_x"><instance_attributes id="${id}-i"><nvpair id="${id}-n" name="${name}" value="${value}"/></instance_attributes></primitive>`

for (const { name, value, says } of [
  { name: 'pcmk_host_list', value: 'n2', says: ['f remains, and fences only n2: systole stonith delete f'] },
  {
    name: 'pcmk_host_list',
    value: 'n1,n2 n3',
    says: ["f still names n2: systole stonith update f pcmk_host_list='n1 n3'"],
  },
  {
    name: 'pcmk_host_map',
    value: 'n1:1;n2:2,3',
    says: ["f still names n2: systole stonith update f pcmk_host_map='n1:1'"],
  },
  { name: 'pcmk_host_list', value: 'n1 n22', says: [] },
  { name: 'ip', value: 'n2', says: [] },
])
  test(`${name}=${value}`, () => {
    const cib = parseXml(
      `<cib><configuration><crm_config/><nodes/><resources>${device('f', name, value)}<primitive id="d" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/></configuration><status/></cib>`,
    )
    if (!cib.ok) throw new Error('the CIB is not well-formed')
    expect(leftFenceDevices(cib.value, 'n2')).toEqual(says)
  })
