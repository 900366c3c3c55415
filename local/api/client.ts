import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildDocument } from '../deploy/built-document.ts'
import { root } from '../service/paths.ts'

/**
 * `npm run client [-- FOLDER]`: writes the typed client as a package that any project can take: `index.js`, `index.d.ts`
 * and the types of the whole document. Its TypeScript is its own, since the generator needs an earlier one than the service.
 */
const source = join(root, 'local/api/client')
const folder = resolve(process.argv[2] ?? join(root, '.build/client'))
const run = async (tool: string, ...args: string[]) => {
  await promisify(execFile)(join(source, 'node_modules/.bin', tool), args)
}

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const { name, version, license, description, dependencies } = JSON.parse(
  await readFile(join(source, 'package.json'), 'utf8'),
)
const entry = { '.': { types: './index.d.ts', default: './index.js' } }
const about = { name, version, license, description, type: 'module', exports: entry, dependencies }
await writeFile(join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
const built = ['index.ts', 'tsconfig.json']
await Promise.all(built.map((each) => copyFile(join(source, each), join(folder, each))))
// A member that has a default may be left out of what is sent.
const types = ['--output', join(folder, 'schema.d.ts'), '--default-non-nullable=false']
await run('openapi-typescript', await buildDocument(root), ...types)
await run('tsc', '--project', folder)
await Promise.all(built.map((each) => rm(join(folder, each))))
console.log(`The client is in ${folder}.`)
