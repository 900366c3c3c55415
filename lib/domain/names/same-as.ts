/** A collection whose records a link may name as the same thing. */
type Collection = {
  label: string
  /** The part of a short id before the colon, in lower case: `wd` in `wd:Q37`. */
  prefixes: readonly string[]
  /** The beginning of its addresses. The id follows. */
  beginning: RegExp
  id: RegExp
  example: string
  address: (id: string) => string
}

const getty = (name: string, id: RegExp, example: string): Collection => ({
  label: `Getty ${name.toUpperCase()}`,
  prefixes: [name, `getty-${name}`],
  beginning: new RegExp(`^(?:https?://)?(?:www\\.)?vocab\\.getty\\.edu/(?:page/)?${name}/`, 'i'),
  id,
  example,
  address: (id) => `http://vocab.getty.edu/${name}/${id}`,
})

const collections = {
  wikidata: {
    label: 'Wikidata',
    prefixes: ['wd', 'wikidata'],
    beginning: /^(?:https?:\/\/)?(?:www\.|m\.)?wikidata\.org\/(?:wiki\/(?:Special:EntityData\/)?|entity\/)/i,
    id: /^Q[1-9]\d{0,11}$/,
    example: 'Q37',
    address: (id) => `http://www.wikidata.org/entity/${id}`,
  },
  geonames: {
    label: 'GeoNames',
    prefixes: ['gn', 'geonames'],
    beginning: /^(?:https?:\/\/)?(?:www\.|sws\.)?geonames\.org\//i,
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

/** A parsed link. All spellings of it have the same `word`. `fault` explains why the id is wrong, and is absent if it is right. */
export type SameAs = { collection: CollectionKey; id: string; word: string; address: string; fault?: string }

/** Reads a text as a link to a known collection. Undefined if it names no such collection. */
export function parseSameAs(text: string): SameAs | undefined {
  const trimmed = text.trim()
  for (const collection of collectionKeys) {
    const known: Collection = collections[collection]
    const spelling = idPartOf(known, trimmed)
    if (spelling === undefined) continue
    const id = collection === 'wikidata' ? spelling.toUpperCase() : spelling
    const link = { collection, id, word: `${known.prefixes[0]}:${id.toLowerCase()}`, address: known.address(id) }
    const fault = `This is no id of ${known.label}, which look like ${known.example}.`
    return known.id.test(id) ? link : { ...link, fault }
  }
  return undefined
}

/** Returns the part of a text that may be an id of this collection. A bare `Q37` is an id of Wikidata. */
function idPartOf(known: Collection, text: string): string | undefined {
  if (known.example.startsWith('Q') && /^Q\d+$/i.test(text)) return text
  const prefix = /^([a-z-]+):(?!\/\/)(.*)$/i.exec(text)
  if (prefix && known.prefixes.includes((prefix[1] ?? '').toLowerCase())) return prefix[2] ?? ''
  if (!known.beginning.test(text)) return undefined
  return text.replace(known.beginning, '').split(/[/?#.]/)[0] ?? ''
}
