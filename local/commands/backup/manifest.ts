import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { type Described, PRIVATE } from './lines.ts'

const File = v.object({ file: v.string(), bytes: v.number(), lines: v.number(), sha256: v.string() })
const Manifest = v.object({
  format: v.literal('heritage-backup-2', 'is of a format that this version does not read'),
  table: v.object({ ...File.entries, file: v.literal('table.jsonl') }),
  bucket: v.object({ ...File.entries, file: v.literal('bucket.jsonl') }),
  objects: v.boolean(),
  /** A hash of all members above, so that a damaged manifest is noticed too. */
  seal: v.string(),
})

/** What a backup consists of. It has no time and no origin, so equal services give equal manifests. */
export type Manifest = v.InferOutput<typeof Manifest>
const MANIFEST = 'manifest.json'

/** Writes the manifest. It comes last: a folder without it is no backup. */
export async function writeManifest(
  folder: string,
  { table, bucket, objects }: { table: Described; bucket: Described; objects: boolean },
): Promise<Manifest> {
  const told = {
    format: 'heritage-backup-2' as const,
    table: { ...table, file: 'table.jsonl' as const },
    bucket: { ...bucket, file: 'bucket.jsonl' as const },
    objects,
  }
  const manifest = { ...told, seal: sealOf(told) }
  const half = join(folder, `${MANIFEST}.part`)
  await writeFile(half, `${JSON.stringify(manifest, null, 2)}\n`, { mode: PRIVATE })
  await rename(half, join(folder, MANIFEST))
  return manifest
}

/** Reads the manifest of a backup. Fails if there is none, or it was changed. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) throw new Error(`${MANIFEST} is missing: ${folder} holds no finished backup.`)
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Manifest), text)
  if (!read.success) {
    const [{ message }] = read.issues
    throw new Error(`${MANIFEST} cannot be read: ${v.getDotPath(read.issues[0]) ?? ''} ${message}`)
  }
  const { seal, ...told } = read.output
  if (seal !== sealOf(told)) throw new Error(`${MANIFEST} was changed since it was written.`)
  return read.output
}

const sealOf = (told: object) => createHash('sha256').update(JSON.stringify(told)).digest('hex')
