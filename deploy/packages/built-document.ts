import { execFile } from 'node:child_process'
import { mkdir, rename, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { lastChange, writtenAt } from './fresh.ts'

/** Where the whole API document lies once it is built. */
export const DOCUMENT = '.build/openapi.json'

/** What the document is made of. The lock file stands for `node_modules`. */
export const SOURCES = ['functions', 'lib', 'api', 'package.json', 'package-lock.json']

/** Builds the API document unless it is newer than all of its sources. Returns its path. */
export async function buildDocument(root: string): Promise<string> {
  const to = join(root, DOCUMENT)
  const [changed, built] = await Promise.all([lastChange(SOURCES.map((each) => join(root, each))), writtenAt(to)])
  if (built > changed) return to
  const begun = new Date()
  const made = `${to}.${process.pid}`
  await mkdir(dirname(to), { recursive: true })
  await promisify(execFile)(process.execPath, [join(root, 'api/build-document.ts'), made], { cwd: root })
  // The document gets the time at which the build began, so a source that changed meanwhile is newer. `rename` never shows half a file.
  await utimes(made, begun, begun)
  await rename(made, to)
  return to
}
