import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { filesOfBag, MANIFEST, PAYLOAD, readHashes } from '../../../lib/doors/exports/bag.ts'
import { describeFile, PRIVATE } from './lines.ts'

/** Makes the folder where a backup goes: this one, or the payload of a bag in it. Fails if it is not empty. */
export async function openFolder(folder: string, isBag: boolean): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty. Name a new folder.`)
  const target = isBag ? join(folder, PAYLOAD) : folder
  await mkdir(target, { recursive: true, mode: 0o700 })
  return target
}

/** Makes a bag (RFC 8493) of a folder whose payload is a finished backup. Describes the payload as RO-Crate 1.1. `made_at`: ISO 8601. */
export async function closeBag(folder: string, made_at: string): Promise<void> {
  const data = join(folder, PAYLOAD)
  const parts = (await pathsIn(data)).map(async (path) => {
    const { bytes, sha256 } = await describeFile(data, path)
    return { path, bytes, sha256, ...aboutOf(path) }
  })
  const beside = filesOfBag({
    name: 'Heritage backup',
    description: 'A backup of the service: every item of the table, and the objects of the bucket. It is private.',
    made_at,
    licence: null,
    parts: await Promise.all(parts),
  })
  for (const [path, text] of beside) await writeFile(join(folder, path), text, { mode: PRIVATE })
}

/**
 * The folder of a backup, which may be the payload of a bag. Checks a bag first: a file that is missing, was changed, or that no manifest
 * names is named, and nothing else happens.
 */
export async function backupIn(folder: string): Promise<string> {
  if (!existsSync(join(folder, 'bagit.txt'))) return folder
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) throw new Error(`${MANIFEST} is missing: ${folder} is no whole bag.`)
  const hashes = readHashes(text)
  const inside = (path: string) => path.startsWith(`${PAYLOAD}/`) && !path.split('/').includes('..')
  for (const [path, sha256] of hashes) {
    if (!inside(path)) throw new Error(`${MANIFEST} names ${path}, which is not in ${PAYLOAD}.`)
    const found = await describeFile(folder, path).catch(() => undefined)
    if (!found) throw new Error(`${path} is missing.`)
    if (found.sha256 !== sha256) throw new Error(`${path} was changed since it was written.`)
  }
  const data = join(folder, PAYLOAD)
  const more = (await pathsIn(data)).find((path) => !hashes.has(`${PAYLOAD}/${path}`))
  if (more !== undefined) throw new Error(`${PAYLOAD}/${more} is in no manifest.`)
  return data
}

/** The files below a folder, sorted, with slashes. */
async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((it) => it.isFile()).map((it) => relative(folder, join(it.parentPath, it.name)))
  return files.map((path) => path.split(sep).join('/')).sort()
}

const ABOUT: Readonly<Record<string, readonly [type: string, description: string]>> = {
  'table.jsonl': ['application/jsonl', 'Every item of the table, a line each.'],
  'bucket.jsonl': ['application/jsonl', 'The objects of the bucket with their hashes, a line each.'],
  'manifest.json': ['application/json', 'What the backup consists of.'],
}
function aboutOf(path: string): { type: string; description: string } {
  const [type, description] = ABOUT[path] ?? [
    'application/octet-stream',
    'An object of the bucket, named by its SHA-256.',
  ]
  return { type, description }
}
