/** International licences only. A national version such as `CC-BY-3.0-DE` has no address here. */
const creativeCommons = /^CC-(BY(?:-NC)?(?:-(?:SA|ND))?)-(\d\.\d)$/

/** The address of a licence in IIIF and linked data. Undefined where there is none. */
export function licenceAddress(licence: string): string | undefined {
  if (licence.startsWith('http')) return licence
  if (licence === 'CC0-1.0') return 'http://creativecommons.org/publicdomain/zero/1.0/'
  if (licence === 'CC-PDM-1.0') return 'http://creativecommons.org/publicdomain/mark/1.0/'
  const [, sort, version] = creativeCommons.exec(licence) ?? []
  return sort && `http://creativecommons.org/licenses/${sort.toLowerCase()}/${version}/`
}
