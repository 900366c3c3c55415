import type { Point } from '../../engines/matching/index.ts'
import { type KindKey, kinds } from '../kinds/index.ts'
import { picturesIn } from '../pictures/items.ts'
import { type Assertion, type LoadedRecord, SAME_REFERENT } from '../records/items.ts'
import { claimEdges, valueEdges } from '../records/links.ts'
import { documentOfValues } from '../records/search-document.ts'

/** A link of a node to another record, with the claim that says so. Members of the claim are absent if nothing claims it. */
export type GraphLink = {
  to: string
  relation: string
  /** True if a field of the record holds the link, false if a claim of a relationship does. */
  isField: boolean
  source?: string
  confidence?: string
  score?: number | null
  by?: string
  scope?: string
  at?: string
}
export type GraphImage = { file: string; width: number; height: number; licence: string; creator: string }
/** What the graph holds of a record. Nothing in it depends on the reader. */
export type GraphNode = {
  id: string
  kind: KindKey
  number: number
  label: string
  comment: string
  point: Point | null
  year: number | null
  images: GraphImage[]
  cluster: { id: string; label: string } | null
  links: GraphLink[]
}

/** The most links that are kept of one record. */
const MOST_LINKS = 100
const MOST_IMAGES = 4

/** Makes the node of a record: from its values, and from its accepted claims of relationships and identity. */
export function nodeOf(record: LoadedRecord): GraphNode {
  const { entity_id, kind, id, name, data, point, assertions } = record
  const { summary, years } = documentOfValues(kinds[kind], name, data)
  const accepted = assertions.filter(({ reconciliation_status }) => reconciliation_status === 'accepted')
  const identity = accepted.findLast(({ asserted_property }) => asserted_property === SAME_REFERENT)
  return {
    id: entity_id,
    kind,
    number: id,
    label: name,
    comment: summary,
    point,
    year: years?.from ?? years?.to ?? null,
    images: picturesIn(data)
      .slice(0, MOST_IMAGES)
      .map(({ id: file, width = 0, height = 0, licence = '', creator = '' }) => ({
        file,
        width,
        height,
        licence,
        creator,
      })),
    cluster: identity ? { id: String(identity.value), label: identity.assertion_content } : null,
    links: linksOf(record, accepted),
  }
}

function linksOf(record: LoadedRecord, accepted: readonly Assertion[]): GraphLink[] {
  const claimOf = (relation: string) => accepted.findLast((it) => it.asserted_property === relation)
  const links = [
    ...valueEdges(record).map(({ to, relation }) => ({ to, relation, isField: true, claim: claimOf(relation) })),
    ...accepted.flatMap((claim) =>
      claimEdges(claim).map(({ to, relation }) => ({ to, relation, isField: false, claim })),
    ),
  ]
  const known = new Map(links.map((link) => [`${link.relation} ${link.to}`, link]))
  return [...known.values()]
    .filter(({ to }) => to !== record.entity_id)
    .slice(0, MOST_LINKS)
    .map(({ claim, ...link }) => ({ ...link, ...(claim && provenanceOf(claim)) }))
}

const provenanceOf = (claim: Assertion) => ({
  source: claim.source_citation || claim.source_type,
  confidence: claim.confidence,
  score: claim.confidence_score,
  by: claim.contributed_by,
  scope: claim.temporal_scope_edtf,
  at: claim.created_at,
})
