import { type Field, type Kind, nameFieldsOf } from '../../domain/kinds/index.ts'
import { iriOf, isAddress, sameThingIri, typeIri } from '../../domain/records/iri.ts'
import type { RecordItem } from '../../domain/records/items.ts'
import { crmClasses, namedClasses } from './classes.ts'
import type { Json, Node } from './context.ts'
import type { Dating } from './timespan.ts'

/** Events that a record implies, such as its production, with the property that leads to each and its class. */
export const statementParts = {
  production: { property: 'crm:P108i_was_produced_by', type: 'crm:E12_Production' },
  creation: { property: 'crm:P94i_was_created_by', type: 'crm:E65_Creation' },
  birth: { property: 'crm:P98i_was_born', type: 'crm:E67_Birth' },
  death: { property: 'crm:P100i_died_in', type: 'crm:E69_Death' },
} as const
export type StatementPart = keyof typeof statementParts

/** A property and a value: of the thing, of an event that the record implies (`of`), or of its entry in this service (`record`). */
export type LinkedStatement = { of?: StatementPart | 'record'; property: string; value: Json }
/** Which end of a dating a field holds, for the record itself or for an event that it implies (`of`). */
export type Dated = { of?: StatementPart; end: keyof Dating }

/** The dating that a field holds. Undefined if it is not a date. */
export function datedBy(kind: Kind, name: string): Dated | undefined {
  return kind.category === 'provenance' ? datesOfSources[name] : dates[name]
}
const dates: Readonly<Record<string, Dated>> = {
  has_timespan: { end: 'whole' },
  date: { end: 'whole' },
  start_date: { end: 'begin' },
  start_year: { end: 'begin' },
  date_earliest: { end: 'earliest' },
  end_date: { end: 'end' },
  end_year: { end: 'end' },
  date_latest: { end: 'latest' },
  construction_date: { of: 'production', end: 'whole' },
  creation_date: { of: 'production', end: 'whole' },
  birth_date: { of: 'birth', end: 'whole' },
  death_date: { of: 'death', end: 'whole' },
}
const datesOfSources: Readonly<Record<string, Dated>> = {
  publication_year: { of: 'creation', end: 'whole' },
  publication_timespan: { of: 'creation', end: 'whole' },
}

const placeFields = ['coordinates', 'location_name', 'images']
/** Whether record.ts, not `statementsOf`, makes the statements of a field: names, coordinates, the name of a place, pictures. */
export const isStatedElsewhere = (kind: Kind, name: string) => [...nameFieldsOf(kind), ...placeFields].includes(name)
/** Fields of a tangible thing that are stated of its production. */
const ofProduction = ['commissioned_by', 'technique']

/** The statements of a record's values, without names, dates, places and pictures. */
export function statementsOf(kind: Kind, data: RecordItem['data'], origin: string): LinkedStatement[] {
  // In the order of the kind's fields: the table has no order of members, and equal records need equal ETags.
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const value = data[name]
    if (value === undefined || isStatedElsewhere(kind, name) || datedBy(kind, name)) return []
    const property = propertyOf(name, field)
    const of = subjectOf(kind, name, property)
    return valuesOf(name, field, value, origin).map((each) => ({ ...(of && { of }), property, value: each }))
  })
}

/**
 * The subject of a property; undefined for the thing itself. PROV describes a source itself. Of any other thing, such as a temple, PROV
 * describes only the entry.
 */
function subjectOf(kind: Kind, name: string, property: string): LinkedStatement['of'] {
  if (kind.category === 'tangible' && ofProduction.includes(name)) return 'production'
  return kind.category !== 'provenance' && property.startsWith('prov:') ? 'record' : undefined
}

/**
 * The property of a field: its slot, as CIDOC-CRM 7.1 names it. A field without a slot, or whose slot 7.1 defines otherwise, gets a name of
 * our ontology.
 */
export const propertyOf = (name: string, field: Field | undefined) => {
  const slot = field?.slot_uri ?? `heritageGraph:${name}`
  return laterNames[slot] ?? (slot === RESIDENCE ? `heritageGraph:${name}` : slot)
}

const laterNames: Readonly<Record<string, string>> = {
  'crm:P120_occurs_before': 'crm:P183_ends_before_the_start_of',
  'crm:P120i_is_occurred_before_by': 'crm:P183i_starts_after_the_end_of',
}
/** In CIDOC-CRM only people have a residence. Here a tenure has one, so its field gets a name of our ontology. */
const RESIDENCE = 'crm:P74_has_current_or_former_residence'

function valuesOf(name: string, field: Field, value: unknown, origin: string): Json[] {
  if (field.type === 'relation') return linksOf(field, value, origin)
  if (typeof value === 'number' || typeof value === 'boolean') return [value]
  const texts = (Array.isArray(value) ? value : field.multivalued ? String(value).split(',') : [value])
    .map((each) => String(each).trim())
    .filter((each) => each !== '')
  return texts.map((text) => textOf(name, field, text, origin))
}

function textOf(name: string, field: Field, text: string, origin: string): Json {
  if (field.slot_uri === 'owl:sameAs') return nodeOr(text, sameThingIri(text))
  if (field.type === 'url') return nodeOr(text, isAddress(text) ? text : undefined)
  const type = namedClasses[field.slot_uri ?? '']
  if (!type) return text
  return { ...(field.vocabulary && { id: typeIri(origin, name, text) }), type, label: text }
}

const nodeOr = (text: string, id: string | undefined): Json => (id === undefined ? text : { id })

/** The records that a relation names. A record that the reader may not see becomes a node of its class with its name. */
export function linksOf(field: Field, value: unknown, origin: string): Node[] {
  const target = field.relation
  if (!target || !Array.isArray(value)) return []
  return value.flatMap((link: { id?: number | string | null; name?: string }) => {
    if (link.id === undefined) return []
    const label = link.name && { label: link.name }
    return [
      link.id === null ? { type: crmClasses[target], ...label } : { id: iriOf(origin, target, link.id), ...label },
    ]
  })
}
