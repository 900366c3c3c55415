import type { KindKey } from '../kinds/index.ts'

/** The CIDOC-CRM class of each kind, beside the ontology's own, which is narrower. */
export const crmClasses: Readonly<Record<KindKey, string>> = {
  person: 'crm:E21_Person',
  location: 'crm:E53_Place',
  event: 'crm:E5_Event',
  tradition: 'crm:E55_Type',
  source: 'crm:E73_Information_Object',
  deity: 'crm:E28_Conceptual_Object',
  guthi: 'crm:E74_Group',
  structure: 'crm:E22_Human-Made_Object',
  ritual: 'crm:E7_Activity',
  festival: 'crm:E7_Activity',
  production: 'crm:E12_Production',
  consecration: 'crm:E7_Activity',
  enshrinement: 'crm:E7_Activity',
  transfer_of_custody: 'crm:E10_Transfer_of_Custody',
  iconography: 'crm:E22_Human-Made_Object',
  monument: 'crm:E22_Human-Made_Object',
  kumari_tenure: 'crm:E7_Activity',
  kumari_selection: 'crm:E7_Activity',
  kumari_retirement: 'crm:E7_Activity',
  syncretism: 'crm:E13_Attribute_Assignment',
  caste_group: 'crm:E74_Group',
  calendar: 'crm:E58_Measurement_Unit',
  period: 'crm:E4_Period',
  assertion: 'crm:E13_Attribute_Assignment',
  entity_cluster: 'crm:E1_CRM_Entity',
  data_source: 'crm:E73_Information_Object',
  entity: 'crm:E1_CRM_Entity',
}

/** What a name stands for under a property whose values are things: the class of a thing that has no record of its own. */
export const namedClasses: Readonly<Record<string, string>> = {
  'crm:P2_has_type': 'crm:E55_Type',
  'crm:P14_carried_out_by': 'crm:E39_Actor',
  'crm:P16i_was_used_for': 'crm:E7_Activity',
  'crm:P17_was_motivated_by': 'crm:E39_Actor',
  'crm:P28_custody_surrendered_by': 'crm:E39_Actor',
  'crm:P29_custody_received_by': 'crm:E39_Actor',
  'crm:P32_used_general_technique': 'crm:E55_Type',
  'crm:P44_has_condition': 'crm:E3_Condition_State',
  'crm:P46_is_composed_of': 'crm:E18_Physical_Thing',
  'crm:P72_has_language': 'crm:E56_Language',
  'crm:P125_used_object_of_type': 'crm:E55_Type',
  'datacite:creator': 'crm:E39_Actor',
  'datacite:publisher': 'crm:E39_Actor',
  'prov:wasGeneratedBy': 'prov:Activity',
}

/** Accepted relationships that CIDOC-CRM has a property for; the others are the ontology's own. */
export const predicateProperties: Readonly<Record<string, string>> = {
  located_in: 'crm:P53_has_former_or_current_location',
  part_of: 'crm:P46i_forms_part_of',
  depicts: 'crm:P62_depicts',
  took_place_at: 'crm:P7_took_place_at',
  celebrated_at: 'crm:P8_took_place_on_or_within',
  performed_at: 'crm:P8_took_place_on_or_within',
  performed_by: 'crm:P14_carried_out_by',
  affected: 'crm:P12_occurred_in_the_presence_of',
  managed_by: 'crm:P50_has_current_keeper',
  owned_by: 'crm:P52_has_current_owner',
  member_of: 'crm:P107i_is_current_or_former_member_of',
  described_in: 'crm:P70i_is_documented_in',
}
