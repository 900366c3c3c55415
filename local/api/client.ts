import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildDocument, SOURCES } from '../deploy/built-document.ts'
import { unlessFresh } from '../deploy/fresh.ts'
import { root } from '../service/paths.ts'

/**
 * `npm run client [-- FOLDER]`: writes the typed client as a package that any project can take: `index.js`, `index.d.ts`
 * and the types of the whole document. It touches no other file, and refuses a folder that holds any. Its TypeScript is
 * its own, since the generator needs an earlier one than the service.
 */
const source = join(root, 'local/api/client')
const folder = resolve(process.argv[2] ?? join(root, '.build/client'))
const files = ['index.js', 'index.d.ts', 'schema.d.ts', 'package.json']
const run = promisify(execFile)
const { name, version, license, description, dependencies } = JSON.parse(
  await readFile(join(source, 'package.json'), 'utf8'),
)

const others: readonly string[] = await othersIn(folder)
if (others.length > 0) {
  console.error(`${folder} holds other files (${others.slice(0, 3).join(', ')}): name a new or an empty folder.`)
  process.exit(1)
}
// It is compiled inside of the project, where its packages are found, wherever it goes then, and once for as long as nothing changes.
const kept = join(root, '.build/client-made')
await unlessFresh({ root, sources: SOURCES, mark: '.build/client-made.at' }, compile)
await mkdir(folder, { recursive: true })
for (const each of files) await copyFile(join(kept, each), join(folder, each))
console.log(`The client is in ${folder}.`)

/** What lies in a folder that this command has not written. */
async function othersIn(place: string): Promise<string[]> {
  const there: string[] = await readdir(place).catch(() => [])
  const theirs = there.includes('package.json') && JSON.parse(await readFile(join(place, 'package.json'), 'utf8'))
  return theirs && theirs.name !== name ? there : there.filter((each) => !files.includes(each))
}

async function compile(): Promise<void> {
  await rm(kept, { recursive: true, force: true })
  await mkdir(kept, { recursive: true })
  for (const each of ['index.ts', 'tsconfig.json']) await copyFile(join(source, each), join(kept, each))
  await run(process.execPath, [join(source, 'generate.mjs'), await buildDocument(root), join(kept, 'schema.d.ts')])
  await run(join(source, 'node_modules/.bin/tsc'), ['--project', kept])
  const entry = { '.': { types: './index.d.ts', default: './index.js' } }
  const about = { name, version, license, description, type: 'module', exports: entry, dependencies }
  await writeFile(join(kept, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
}
