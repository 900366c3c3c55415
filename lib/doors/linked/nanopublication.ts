import { config } from '../../base/config.ts'
import { kinds, nameFieldsOf } from '../../domain/kinds/index.ts'
import { labelsFor } from '../../domain/labels/labels.ts'
import type { ClaimWithRecord } from '../../domain/records/assertions.ts'
import { iriOf, isAddress, recordIri } from '../../domain/records/iri.ts'
import type { Visible } from '../../domain/records/shown.ts'
import { type JsonLdNode, type Prefixes, readJsonLd, writeRdf } from '../../engines/rdf/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { context, type Node } from './context.ts'
import { accessRights } from './labels.ts'
import { attributionOf, relationshipIn } from './provenance.ts'
import { statementParts, statementsOf } from './statements.ts'

const prefixes = { ...context, np: 'http://www.nanopub.org/nschema#' } as unknown as Prefixes

/**
 * An accepted claim as a nanopublication in TriG: four graphs with the head, what is asserted, where it comes from, and who published it.
 * The nanopublication states the same as the JSON-LD of the claim for the same reader.
 */
export function writeNanopublication(it: Visible<ClaimWithRecord>, actor: Actor | null, origin: string): string {
  const own = iriOf(origin, 'assertion', it.claim.id)
  const attribution = attributionOf(it.claim, it.about, actor, origin)
  const graphs: Readonly<Record<string, Node>> = {
    head: {
      id: `${own}#nanopublication`,
      type: 'np:Nanopublication',
      'np:hasAssertion': { id: `${own}#assertion` },
      'np:hasProvenance': { id: `${own}#provenance` },
      'np:hasPublicationInfo': { id: `${own}#pubinfo` },
    },
    assertion: assertionOf(it, attribution, origin),
    provenance: {
      id: `${own}#assertion`,
      'prov:wasAttributedTo': attribution['prov:wasAssociatedWith'],
      'prov:wasDerivedFrom': attribution['prov:used'],
      'prov:generatedAtTime': attribution['prov:endedAtTime'],
      'prov:wasGeneratedBy': attribution,
    },
    pubinfo: {
      id: `${own}#nanopublication`,
      'dcterms:created': attribution['prov:endedAtTime'],
      'dcterms:creator': attribution['prov:wasAssociatedWith'],
      'dcterms:publisher': { id: `${origin}/` },
      'dcterms:license': licence(),
      ...accessRights(labelsFor(it.about?.labels ?? [], it.claim.asserted_property)),
    },
  }
  const quads = Object.entries(graphs).flatMap(([name, node]) =>
    readJsonLd(node as JsonLdNode, prefixes, { graph: `${own}#${name}`, blank: name }),
  )
  return writeRdf(quads, 'application/trig', prefixes)
}

const licence = () =>
  isAddress(config.EXPORT_LICENCE) ? { id: config.EXPORT_LICENCE } : config.EXPORT_LICENCE || undefined

/**
 * What a claim states of its record: the same statement as in the record. If the record has none, the words of the claim stand under its
 * property.
 */
function assertionOf({ claim }: Visible<ClaimWithRecord>, attribution: Node, origin: string): Node {
  const record = recordIri(origin, { ...claim, id: claim.object_id })
  const kind = kinds[claim.kind]
  const related = relationshipIn(claim, origin)
  const statements = related
    ? [related]
    : statementsOf(kind, { [claim.asserted_property]: claim.value } as never, origin)
  const { property: first, of } = statements[0] ?? {}
  if (first !== undefined) {
    const values = { [first]: statements.map(({ value }) => value) }
    if (of === undefined) return { id: record, ...values }
    if (of === 'record') return { id: record, 'foaf:isPrimaryTopicOf': { id: `${record}#record`, ...values } }
    const { property, type } = statementParts[of]
    return { id: record, [property]: { id: `${record}#${of}`, type, ...values } }
  }
  const { 'crm:P177_assigned_property_of_type': property, 'prov:generated': belief } = attribution as {
    [member: string]: Node
  }
  const words = String(belief?.['prov:value'] ?? '')
  const isName = nameFieldsOf(kind).includes(claim.asserted_property)
  return { id: record, [isName ? 'label' : String(property?.id)]: words }
}
