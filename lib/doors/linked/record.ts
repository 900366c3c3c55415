import { type Kind, kinds } from '../../domain/kinds/index.ts'
import { picturesIn } from '../../domain/pictures/items.ts'
import { iriOf, persistentAddress, recordIri } from '../../domain/records/iri.ts'
import type { Assertion, LoadedRecord, RecordItem, RecordRow } from '../../domain/records/items.ts'
import type { Visible } from '../../domain/records/shown.ts'
import {
  mayShowClaim,
  publicStatus,
  visibleUpdatedAt,
  visibleValuesAndPoint,
} from '../../domain/records/views/record.ts'
import type { DataSource } from '../../domain/sources/sources.ts'
import type { Actor } from '../../platform/permissions.ts'
import { crmClasses, impliedClasses } from './classes.ts'
import { context, type Json, type Node } from './context.ts'
import { accessRights } from './labels.ts'
import { depictions } from './pictures.ts'
import { attributionOf, relationshipIn } from './provenance.ts'
import { placeProperty } from './relationships.ts'
import { datedBy, type LinkedStatement, type StatementPart, statementParts, statementsOf } from './statements.ts'
import { type Dating, timespanOf } from './timespan.ts'

/** A record with its provenance as JSON-LD. It says what the JSON says to the same reader. */
export function linkedRecord(it: Visible<LoadedRecord>, actor: Actor | null, origin: string): Node {
  // Sorted, so that the answer does not depend on how the record was read.
  const shown = it.assertions.filter((one) => mayShowClaim(it, one, actor)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return {
    '@context': context,
    ...nodeOf(
      recordAs(it, actor, origin),
      origin,
      shown.flatMap((one) => relationshipOf(one, origin)),
    ),
    'crm:P140i_was_attributed_by': shown.map((one) => attributionOf(one, it, actor, origin)),
  }
}

/** What everyone may read of a record, with the names of its claims instead of their provenance. */
export function linkedStatements(it: Visible<LoadedRecord>, origin: string): Node {
  const shown = it.assertions.filter((one) => mayShowClaim(it, one, null)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return {
    ...nodeOf(
      recordAs(it, null, origin),
      origin,
      shown.flatMap((one) => relationshipOf(one, origin)),
    ),
    'crm:P140i_was_attributed_by': shown.map((one) => ({ id: iriOf(origin, 'assertion', one.id) })),
  }
}

/** A record as a row of a list: without its provenance. */
export const linkedRow = (it: Visible<RecordRow>, actor: Actor | null, origin: string): Node =>
  nodeOf(recordAs(it, actor, origin), origin)

/** A data source as JSON-LD. */
export const linkedSource = (it: DataSource, origin: string): Node => ({
  '@context': context,
  ...linkedSourceRow(it, origin),
})

/** A data source as a row of a list. */
export const linkedSourceRow = (it: DataSource, origin: string): Node => nodeOf(sourceAs(it, origin), origin)

/** A thing, as far as the reader may see it, and the entry in this service that describes it. */
type Described = {
  kind: Kind
  iri: string
  name: string
  data: RecordItem['data']
  point: RecordItem['point']
  entry: Node
  /** The address by which people cite and find the thing. Undefined if the thing has none. */
  page?: string | undefined
  /** The pictures that show it. */
  pictures: readonly LinkedStatement[]
}

function recordAs(it: Visible<RecordRow>, actor: Actor | null, origin: string): Described {
  const { data, point } = visibleValuesAndPoint(it, actor)
  const entry = {
    'dcterms:identifier': `urn:uuid:${it.entity_id}`,
    ...datesOf(it.created_at, visibleUpdatedAt(it, actor)),
    'prov:wasAttributedTo': agent(it.contributor),
    'heritageGraph:status': publicStatus(it),
    ...accessRights(it.labels),
  }
  const pictures = depictions(it.entity_id, picturesIn(data), origin)
  const kind = kinds[it.kind]
  const page = kind.record ? persistentAddress(origin, it) : undefined
  return { kind, iri: recordIri(origin, it), name: it.name, data, point, entry, page, pictures }
}

function sourceAs(it: DataSource, origin: string): Described {
  const entry = {
    'dcterms:identifier': `urn:uuid:${it.id}`,
    ...datesOf(it.created_at, it.updated_at),
    'prov:wasAttributedTo': agent(it.contributed_by),
    ...accessRights(it.labels),
  }
  const iri = iriOf(origin, 'data_source', it.id)
  return { kind: kinds.data_source, iri, name: it.name, data: it.data, point: null, entry, pictures: [] }
}

const agent = (label: string): Node => ({ type: 'prov:Agent', label })
const datesOf = (created: string, modified: string): Node => ({
  'dcterms:created': { type: 'xsd:dateTime', '@value': created },
  'dcterms:modified': { type: 'xsd:dateTime', '@value': modified },
})

function nodeOf(it: Described, origin: string, also: readonly LinkedStatement[] = []): Node {
  const { kind, iri, name, data } = it
  const all = [...statementsOf(kind, data, origin), ...also]
  const datings = datingsOf(kind, data)
  const time = datings.get(undefined)
  const events = (Object.keys(statementParts) as StatementPart[]).flatMap((part) =>
    eventOf(part, iri, all, datings.get(part), data),
  )
  const statements = [
    ...namesOf(name, data),
    ...placesOf(it),
    ...it.pictures,
    ...all.filter(({ of }) => of === undefined),
    ...events,
    ...(time
      ? [{ property: 'crm:P4_has_time-span', value: timespanOf(`${iri}#time`, time, data.calendar_system) }]
      : []),
  ]
  const implied = statements.flatMap(({ property }) => impliedClasses[property] ?? [])
  return {
    id: iri,
    type: [...new Set([crmClasses[kind.key], ...implied, kind.classUri])],
    label: [name, ...(data.name_ne ? [{ '@value': String(data.name_ne), '@language': 'ne' }] : [])],
    ...nodeOfStatements(statements),
    'foaf:page': it.page === undefined ? undefined : { id: it.page },
    // The entry in this service has an id of its own, since it is not the thing that it describes.
    'foaf:isPrimaryTopicOf': {
      id: `${iri}#record`,
      type: ['foaf:Document', 'prov:Entity'],
      ...it.entry,
      ...nodeOfStatements(all.filter(({ of }) => of === 'record')),
    },
  }
}

/** A node with the values of each property in one list. */
function nodeOfStatements(statements: readonly LinkedStatement[]): Node {
  const found = new Map<string, Json[]>()
  for (const { property, value } of statements) found.set(property, [...(found.get(property) ?? []), value])
  return Object.fromEntries(found)
}

function namesOf(name: string, data: RecordItem['data']): LinkedStatement[] {
  const others = Array.isArray(data.alternate_names) ? data.alternate_names.map(String) : []
  const named = [
    { text: name },
    ...(data.name_ne ? [{ text: String(data.name_ne), language: 'ne' }] : []),
    ...others.map((text) => ({ text })),
  ]
  return named.map(({ text, language }: { text: string; language?: string }) => ({
    property: 'crm:P1_is_identified_by',
    value: {
      type: 'crm:E41_Appellation',
      'crm:P190_has_symbolic_content': language ? { '@value': text, '@language': language } : text,
    },
  }))
}

/**
 * States where a thing is, if the record has a point or the name of a place. A location is itself the place; any other thing gets a place
 * without a record.
 */
function placesOf({ kind, iri, data, point }: Described): LinkedStatement[] {
  const name = data.location_name
  const defined = point && {
    property: 'crm:P168_place_is_defined_by',
    value: { type: 'geo:wktLiteral', '@value': `POINT(${point.lng} ${point.lat})` },
  }
  if (kind.key === 'location') return defined ? [defined] : []
  if (!defined && !name) return []
  const place = {
    id: `${iri}#place`,
    type: 'crm:E53_Place',
    ...(name && { label: String(name) }),
    ...(defined && { [defined.property]: defined.value }),
  }
  return [{ property: placeProperty(kind.key), value: place }]
}

function datingsOf(kind: Kind, data: RecordItem['data']): Map<StatementPart | undefined, Dating> {
  const found = new Map<StatementPart | undefined, Dating>()
  for (const name of Object.keys(kind.fields)) {
    const [dated, value] = [datedBy(kind, name), data[name]]
    if (dated && value !== undefined) found.set(dated.of, { [dated.end]: String(value), ...found.get(dated.of) })
  }
  return found
}

/**
 * States an event that the record implies, such as its production. If the data names the record of the event, that record is the event.
 * Empty if nothing is known of the event.
 */
function eventOf(
  part: StatementPart,
  iri: string,
  all: readonly LinkedStatement[],
  dating: Dating | undefined,
  data: RecordItem['data'],
): LinkedStatement[] {
  const { property, type } = statementParts[part]
  const own = all.filter(({ of }) => of === part)
  if (own.length === 0 && !dating) return []
  const named = all.find((one) => one.of === undefined && one.property === property)?.value
  const id = typeof named === 'object' && named !== null && 'id' in named ? String(named.id) : `${iri}#${part}`
  const span = dating && timespanOf(`${iri}#${part}-time`, dating, data.calendar_system)
  const value = { id, type, ...nodeOfStatements(own), ...(span && { 'crm:P4_has_time-span': span }) }
  return [{ property, value }]
}

/** The statement of an accepted relationship; empty for other claims. Makers are stated of the production. */
function relationshipOf(one: Assertion, origin: string): LinkedStatement[] {
  const found = relationshipIn(one, origin)
  return found && one.reconciliation_status === 'accepted' ? [found] : []
}
