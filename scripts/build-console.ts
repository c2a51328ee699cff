/** Makes the console's page from src/console: one script, one style sheet, one picture, each named by a hash of what is in it. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

const source = 'src/console'

export async function buildConsole(folder: string, minify: boolean): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const { metafile } = await build({
    entryPoints: [join(source, 'main.tsx'), join(source, 'style/console.css'), join(source, 'icon.svg')],
    outdir: folder,
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    bundle: true,
    minify,
    platform: 'browser',
    // Firefox and Chromium of two years before.
    target: ['firefox128', 'chrome128'],
    format: 'esm',
    tsconfig: join(source, 'tsconfig.json'),
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  const nameOf = (ending: string): string => {
    const found = Object.keys(metafile.outputs).find((path) => path.endsWith(ending))
    if (found === undefined) throw new Error(`The console has no file that ends with ${ending}.`)
    return basename(found)
  }
  const page = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('icon.svg', `console/${nameOf('.svg')}`)
    .replace('console.css', `console/${nameOf('.css')}`)
    .replace('main.js', `console/${nameOf('.js')}`)
  writeFileSync(join(folder, 'index.html'), page)
}
