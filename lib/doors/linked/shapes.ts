import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { FacetsView } from '../../domain/records/search.ts'
import type { Json, Node } from './context.ts'

/** The shape of a node. Nodes are made of statements, so the compiler knows their members as JSON only, and tests check the rest. */
type LinkedShape = s.Shape<v.GenericSchema<Node>>

/** The `@context`: names and prefixes, with the addresses that they stand for. */
export const LinkedContextView: LinkedShape = s.shape('LinkedContext', () => v.record(v.string(), s.text))
/** A text in a language, or a value of a type. */
const LinkedLiteralView = s.shape('LinkedLiteral', () =>
  v.object({ '@value': s.text, type: v.optional(s.text), '@language': v.optional(s.text) }),
)
const nodeValue = (): v.GenericSchema<Json> =>
  v.union([s.text, v.number(), v.boolean(), LinkedLiteralView, LinkedNodeView])
const nodeValues = (): v.GenericSchema<Json> => v.union([nodeValue(), v.array(nodeValue())])
const typesOf = () => v.union([s.text, v.array(s.text)])
/** Any thing: `id` is its address, each further member a property. */
const LinkedNodeView: LinkedShape = s.shape('LinkedNode', () =>
  v.objectWithRest({ id: v.optional(s.text), type: v.optional(typesOf()) }, nodeValues()),
)
const moment = () => v.optional(v.object({ type: v.literal('xsd:dateTime'), '@value': s.text }))
/** The words of a dating, and its bounds if the words can be read. "Circa" marks bounds of an estimate. */
const LinkedTimeSpanView = s.shape('LinkedTimeSpan', () =>
  v.object({
    id: s.text,
    type: v.literal('crm:E52_Time-Span'),
    label: s.text,
    'crm:P82a_begin_of_the_begin': moment(),
    'crm:P81a_end_of_the_begin': moment(),
    'crm:P81b_begin_of_the_end': moment(),
    'crm:P82b_end_of_the_end': moment(),
    'heritageGraph:date_precision': v.optional(v.literal('Circa')),
  }),
)
/** A production, creation, birth or death that dates the record. */
const LinkedEventView = s.shape('LinkedEvent', () =>
  v.objectWithRest(
    { id: s.text, type: v.optional(s.text), 'crm:P4_has_time-span': v.optional(LinkedTimeSpanView) },
    nodeValues(),
  ),
)
const moment1 = () => v.object({ type: v.literal('xsd:dateTime'), '@value': s.time })
const agent = () => v.object({ id: v.optional(s.text), type: typesOf(), label: s.text })
const sources = () => v.optional(v.array(LinkedNodeView))
const assignmentEntries = () => ({
  id: s.text,
  type: v.array(s.text),
  'crm:P140_assigned_attribute_to': v.object({ id: s.text }),
  'crm:P177_assigned_property_of_type': LinkedNodeView,
  'crm:P141_assigned': v.optional(v.array(LinkedNodeView)),
  'crm:P14_carried_out_by': agent(),
  'crm:P16_used_specific_object': sources(),
  'prov:wasAssociatedWith': agent(),
  'prov:qualifiedAssociation': v.optional(
    v.object({
      id: v.optional(s.text),
      type: s.text,
      'prov:agent': v.object({ id: v.optional(s.text), type: s.text, label: s.text }),
    }),
  ),
  'prov:used': sources(),
  'prov:endedAtTime': moment1(),
  'prov:generated': v.object({
    id: s.text,
    type: v.array(s.text),
    'prov:value': v.optional(s.text),
    'prov:wasAttributedTo': agent(),
    'prov:generatedAtTime': moment1(),
    'prov:wasDerivedFrom': sources(),
    'heritageGraph:confidence': s.text,
    'heritageGraph:confidence_score': v.optional(v.number()),
    'heritageGraph:data_quality_note': v.optional(s.text),
    'heritageGraph:reconciliation_status': s.text,
  }),
  'dcterms:accessRights': v.optional(v.array(LinkedNodeView)),
})
/** A claim: a person's attribute assignment, and the belief that it generated. */
const LinkedAssignmentView: LinkedShape = s.shape('LinkedAssignment', () => v.object(assignmentEntries()))
/** A claim as an answer of its own, with `@context`. */
export const LinkedClaimView: LinkedShape = s.shape('LinkedClaim', () =>
  v.object({ '@context': LinkedContextView, ...assignmentEntries() }),
)
const recordEntries = () => ({
  id: s.text,
  type: v.array(s.text),
  label: v.array(v.union([s.text, LinkedLiteralView])),
  'crm:P1_is_identified_by': v.array(
    v.object({
      type: v.literal('crm:E41_Appellation'),
      'crm:P190_has_symbolic_content': v.union([s.text, LinkedLiteralView]),
    }),
  ),
  'crm:P4_has_time-span': v.optional(v.array(LinkedTimeSpanView)),
  'crm:P108i_was_produced_by': v.optional(v.array(LinkedEventView)),
  'crm:P94i_was_created_by': v.optional(v.array(LinkedEventView)),
  'crm:P98i_was_born': v.optional(v.array(LinkedEventView)),
  'crm:P100i_died_in': v.optional(v.array(LinkedEventView)),
  'foaf:isPrimaryTopicOf': v.objectWithRest(
    {
      id: s.text,
      type: v.array(s.text),
      'dcterms:identifier': s.text,
      'dcterms:created': moment1(),
      'dcterms:modified': moment1(),
      'prov:wasAttributedTo': agent(),
      'heritageGraph:status': v.optional(s.text),
    },
    nodeValues(),
  ),
})
/** A record or a data source as a row of a list. */
const LinkedRowView: LinkedShape = s.shape('LinkedRow', () => v.objectWithRest(recordEntries(), nodeValues()))
/** A data source. */
export const LinkedSourceView: LinkedShape = s.shape('LinkedSource', () =>
  v.objectWithRest({ '@context': LinkedContextView, ...recordEntries() }, nodeValues()),
)
/** A record with its provenance. */
export const LinkedDataView: LinkedShape = s.shape('LinkedData', () =>
  v.objectWithRest(
    { '@context': LinkedContextView, ...recordEntries(), 'crm:P140i_was_attributed_by': v.array(LinkedAssignmentView) },
    nodeValues(),
  ),
)
const linkedList = (row: LinkedShape) =>
  v.object({
    '@context': LinkedContextView,
    id: s.text,
    type: v.literal('hydra:Collection'),
    label: s.text,
    'hydra:totalItems': s.whole,
    'hydra:member': v.array(row),
    'hydra:view': v.object({
      type: v.literal('hydra:PartialCollectionView'),
      'hydra:next': v.optional(v.object({ id: s.text })),
      'hydra:previous': v.optional(v.object({ id: s.text })),
    }),
  })
