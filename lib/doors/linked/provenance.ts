import { kindOfScope, kinds, predicateOf } from '../../domain/kinds/index.ts'
import { labelsFor } from '../../domain/labels/labels.ts'
import type { ClaimWithRecord } from '../../domain/records/assertions.ts'
import { iriOf, isAddress, recordIri } from '../../domain/records/iri.ts'
import type { Assertion, RecordItem } from '../../domain/records/items.ts'
import { isPlaceHidden } from '../../domain/records/place.ts'
import type { Visible } from '../../domain/records/shown.ts'
import { assertionView } from '../../domain/records/views/record.ts'
import type { Actor } from '../../platform/permissions.ts'
import { context, type Node } from './context.ts'
import { accessRights } from './labels.ts'
import { relationshipProperty } from './relationships.ts'
import { type LinkedStatement, linksOf, propertyOf } from './statements.ts'

/** A claim by itself as JSON-LD. */
export const linkedClaim = (it: Visible<ClaimWithRecord>, actor: Actor | null, origin: string): Node => ({
  '@context': context,
  ...linkedClaimRow(it, actor, origin),
})

/** A claim as a row of a list, with the labels on its value and on its whole record. */
export const linkedClaimRow = (
  { claim, about }: Visible<ClaimWithRecord>,
  actor: Actor | null,
  origin: string,
): Node => ({
  ...attributionOf(claim, about, actor, origin),
  ...accessRights(labelsFor(about?.labels ?? [], claim.asserted_property)),
})

/**
 * A claim as an act (CRM E13, PROV activity) and its result (CRMinf belief, PROV entity), which PROV keeps apart. `about` is the record,
 * if it still exists.
 */
export function attributionOf(it: Assertion, about: RecordItem | undefined, actor: Actor | null, origin: string): Node {
  const own = iriOf(origin, 'assertion', it.id)
  // Author and sources have ids, so that repeated statements about them become one.
  const by = { id: `${own}#author`, type: ['crm:E39_Actor', 'prov:Agent'], label: it.contributed_by }
  const at = { type: 'xsd:dateTime', '@value': it.created_at }
  const sources = sourcesOf(it, own, origin)
  const text = String(
    assertionView(it, about !== undefined && isPlaceHidden(about, it.asserted_property, actor)).asserted_value,
  )
  return {
    id: own,
    type: ['crm:E13_Attribute_Assignment', 'prov:Activity'],
    'crm:P140_assigned_attribute_to': { id: recordIri(origin, { ...it, id: it.object_id }) },
    'crm:P177_assigned_property_of_type': propertyNode(it, origin),
    'crm:P141_assigned': assignedTo(it, origin),
    'crm:P14_carried_out_by': by,
    'crm:P16_used_specific_object': sources,
    'prov:wasAssociatedWith': by,
    'prov:qualifiedAssociation': bySoftware(it, own),
    'prov:used': sources,
    'prov:endedAtTime': at,
    'prov:generated': {
      id: `${own}#claim`,
      type: ['crminf:I2_Belief', 'prov:Entity'],
      'prov:value': text || undefined,
      'prov:wasAttributedTo': by,
      'prov:generatedAtTime': at,
      'prov:wasDerivedFrom': sources,
      'heritageGraph:confidence': it.confidence,
      'heritageGraph:confidence_score': it.confidence_score ?? undefined,
      'heritageGraph:data_quality_note': it.data_quality_note || undefined,
      'heritageGraph:reconciliation_status': it.reconciliation_status,
    },
  }
}

/** The program that sent the claim for its author, if one did. */
const bySoftware = ({ software }: Assertion, own: string): Node | undefined =>
  software === null
    ? undefined
    : {
        id: `${own}#association`,
        type: 'prov:Association',
        'prov:agent': { id: `${own}#software`, type: 'prov:SoftwareAgent', label: software },
      }

/** The property that was assigned. A claim may name any property; only known ones have an address. */
function propertyNode(it: Assertion, origin: string): Node {
  const relationship = relationshipIn(it, origin)
  if (relationship) return { id: relationship.property }
  const field = kinds[it.kind].fields[it.asserted_property]
  if (field) return { id: propertyOf(it.asserted_property, field) }
  return { id: `${iriOf(origin, 'assertion', it.id)}#property`, type: 'crm:E55_Type', label: it.asserted_property }
}

/** The relationship that a claim states. Undefined if the relationship is unknown, or without a record at the other end. */
export function relationshipIn(it: Assertion, origin: string): LinkedStatement | undefined {
  const code = predicateOf(it.asserted_property)?.code
  const [other, value] = [kindOfScope(it.object_entity_type ?? ''), objectOf(it, origin)]
  return code && other && value ? { ...relationshipProperty(code, it.kind, other.key), value } : undefined
}

/** The nodes that were assigned. Undefined if the value is a text or a number. */
function assignedTo(it: Assertion, origin: string): Node[] | undefined {
  const object = objectOf(it, origin)
  const field = kinds[it.kind].fields[it.asserted_property]
  const links = object ? [object] : field ? linksOf(field, it.value, origin) : []
  return links.length > 0 ? links : undefined
}

/** The record at the other end of a relationship. */
function objectOf(it: Assertion, origin: string): Node | undefined {
  const kind = kindOfScope(it.object_entity_type ?? '')
  if (!kind || it.object_entity_id === null) return undefined
  return { id: iriOf(origin, kind.key, it.object_entity_id) }
}

/** The sources of a claim: a registered source, or the citation and address that the contributor gave. */
function sourcesOf(it: Assertion, own: string, origin: string): Node[] | undefined {
  const citation = {
    ...(it.source_citation && { label: it.source_citation, 'dcterms:bibliographicCitation': it.source_citation }),
    ...(isAddress(it.source_url) && { 'heritageGraph:source_url': { id: it.source_url } }),
  }
  const kind = it.source_type && { 'heritageGraph:source_type': it.source_type }
  const described = Object.keys(citation).length > 0 || kind
  const registered = it.source ? [{ id: iriOf(origin, 'data_source', it.source) }] : []
  const supporting = it.supporting_sources.map((id) => ({ id: iriOf(origin, 'data_source', id) }))
  const sources = [
    ...(described
      ? [{ id: `${own}#source`, type: ['crm:E73_Information_Object', 'prov:Entity'], ...citation, ...kind }]
      : []),
    ...registered,
    ...supporting,
  ]
  return sources.length > 0 ? sources : undefined
}
