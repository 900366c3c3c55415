import { type Kind, type KindKey, kinds } from '../../../lib/kinds/index.ts'
import { addresses, bookkeeping, fieldOf, kindOf, mappingOf, provenance, rowKinds } from './mappings.ts'
import type { Row } from './rows.ts'

/** A value of a row that was not put where its member says, and why. It is kept in a note. */
export type Aside = { member: string; value: string; reason: string; private?: true }
/** What is wrong with a member of a row. */
export type Fault = { member: string; reason: string }
/** A member that names other rows or records; `to` is their kind, or undefined where their name is all that is kept. */
export type Reference = { member: string; as: string; to: KindKey | undefined; given: string[]; many: boolean }
export type Draft = {
  row: Row
  kind: Kind
  /** What stands in the row as it is sent. */
  values: Record<string, unknown>
  references: Reference[]
  ends: { subject: string; object: string } | undefined
  /** Field to the row member that it came from. */
  origins: ReadonlyMap<string, string>
  assertion: Readonly<Record<string, string>>
  asides: Aside[]
}

/** A row in the words of the API, its references yet to be looked up; or what keeps it from being said. Pure. */
export function draftOf(row: Row, { lenient }: { lenient: boolean }): Draft | Fault[] {
  const mapping = mappingOf(row.kind)
  if (!mapping)
    return [{ member: 'kind', reason: `No kind of record has such rows. Known are: ${rowKinds.join(', ')}.` }]
  const kind = kindOf(mapping)
  const draft: Draft = {
    row,
    kind,
    values: {},
    references: [],
    ends: endsOf(row, mapping.ends),
    origins: new Map(),
    assertion: {},
    asides: [],
  }
  const origins = new Map<string, string>()
  const faults: Fault[] = []
  const remarks: string[] = kind.fields.identifier ? [] : [rowMark(row.id)]
  if (kind.fields.identifier) draft.values.identifier = row.id

  for (const [member, value] of Object.entries(row)) {
    if (member === 'id' || member === 'kind' || isNothing(value)) continue
    if (Object.values(mapping.ends ?? {}).includes(member)) continue
    const as = mapping.renamed[member] ?? member
    const field = fieldOf(kind, as)
    if (mapping.own?.includes(member) || bookkeeping.includes(member)) remarks.push(`${member}: ${textOf(value)}`)
    else if (addresses.includes(member)) {
      remarks.push(`${member}: ${textOf(value).replace(/@.*$/, '')}`)
      if (textOf(value).includes('@'))
        draft.asides.push({
          member,
          value: textOf(value),
          reason: 'Addresses of people are not published.',
          private: true,
        })
    } else if (isProvenance(member) && !(field && keptAsField(kind, member))) continue
    else if (!field) {
      const reason = `Rows of the kind ${row.kind} have no home for this member.`
      if (lenient) draft.asides.push({ member, value: textOf(value), reason })
      else faults.push({ member, reason })
    } else {
      origins.set(as, member)
      const given = listOf(value)
      if (field.type === 'relation')
        draft.references.push({ member, as, to: field.relation, given, many: field.multivalued })
      else if (field.numeric && given.some(isRowId))
        draft.references.push({ member, as, to: undefined, given, many: field.multivalued })
      else draft.values[as] = value
    }
  }
  if (faults.length > 0) return faults
  const said = assertionOf(row, kind, remarks)
  // A data source is itself what others cite: it has no claims, so its own origin is a note on it.
  if (kind.key === 'data_source') draft.values.note = joined([textOf(draft.values.note), ...Object.values(said)])
  return { ...draft, origins, assertion: kind.key === 'data_source' ? {} : said }
}

/** A token that stands for a row ("kg:intangible/place/asan", "DEY002") and does not read as a name. */
export const isRowId = (text: string): boolean => /^[a-z]+:\S+$/.test(text) || /^[A-Z]{2,5}\d{2,}$/.test(text)

