import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { openPromise } from 'yauzl'
import { ZipFile } from 'yazl'

/** A zip archive of these files. The same content gives the same bytes, so a deployment sees what has not changed. */
export async function zip(files: Readonly<Record<string, Uint8Array>>): Promise<Uint8Array> {
  const archive = new ZipFile()
  for (const [path, content] of Object.entries(files)) archive.addBuffer(Buffer.from(content), path, plain)
  archive.end()
  return buffer(archive.outputStream)
}

/**
 * How each file is stored: with mode 0644, since Lambda runs as a user who does not own the files, and with the first date that a zip can
 * hold. Zips have no time zone, so the date is local, and a second one in UTC is left out.
 */
const plain = { compressionLevel: 9, mode: 0o100644, mtime: new Date(1980, 0, 1), forceDosTimestamp: true }

/** Writes the files of an archive into a folder, and returns them by path. `only` is a prefix of paths that limits the files. */
export async function unzip(path: string, directory: string, only = ''): Promise<Map<string, Buffer>> {
  const archive = await openPromise(path)
  const files = new Map<string, Buffer>()
  for await (const entry of archive.eachEntry()) {
    const name = entry.fileName
    if (name.endsWith('/') || !name.startsWith(only)) continue
    const content = await buffer(await archive.openReadStreamPromise(entry))
    files.set(name, content)
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), content)
  }
  return files
}
