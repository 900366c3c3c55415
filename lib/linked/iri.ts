import { type KindKey, kinds } from '../kinds/index.ts'
import type { RecordItem } from '../records/items.ts'

/** Where a record lies is what it is called: the address without the version answers in each representation. */
export const iriOf = (origin: string, kind: KindKey, id: number | string) =>
  kind === 'entity' ? `${origin}/data/cultural-entities/${id}/` : `${origin}/cidoc/${kinds[kind].segment}/${id}/`

/** What a record is called: by its number, or where its kind has none by its review identity. */
export const recordIri = (origin: string, { kind, id, entity_id }: Pick<RecordItem, 'kind' | 'id' | 'entity_id'>) =>
  iriOf(origin, kind, kinds[kind].record ? id : entity_id)

/** The name of a value from a controlled list. */
export const typeIri = (origin: string, field: string, value: string) =>
  `${origin}/cidoc/context.jsonld#${field}.${encodeURIComponent(value)}`

/** Whether what a contributor sent can stand as a name: a whole http(s) address without characters that no IRI has. */
export const isAddress = (text: string) => /^https?:\/\/[^\s<>"{}|\\^`\p{Cc}]+$/u.test(text) && URL.canParse(text)
