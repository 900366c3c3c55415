import { describe, expect, test } from 'vitest'
import {
  isRecordKey,
  kindKeys,
  kindOfCode,
  kindOfScope,
  kindOfSegment,
  kinds,
  recordKinds,
} from '../../../lib/domain/kinds/index.ts'
import { predicateOf, predicates } from '../../../lib/domain/kinds/predicates.ts'
import { registry } from '../../../lib/domain/kinds/schema/registry.ts'

const document = registry()
const classes = Object.values(document.classes)

/** How many kinds there are. Raise it with a new kind, which takes this number for its code. */
const KINDS = 27
const raise = 'a kind was added: raise KINDS in tests/domain/kinds/registry.test.ts, and give the kind that code'

test('there are as many kinds as this file says, of which all but data_source are navigable', () => {
  expect(Object.keys(document.classes)).toEqual(kindKeys)
  expect(kindKeys.length, raise).toBe(KINDS)
  expect(classes.filter((each) => !each.navigable).map((each) => each.key)).toEqual(['data_source'])
  expect(recordKinds.length, raise).toBe(KINDS - 4)
})

test('codes are those that ids were made with', () => {
  const codes = kindKeys.map((key) => kinds[key].code)
  expect(
    codes.toSorted((a, b) => a - b),
    raise,
  ).toEqual(Array.from({ length: KINDS }, (_, i) => i + 1))
  // The first kinds have their codes in registry order; those that came later stand behind them.
  expect(codes.filter((code) => code <= 27)).toEqual(Array.from({ length: 27 }, (_, i) => i + 1))
  expect(
    ['person', 'structure', 'period', 'assertion', 'entity_cluster', 'data_source', 'entity'].map(
      (key) => kindOfScope(key)?.code,
    ),
  ).toEqual([1, 8, 23, 24, 25, 26, 27])
  for (const key of kindKeys) expect(kindOfCode(kinds[key].code)).toBe(kinds[key])
})

test('a kind is found by segment, with hyphens or underscores, and by scope', () => {
  for (const kind of Object.values(kinds)) {
    expect(kindOfSegment(kind.segment)).toBe(kind)
    expect(kindOfSegment(kind.segment.replaceAll('_', '-'))).toBe(kind)
    expect(kindOfScope(kind.key)).toBe(kind)
    if (kind.typeScope) expect(kindOfScope(kind.typeScope)).toBe(kind)
  }
  expect(kindOfSegment('constructor')).toBeUndefined()
  expect(kindOfScope('nothing')).toBeUndefined()
})

test('the version is a hash of the content and stays while the content stays', () => {
  expect(document.schema_version).toMatch(/^[0-9a-f]{64}$/)
  expect(registry().schema_version).toBe(document.schema_version)
  expect(document).not.toHaveProperty('generated_at')
})

