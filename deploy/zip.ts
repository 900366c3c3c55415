import { type Zippable, zipSync } from 'fflate'

/** A zip archive of these files. The same content gives the same bytes, so a deployment sees what has not changed. */
export function zip(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const entries: Zippable = {}
  for (const [path, content] of Object.entries(files)) entries[path] = [content, READABLE_FILE]
  return zipSync(entries, { level: 9, mtime: OLDEST })
}

/** A plain file with mode 0644, as Unix writes it: Lambda runs as a user who does not own the files. */
const READABLE_FILE = { os: 3, attrs: (0o100644 << 16) >>> 0 }
/** The first date that a zip can hold, in local time, as zips have no time zone. */
const OLDEST = new Date(1980, 0, 1)
