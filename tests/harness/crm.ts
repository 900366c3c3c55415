/** The part of CIDOC-CRM 7.1 that answers use: its classes, and the domain and range of its properties. */

/** The direct superclasses of each class. */
const superclasses: Readonly<Record<string, readonly string[]>> = {
  E2: ['E1'],
  E3: ['E2'],
  E4: ['E2'],
  E5: ['E4'],
  E6: ['E64'],
  E7: ['E5'],
  E10: ['E7'],
  E11: ['E7'],
  E12: ['E11', 'E63'],
  E13: ['E7'],
  E18: ['E72'],
  E19: ['E18'],
  E21: ['E20', 'E39'],
  E20: ['E18'],
  E22: ['E19', 'E24'],
  E24: ['E18', 'E71'],
  E28: ['E71'],
  E31: ['E73'],
  E33: ['E73'],
  E36: ['E73'],
  E39: ['E77'],
  E41: ['E90'],
  E52: ['E1'],
  E53: ['E1'],
  E55: ['E28'],
  E56: ['E55'],
  E58: ['E55'],
  E63: ['E5'],
  E64: ['E5'],
  E65: ['E7', 'E63'],
  E67: ['E63'],
  E69: ['E64'],
  E70: ['E77'],
  E71: ['E70'],
  E72: ['E70'],
  E73: ['E89', 'E90'],
  E74: ['E39'],
  E77: ['E1'],
  E89: ['E28'],
  E90: ['E28', 'E72'],
}

const literal = 'a literal'
/** The domain and the range of each property. */
const ends: Readonly<Record<string, readonly [from: string, to: string]>> = {
  P1_is_identified_by: ['E1', 'E41'],
  P2_has_type: ['E1', 'E55'],
  P3_has_note: ['E1', literal],
  'P4_has_time-span': ['E2', 'E52'],
  P7_took_place_at: ['E4', 'E53'],
  P8_took_place_on_or_within: ['E4', 'E18'],
  P9_consists_of: ['E4', 'E4'],
  P9i_forms_part_of: ['E4', 'E4'],
  P11_had_participant: ['E5', 'E39'],
  P12_occurred_in_the_presence_of: ['E5', 'E77'],
  P12i_was_present_at: ['E77', 'E5'],
  P13i_was_destroyed_by: ['E18', 'E6'],
  P14_carried_out_by: ['E7', 'E39'],
  P14i_performed: ['E39', 'E7'],
  P16_used_specific_object: ['E7', 'E70'],
  P16i_was_used_for: ['E70', 'E7'],
  P17_was_motivated_by: ['E7', 'E1'],
  P28_custody_surrendered_by: ['E10', 'E39'],
  P29_custody_received_by: ['E10', 'E39'],
  P30_transferred_custody_of: ['E10', 'E18'],
  P30i_custody_transferred_through: ['E18', 'E10'],
  P31_has_modified: ['E11', 'E18'],
  P32_used_general_technique: ['E7', 'E55'],
  P44_has_condition: ['E18', 'E3'],
  P46_is_composed_of: ['E18', 'E18'],
  P46i_forms_part_of: ['E18', 'E18'],
  P50_has_current_keeper: ['E18', 'E39'],
  P50i_is_current_keeper_of: ['E39', 'E18'],
  P52_has_current_owner: ['E18', 'E39'],
  P53_has_former_or_current_location: ['E18', 'E53'],
  P53i_is_former_or_current_location_of: ['E53', 'E18'],
  P55_has_current_location: ['E19', 'E53'],
  P62_depicts: ['E24', 'E1'],
  P62i_is_depicted_by: ['E1', 'E24'],
  P70i_is_documented_in: ['E1', 'E31'],
  P72_has_language: ['E33', 'E56'],
  P74_has_current_or_former_residence: ['E39', 'E53'],
  P81a_end_of_the_begin: ['E52', literal],
  P81b_begin_of_the_end: ['E52', literal],
  P82a_begin_of_the_begin: ['E52', literal],
  P82b_end_of_the_end: ['E52', literal],
  P89_falls_within: ['E53', 'E53'],
  P94i_was_created_by: ['E28', 'E65'],
  P98i_was_born: ['E21', 'E67'],
  P100i_died_in: ['E21', 'E69'],
  P107_has_current_or_former_member: ['E74', 'E39'],
  P107i_is_current_or_former_member_of: ['E39', 'E74'],
  P108_has_produced: ['E12', 'E24'],
  P108i_was_produced_by: ['E24', 'E12'],
  P138i_has_representation: ['E1', 'E36'],
  P125_used_object_of_type: ['E7', 'E55'],
  P129_is_about: ['E89', 'E1'],
  P140_assigned_attribute_to: ['E13', 'E1'],
  P140i_was_attributed_by: ['E1', 'E13'],
  P141_assigned: ['E13', 'E1'],
  P168_place_is_defined_by: ['E53', literal],
  P177_assigned_property_of_type: ['E13', 'E55'],
  P183_ends_before_the_start_of: ['E2', 'E2'],
  P183i_starts_after_the_end_of: ['E2', 'E2'],
  P190_has_symbolic_content: ['E90', literal],
}

/** Whether one of these classes is `other`, or a subclass of it. */
const isA = (classes: readonly string[], other: string): boolean =>
  classes.some((one) => one === other || isA(superclasses[one] ?? [], other))

/**
 * Returns the fault of a statement whose subject has the classes `from` and whose object has the classes `to`. Undefined if it is correct.
 * An empty list of classes fits any property.
 */
export function faultIn(property: string, from: readonly string[], to: readonly string[] | typeof literal) {
  const known = ends[property]
  if (!known) return `${property} is not in tests/harness/crm.ts: add its domain and range if CIDOC-CRM has it`
  const [domain, range] = known
  if (from.length > 0 && !isA(from, domain)) return `${property} of ${from}`
  if (to === literal || range === literal) return to === range ? undefined : `${property} leads to ${to}`
  // The range may be a subclass of the object's class: an E5 event may turn out to be an E6 destruction.
  return to.length === 0 || isA(to, range) || to.some((one) => isA([range], one))
    ? undefined
    : `${property} leads to ${to}`
}
