import licences from 'spdx-license-ids/index.json' with { type: 'json' }

/** The statements of rightsstatements.org, version 1.0. */
const statements = 'InC InC-OW-EU InC-EDU InC-NC InC-RUU NoC-CR NoC-NC NoC-OKLR NoC-US CNE UND NKC'.split(' ')

const known = new Map(licences.map((id) => [id.toLowerCase(), id]))
const statement = /^https?:\/\/rightsstatements\.org\/(?:vocab|page)\/([A-Za-z-]+)\/1\.0\/?$/

/**
 * The stored spelling of a licence: an SPDX identifier, or the address of a statement of rightsstatements.org. Undefined for
 * what is neither.
 */
export function licenceOf(text: string): string | undefined {
  const spdx = known.get(text.toLowerCase())
  if (spdx !== undefined) return spdx
  const code = statement.exec(text)?.[1]
  const found = statements.find((it) => it.toLowerCase() === code?.toLowerCase())
  return found && `http://rightsstatements.org/vocab/${found}/1.0/`
}

/** The message for an unknown licence. */
export const NO_LICENCE =
  'The licence is none. Give an identifier of the SPDX list, such as CC-BY-SA-4.0, or the address of a statement of rightsstatements.org.'
