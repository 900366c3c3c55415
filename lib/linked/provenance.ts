import { kindOfScope, kinds, predicateOf } from '../kinds/index.ts'
import type { Actor } from '../permissions.ts'
import type { Assertion, Head } from '../store/record-items.ts'
import { assertionView, hidesPlace } from '../views/record.ts'
import { predicateProperties } from './classes.ts'
import type { Node } from './context.ts'
import { iriOf, isAddress } from './iri.ts'
import { linksOf, propertyOf } from './statements.ts'

/** The record that assertions are about, and who asks. */
export type About = { head: Head; iri: string; origin: string; actor: Actor | null }

/**
 * An assertion as what someone did (CRM E13, PROV activity) and what came of it (CRMinf belief, PROV entity): PROV keeps
 * the two apart.
 */
export function attributionOf(it: Assertion, { head, iri, origin, actor }: About): Node {
  const own = iriOf(origin, 'assertion', it.id)
  const by = { type: ['crm:E39_Actor', 'prov:Agent'], label: it.contributed_by }
  const at = { type: 'xsd:dateTime', '@value': it.created_at }
  const sources = sourcesOf(it, origin)
  const text = String(assertionView(it, hidesPlace(head, actor)).asserted_value)
  return {
    id: own,
    type: ['crm:E13_Attribute_Assignment', 'prov:Activity'],
    'crm:P140_assigned_attribute_to': { id: iri },
    'crm:P177_assigned_property_of_type': assigned(it),
    'crm:P141_assigned': assignedTo(it, origin),
    'crm:P14_carried_out_by': by,
    'crm:P16_used_specific_object': sources,
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

/** The property that was assigned, where its name is one of ours: claims may be about anything. */
function assigned({ kind, asserted_property }: Assertion) {
  const code = predicateOf(asserted_property)?.code
  if (asserted_property.startsWith('relationship.') && code) {
    return { id: predicateProperties[code] ?? `heritageGraph:${code}` }
  }
  const field = kinds[kind].fields[asserted_property]
  return field ? { id: propertyOf(asserted_property, field) } : { type: 'crm:E55_Type', label: asserted_property }
}

/** The things that were assigned; a value that is no thing is what the claim says. */
function assignedTo(it: Assertion, origin: string): Node[] | undefined {
  const object = objectOf(it, origin)
  const field = kinds[it.kind].fields[it.asserted_property]
  const links = object ? [object] : field ? linksOf(field, it.value, origin) : []
  return links.length > 0 ? links : undefined
}

/** The record at the other end of a relationship. */
export function objectOf(it: Assertion, origin: string): Node | undefined {
  const kind = kindOfScope(it.object_entity_type ?? '')
  if (!kind || it.object_entity_id === null) return undefined
  return { id: iriOf(origin, kind.key, it.object_entity_id) }
}

/** What it rests on: a registered source, or the words and the address that the contributor gave. */
function sourcesOf(it: Assertion, origin: string): Node[] | undefined {
  const given = {
    ...(it.source_citation && { label: it.source_citation, 'dcterms:bibliographicCitation': it.source_citation }),
    ...(isAddress(it.source_url) && { 'heritageGraph:source_url': { id: it.source_url } }),
  }
  const kind = it.source_type && { 'heritageGraph:source_type': it.source_type }
  const described = Object.keys(given).length > 0 || kind
  const registered = it.source ? [{ id: iriOf(origin, 'data_source', it.source) }] : []
  const supporting = it.supporting_sources.map((id) => ({ id: iriOf(origin, 'data_source', id) }))
  const found = [
    ...(described ? [{ type: ['crm:E73_Information_Object', 'prov:Entity'], ...given, ...kind }] : []),
    ...registered,
    ...supporting,
  ]
  return found.length > 0 ? found : undefined
}
