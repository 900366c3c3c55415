import type { KindKey } from '../../domain/kinds/index.ts'

/** The CIDOC-CRM class of each kind. A record also has the narrower class of our ontology. */
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

/** The class of a thing without a record, by the property that names it. Example: an actor under `crm:P14_carried_out_by`. */
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

/** Classes that follow from having a property. They are narrower than the class of the kind. */
export const impliedClasses: Readonly<Record<string, string>> = {
  'crm:P31_has_modified': 'crm:E11_Modification',
  'crm:P72_has_language': 'crm:E33_Linguistic_Object',
}

/** The direct superclasses in CIDOC-CRM 7.1 of each class that is used here. */
const above: Readonly<Record<string, readonly string[]>> = {
  'crm:E4_Period': ['crm:E1_CRM_Entity'],
  'crm:E5_Event': ['crm:E4_Period'],
  'crm:E7_Activity': ['crm:E5_Event'],
  'crm:E10_Transfer_of_Custody': ['crm:E7_Activity'],
  'crm:E12_Production': ['crm:E7_Activity'],
  'crm:E13_Attribute_Assignment': ['crm:E7_Activity'],
  'crm:E77_Persistent_Item': ['crm:E1_CRM_Entity'],
  'crm:E39_Actor': ['crm:E77_Persistent_Item'],
  'crm:E21_Person': ['crm:E39_Actor'],
  'crm:E74_Group': ['crm:E39_Actor'],
  'crm:E18_Physical_Thing': ['crm:E77_Persistent_Item'],
  'crm:E24_Physical_Human-Made_Thing': ['crm:E18_Physical_Thing'],
  'crm:E22_Human-Made_Object': ['crm:E24_Physical_Human-Made_Thing'],
  'crm:E28_Conceptual_Object': ['crm:E77_Persistent_Item'],
  'crm:E55_Type': ['crm:E28_Conceptual_Object'],
  'crm:E58_Measurement_Unit': ['crm:E55_Type'],
  'crm:E73_Information_Object': ['crm:E28_Conceptual_Object'],
  'crm:E53_Place': ['crm:E1_CRM_Entity'],
}

/** Whether `one` is `other` or a subclass of it. */
export const isA = (one: string, other: string): boolean =>
  one === other || (above[one] ?? []).some((next) => isA(next, other))
