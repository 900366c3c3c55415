import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../world/sources.ts'

const FOLDER = join(ROOT, '.build/prove')
/** All that what is learnt of the sources depends on. */
const SOURCES = ['{functions,lib,local/service,tests/prove,tests/harness}/**/*.ts', 'package-lock.json']

/** What `learn` comes to for the sources as they are: as long as they stay so it is learnt once, and kept in a file. */
export async function keptOf<T>(name: string, learn: () => Promise<T>): Promise<T> {
  const hash = createHash('sha256')
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort())
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)))
  const path = join(FOLDER, `${name}-${hash.digest('hex').slice(0, 16)}.json`)
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    const it = await learn()
    await mkdir(FOLDER, { recursive: true })
    await writeFile(path, JSON.stringify(it))
    return it
  }
}