describe.each(classes)('$key', (each) => {
  const kind = kinds[each.key]

  test('its address starts and ends with a slash and has no version', () => {
    expect(each.apiEndpoint).toMatch(/^\/(cidoc|data\/api)\/[a-z_-]+\/$/)
  })
  test('its slots are exactly its fields, in order', () => {
    expect(each.fields.map((field) => field.key)).toEqual(Object.keys(kind.fields))
    expect(each.fields.map((field) => field.order)).toEqual(each.fields.map((_, i) => i + 1))
  })
  test('its columns are its first eight fields', () => {
    expect(each.columns.map((column) => column.key)).toEqual(Object.keys(kind.fields).slice(0, 8))
  })
  test('every slot says what a form needs', () => {
    for (const field of each.fields) {
      expect(field.label && field.description && field.slot_uri).toBeTruthy()
      expect(each.sections.map((section) => section.key)).toContain(field.section)
      if (field.type === 'select') expect(field.options?.length).toBeGreaterThan(1)
      if (field.type === 'relation')
        expect(field.relationEndpoint).toBe(kinds[field.relationRegistryKey ?? 'entity'].apiEndpoint)
      if (field.enum_range) expect(document.enums[field.enum_range]).toEqual(field.options)
    }
  })
  test('no member has two meanings, or one that the service keeps for itself', () => {
    const members = Object.entries(kind.fields).flatMap(([name, field]) => [name, ...field.aliases])
    const kept = [
      'id',
      'status',
      'contributor',
      'created_at',
      'updated_at',
      'assertions',
      'latitude',
      'longitude',
      'assertion',
    ]
    expect(new Set(members).size).toBe(members.length)
    expect(members.filter((member) => kept.includes(member))).toEqual([])
    if (kind.record) expect(members).not.toContain('cultural_entity_id')
  })
  test('it is searched by members that it has', () => {
    for (const member of [...kind.search, kind.nameField]) expect(kind.fields).toHaveProperty(member)
  })
  test('what must be there is required by its JSON Schema too', () => {
    const schema = document.registry_jsonschema.byClassKey[each.key]
    const required = each.fields.filter(
      (field) => field.required && (kind.fields[field.key]?.aliases.length ?? 0) === 0,
    )
    expect(schema?.required).toEqual(required.map((field) => field.key))
  })
})

describe.each(recordKinds)('%s', (key) => {
  test('its name column is rdfs:label and its only required slot', () => {
    const required = document.classes[key]?.fields.filter((field) => field.required) ?? []
    expect(required.map((field) => [field.key, field.slot_uri])).toEqual([['name', 'rdfs:label']])
  })
  test('it has the members that all records have', () => {
    const shared = [
      'description',
      'name_ne',
      'alternate_names',
      'identifier',
      'source_citation',
      'source_url',
      'source',
      'access_tier',
      'care_labels',
    ]
    expect(Object.keys(kinds[key].fields)).toEqual(expect.arrayContaining(shared))
    expect(isRecordKey(key) && kinds[key].record).toBe(true)
  })
})

test('the slots that the old forms know are members of their kinds', () => {
  for (const [key, slots] of Object.entries(slotsOfForms)) {
    const kind = kindOfScope(key)
    const members = Object.entries(kind?.fields ?? {}).flatMap(([name, field]) => [name, ...field.aliases])
    expect(members, key).toEqual(expect.arrayContaining(slots.split(' ')))
  }
})

const inRite =
  'name note ritual_type ritual_on_structure has_timespan lunar_date_tithi recurrence_pattern invokes_deity carried_out_by performed_by_group is_part_of_festival managed_by_guthi was_documented_by has_provenance_assertion occurs_before occurs_after used_materials route_places start_place end_place route_description'
const inBuilding =
  'name note was_produced_by_event has_current_location has_condition_assessment has_component has_architectural_style existence_status last_known_existence_date destruction_event hypothesized_location documented_in_source has_provenance_assertion participates_in_ritual has_custody_event was_documented_by place_coordinates has_assertion structure_type architectural_style construction_date location_name coordinates condition'
