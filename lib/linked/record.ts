import { type Kind, kinds, predicateOf } from '../kinds/index.ts'
import type { Actor } from '../permissions.ts'
import type { Assertion, Head } from '../store/record-items.ts'
import type { Loaded } from '../store/records.ts'
import { guarded, showsAssertion, statusOf } from '../views/record.ts'
import { crmClasses, predicateProperties } from './classes.ts'
import { context, type Json, type Node } from './context.ts'
import { iriOf } from './iri.ts'
import { type About, attributionOf, objectOf } from './provenance.ts'
import { datedBy, type Part, parts, type Statement, statementsOf } from './statements.ts'
import { type Dating, timespanOf } from './timespan.ts'

/** A record with its provenance as JSON-LD: what the JSON says, to the same reader. */
export function linkedRecord(it: Loaded, actor: Actor | null, origin: string): Node {
  const shown = it.assertions.filter((one) => showsAssertion(it, one, actor))
  const about: About = { head: it, iri: iriOf(origin, it.kind, it.id), origin, actor }
  return {
    '@context': context,
    ...nodeOf(
      it,
      actor,
      origin,
      shown.flatMap((one) => relationshipOf(one, origin)),
    ),
    'crm:P140i_was_attributed_by': shown.map((one) => attributionOf(one, about)),
  }
}

type Page = { count: number; next: string | null; previous: string | null; results: readonly Head[] }

/** A page of a list of records as JSON-LD. With another filter it is another collection. */
export function linkedList(page: Page, kind: Kind, actor: Actor | null, origin: string, filter: string): Node {
  return {
    '@context': context,
    id: `${origin}/cidoc/${kind.segment}/${filter}`,
    type: 'hydra:Collection',
    label: kind.labelPlural,
    'hydra:totalItems': page.count,
    'hydra:member': page.results.map((it) => nodeOf(it, actor, origin)),
    'hydra:view': {
      type: 'hydra:PartialCollectionView',
      'hydra:next': page.next === null ? undefined : { id: page.next },
      'hydra:previous': page.previous === null ? undefined : { id: page.previous },
    },
  }
}

function nodeOf(it: Head, actor: Actor | null, origin: string, also: readonly Statement[] = []): Node {
  const kind = kinds[it.kind]
  const iri = iriOf(origin, it.kind, it.id)
  const { data, point } = guarded(it, actor)
  const all = [...statementsOf(it, data, origin), ...also]
  const datings = datingsOf(kind, data)
  const time = datings.get(undefined)
  const events = (Object.keys(parts) as Part[]).flatMap((part) => eventOf(part, iri, all, datings.get(part), data))
  return {
    id: iri,
    type: [...new Set([crmClasses[it.kind], kind.classUri])],
    label: [it.name, ...(data.name_ne ? [{ '@value': String(data.name_ne), '@language': 'ne' }] : [])],
    ...gathered([
      ...namesOf(it.name, data),
      ...placesOf(kind, iri, data, point),
      ...all.filter(({ of }) => of === undefined),
      ...events,
      ...(time
        ? [{ property: 'crm:P4_has_time-span', value: timespanOf(`${iri}#time`, time, data.calendar_system) }]
        : []),
    ]),
    'foaf:isPrimaryTopicOf': recordAbout(it, iri),
  }
}

/** Values of one property together. */
function gathered(statements: readonly Statement[]): Node {
  const found = new Map<string, Json[]>()
  for (const { property, value } of statements) found.set(property, [...(found.get(property) ?? []), value])
  return Object.fromEntries(found)
}

function namesOf(name: string, data: Head['data']): Statement[] {
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

/** Where it is, when the record says so itself: a place is the point, anything else has a place without a record. */
function placesOf(kind: Kind, iri: string, data: Head['data'], point: Head['point']): Statement[] {
  const name = data.location_name
  const defined = point && {
    property: 'crm:P168_place_is_defined_by',
    value: { type: 'geo:wktLiteral', '@value': `POINT(${point.lng} ${point.lat})` },
  }
  if (kind.key === 'location') return defined ? [defined] : []
  if (!defined && !name) return []
  const property = kind.category === 'tangible' ? 'crm:P53_has_former_or_current_location' : 'crm:P7_took_place_at'
  const place = {
    id: `${iri}#place`,
    type: 'crm:E53_Place',
    ...(name && { label: String(name) }),
    ...(defined && { [defined.property]: defined.value }),
  }
  return [{ property, value: place }]
}

function datingsOf(kind: Kind, data: Head['data']): Map<Part | undefined, Dating> {
  const found = new Map<Part | undefined, Dating>()
  for (const name of Object.keys(kind.fields)) {
    const [dated, value] = [datedBy(kind, name), data[name]]
    if (dated && value !== undefined) found.set(dated.of, { [dated.end]: String(value), ...found.get(dated.of) })
  }
  return found
}

/** The event through which something is said of the record: the one that it names, else one without a record. */
function eventOf(
  part: Part,
  iri: string,
  all: readonly Statement[],
  dating: Dating | undefined,
  data: Head['data'],
): Statement[] {
  const { property, type } = parts[part]
  const own = all.filter(({ of }) => of === part)
  if (own.length === 0 && !dating) return []
  const named = all.find((one) => one.of === undefined && one.property === property)?.value
  const id = typeof named === 'object' && named !== null && 'id' in named ? String(named.id) : `${iri}#${part}`
  const span = dating && timespanOf(`${iri}#${part}-time`, dating, data.calendar_system)
  const value = { id, type, ...gathered(own), ...(span && { 'crm:P4_has_time-span': span }) }
  return [{ property, value }]
}

/** A relationship that has been accepted is said of the record, makers through its production. */
function relationshipOf(one: Assertion, origin: string): Statement[] {
  const code = predicateOf(one.asserted_property)?.code
  const value = objectOf(one, origin)
  if (!code || !value || one.reconciliation_status !== 'accepted') return []
  const made = makers[code]
  if (made) return [{ of: 'production', property: made, value }]
  return [{ property: predicateProperties[code] ?? `heritageGraph:${code}`, value }]
}

const makers: Readonly<Record<string, string>> = {
  built_by: 'crm:P14_carried_out_by',
  created_by: 'crm:P14_carried_out_by',
  commissioned_by: 'crm:P17_was_motivated_by',
}

/** The entry here is not the thing that it is about. */
const recordAbout = (it: Head, iri: string): Node => ({
  id: `${iri}#record`,
  type: ['foaf:Document', 'prov:Entity'],
  'dcterms:identifier': `urn:uuid:${it.entity_id}`,
  'dcterms:created': { type: 'xsd:dateTime', '@value': it.created_at },
  'dcterms:modified': { type: 'xsd:dateTime', '@value': it.updated_at },
  'prov:wasAttributedTo': { type: 'prov:Agent', label: it.contributor },
  'heritageGraph:status': statusOf(it),
})
