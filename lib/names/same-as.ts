/** Links to the same thing in other collections: how each collection writes its ids, as data. */

type Collection = {
  label: string
  /** What stands before an id in short, in lower case. */
  prefixes: readonly string[]
  /** Where its addresses lie; the rest begins with the id. */
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

/** A link as it is read. `word` is the same for all ways to write it; `fault` says what is wrong with the id. */
export type SameAs = { collection: CollectionKey; id: string; word: string; address: string; fault?: string }

/** The link that a text is, if it names one of the collections that are known here. */
export function sameAsIn(text: string): SameAs | undefined {
  const given = text.trim()
  for (const collection of collectionKeys) {
    const known: Collection = collections[collection]
    const written = idIn(known, given)
    if (written === undefined) continue
    const id = collection === 'wikidata' ? written.toUpperCase() : written
    const link = { collection, id, word: `${known.prefixes[0]}:${id.toLowerCase()}`, address: known.address(id) }
    const fault = `This is no id of ${known.label}, which look like ${known.example}.`
    return known.id.test(id) ? link : { ...link, fault }
  }
  return undefined
}

/** What stands where the id does; an item of Wikidata is known by its id alone. */
function idIn(known: Collection, given: string): string | undefined {
  if (known.example.startsWith('Q') && /^Q\d+$/i.test(given)) return given
  const prefix = /^([a-z-]+):(?!\/\/)(.*)$/i.exec(given)
  if (prefix && known.prefixes.includes((prefix[1] ?? '').toLowerCase())) return prefix[2] ?? ''
  if (!known.at.test(given)) return undefined
  return given.replace(known.at, '').split(/[/?#.]/)[0] ?? ''
}
