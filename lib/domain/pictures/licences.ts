import licences from 'spdx-license-ids/index.json' with { type: 'json' }

/** The statements of rightsstatements.org, version 1.0. */
const statements = 'InC InC-OW-EU InC-EDU InC-NC InC-RUU NoC-CR NoC-NC NoC-OKLR NoC-US CNE UND NKC'.split(' ')

const spdxIds = new Map(licences.map((id) => [id.toLowerCase(), id]))
const statementAddress = /^https?:\/\/rightsstatements\.org\/(?:vocab|page)\/([A-Za-z-]+)\/1\.0\/?$/

/**
 * Returns the stored spelling of a licence: an SPDX identifier, or the address of a statement of rightsstatements.org.
 * Undefined for any other text. This file loads the long SPDX list, so import it only when a licence is sent.
 */
export function licenceOf(text: string): string | undefined {
  const spdx = spdxIds.get(text.toLowerCase())
  if (spdx !== undefined) return spdx
  const code = statementAddress.exec(text)?.[1]
  const name = statements.find((statement) => statement.toLowerCase() === code?.toLowerCase())
  return name && `http://rightsstatements.org/vocab/${name}/1.0/`
}

/** The message for an unknown licence. */
export const NO_LICENCE =
  'The licence is none. Give an identifier of the SPDX list, such as CC-BY-SA-4.0, or the address of a statement of rightsstatements.org.'