/** The ids that a token can mean: itself, or one from the same source as the row that has it. */
export function idsMeant(token: string, row: Row): string[] {
  const [source] = row.id.split(':')
  return token.includes(':') ? [token] : [token, `${source}:${token}`]
}

/** The line by which a record of a kind without identifiers tells which row it was made from. */
export const rowMark = (id: string): string => `row: ${id}`

/** The line in which a note keeps a value that did not fit. */
export const kept = ({ member, value }: Aside): string => `${member} as given: ${value}`

/** Lines of text, empty ones left out. */
export const joined = (lines: readonly string[]): string => lines.filter(Boolean).join('\n')

/** The confidence that a score from 0 to 1 comes to. */
export function confidenceOf(score: number): 'certain' | 'likely' | 'uncertain' | 'speculative' {
  return score >= 0.9 ? 'certain' : score >= 0.6 ? 'likely' : score >= 0.3 ? 'uncertain' : 'speculative'
}

/** A value of a row as text that says all of it. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

const isNothing = (value: unknown) => value === null || value === undefined || value === ''
const isProvenance = (member: string) => provenance.some((one) => one === member)

/** Where a kind has a field of such a name for facts of its own: what a document is, how sure a claim is. */
const keptAsField = (kind: Kind, member: string) =>
  (member === 'source_type' && ['source', 'data_source'].includes(kind.key)) || member === 'confidence_score'

const listOf = (value: unknown) => (Array.isArray(value) ? value.map(textOf) : [textOf(value)])

function endsOf(row: Row, names: { subject: string; object: string } | undefined) {
  return names && { subject: textOf(row[names.subject]), object: textOf(row[names.object]) }
}

/** How a source's name tells what kind of source it is; the first that fits. Whatever else rows name is read on the web. */
const sourceTypes: readonly (readonly [RegExp, string])[] = [
  [/UNESCO|curated intangible/i, 'published'],
  [/./, 'web'],
]

/** The assertion block: a row's own block first, then its source members; the rest of what it says about itself below. */
function assertionOf(row: Row, kind: Kind, remarks: readonly string[]): Record<string, string> {
  const own = isObject(row.assertion) ? row.assertion : {}
  const { source_type, source_citation, source_url, confidence, data_quality_note, ...others } = own
  const source = textOf(row.source)
  const sourceType = keptAsField(kind, 'source_type') ? '' : textOf(row.source_type)
  const said = {
    source_type: textOf(source_type) || sourceType || sourceTypeOf(source),
    source_citation: textOf(source_citation) || textOf(row.source_citation) || source,
    source_url: textOf(source_url) || textOf(row.source_url),
    confidence: textOf(confidence) || textOf(row.confidence) || scored(row.confidence_score),
  }
  // What another member outranked is still said.
  const outranked = (['source', 'source_citation', 'source_url', 'confidence'] as const).filter(
    (member) => !isNothing(row[member]) && !Object.values(said).includes(textOf(row[member])),
  )
  const note = joined([
    textOf(data_quality_note),
    textOf(row.data_quality_note),
    ...remarks,
    ...outranked.map((member) => `${member}: ${textOf(row[member])}`),
    ...(sourceType && sourceType !== said.source_type ? [`source_type: ${sourceType}`] : []),
    ...(['confidence_score', 'supporting_source'] as const)
      .filter((member) => !isNothing(row[member]))
      .map((member) => `${member}: ${textOf(row[member])}`),
    ...Object.entries(others).map(([member, value]) => `assertion.${member}: ${textOf(value)}`),
  ])
  return Object.fromEntries(Object.entries({ ...said, data_quality_note: note }).filter(([, text]) => text !== ''))
}

const sourceTypeOf = (source: string) => sourceTypes.find(([pattern]) => pattern.test(source))?.[1] ?? ''
const scored = (score: unknown) => (typeof score === 'number' ? confidenceOf(score) : 'likely')
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The path under which a kind is listed and created. */
export const pathOf = (kind: KindKey): string =>
  kind === 'entity' ? '/data/cultural-entities/' : `/cidoc/${kinds[kind].segment}/`
