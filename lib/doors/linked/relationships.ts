import type { KindKey } from '../../domain/kinds/index.ts'
import { crmClasses, isA } from './classes.ts'
import type { StatementPart } from './statements.ts'

/** The CIDOC-CRM property of a relationship between things of these classes. */
type Row = { from: string; property: string; to: string; of?: StatementPart }

const things = 'crm:E18_Physical_Thing'
const made = 'crm:E24_Physical_Human-Made_Thing'
const places = 'crm:E53_Place'
const periods = 'crm:E4_Period'
const actors = 'crm:E39_Actor'
const groups = 'crm:E74_Group'
const thoughts = 'crm:E28_Conceptual_Object'

const where: readonly Row[] = [
  { from: things, property: 'crm:P53_has_former_or_current_location', to: places },
  { from: places, property: 'crm:P89_falls_within', to: places },
  { from: actors, property: 'crm:P74_has_current_or_former_residence', to: places },
  { from: periods, property: 'crm:P7_took_place_at', to: places },
  { from: periods, property: 'crm:P8_took_place_on_or_within', to: things },
]
const makers = (property: string): readonly Row[] => [
  { from: made, property, to: actors, of: 'production' },
  { from: thoughts, property, to: actors, of: 'creation' },
]

/** The relationships for which CIDOC-CRM has a property. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  located_in: where,
  based_in: where,
  took_place_at: where,
  celebrated_at: where,
  performed_at: where,
  part_of: [
    { from: things, property: 'crm:P46i_forms_part_of', to: things },
    { from: places, property: 'crm:P89_falls_within', to: places },
    { from: periods, property: 'crm:P9i_forms_part_of', to: periods },
    { from: actors, property: 'crm:P107i_is_current_or_former_member_of', to: groups },
  ],
  depicts: [{ from: made, property: 'crm:P62_depicts', to: 'crm:E1_CRM_Entity' }],
  performed_by: [{ from: 'crm:E7_Activity', property: 'crm:P14_carried_out_by', to: actors }],
  affected: [{ from: 'crm:E5_Event', property: 'crm:P12_occurred_in_the_presence_of', to: 'crm:E77_Persistent_Item' }],
  managed_by: [{ from: things, property: 'crm:P50_has_current_keeper', to: actors }],
  owned_by: [{ from: things, property: 'crm:P52_has_current_owner', to: actors }],
  member_of: [{ from: actors, property: 'crm:P107i_is_current_or_former_member_of', to: groups }],
  described_in: [
    { from: 'crm:E1_CRM_Entity', property: 'crm:P70i_is_documented_in', to: 'crm:E73_Information_Object' },
  ],
  built_by: makers('crm:P14_carried_out_by'),
  created_by: makers('crm:P14_carried_out_by'),
  commissioned_by: makers('crm:P17_was_motivated_by'),
}

/** The property for a relationship between two kinds. If no property of CIDOC-CRM fits both, one of our ontology. */
export function relationshipProperty(code: string, from: KindKey, to: KindKey): Pick<Row, 'property' | 'of'> {
  const fits = (row: Row) => isA(crmClasses[from], row.from) && isA(crmClasses[to], row.to)
  return rows[code]?.find(fits) ?? { property: `heritageGraph:${code}` }
}

/** The property that says where a thing of this kind is, for a place without a record. */
export const placeProperty = (kind: KindKey) => relationshipProperty('located_in', kind, 'location').property
