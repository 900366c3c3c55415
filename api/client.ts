import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildDocument, SOURCES } from '../deploy/packages/built-document.ts'
import { unlessFresh } from '../deploy/packages/fresh.ts'
import { root } from '../deploy/root.ts'

/**
 * `npm run client [-- FOLDER]` writes the typed client as a package. It has the version of the service. A folder that
 * holds other files is refused. The client has a TypeScript of its own, since its generator needs an earlier one.
 */
const source = join(root, 'api/client')
const folder = resolve(process.argv[2] ?? join(root, '.build/client'))
const files = ['index.js', 'index.d.ts', 'schema.d.ts', 'package.json', 'README.md']
const run = promisify(execFile)
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
const { name, license, description, dependencies } = await readJson(join(source, 'package.json'))
const { version } = await readJson(join(root, 'package.json'))

const others: readonly string[] = await othersIn(folder)
if (others.length > 0) {
  console.error(`${folder} holds other files (${others.slice(0, 3).join(', ')}): name a new or an empty folder.`)
  process.exit(1)
}
// It is compiled inside the project, where its packages are installed, and again only after a change.
const kept = join(root, '.build/client-made')
await unlessFresh({ root, sources: SOURCES, mark: '.build/client-made.at' }, compile)
await mkdir(folder, { recursive: true })
for (const each of files) await copyFile(join(kept, each), join(folder, each))
console.log(`The client is in ${folder}.`)

/** Lists the files in a folder that this command has not written. */
async function othersIn(place: string): Promise<string[]> {
  const there: string[] = await readdir(place).catch(() => [])
  const theirs = there.includes('package.json') && (await readJson(join(place, 'package.json')))
  return theirs && theirs.name !== name ? there : there.filter((each) => !files.includes(each))
}

async function compile(): Promise<void> {
  await rm(kept, { recursive: true, force: true })
  await mkdir(kept, { recursive: true })
  for (const each of ['index.ts', 'tsconfig.json', 'README.md']) await copyFile(join(source, each), join(kept, each))
  await run(process.execPath, [join(source, 'generate.mjs'), await buildDocument(root), join(kept, 'schema.d.ts')])
  await run(join(source, 'node_modules/.bin/tsc'), ['--project', kept])
  const entry = { '.': { types: './index.d.ts', default: './index.js' } }
  const about = { name, version, license, description, type: 'module', exports: entry, dependencies }
  await writeFile(join(kept, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
}
