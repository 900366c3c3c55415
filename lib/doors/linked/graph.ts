import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import type { GraphImage, GraphNode } from '../../domain/graph/node.ts'
import type { GraphEdge, GraphPart, Neighbourhood } from '../../domain/graph/read.ts'
import { type KindKey, kindKeys, kinds, predicateOf } from '../../domain/kinds/index.ts'
import { type Confidence, confidences } from '../../domain/kinds/schema/enums.ts'
import { fitInto, imagePath, licenceAddress, sizedPath } from '../../domain/pictures/view.ts'
import { crmClasses } from './classes.ts'
import { context } from './context.ts'
import { propertyOf } from './statements.ts'

/** The base of the addresses by which the dashboard names records. */
const RESOURCE = 'https://w3id.org/heritagegraph/resource'
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'
const GRAPH = 'https://w3id.org/heritagegraph/graph/public'

const resourceIri = (kind: KindKey, number: number | string): string => `${RESOURCE}/${kind}/${number}`

/** Writes a name such as `crm:P7_took_place_at` out in full. */
function fullIri(name: string): string {
  const [prefix = '', local] = name.split(/:(.*)/s)
  const base = context[prefix]
  return typeof base === 'string' && local !== undefined && !local.startsWith('//') ? base + local : name
}

const ProvenanceView = s.shape('GraphProvenance', () =>
  v.object({
    source: s.text,
    confidence: s.text,
    confidenceScore: v.number(),
    assertedBy: s.text,
    temporalScope: s.text,
    assertedAt: s.time,
  }),
)
const CreditView = s.shape('GraphImageCredit', () =>
  v.object({
    license: s.text,
    licenseUrl: s.text,
    artist: s.text,
    descriptionUrl: s.text,
    source: s.text,
    retrieved: s.text,
  }),
)
const GraphNodeView = s.shape('GraphNode', () =>
  v.object({
    id: s.text,
    types: v.array(s.text),
    label: s.text,
    comment: s.maybe(s.text),
    lat: s.maybe(s.text),
    long: s.maybe(s.text),
    inceptionYear: v.optional(s.whole),
    imageUrl: s.maybe(s.text),
    images: v.array(s.text),
    imageCredits: v.record(v.string(), CreditView),
    sourceLayer: s.oneOf(['curated', 'lux']),
    clusterId: v.optional(s.uuid),
    clusterLabel: v.optional(s.text),
    typeScope: s.text,
  }),
)
const GraphEdgeView = s.shape('GraphEdge', () =>
  v.object({
    source: s.text,
    target: s.text,
    predicate: s.text,
    predicateLocal: s.text,
    predicateLabel: s.text,
    provenance: s.maybe(ProvenanceView),
  }),
)
export const GraphView = s.shape('Graph', () =>
  v.object({
    graph: s.text,
    layers: v.array(s.text),
    scope: s.text,
    includeLux: v.boolean(),
    luxLinkCount: s.whole,
    nodes: v.array(GraphNodeView),
    edges: v.array(GraphEdgeView),
    counts: v.object({ nodes: s.whole, edges: s.whole, edgesWithProvenance: s.whole, luxNodes: s.whole }),
  }),
)

/** Shows a part of a graph. A thing without coordinates takes those of the place that it is linked to. */
export function graphView({ nodes, edges }: GraphPart, scope: string, includeLux: boolean, origin: string) {
  const known = new Map(nodes.map((node) => [node.id, node]))
  const shown = edges.flatMap((edge) => edgeView(edge, known) ?? [])
  return {
    graph: GRAPH,
    layers: ['curated'],
    scope,
    includeLux,
    luxLinkCount: 0,
    nodes: nodes.map((node) => nodeView(node, known, origin)),
    edges: shown,
    counts: {
      nodes: nodes.length,
      edges: shown.length,
      edgesWithProvenance: shown.filter(({ provenance }) => provenance).length,
      luxNodes: 0,
    },
  }
}

function nodeView(node: GraphNode, known: ReadonlyMap<string, GraphNode>, origin: string) {
  const point = node.point ?? placeOf(node, known)
  const images = node.images.map((image) => ({ image, url: imageUrl(node, image, origin) }))
  return {
    id: resourceIri(node.kind, idOf(node)),
    types: typesOf(node.kind),
    label: node.label || `${node.kind} ${node.number}`,
    comment: node.comment || null,
    lat: point ? String(point.lat) : null,
    long: point ? String(point.lng) : null,
    ...(node.year !== null && { inceptionYear: node.year }),
    imageUrl: images[0]?.url ?? null,
    images: images.map(({ url }) => url),
    imageCredits: Object.fromEntries(images.map(({ image, url }) => [url, creditOf(image)])),
    sourceLayer: 'curated',
    ...(node.cluster && { clusterId: node.cluster.id, clusterLabel: node.cluster.label }),
    typeScope: kinds[node.kind].typeScope ?? node.kind,
  }
}

const idOf = ({ kind, number, id }: Pick<GraphNode, 'kind' | 'number' | 'id'>) => (kinds[kind].record ? number : id)

const placeOf = ({ links }: GraphNode, known: ReadonlyMap<string, GraphNode>) =>
  links.map(({ to }) => known.get(to)).find((it) => it?.kind === 'location' && it.point)?.point

