/** The ports of Creative Commons that an address names by a jurisdiction have none here: their text is one of many. */
const creativeCommons = /^CC-(BY(?:-NC)?(?:-(?:SA|ND))?)-(\d\.\d)$/

/** Where a licence can be read, as IIIF and linked data name it; undefined for those that have no address of this sort. */
export function licenceAddress(licence: string): string | undefined {
  if (licence.startsWith('http')) return licence
  if (licence === 'CC0-1.0') return 'http://creativecommons.org/publicdomain/zero/1.0/'
  if (licence === 'CC-PDM-1.0') return 'http://creativecommons.org/publicdomain/mark/1.0/'
  const [, sort, version] = creativeCommons.exec(licence) ?? []
  return sort && `http://creativecommons.org/licenses/${sort.toLowerCase()}/${version}/`
}