/** A page of a list of records or data sources. */
export const LinkedListView: LinkedShape = s.shape('LinkedList', () => linkedList(LinkedRowView))
/** A page of a list of claims. */
export const LinkedClaimsView: LinkedShape = s.shape('LinkedClaims', () => linkedList(LinkedAssignmentView))
/** Longitude and latitude in degrees, WGS 84. */
const MapPointView = s.shape('MapPoint', () =>
  v.object({
    type: v.literal('Point'),
    coordinates: v.tuple([
      v.pipe(v.number(), v.minValue(-180), v.maxValue(180)),
      v.pipe(v.number(), v.minValue(-90), v.maxValue(90)),
    ]),
  }),
)
/** A thing on a map, with its JSON as properties. The geometry is null if it has no point. */
export const featureShape = (id: v.GenericSchema, properties: v.GenericSchema) =>
  v.object({ type: v.literal('Feature'), id, geometry: s.maybe(MapPointView), properties })
/** A page of a list on a map. `count` and the links are not part of the RFC. */
export const featuresShape = (id: v.GenericSchema, properties: v.GenericSchema) =>
  v.object({
    type: v.literal('FeatureCollection'),
    features: v.array(featureShape(id, properties)),
    count: s.whole,
    next: s.maybe(s.text),
    previous: s.maybe(s.text),
    facets: v.optional(FacetsView),
  })