const typesOf = (kind: KindKey) => [...new Set([fullIri(crmClasses[kind]), fullIri(kinds[kind].classUri)])]

/** The side of an image in a graph, in pixels. */
const IMAGE_SIDE = 800
const imageUrl = ({ id }: GraphNode, { file, ...size }: GraphImage, origin: string) =>
  `${origin}${sizedPath(imagePath(id, file), fitInto(size, IMAGE_SIDE))}`

const creditOf = ({ licence, creator }: GraphImage) => ({
  license: licence,
  licenseUrl: licenceAddress(licence) ?? '',
  artist: creator,
  descriptionUrl: '',
  source: '',
  retrieved: '',
})

/** The score of a claim that has a confidence and no score. */
const scores: Readonly<Record<Confidence, number>> = { certain: 0.95, likely: 0.75, uncertain: 0.5, speculative: 0.25 }

const scoreOf = (stated: string | null | undefined) => scores[confidences.find((it) => it === stated) ?? 'uncertain']

function edgeView(edge: GraphEdge, known: ReadonlyMap<string, GraphNode>) {
  const [from, to] = [known.get(edge.from), known.get(edge.to)]
  if (!from || !to) return undefined
  return {
    source: resourceIri(from.kind, idOf(from)),
    target: resourceIri(to.kind, idOf(to)),
    ...predicateView(from.kind, edge.relation, edge.isField),
    provenance:
      edge.at === undefined
        ? null
        : {
            source: edge.source ?? '',
            confidence: edge.confidence ?? '',
            confidenceScore: edge.score ?? scoreOf(edge.confidence),
            assertedBy: edge.by ?? '',
            temporalScope: edge.scope ?? '',
            assertedAt: edge.at,
          },
  }
}

/** A relation as a property: its slot, or a name of our ontology. */
function predicateView(kind: KindKey, relation: string, isField: boolean) {
  const field = isField ? kinds[kind].fields[relation] : undefined
  const predicate = fullIri(propertyOf(relation, field))
  return {
    predicate,
    predicateLocal: relation,
    predicateLabel: field?.label ?? predicateOf(relation)?.label ?? relation.replaceAll('_', ' '),
  }
}

export const NeighbourhoodView = s.shape('GraphNeighbourhood', () =>
  v.object({
    uri: s.text,
    edges: v.array(
      v.object({
        direction: s.oneOf(['inbound', 'outbound']),
        predicate: s.text,
        value: s.text,
        valueLabel: v.optional(s.text),
        valueType: v.optional(s.text),
      }),
    ),
    count: s.whole,
    includeLux: v.boolean(),
  }),
)

/** Shows what a record is linked to: its type and label first, then other records. */
export function neighbourhoodView(uri: string, found: Neighbourhood | undefined, limit: number, includeLux: boolean) {
  const edges = found ? [...ownEdges(found), ...found.neighbours.map((it) => linkEdge(found, it))].slice(0, limit) : []
  return { uri, edges, count: edges.length, includeLux }
}

const ownEdges = ({ record: { kind, name } }: Neighbourhood) => [
  ...typesOf(kind).map((value) => ({ direction: 'outbound', predicate: RDF_TYPE, value, valueType: 'iri' })),
  { direction: 'outbound', predicate: fullIri('rdfs:label'), value: name, valueType: 'literal' },
]

function linkEdge(
  { record }: Neighbourhood,
  { direction, relation, record: other }: Neighbourhood['neighbours'][number],
) {
  const kind = direction === 'outbound' ? record.kind : other.kind
  const isField = relation in kinds[kind].fields
  return {
    direction,
    predicate: predicateView(kind, relation, isField).predicate,
    value: resourceIri(other.kind, idOf({ kind: other.kind, number: other.id, id: other.entity_id })),
    valueLabel: other.name,
    valueType: 'iri',
  }
}

export const GraphStatsView = s.shape('GraphStats', () =>
  v.object({
    rdf_sync_enabled: v.boolean(),
    store_healthy: v.boolean(),
    total_triples: s.whole,
    public_graph_triples: s.whole,
    schema_graph_triples: s.whole,
    source: s.text,
    type_histogram: s.maybe(v.array(v.object({ type: s.text, count: s.text }))),
  }),
)

/** Statements about each kind and field of the ontology: its type, label, description and where it belongs. */
const SCHEMA_TRIPLES = 4

/** Shows the number of statements. Each public record has two, its type and label; each accepted claim has one. */
export function statsView(records: ReadonlyMap<string, number>, claims: number) {
  const published = [...records.values()].reduce((sum, count) => sum + count, 0)
  const public_graph_triples = 2 * published + claims
  const fields = kindKeys.reduce((sum, key) => sum + 1 + Object.keys(kinds[key].fields).length, 0)
  const schema_graph_triples = SCHEMA_TRIPLES * fields
  return {
    rdf_sync_enabled: true,
    store_healthy: true,
    total_triples: public_graph_triples + schema_graph_triples,
    public_graph_triples,
    schema_graph_triples,
    source: 'counters of records and accepted claims',
    type_histogram: kindKeys
      .map((key) => ({ type: fullIri(kinds[key].classUri), count: records.get(key) ?? 0 }))
      .filter(({ count }) => count > 0)
      .map(({ type, count }) => ({ type, count: String(count) })),
  }
}
