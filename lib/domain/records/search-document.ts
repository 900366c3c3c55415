import { readBounds } from '../../engines/calendars/index.ts'
import { cut, shorten } from '../../engines/matching/index.ts'
import type { Document } from '../../engines/search/index.ts'
import { type Kind, proseFields } from '../kinds/index.ts'
import type { FieldType } from '../kinds/schema/fields.ts'
import { contributorWordsOf, namesOf, textOf } from '../names/text.ts'
import { picturesIn } from '../pictures/items.ts'
import { faceOf } from '../pictures/view.ts'
import { type FacetName, facetNames } from '../search-words/facets.ts'

/** It holds nothing that depends on the reader, so one document serves all. */
export function documentOfValues(kind: Kind, name: string, data: Record<string, unknown>) {
  const [title = '', ...names] = namesOf(name, data)
  const texts = textsOf(kind, data)
  const years = yearsIn(data)
  const name_ne = textOf(data.name_ne)
  const face = faceOf(picturesIn(data))
  return {
    resource: kind.segment.replaceAll('-', '_'),
    title,
    names,
    summary: shortSummary(proseFields.map((each) => contributorWordsOf(data[each])).find(Boolean) ?? ''),
    text: cut(texts, MOST_TEXT),
    location_hint: cut(facetFields.place.map((each) => contributorWordsOf(data[each])).find(Boolean) ?? '', 200),
    values: valuesIn(data),
    ...(name_ne && { name_ne }),
    ...(years && { years }),
    ...(face && { picture: { image: face.id, width: face.width ?? 0, height: face.height ?? 0 } }),
  }
}

/** Which fields count under each facet. */
const facetFields: Readonly<Record<FacetName, readonly string[]>> = {
  type: [
    ...['structure_type', 'monument_type', 'festival_type', 'ritual_type', 'guthi_type', 'object_type', 'type'],
    ...['source_type', 'syncretic_type', 'occupation', 'traditional_role', 'category'],
  ],
  place: ['location_name', 'location', 'has_current_location', 'took_place_at', 'start_place', 'end_place'],
  style: ['architectural_style', 'technique', 'used_technique'],
  period: ['historical_period', 'period'],
  tradition: ['religious_tradition', 'has_religious_tradition', 'is_primary_for_tradition'],
  deity: [
    ...['dedicated_to', 'depicts_deity', 'invokes_deity', 'enshrined_deity', 'embodied_deity', 'makes_deity_present'],
    'assigned_to_deity',
  ],
  material: ['associated_materials', 'used_materials'],
}

export const facetOfMember = (member: string): FacetName | null =>
  facetNames.find((each) => facetFields[each].includes(member)) ?? null

/** A longer text is prose, and no facet value. */
const MOST_HEADING = 80

function valuesIn(data: Record<string, unknown>): NonNullable<Document['values']> {
  const headings = facetNames.map((facet) => [
    facet,
    [...new Set(facetFields[facet].flatMap((each) => headingsIn(data[each])))].slice(0, 12),
  ])
  return Object.fromEntries(headings.filter(([, found]) => found?.length))
}

/** A text is not split at commas: "Taumadhi, Bhaktapur" is one place. */
const headingsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(contributorWordsOf) : [contributorWordsOf(value)])
    .map((each) => each.trim())
    .filter((each) => each !== '' && each.length <= MOST_HEADING)

/** The fields that say when a thing was made or someone lived. The first entry with a date counts; a pair is a span. */
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

function yearsIn(data: Record<string, unknown>): Document['years'] | undefined {
  for (const members of yearMembers) {
    const spans = members.flatMap((each) => readBounds(contributorWordsOf(data[each]), data.calendar_system) ?? [])
    if (spans.length === 0) continue
    const [from, to] = [Math.min(...spans.map((it) => it.from)), Math.max(...spans.map((it) => it.to))]
    return { from: yearOf(from), to: yearOf(to), approximate: spans.some((it) => it.approximate) }
  }
  return undefined
}

const yearOf = (day: number) => (Number.isFinite(day) ? new Date(day * DAY_MS).getUTCFullYear() : null)
const DAY_MS = 86_400_000

/** The field types whose values are words. The others are numbers, addresses and yes/no. */
const textFieldTypes: ReadonlySet<FieldType> = new Set([
  ...(['text', 'textarea', 'select', 'relation', 'labels', 'edtf_date', 'media'] as const),
])
/** Fields whose words do not describe the thing itself. Names are searched apart. */
const unsearchedMembers: ReadonlySet<string> = new Set([
  ...['name', 'name_ne', 'alternate_names', 'canonical_label', 'identifier', 'same_as', 'source', 'source_citation'],
  ...['access_tier', 'care_labels', 'calendar_system', 'has_provenance_assertion', 'was_documented_by'],
  ...['date_precision', 'birth_precision', 'death_precision', 'cultural_entity_id', 'entity_id', 'object_entity_id'],
])

/** The fields that the kind declares in `search` come first: the text is cut at its end. */
function textsOf(kind: Kind, data: Record<string, unknown>): string {
  const others = Object.entries(kind.fields).flatMap(([member, { type }]) => (textFieldTypes.has(type) ? [member] : []))
  return joinTexts(data, [...kind.search, ...others], [kind.nameField, ...unsearchedMembers])
}

/** More of a text is not searched. */
export const MOST_TEXT = 20_000

export const joinTexts = (data: Record<string, unknown>, members: readonly string[], but: readonly string[]): string =>
  [...new Set(members.filter((each) => !but.includes(each)).map((each) => contributorWordsOf(data[each])))]
    .filter(Boolean)
    .join('\n')

/** The beginning of a text, as a hit shows it. */
export const shortSummary = (text: string) => shorten(text, 280)
