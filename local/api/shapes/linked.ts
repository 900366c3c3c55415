import * as v from 'valibot'
import { maybe, text, time, whole } from './common.ts'
import { Facets } from './search.ts'

/** Linked data (JSON-LD). Names with a colon are those of the vocabularies that `@context` explains. */

/** What the names mean: prefixes and the addresses that they stand for. */
export const LinkedContext = v.record(v.string(), text)
/** A text in a language, or a value of a type. */
export const LinkedLiteral = v.object({ '@value': text, type: v.optional(text), '@language': v.optional(text) })
const Value = v.union([text, v.number(), v.boolean(), LinkedLiteral, v.lazy((): v.GenericSchema => LinkedNode)])
const Values = v.union([Value, v.array(Value)])
const types = v.union([text, v.array(text)])

/** Anything that something is said of: `id` is its address, each further member a property. */
export const LinkedNode = v.objectWithRest({ id: v.optional(text), type: v.optional(types) }, Values)

const moment = v.optional(v.object({ type: v.literal('xsd:dateTime'), '@value': text }))
/** The words of a dating, and where they can be read the bounds of it; "Circa" when those are bounds of an estimate. */
export const LinkedTimeSpan = v.object({
  id: text,
  type: v.literal('crm:E52_Time-Span'),
  label: text,
  'crm:P82a_begin_of_the_begin': moment,
  'crm:P81a_end_of_the_begin': moment,
  'crm:P81b_begin_of_the_end': moment,
  'crm:P82b_end_of_the_end': moment,
  'heritageGraph:date_precision': v.optional(v.literal('Circa')),
})
/** A production, creation, birth or death, through which the record is dated. */
export const LinkedEvent = v.objectWithRest(
  { id: text, type: v.optional(text), 'crm:P4_has_time-span': v.optional(LinkedTimeSpan) },
  Values,
)

const at = v.object({ type: v.literal('xsd:dateTime'), '@value': time })
const Agent = v.object({ type: types, label: text })
const Sources = v.optional(v.array(LinkedNode))
const assignment = {
  id: text,
  type: v.array(text),
  'crm:P140_assigned_attribute_to': v.object({ id: text }),
  'crm:P177_assigned_property_of_type': LinkedNode,
  'crm:P141_assigned': v.optional(v.array(LinkedNode)),
  'crm:P14_carried_out_by': Agent,
  'crm:P16_used_specific_object': Sources,
  'prov:wasAssociatedWith': Agent,
  'prov:qualifiedAssociation': v.optional(
    v.object({ type: text, 'prov:agent': v.object({ type: text, label: text }) }),
  ),
  'prov:used': Sources,
  'prov:endedAtTime': at,
  'prov:generated': v.object({
    id: text,
    type: v.array(text),
    'prov:value': v.optional(text),
    'prov:wasAttributedTo': Agent,
    'prov:generatedAtTime': at,
    'prov:wasDerivedFrom': Sources,
    'heritageGraph:confidence': text,
    'heritageGraph:confidence_score': v.optional(v.number()),
    'heritageGraph:data_quality_note': v.optional(text),
    'heritageGraph:reconciliation_status': text,
  }),
}
/** A claim: someone's attribute assignment, and the belief that it generated. */
export const LinkedAssignment = v.object(assignment)
/** The same by itself. */
export const LinkedClaim = v.object({ '@context': LinkedContext, ...assignment })

const described = {
  id: text,
  type: v.array(text),
  label: v.array(v.union([text, LinkedLiteral])),
  'crm:P1_is_identified_by': v.array(
    v.object({
      type: v.literal('crm:E41_Appellation'),
      'crm:P190_has_symbolic_content': v.union([text, LinkedLiteral]),
    }),
  ),
  'crm:P4_has_time-span': v.optional(v.array(LinkedTimeSpan)),
  'crm:P108i_was_produced_by': v.optional(v.array(LinkedEvent)),
  'crm:P94i_was_created_by': v.optional(v.array(LinkedEvent)),
  'crm:P98i_was_born': v.optional(v.array(LinkedEvent)),
  'crm:P100i_died_in': v.optional(v.array(LinkedEvent)),
  'foaf:isPrimaryTopicOf': v.objectWithRest(
    {
      id: text,
      type: v.array(text),
      'dcterms:identifier': text,
      'dcterms:created': at,
      'dcterms:modified': at,
      'prov:wasAttributedTo': Agent,
      'heritageGraph:status': v.optional(text),
    },
    Values,
  ),
}
/** A record or a data source as a row of a list. */
export const LinkedRow = v.objectWithRest(described, Values)
/** A data source. */
export const LinkedSource = v.objectWithRest({ '@context': LinkedContext, ...described }, Values)
/** A record with its provenance. */
export const LinkedData = v.objectWithRest(
  { '@context': LinkedContext, ...described, 'crm:P140i_was_attributed_by': v.array(LinkedAssignment) },
  Values,
)

const linkedList = (row: v.GenericSchema) =>
  v.object({
    '@context': LinkedContext,
    id: text,
    type: v.literal('hydra:Collection'),
    label: text,
    'hydra:totalItems': whole,
    'hydra:member': v.array(row),
    'hydra:view': v.object({
      type: v.literal('hydra:PartialCollectionView'),
      'hydra:next': v.optional(v.object({ id: text })),
      'hydra:previous': v.optional(v.object({ id: text })),
    }),
  })
/** A page of a list of records or data sources. */
export const LinkedList = linkedList(LinkedRow)
/** A page of a list of claims. */
export const LinkedClaims = linkedList(LinkedAssignment)

/** Maps (GeoJSON, RFC 7946). */

/** Longitude and latitude in degrees, WGS 84. */
export const MapPoint = v.object({
  type: v.literal('Point'),
  coordinates: v.tuple([
    v.pipe(v.number(), v.minValue(-180), v.maxValue(180)),
    v.pipe(v.number(), v.minValue(-90), v.maxValue(90)),
  ]),
})
/** Something on a map, its JSON as properties; without a geometry where it has no point. */
export const featureOf = (id: v.GenericSchema, properties: v.GenericSchema) =>
  v.object({ type: v.literal('Feature'), id, geometry: maybe(MapPoint), properties })
/** A page of a list on a map; the size of the list and the links beside it are not of the RFC. */
export const featuresOf = (id: v.GenericSchema, properties: v.GenericSchema) =>
  v.object({
    type: v.literal('FeatureCollection'),
    features: v.array(featureOf(id, properties)),
    count: whole,
    next: maybe(text),
    previous: maybe(text),
    facets: v.optional(Facets),
  })
