// Completes package-lock.json: a registry that lacks the packages of other platforms makes `npm install` leave them out, and
// `npm ci` then refuses the lock. They are entered by name and version with the platform that their name says, which npm skips elsewhere.
// With --check it only says whether any is missing.
import { readFileSync, writeFileSync } from 'node:fs'

const systems = ['android', 'darwin', 'linux', 'win32', 'freebsd', 'openbsd', 'netbsd', 'sunos', 'aix', 'openharmony']
const processors = ['arm64', 'x64', 'ia32', 'riscv64', 'ppc64', 's390x', 'loong64', 'mips64el', 'wasm32', 'arm']

function platformOf(name) {
  const has = (word) => new RegExp(`[-_]${word}`).test(name)
  const os = systems.find(has)
  const cpu = processors.find(has)
  const libc = name.includes('musl') ? 'musl' : os === 'linux' && name.includes('gnu') ? 'glibc' : undefined
  return { ...(os ? { os: [os] } : {}), ...(cpu ? { cpu: [cpu] } : {}), ...(libc ? { libc: [libc] } : {}) }
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const missing = Object.entries(lock.packages).flatMap(([place, parent]) =>
  Object.entries(parent.optionalDependencies ?? {})
    .filter(([name]) => !lock.packages[`node_modules/${name}`] && !lock.packages[`${place}/node_modules/${name}`])
    .filter(([name, version]) => /^\d+\.\d+\.\d+/.test(version) && platformOf(name).cpu)
    .map(([name, version]) => [
      `node_modules/${name}`,
      { version, ...(parent.dev ? { dev: true } : {}), optional: true, ...platformOf(name) },
    ]),
)
if (process.argv.includes('--check')) {
  for (const [place] of missing) console.error(`package-lock.json lacks ${place}: run node scripts/complete-lock.mjs`)
  process.exitCode = missing.length > 0 ? 1 : 0
} else {
  const packages = { ...lock.packages, ...Object.fromEntries(missing) }
  const sorted = Object.keys(packages).sort((a, b) => (a < b ? -1 : 1))
  lock.packages = Object.fromEntries(sorted.map((place) => [place, packages[place]]))
  writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
}
