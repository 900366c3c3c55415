import type { Kind } from '../../kinds/index.ts'

/**
 * How well a sort of source knows a sort of property. Example: an inscription says when a temple was made, but has no coordinates. A
 * survey sees what stands today, but not the year in which it was built.
 */
export const propertySorts = ['position', 'name', 'making', 'state', 'belief', 'fact'] as const
export type PropertySort = (typeof propertySorts)[number]

/** The fields of each sort of property. Other fields are of the sort `belief` in kinds of belief, else of the sort `fact`. */
const fieldsOfSort: Readonly<Record<Exclude<PropertySort, 'fact' | 'name'>, readonly string[]>> = {
  position: [
    'coordinates',
    'has_current_location',
    'hypothesized_location',
    'location',
    'location_name',
    'took_place_at',
  ],
  making: [
    'construction_date',
    'creation_date',
    'commissioned_by',
    'was_produced_by_event',
    'birth_date',
    'death_date',
    'start_date',
    'end_date',
    'start_year',
    'end_year',
    'has_timespan',
    'publication_year',
  ],
  state: [
    'existence_status',
    'condition',
    'current_status',
    'has_condition_assessment',
    'last_known_existence_date',
    'has_component',
  ],
  belief: [
    'dedicated_to',
    'religious_tradition',
    'has_religious_tradition',
    'is_invoked_in_ritual',
    'invokes_deity',
    'depicts_deity',
    'participates_in_ritual',
    'performs_ritual',
    'managed_by_guthi',
    'used_by',
  ],
}
const nameFields: readonly string[] = ['name', 'name_ne', 'alternate_names']
/** Kinds that are belief and practice themselves. Their fields are of the sort `belief`, unless the lists above give another. */
const kindsOfBelief: readonly string[] = ['ritual', 'festival', 'tradition', 'deity', 'syncretism', 'kumari_selection']

const sortOfField = new Map<string, PropertySort>([
  ...Object.entries(fieldsOfSort).flatMap(([sort, names]) =>
    names.map((name): [string, PropertySort] => [name, sort as PropertySort]),
  ),
  ...nameFields.map((name): [string, PropertySort] => [name, 'name']),
])

/** Returns the sort of a property of a kind. */
export const sortOfProperty = (kind: Pick<Kind, 'key' | 'nameField'>, property: string): PropertySort =>
  property === kind.nameField
    ? 'name'
    : (sortOfField.get(property) ?? (kindsOfBelief.includes(kind.key) ? 'belief' : 'fact'))

/** Types of sources, ordered by how well they know a sort of property, the best first. Those in one row are equal. */
type Ladder = readonly (readonly string[])[]

const scholarship = ['thesis', 'journal', 'book', 'published'] as const
const records = ['archival', 'archive'] as const
const survey = ['field_survey', 'field_note'] as const

export const ladders: Readonly<Record<PropertySort, Ladder>> = {
  // Measured on the spot, then photographed, then from papers and studies, then described, then told.
  position: [survey, ['image'], [...records, ...scholarship], ['pdf', 'web'], ['oral_history'], ['inscription']],
  // What the thing itself says, then what people call it, then what was written of it.
  name: [['inscription'], [...survey, 'oral_history', ...records], scholarship, ['pdf', 'image'], ['web']],
  // The inscription of a founder, then papers of the time, then studies, then memory and surveys, and last pictures and web pages.
  making: [['inscription'], records, scholarship, ['pdf'], ['oral_history', ...survey], ['image'], ['web']],
  // Who stood before the thing, then what others wrote, then hearsay.
  state: [survey, ['image'], [...records, ...scholarship], ['pdf'], ['oral_history', 'web'], ['inscription']],
  // Those who keep a custom, then those who watched it.
  belief: [['oral_history'], survey, scholarship, [...records, 'inscription'], ['image', 'pdf'], ['web']],
  fact: [['inscription'], records, scholarship, survey, ['oral_history'], ['image', 'pdf'], ['web']],
}

/** Returns how well a sort of source knows a sort of property. 0 is best; an unknown or missing source comes last. */
export function rungOf(source_type: string, sort: PropertySort): number {
  const ladder = ladders[sort]
  const rung = ladder.findIndex((row) => row.includes(source_type))
  return rung < 0 ? ladder.length : rung
}

/** Sources that saw the thing itself at a moment. */
const eyewitnesses: readonly string[] = ['field_survey', 'field_note', 'image']
export const isEyewitness = (source_type: string): boolean => eyewitnesses.includes(source_type)

/** The members of a claim that say when its source saw the thing. */
export type Sighting = {
  source_type?: string
  generated_at_time?: string
  temporal_scope_edtf?: string
  source_citation?: string
  /** When its registered source was published or made. */
  source_year?: string | undefined
}

/**
 * Returns the year in which a source saw the thing. It is the year of the claim, else the last year in its citation, else that of its
 * registered source.
 */
export function yearSeen(of: Sighting): number | undefined {
  const said = firstYear(of.generated_at_time) ?? firstYear(of.temporal_scope_edtf)
  return said ?? lastYear(of.source_citation) ?? lastYear(of.source_year)
}

const yearsIn = (text = ''): number[] =>
  Array.from(text.matchAll(/(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)/g), (it) => Number(it[0]))
const firstYear = (text?: string) => yearsIn(text)[0]
const lastYear = (text?: string) => yearsIn(text).at(-1)
