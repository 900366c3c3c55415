import { createHash } from 'node:crypto'
import { CRATE, type Crate, crateText } from './crate.ts'

/** A file of a bag, with its path below `data/`. */
type Payload = { path: string; bytes: number; sha256: string }

/** The folder of a bag's payload. */
export const PAYLOAD = 'data'
/** The file that names the payload with its hashes. `sha256sum -c` reads it. */
export const MANIFEST = 'manifest-sha256.txt'
const DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'

/**
 * Makes the files that turn these parts into a bag (RFC 8493) with a description (RO-Crate 1.1): texts by their path in the bag. The
 * description is one of the files of the payload.
 */
export function filesOfBag(about: Crate): Map<string, string> {
  const crate = crateText(about)
  const described = { path: CRATE, bytes: Buffer.byteLength(crate), sha256: hashOf(crate) }
  const tags = tagFiles([described, ...about.parts], {
    'Bagging-Date': about.made_at.slice(0, 10),
    'External-Description': about.description,
    ...(about.licence !== null && { License: about.licence }),
  })
  return tags.set(`${PAYLOAD}/${CRATE}`, crate)
}

/** The files beside the payload, by name. `info` becomes `bag-info.txt`. */
function tagFiles(payload: readonly Payload[], info: Readonly<Record<string, string>>): Map<string, string> {
  const octets = payload.reduce((sum, { bytes }) => sum + bytes, 0)
  const all = { ...info, 'Payload-Oxum': `${octets}.${payload.length}` }
  const files = new Map([
    ['bagit.txt', DECLARATION],
    ['bag-info.txt', linesOf(Object.entries(all).map(([name, value]) => `${name}: ${value.replace(/\s+/g, ' ')}`))],
    [MANIFEST, linesOf(payload.map(({ path, sha256 }) => `${sha256}  ${PAYLOAD}/${encodePath(path)}`))],
  ])
  const hashes = [...files].map(([name, text]) => `${hashOf(text)}  ${name}`)
  return files.set('tagmanifest-sha256.txt', linesOf(hashes))
}

/** Reads a manifest: hashes by path. Throws an error with a sentence for people if a line has no hash and path. */
export function readHashes(text: string): Map<string, string> {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const [, hash, path] = /^([0-9a-f]{64})\s+\*?(.+)$/i.exec(line) ?? []
      if (hash === undefined || path === undefined) throw new Error(`${MANIFEST} has a line that is none: ${line}`)
      return [decodePath(path), hash.toLowerCase()]
    }),
  )
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** RFC 8493, 2.1.3: a line end or a percent sign in a path is percent-encoded. */
const encodePath = (path: string): string => path.replace(/[\r\n%]/g, encodeURIComponent)
const decodePath = (path: string): string => path.replace(/%(?:0[AD]|25)/gi, decodeURIComponent)
