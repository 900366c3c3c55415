/** The name of the file that describes a crate. It stands in the folder that it describes. */
export const CRATE = 'ro-crate-metadata.json'

/** The terms of RO-Crate 1.1, and one of schema.org that it does not have. */
const context = ['https://w3id.org/ro/crate/1.1/context', { sha256: 'http://schema.org/sha256' }]

type Part = { path: string; bytes: number; sha256: string; type: string; description: string }
/** What a crate is, and its files. */
export type Crate = {
  name: string
  description: string
  /** When it was made, as a time of ISO 8601. */
  made_at: string
  licence: string | null
  parts: readonly Part[]
}

/** Describes a folder of files as a research object: RO-Crate 1.1, as JSON-LD of schema.org. */
export function crateText({ name, description, made_at, licence, parts }: Crate): string {
  const graph = [
    {
      '@id': CRATE,
      '@type': 'CreativeWork',
      conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
      about: { '@id': './' },
    },
    {
      '@id': './',
      '@type': 'Dataset',
      name,
      description,
      datePublished: made_at,
      license: licence === null ? 'Not stated' : { '@id': addressOf(licence) },
      hasPart: parts.map(({ path }) => ({ '@id': encodeURI(path) })),
    },
    ...(licence === null ? [] : [{ '@id': addressOf(licence), '@type': 'CreativeWork', name: licence }]),
    ...parts.map(({ path, bytes, sha256, type, description: about }) => ({
      '@id': encodeURI(path),
      '@type': 'File',
      name: path,
      description: about,
      encodingFormat: type.split(';')[0],
      contentSize: String(bytes),
      sha256,
    })),
  ]
  return `${JSON.stringify({ '@context': context, '@graph': graph }, null, 2)}\n`
}

/** The address of a licence. The licence is given as an address or as an id of SPDX. */
const addressOf = (licence: string): string =>
  /^https?:\/\//.test(licence) ? licence : `https://spdx.org/licenses/${encodeURIComponent(licence)}`
