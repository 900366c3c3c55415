import { english, sayIn } from '../../base/language/say.ts'
import { type Field, type Kind, kinds, recordKinds } from '../../domain/kinds/index.ts'
import { crmClasses, namedClasses } from './classes.ts'
import { context, type Json, type Node } from './context.ts'
import { datedBy, isStatedElsewhere, propertyOf, statementParts } from './statements.ts'

type Both = (text: string) => Json

/** The shapes that public records fit (SHACL), made from the kinds: each kind, time-spans, entries and claims. */
export async function describeShapes(origin: string): Promise<Node> {
  const say = await sayIn('ne')
  const both = (text: string): Json => [
    { '@value': english(text), '@language': 'en' },
    { '@value': say(text), '@language': 'ne' },
  ]
  const base = `${origin}/cidoc/shapes/`
  const shapes = [...recordKinds.map((key) => shapeOfKind(kinds[key], base, both)), ...commonShapes(base)]
  return {
    '@context': { ...context, rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#', sh: 'http://www.w3.org/ns/shacl#' },
    id: base,
    type: 'owl:Ontology',
    label: both('Shapes of public records'),
    'dcterms:hasPart': shapes,
  }
}

const iri = (id: string) => ({ id })
const property = (path: string, rules: Node): Node => ({ 'sh:path': iri(path), ...rules })
const moment = { 'sh:datatype': iri('xsd:dateTime'), 'sh:maxCount': 1 }
/** A bound of a time-span. A pattern checks its form, and no datatype is named: pySHACL accepts no date before the year 1. */
const bound = {
  'sh:nodeKind': iri('sh:Literal'),
  'sh:pattern': '^-?\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
  'sh:maxCount': 1,
}

function shapeOfKind(kind: Kind, base: string, both: Both): Node {
  const fields = Object.entries(kind.fields).filter(
    ([name, field]) => !isStatedElsewhere(kind, name) && !datedBy(kind, name) && !isOfPart(kind, name, field),
  )
  const byPath = Map.groupBy(fields, ([name, field]) => propertyOf(name, field))
  return {
    id: `${base}#${kind.key}`,
    type: 'sh:NodeShape',
    'sh:targetClass': iri(kind.classUri),
    label: both(kind.label),
    'sh:property': [
      property('rdf:type', { 'sh:hasValue': iri(crmClasses[kind.key]) }),
      // Things without a record may have a class of CIDOC-CRM, and have no entry. So only classes of our ontology require an entry.
      ...(kind.classUri.startsWith('crm:') ? [] : [property('foaf:isPrimaryTopicOf', { 'sh:minCount': 1 })]),
      property('crm:P4_has_time-span', { 'sh:class': iri('crm:E52_Time-Span') }),
      ...Object.values(statementParts).map((part) => property(part.property, { 'sh:nodeKind': iri('sh:IRI') })),
      ...[...byPath].flatMap(([path, own]) => propertyOfFields(path, own, both)),
    ],
  }
}

/** Whether a field is stated of the entry or of an event. The shapes of these do not depend on the kind. */
const isOfPart = (kind: Kind, name: string, field: Field) => {
  const path = propertyOf(name, field)
  const isEvent = Object.values(statementParts).some((part) => part.property === path)
  return (
    isEvent ||
    path.startsWith('prov:') ||
    (kind.category === 'tangible' && ['commissioned_by', 'technique'].includes(name))
  )
}

function propertyOfFields(path: string, fields: readonly (readonly [string, Field])[], both: Both): Node[] {
  const rules = new Set(fields.map(([, field]) => valueKind(path, field)))
  const [rule] = rules
  const one = rules.size === 1 && rule !== undefined ? rule : undefined
  return [
    property(path, {
      'sh:name': fields.flatMap(([, field]) => both(field.label) as Json[]),
      ...(one === 'xsd:boolean' || one === 'xsd:integer'
        ? { 'sh:datatype': iri(one) }
        : one && { 'sh:nodeKind': iri(one) }),
    }),
  ]
}

/** The datatype or sort of node that values of a field have. Undefined if both addresses and texts may occur. */
function valueKind(path: string, field: Field): string | undefined {
  if (field.type === 'url' || field.slot_uri === 'owl:sameAs') return undefined
  if (field.type === 'relation' || namedClasses[field.slot_uri ?? '']) return 'sh:BlankNodeOrIRI'
  // An accepted relationship may use the same property of CIDOC-CRM as a field.
  if (path.startsWith('crm:P') && !path.startsWith('crm:P3_')) return undefined
  if (field.type === 'boolean') return 'xsd:boolean'
  return field.type === 'number' ? 'xsd:integer' : 'sh:Literal'
}

function commonShapes(base: string): Node[] {
  const times = ['P82a_begin_of_the_begin', 'P81a_end_of_the_begin', 'P81b_begin_of_the_end', 'P82b_end_of_the_end']
  return [
    {
      id: `${base}#thing`,
      type: 'sh:NodeShape',
      'sh:targetSubjectsOf': iri('foaf:isPrimaryTopicOf'),
      'sh:property': [
        property('rdfs:label', { 'sh:minCount': 1, 'sh:nodeKind': iri('sh:Literal') }),
        property('foaf:isPrimaryTopicOf', { 'sh:maxCount': 1, 'sh:node': iri(`${base}#record`) }),
        property('crm:P1_is_identified_by', { 'sh:minCount': 1, 'sh:class': iri('crm:E41_Appellation') }),
      ],
    },
    {
      id: `${base}#record`,
      type: 'sh:NodeShape',
      'sh:property': [
        property('dcterms:identifier', { 'sh:minCount': 1, 'sh:maxCount': 1, 'sh:pattern': '^urn:uuid:' }),
        property('dcterms:created', { 'sh:minCount': 1, ...moment }),
        property('dcterms:modified', { 'sh:minCount': 1, ...moment }),
        property('prov:wasAttributedTo', { 'sh:minCount': 1, 'sh:class': iri('prov:Agent') }),
      ],
    },
    {
      id: `${base}#time-span`,
      type: 'sh:NodeShape',
      'sh:targetClass': iri('crm:E52_Time-Span'),
      'sh:property': [
        property('rdfs:label', { 'sh:minCount': 1, 'sh:nodeKind': iri('sh:Literal') }),
        ...times.map((name) => property(`crm:${name}`, bound)),
      ],
    },
    {
      id: `${base}#claim`,
      type: 'sh:NodeShape',
      'sh:targetObjectsOf': iri('crm:P140i_was_attributed_by'),
      'sh:property': [
        property('crm:P140_assigned_attribute_to', {
          'sh:minCount': 1,
          'sh:maxCount': 1,
          'sh:nodeKind': iri('sh:IRI'),
        }),
        property('crm:P177_assigned_property_of_type', { 'sh:minCount': 1, 'sh:nodeKind': iri('sh:IRI') }),
        property('crm:P14_carried_out_by', { 'sh:minCount': 1, 'sh:class': iri('crm:E39_Actor') }),
        property('prov:endedAtTime', { 'sh:minCount': 1, ...moment }),
        property('prov:generated', { 'sh:minCount': 1, 'sh:class': iri('crminf:I2_Belief') }),
      ],
    },
  ]
}
