import { type Kind, type KindKey, kinds } from '../../../lib/domain/kinds/index.ts'
import type { Confidence } from '../../../lib/domain/kinds/schema/enums.ts'
import { addresses, bookkeeping, fieldOf, kindOfRow, provenance, rowKinds, spellingOf } from './mappings.ts'
import type { Row } from './rows.ts'

/** A value of a row that does not fit its field, and why. It goes into a note instead. */
export type Aside = { member: string; value: string; reason: string; private?: true }
/** What is wrong with a member of a row. */
export type Fault = { member: string; reason: string }
/** A member that names other rows or records. `to` is their kind; undefined if only the name is stored. */
export type Reference = { member: string; as: string; to: KindKey | undefined; given: string[]; many: boolean }
export type Draft = {
  row: Row
  kind: Kind
  /** The values to send, by field. */
  values: Record<string, unknown>
  references: Reference[]
  ends: { subject: string; object: string } | undefined
  /** From each field to the member of the row that it came from. */
  origins: ReadonlyMap<string, string>
  assertion: Readonly<Record<string, string>>
  asides: Aside[]
}

/** Turns a row into fields of the API, with references not looked up yet. Returns faults if it cannot. Pure. */
export function draftOf(row: Row, { lenient }: { lenient: boolean }): Draft | Fault[] {
  const mapping = spellingOf(row.kind)
  if (!mapping)
    return [{ member: 'kind', reason: `No kind of record has such rows. Known are: ${rowKinds.join(', ')}.` }]
  const kind = kindOfRow(mapping)
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
    const meant = otherwiseMeant(row, member)
    if (meant !== undefined) {
      draft.asides.push({ member, value: cellTextOf(value), reason: meant })
      continue
    }
    if (mapping.own?.includes(member) || bookkeeping.includes(member)) remarks.push(`${member}: ${cellTextOf(value)}`)
    else if (addresses.includes(member)) {
      remarks.push(`${member}: ${cellTextOf(value).replace(/@.*$/, '')}`)
      if (cellTextOf(value).includes('@'))
        draft.asides.push({
          member,
          value: cellTextOf(value),
          reason: 'Addresses of people are not published.',
          private: true,
        })
    } else if (isProvenance(member) && !(field && keptAsField(kind, member))) continue
    else if (!field) {
      const reason = `Rows of the kind ${row.kind} have no home for this member.`
      if (lenient) draft.asides.push({ member, value: cellTextOf(value), reason })
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
  // A data source has no claims, so where it comes from goes into its note.
  if (kind.key === 'data_source') draft.values.note = joinLines([cellTextOf(draft.values.note), ...Object.values(said)])
  return { ...draft, origins, assertion: kind.key === 'data_source' ? {} : said }
}

/** Whether a text is the id of a row, not a name. Examples: "kg:intangible/place/asan", "DEY002". */
export const isRowId = (text: string): boolean => /^[a-z]+:\S+$/.test(text) || /^[A-Z]{2,5}\d{2,}$/.test(text)

/** The ids that a token can mean. Example: in a row of "kg:...", "DEY002" may also mean "kg:DEY002". */
export function idsMeant(token: string, row: Row): string[] {
  const [source] = row.id.split(':')
  return token.includes(':') ? [token] : [token, `${source}:${token}`]
}

/** A line in the note of a record whose kind has no identifiers. By it a later run finds the record of a row. */
const rowMark = (id: string): string => `row: ${id}`

/** The line of a note with a value that did not fit its field. */
export const noteOfAside = ({ member, value }: Aside): string => `${member} as given: ${value}`

/** Joins lines, without empty ones. */
export const joinLines = (lines: readonly string[]): string => lines.filter(Boolean).join('\n')

/** The confidence for a score from 0 to 1. */
export function confidenceOf(score: number): Confidence {
  return score >= 0.9 ? 'certain' : score >= 0.6 ? 'likely' : score >= 0.3 ? 'uncertain' : 'speculative'
}

/** A value of a row as text, with nothing lost. */
export function cellTextOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(cellTextOf).join(', ')
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

const isNothing = (value: unknown) => value === null || value === undefined || value === ''
const isProvenance = (member: string) => provenance.some((one) => one === member)

/** Whether a member of provenance is a field of the kind instead: the type of a document, the confidence of a claim. */
const keptAsField = (kind: Kind, member: string) =>
  (member === 'source_type' && ['source', 'data_source'].includes(kind.key)) || member === 'confidence_score'

const listOf = (value: unknown) => (Array.isArray(value) ? value.map(cellTextOf) : [cellTextOf(value)])

function endsOf(row: Row, names: { subject: string; object: string } | undefined) {
  return names && { subject: cellTextOf(row[names.subject]), object: cellTextOf(row[names.object]) }
}

/**
 * The types of sources whose whole name is known. A word within a label says nothing of its type: "Photographs of UNESCO sites" is no
 * publication. All others are web pages.
 */
const sourceTypes: Readonly<Record<string, string>> = {
  'UNESCO World Heritage Centre': 'published',
  'HeritageGraph curated intangible layer': 'published',
}

/** A date that the source gives for something else: the year of entry into a list is no year of building. */
const otherDates: readonly { member: string; saidBy: string; isOther: RegExp; reason: string }[] = [
  {
    member: 'construction_date',
    saidBy: 'construction_date_property_in_source',
    isOther: /\b(?:inscription|listing|designation|nomination)\b/i,
    reason: 'Its source gives the year of entry into a list here, not of construction.',
  },
]

/** Why the value of a member is about something else. Undefined if it is not. */
const otherwiseMeant = (row: Row, member: string): string | undefined =>
  otherDates.find((it) => it.member === member && it.isOther.test(cellTextOf(row[it.saidBy])))?.reason

/** The assertion of a row: its own `assertion` first, then its source members. The rest goes into the note on data quality. */
function assertionOf(row: Row, kind: Kind, remarks: readonly string[]): Record<string, string> {
  const own = isObject(row.assertion) ? row.assertion : {}
  const { source_type, source_citation, source_url, confidence, data_quality_note, ...others } = own
  const source = cellTextOf(row.source)
  const sourceType = keptAsField(kind, 'source_type') ? '' : cellTextOf(row.source_type)
  const said = {
    source_type: cellTextOf(source_type) || sourceType || sourceTypeOf(source),
    source_citation: cellTextOf(source_citation) || cellTextOf(row.source_citation) || source,
    source_url: cellTextOf(source_url) || cellTextOf(row.source_url),
    confidence: cellTextOf(confidence) || cellTextOf(row.confidence) || confidenceOfScore(row.confidence_score),
  }
  // A member that lost against another one goes into the note.
  const outranked = (['source', 'source_citation', 'source_url', 'confidence'] as const).filter(
    (member) => !isNothing(row[member]) && !Object.values(said).includes(cellTextOf(row[member])),
  )
  const note = joinLines([
    cellTextOf(data_quality_note),
    cellTextOf(row.data_quality_note),
    ...remarks,
    ...outranked.map((member) => `${member}: ${cellTextOf(row[member])}`),
    ...(sourceType && sourceType !== said.source_type ? [`source_type: ${sourceType}`] : []),
    ...(['confidence_score', 'supporting_source'] as const)
      .filter((member) => !isNothing(row[member]))
      .map((member) => `${member}: ${cellTextOf(row[member])}`),
    ...Object.entries(others).map(([member, value]) => `assertion.${member}: ${cellTextOf(value)}`),
  ])
  return Object.fromEntries(Object.entries({ ...said, data_quality_note: note }).filter(([, text]) => text !== ''))
}

/** The type of a source by its name, without the remark in brackets that says how it came here. */
function sourceTypeOf(source: string): string {
  if (source === '') return ''
  const name = source.replace(/\s*\([^()]*\)$/, '')
  return Object.hasOwn(sourceTypes, name) ? (sourceTypes[name] ?? 'web') : 'web'
}
const confidenceOfScore = (score: unknown) => (typeof score === 'number' ? confidenceOf(score) : 'likely')
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The path of a kind's list, where records are created too. */
export const pathOf = (kind: KindKey): string =>
  kind === 'entity' ? '/data/cultural-entities/' : `/cidoc/${kinds[kind].segment}/`
