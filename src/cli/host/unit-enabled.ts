/** Whether systemd starts a unit of this host after a boot; undefined where there is no such unit or no systemd. */
import { execFile } from 'node:child_process'

export async function isUnitEnabled(unit: string): Promise<boolean | undefined> {
  const said = await new Promise<string>((resolve) =>
    execFile('systemctl', ['is-enabled', unit], { timeout: 5000 }, (_failure, standardOutput) =>
      resolve(standardOutput.trim()),
    ),
  )
  if (said === 'enabled' || said === 'enabled-runtime') return true
  return said === 'disabled' || said === 'masked' ? false : undefined
}
