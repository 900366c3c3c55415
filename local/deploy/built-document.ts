import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** Where the whole API document lies once it is built. */
export const DOCUMENT = '.build/openapi.json'

/** What the document is made of. Folders of packages are left out: the lock file stands for them. */
const SOURCES = ['functions', 'lib', 'local/api', 'package.json', 'package-lock.json']

/** Builds the API document unless it is newer than all of its sources. Answers its path. */
export async function buildDocument(root: string): Promise<string> {
  const to = join(root, DOCUMENT)
  const [changed, built] = await Promise.all([lastChange(SOURCES.map((each) => join(root, each))), timeOf(to)])
  if (built > changed) return to
  const begun = new Date()
  const made = `${to}.${process.pid}`
  await mkdir(dirname(to), { recursive: true })
  await promisify(execFile)(process.execPath, [join(root, 'local/api/build-document.ts'), made], { cwd: root })
  // A source that changes while this runs is newer than the document. Who builds at the same time sees a whole file.
  await utimes(made, begun, begun)
  await rename(made, to)
  return to
}

/** When one of these last came, went or changed, in milliseconds. An unpacked file keeps its mtime, hence the ctime. */
async function lastChange(paths: readonly string[]): Promise<number> {
  const times = await Promise.all(
    paths.map(async (path) => {
      const it = await stat(path)
      if (!it.isDirectory()) return it.ctimeMs
      const inside = (await readdir(path)).filter((name) => name !== 'node_modules')
      return Math.max(it.ctimeMs, await lastChange(inside.map((name) => join(path, name))))
    }),
  )
  return Math.max(0, ...times)
}

const timeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0
