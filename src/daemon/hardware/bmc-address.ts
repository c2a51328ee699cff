/** The address in what `ipmitool lan print` says; a BMC without one says 0.0.0.0. */
import { isIP } from 'node:net'

export function bmcAddressIn(output: string): string | undefined {
  const address = /^IP Address\s*: (\S+)$/m.exec(output)?.[1]
  return address !== undefined && isIP(address) !== 0 && address !== '0.0.0.0' ? address : undefined
}
