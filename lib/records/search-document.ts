import { boundsIn } from '../calendars/periods.ts'
import { type Kind, proseFields } from '../kinds/index.ts'
import type { FieldType } from '../kinds/schema/fields.ts'
import { cut, shortened } from '../matching/cut.ts'
import { namesOf, textOf, wordsOf } from '../names/text.ts'
import { picturesIn } from '../pictures/values.ts'
import { faceOf } from '../pictures/view.ts'
import { type Document, type FacetName, facetNames } from '../search/document.ts'

/** What search learns from the name and the values of a record, whoever may see them. */
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
    summary: short(proseFields.map((each) => wordsOf(data[each])).find(Boolean) ?? ''),
    text: cut(texts, MOST_TEXT),
    location_hint: cut(facetFields.place.map((each) => wordsOf(data[each])).find(Boolean) ?? '', 200),
    values: valuesIn(data),
    ...(name_ne && { name_ne }),
    ...(years && { years }),
    ...(face && { picture: { image: face.id, width: face.width ?? 0, height: face.height ?? 0 } }),
  }
}

/** The members of records behind each facet. A facet is added here, and to `facetNames`. */
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

/** The facet that the values of a member are counted under; null for others. */
export const facetOf = (member: string): FacetName | null =>
  facetNames.find((each) => facetFields[each].includes(member)) ?? null

/** The longest value that is a heading; prose is no facet. */
const MOST_HEADING = 80

function valuesIn(data: Record<string, unknown>): NonNullable<Document['values']> {
  const headings = facetNames.map((facet) => [
    facet,
    [...new Set(facetFields[facet].flatMap((each) => headingsIn(data[each])))].slice(0, 12),
  ])
  return Object.fromEntries(headings.filter(([, found]) => found?.length))
}

/** Several in one text stand between commas, but a place with its town is one. */
const headingsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(wordsOf) : [wordsOf(value)])
    .map((each) => each.trim())
    .filter((each) => each !== '' && each.length <= MOST_HEADING)

/** When a thing was made, or someone lived: the first member that says so, or the two of a span. */
const datings: readonly (readonly string[])[] = [
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
  for (const members of datings) {
    const spans = members.flatMap((each) => boundsIn(wordsOf(data[each]), data.calendar_system) ?? [])
    if (spans.length === 0) continue
    const [from, to] = [Math.min(...spans.map((it) => it.from)), Math.max(...spans.map((it) => it.to))]
    // Of a life or a reign of which one end is known the other is not.
    return { from: yearOf(from), to: yearOf(to), approximate: spans.some((it) => it.approximate) }
  }
  return undefined
}

const yearOf = (day: number) => (Number.isFinite(day) ? new Date(day * DAY_MS).getUTCFullYear() : null)
const DAY_MS = 86_400_000

/** Values of these types say something in words; others are numbers, addresses and marks. */
const worded: ReadonlySet<FieldType> = new Set([
  ...(['text', 'textarea', 'select', 'relation', 'labels', 'edtf_date', 'media'] as const),
])
/** Members in words that say nothing of the thing itself. */
const unsearched: ReadonlySet<string> = new Set([
  ...['name', 'name_ne', 'alternate_names', 'canonical_label', 'identifier', 'same_as', 'source', 'source_citation'],
  ...['access_tier', 'care_labels', 'calendar_system', 'has_provenance_assertion', 'was_documented_by'],
  ...['date_precision', 'birth_precision', 'death_precision', 'cultural_entity_id', 'entity_id', 'object_entity_id'],
])

/** All that a record says in words, what its kind declares as searched first. */
function textsOf(kind: Kind, data: Record<string, unknown>): string {
  const others = Object.entries(kind.fields).flatMap(([member, { type }]) => (worded.has(type) ? [member] : []))
  return textsIn(data, [...kind.search, ...others], [kind.nameField, ...unsearched])
}

/** Of very long texts the beginning is searched. */
export const MOST_TEXT = 20_000

export const textsIn = (data: Record<string, unknown>, members: readonly string[], but: readonly string[]): string =>
  [...new Set(members.filter((each) => !but.includes(each)).map((each) => wordsOf(data[each])))]
    .filter(Boolean)
    .join('\n')

/** The beginning of a text, as a result shows it. */
export const short = (text: string) => shortened(text, 280)
