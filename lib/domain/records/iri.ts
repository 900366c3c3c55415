import { config } from '../../base/config.ts'
import { type KindKey, kinds } from '../kinds/index.ts'
import { parseSameAs } from '../names/same-as.ts'
import type { RecordItem } from './items.ts'

/** The IRI of a record is its address without an API version. That address answers in every representation. */
export const iriOf = (origin: string, kind: KindKey, id: number | string) =>
  kind === 'entity' ? `${origin}/data/cultural-entities/${id}/` : `${origin}/cidoc/${kinds[kind].segment}/${id}/`

/** The IRI of a record: by its integer id, or by its review identity if its kind has no integer ids. */
export const recordIri = (origin: string, { kind, id, entity_id }: Pick<RecordItem, 'kind' | 'id' | 'entity_id'>) =>
  iriOf(origin, kind, kinds[kind].record ? id : entity_id)

type Named = Pick<RecordItem, 'kind' | 'id'>

/** The path of a record that stays: `/resource/structure/7`. */
export const resourcePath = ({ kind, id }: Named): string => `/resource/${kind}/${id}`

/**
 * The address that stays, by which a record is cited. It begins with `RESOURCE_BASE`, where a redirect leads to this host, or with `origin`
 * if `RESOURCE_BASE` is empty.
 */
export const persistentAddress = (origin: string, it: Named): string =>
  `${config.RESOURCE_BASE.replace(/\/+$/, '') || origin}${resourcePath(it)}`

/** The IRI of a value from a controlled list. */
export const typeIri = (origin: string, field: string, value: string) =>
  `${origin}/cidoc/context.jsonld#${field}.${encodeURIComponent(value)}`

/** Whether a contributor's text can be used as an IRI: a whole http(s) address without characters that IRIs forbid. */
export const isAddress = (text: string) => /^https?:\/\/[^\s<>"{}|\\^`\p{Cc}]+$/u.test(text) && URL.canParse(text)

/**
 * The IRI that another collection gives to the thing of a link. `wd:Q37` and the page of Wikidata about it have the same IRI. Any other
 * address stays as it is. Undefined if the text is no address.
 */
export function sameThingIri(text: string): string | undefined {
  const link = parseSameAs(text)
  if (link && link.fault === undefined) return link.address
  return isAddress(text) ? text : undefined
}
