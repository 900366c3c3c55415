import { gregorianDate, readBounds } from '../../engines/calendars/index.ts'
import { cut, shorten } from '../../engines/matching/index.ts'
import type { Document } from '../../engines/search/index.ts'
import { type Kind, proseFields } from '../kinds/index.ts'
import type { FieldType } from '../kinds/schema/fields.ts'
import { contributorWordsOf, namesOf, textOf } from '../names/text.ts'
import { picturesIn } from '../pictures/items.ts'
import { faceOf } from '../pictures/view.ts'
import { type FacetName, facetNames } from '../search-words/facets.ts'

/** Builds the search document of a record. It holds nothing that depends on the reader, so one document serves all readers. */
export function documentOfValues(kind: Kind, name: string, data: Record<string, unknown>) {
  const [title = '', ...names] = namesOf(name, data)
  const years = yearsIn(data)
  const name_ne = textOf(data.name_ne)
  const face = faceOf(picturesIn(data))
  const identifiers = identifiersIn(data)
  return {
    resource: kind.segment.replaceAll('-', '_'),
    title,
    names,
    summary: shortSummary(firstText(data, proseFields)),
    text: cut(textsOf(kind, data), MOST_TEXT),
    location_hint: cut(firstText(data, facetFields.place), 200),
    values: facetValuesIn(data),
    ...(name_ne && { name_ne }),
    ...(years && { years }),
    ...(identifiers.length > 0 && { identifiers }),
    ...(face && { picture: { image: face.id, width: face.width ?? 0, height: face.height ?? 0 } }),
  }
}

/** The most identifiers of a record by which search finds it. */
const MOST_IDENTIFIERS = 20
/** What other systems call the record: its identifier, and the ids or addresses in `same_as`. */
const identifiersIn = (data: Record<string, unknown>): string[] =>
  [data.identifier, data.same_as]
    .flat()
    .map((it) => contributorWordsOf(it).trim())
    .filter((it) => it !== '')
    .slice(0, MOST_IDENTIFIERS)

/** Returns the words of the first of these members that has any. Empty if none has. */
const firstText = (data: Record<string, unknown>, members: readonly string[]): string =>
  members.map((member) => contributorWordsOf(data[member])).find(Boolean) ?? ''

/** The members of a record whose values each facet gathers. */
const facetFields: Readonly<Record<FacetName, readonly string[]>> = {
  type: [
    'structure_type',
    'monument_type',
    'festival_type',
    'ritual_type',
    'guthi_type',
    'object_type',
    'type',
    'source_type',
    'syncretic_type',
    'occupation',
    'traditional_role',
    'category',
  ],
  place: ['location_name', 'location', 'has_current_location', 'took_place_at', 'start_place', 'end_place'],
  style: ['architectural_style', 'technique', 'used_technique'],
  period: ['historical_period', 'period'],
  tradition: ['religious_tradition', 'has_religious_tradition', 'is_primary_for_tradition'],
  deity: [
    'dedicated_to',
    'depicts_deity',
    'invokes_deity',
    'enshrined_deity',
    'embodied_deity',
    'makes_deity_present',
    'assigned_to_deity',
  ],
  material: ['associated_materials', 'used_materials'],
}

/** Returns the facet that gathers this member of a record. Null if none does. */
export const facetOfMember = (member: string): FacetName | null =>
  facetNames.find((facet) => facetFields[facet].includes(member)) ?? null

/** The most characters of a facet value. A longer text is prose and left out. */
const MOST_FACET_CHARACTERS = 80
/** The most values of one facet in one document. */
const MOST_FACET_VALUES = 12

/** Returns the values of each facet. A facet without values is left out. */
function facetValuesIn(data: Record<string, unknown>): NonNullable<Document['values']> {
  const facetValues = facetNames.map((facet) => {
    const texts = facetFields[facet].flatMap((member) => facetTextsIn(data[member]))
    return [facet, [...new Set(texts)].slice(0, MOST_FACET_VALUES)] as const
  })
  return Object.fromEntries(facetValues.filter(([, texts]) => texts.length > 0))
}

/** The facet values in a member. A text is not split at commas: "Taumadhi, Bhaktapur" is one place. */
const facetTextsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .map((part) => contributorWordsOf(part).trim())
    .filter((text) => text !== '' && text.length <= MOST_FACET_CHARACTERS)

/** The fields that date a record: when an object was made, or a person lived. The first entry with a date is used. A pair is a span. */
const yearMembers: readonly (readonly string[])[] = [
  ['construction_date'],
  ['creation_date'],
  ['birth_date', 'death_date'],
  ['start_year', 'end_year'],
  ['date_earliest', 'date_latest'],
  ['start_date', 'end_date'],
  ['has_timespan'],
  ['publication_year'],
]

/** Returns the years of a record. Undefined if it has no date that can be read. */
function yearsIn(data: Record<string, unknown>): Document['years'] | undefined {
  for (const members of yearMembers) {
    const spans = members.flatMap((member) => readBounds(contributorWordsOf(data[member]), data.calendar_system) ?? [])
    if (spans.length === 0) continue
    const [from, to] = [Math.min(...spans.map((it) => it.from)), Math.max(...spans.map((it) => it.to))]
    return { from: yearOf(from), to: yearOf(to), approximate: spans.some((it) => it.approximate) }
  }
  return undefined
}

const yearOf = (day: number) => (Number.isFinite(day) ? gregorianDate(day).year : null)

/** The field types whose values are words. The other types hold numbers, addresses, points, yes/no, and dates in the words of their source. */
const textFieldTypes: ReadonlySet<FieldType> = new Set<FieldType>([
  'text',
  'textarea',
  'select',
  'relation',
  'labels',
  'edtf_date',
  'media',
])
/** Fields that are not part of the searched text: words about something else, and names, which the document holds in other members. */
const unsearchedMembers: ReadonlySet<string> = new Set([
  'name',
  'name_ne',
  'alternate_names',
  'canonical_label',
  'identifier',
  'same_as',
  'source',
  'source_citation',
  'access_tier',
  'care_labels',
  'calendar_system',
  'has_provenance_assertion',
  'was_documented_by',
  'date_precision',
  'birth_precision',
  'death_precision',
  'cultural_entity_id',
  'entity_id',
  'object_entity_id',
])

/** Joins the words of a record. The fields that the kind declares in `search` come first: the text is cut at its end. */
function textsOf(kind: Kind, data: Record<string, unknown>): string {
  const others = Object.entries(kind.fields).flatMap(([member, { type }]) => (textFieldTypes.has(type) ? [member] : []))
  return joinTexts(data, [...kind.search, ...others], [kind.nameField, ...unsearchedMembers])
}

/** The most characters of a document that are searched. */
export const MOST_TEXT = 20_000

/** Joins the words of these members, each text once. Members under `except` are left out. */
export const joinTexts = (
  data: Record<string, unknown>,
  members: readonly string[],
  except: readonly string[],
): string =>
  [...new Set(members.filter((member) => !except.includes(member)).map((member) => contributorWordsOf(data[member])))]
    .filter(Boolean)
    .join('\n')

/** Returns the beginning of a text, as a hit shows it. */
export const shortSummary = (text: string) => shorten(text, 280)
