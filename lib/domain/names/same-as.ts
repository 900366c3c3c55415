/** Links to the same thing in other collections. The table says how each collection writes its ids. */

type Collection = {
  label: string
  /** The part of a short id before the colon, in lower case: `wd` in `wd:Q37`. */
  prefixes: readonly string[]
  /** How its addresses begin. The id follows. */
  at: RegExp
  id: RegExp
  example: string
  address: (id: string) => string
}

const getty = (name: string, id: RegExp, example: string): Collection => ({
  label: `Getty ${name.toUpperCase()}`,
  prefixes: [name, `getty-${name}`],
  at: new RegExp(`^(?:https?://)?(?:www\\.)?vocab\\.getty\\.edu/(?:page/)?${name}/`, 'i'),
  id,
  example,
  address: (id) => `http://vocab.getty.edu/${name}/${id}`,
})

const collections = {
  wikidata: {
    label: 'Wikidata',
    prefixes: ['wd', 'wikidata'],
    at: /^(?:https?:\/\/)?(?:www\.|m\.)?wikidata\.org\/(?:wiki\/(?:Special:EntityData\/)?|entity\/)/i,
    id: /^Q[1-9]\d{0,11}$/,
    example: 'Q37',
    address: (id) => `http://www.wikidata.org/entity/${id}`,
  },
  geonames: {
    label: 'GeoNames',
    prefixes: ['gn', 'geonames'],
    at: /^(?:https?:\/\/)?(?:www\.|sws\.)?geonames\.org\//i,
    id: /^[1-9]\d{0,9}$/,
    example: '1283240',
    address: (id) => `https://sws.geonames.org/${id}/`,
  },
  ulan: getty('ulan', /^500\d{6}$/, '500115493'),
  aat: getty('aat', /^300\d{6}$/, '300007544'),
  tgn: getty('tgn', /^[1-9]\d{6}$/, '7001535'),
} as const satisfies Record<string, Collection>
export type CollectionKey = keyof typeof collections
export const collectionKeys = Object.keys(collections) as CollectionKey[]

/** A parsed link. `word` is the same for all ways to write it. `fault` says what is wrong with the id. */
export type SameAs = { collection: CollectionKey; id: string; word: string; address: string; fault?: string }

/** Reads a text as a link to a known collection. Undefined where it names none. */
export function parseSameAs(text: string): SameAs | undefined {
  const trimmed = text.trim()
  for (const collection of collectionKeys) {
    const known: Collection = collections[collection]
    const written = idPartOf(known, trimmed)
    if (written === undefined) continue
    const id = collection === 'wikidata' ? written.toUpperCase() : written
    const link = { collection, id, word: `${known.prefixes[0]}:${id.toLowerCase()}`, address: known.address(id) }
    const fault = `This is no id of ${known.label}, which look like ${known.example}.`
    return known.id.test(id) ? link : { ...link, fault }
  }
  return undefined
}

/** The part of a text where the id of the collection stands. A bare `Q37` is an id of Wikidata. */
function idPartOf(known: Collection, text: string): string | undefined {
  if (known.example.startsWith('Q') && /^Q\d+$/i.test(text)) return text
  const prefix = /^([a-z-]+):(?!\/\/)(.*)$/i.exec(text)
  if (prefix && known.prefixes.includes((prefix[1] ?? '').toLowerCase())) return prefix[2] ?? ''
  if (!known.at.test(text)) return undefined
  return text.replace(known.at, '').split(/[/?#.]/)[0] ?? ''
}
