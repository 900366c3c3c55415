import { execFile } from 'node:child_process'
import { mkdir, rename, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { lastChange, timeOf } from './fresh.ts'

/** Where the whole API document lies once it is built. */
export const DOCUMENT = '.build/openapi.json'

/** What the document is made of. Folders of packages are left out: the lock file stands for them. */
export const SOURCES = ['functions', 'lib', 'local/api', 'package.json', 'package-lock.json']

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