const slotsOfForms = {
  entity: 'name category description',
  person:
    'name note birth_timespan death_timespan member_of_group carried_out_activity institutional_affiliation expertise_area aliases birth_date death_date occupation biography',
  location:
    'name place_coordinates place_type contains_structure coordinates_legacy point type current_status description',
  event:
    'name note has_timespan took_place_at architectural_structures includes_ritual_event type event_type start_date end_date recurrence',
  period: 'name note has_timespan start_year end_year',
  tradition: 'name note type tradition_type associated_materials',
  source:
    'name title is_about_entity created_by_documentation is_about_event was_documented_by source_language datacite_identifier datacite_identifier_type datacite_creator datacite_publisher datacite_resource_type publication_timespan source_citation source_url source_type archival_location note authors publication_year type digital_link archive_location',
  deity:
    'name note has_religious_tradition is_depicted_in is_invoked_in_ritual is_enshrined_through_event religious_tradition alternate_names',
  guthi: 'name note guthi_type performs_ritual holds_custody_of has_membership location managed_structures',
  structure: inBuilding,
  monument: `${inBuilding} monument_type`,
  iconography:
    'name note depicts_deity was_produced_by_event participates_in_ritual has_current_location used_by has_condition_assessment has_custody_event was_documented_by object_type creation_date technique location_name',
  ritual: `${inRite} date performed_by location_name`,
  festival: `${inRite} includes_ritual_event festival_type date duration location_name`,
  production:
    'name produced_object carried_out_by used_technique took_place_at has_timespan commissioned_by was_documented_by has_provenance_assertion date_earliest date_latest note',
  consecration:
    'name consecrated_object carried_out_by took_place_at has_timespan makes_deity_present date_earliest date_latest note',
  enshrinement:
    'name enshrined_deity enshrined_in_structure carried_out_by has_timespan date_earliest date_latest note',
  transfer_of_custody:
    'name transferred_object transferred_from_actor transferred_to_actor transferred_to_guthi took_place_at has_timespan date_earliest date_latest note',
  kumari_tenure:
    'name had_participant embodied_deity residence_structure has_timespan supported_by_institution has_retirement_event was_documented_by date_earliest date_latest note',
  kumari_selection: `${inRite} selected_person initiated_tenure took_place_at selection_criteria_met is_critical_for_festival date_earliest`,
  kumari_retirement: `${inRite} ended_tenure_of took_place_at date_earliest`,
  syncretism:
    'name note assigned_to_deity assigned_equivalent syncretic_type was_derived_from_source was_documented_by documented_in_source assertion_author',
  caste_group: 'name note traditional_role',
  calendar: 'name note epoch_date_gregorian is_primary_for_tradition year_offset_from_gregorian',
  assertion:
    'assertion_content asserts_about_entity asserts_about_event was_derived_from_source was_attributed_to_agent generated_at_time confidence_score data_quality_note reconciliation_status justification_note crminf_conclusion asserted_property asserted_value supersedes_assertion property value entity_type entity_id cultural_entity_id object_entity_type object_entity_id',
  data_source:
    'name datacite_identifier datacite_identifier_type datacite_creator datacite_publisher datacite_resource_type publication_timespan source_citation source_url source_language source_type archival_location note citation url author publication_year language access_tier care_labels pid iiif_manifest_url',
}

test('the hub offers every kind with a form, entity by its own route, and proposals', () => {
  const { intents, quickStart, hubCategories } = document.contribute_hub
  expect(intents.map((intent) => intent.registryKey)).toEqual([
    ...kindKeys.filter((key) => key !== 'entity_cluster'),
    'entity_proposal',
  ])
  expect(intents.find((intent) => intent.registryKey === 'entity')?.route).toBe('/contribute/cultural-entity')
  expect(intents.find((intent) => intent.registryKey === 'transfer_of_custody')?.route).toBe(
    '/contribute/transfer-of-custody',
  )
  expect(quickStart).toEqual(['structure', 'source', 'location', 'person', 'entity', 'entity_proposal'])
  expect(hubCategories.map((category) => category.order)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  for (const intent of intents) expect(hubCategories.map((category) => category.key)).toContain(intent.hubCategory)
})

test('there are 18 patterns, whose steps lead to forms that exist', () => {
  const routes = document.contribute_hub.intents.map((intent) => intent.route)
  expect(new Set(document.semantic_patterns.map((pattern) => pattern.key)).size).toBe(18)
  for (const pattern of document.semantic_patterns) {
    for (const step of pattern.steps) expect(routes).toContain(step.ctaRoute)
  }
})

test('predicates have one code each and are found by the property of a claim', () => {
  expect(new Set(predicates.map((predicate) => predicate.code)).size).toBe(predicates.length)
  expect(predicateOf('relationship.located_in')?.inverse_label).toBe('is the location of')
  expect(predicateOf('located_in')?.id).toBe('located_in')
  expect(predicateOf('relationship.unheard_of')).toBeUndefined()
})
