import * as vocabularies from './enums.ts'
import { coordinates, date, edtfDate, relation, relations, select, text, textarea, thingName } from './fields.ts'

export const note = textarea('Note', 'Anything worth knowing that has no place elsewhere.', {
  slot_uri: 'crm:P3_has_note',
})

export const documentedBy = thingName('Documented by', 'The survey, interview or other work that recorded it.', {
  slot_uri: 'prov:wasGeneratedBy',
  multivalued: true,
})

export const provenAssertions = relations(
  'assertion',
  'HeritageAssertion',
  'Provenance assertions',
  'Claims, each with its source, on which the record rests.',
  { slot_uri: 'heritageGraph:has_provenance_assertion', aliases: ['has_assertion'] },
)

export const carriedOutBy = thingName('Carried out by', 'The people or groups who did it.', {
  slot_uri: 'crm:P14_carried_out_by',
  multivalued: true,
})

export const tookPlaceAt = relation('location', 'Place', 'Took place at', 'Where it happened.', {
  slot_uri: 'crm:P7_took_place_at',
  inlineAuthoring: true,
})

export const locationName = text('Location name', 'Where it is, in words.', { maxLength: 200 })

export const point = coordinates('Coordinates', 'Latitude and longitude in degrees.', {
  slot_uri: 'crm:P168_place_is_defined_by',
  aliases: ['place_coordinates', 'coordinates_legacy', 'point'],
})

/** The calendar of dates, and their precision. */
export const datingFields = {
  calendar_system: select('Calendar', 'The calendar in which the dates are given.', vocabularies.calendarSystem, {
    slot_uri: 'heritageGraph:calendar_system',
  }),
  date_precision: select('Precision of dates', 'How exactly the dates are known.', vocabularies.datePrecision, {
    slot_uri: 'heritageGraph:date_precision',
  }),
}

/** The time of an event: a span, or its two ends. */
export const timespanFields = {
  has_timespan: edtfDate('Time', 'When it happened, or the span it took.', { slot_uri: 'crm:P4_has_time-span' }),
  date_earliest: edtfDate('Earliest date', 'It did not begin before this.', {
    slot_uri: 'crm:P82a_begin_of_the_begin',
    aliases: ['begin_date'],
  }),
  date_latest: edtfDate('Latest date', 'It was over by this.', {
    slot_uri: 'crm:P82b_end_of_the_end',
    aliases: ['end_date'],
  }),
  ...datingFields,
}

/** Fields that objects and buildings share: how they were made, used, kept and recorded. */
export const objectFields = {
  was_produced_by_event: relation('production', 'Production', 'Produced by', 'The event in which it was made.', {
    slot_uri: 'crm:P108i_was_produced_by',
  }),
  has_condition_assessment: thingName('Condition assessments', 'Reports on its state.', {
    slot_uri: 'crm:P44_has_condition',
    multivalued: true,
  }),
  participates_in_ritual: relations('ritual', 'RitualEvent', 'Part of rituals', 'Rituals in which it has a part.', {
    slot_uri: 'crm:P12i_was_present_at',
  }),
  has_custody_event: relations(
    'transfer_of_custody',
    'TransferOfCustody',
    'Custody',
    'Events in which it passed into other hands.',
    { slot_uri: 'crm:P30i_custody_transferred_through' },
  ),
  was_documented_by: documentedBy,
}

/** Fields that structures and monuments share. */
export const buildingFields = {
  note,
  structure_type: select('Type', 'What kind of building it is.', vocabularies.structureType, {
    slot_uri: 'crm:P2_has_type',
  }),
  architectural_style: select(
    'Architectural style',
    'The style in which it is built.',
    vocabularies.architecturalStyle,
    {
      slot_uri: 'crm:P2_has_type',
      aliases: ['has_architectural_style'],
    },
  ),
  construction_date: edtfDate('Construction date', 'When it was built.', { example: 'c. 1702 CE' }),
  location_name: locationName,
  has_current_location: relation('location', 'Place', 'Current location', 'The place where it stands.', {
    slot_uri: 'crm:P55_has_current_location',
    inlineAuthoring: true,
  }),
  coordinates: point,
  existence_status: select('Existence', 'Whether it still stands.', vocabularies.existenceStatus),
  condition: select('Condition', 'The state it is in.', vocabularies.condition, { slot_uri: 'crm:P44_has_condition' }),
  ...datingFields,
  last_known_existence_date: date('Last known to exist', 'The last date on which it is known to have stood.', {
    example: '1975-05-01',
  }),
  dedicated_to: relations('deity', 'Deity', 'Dedicated to', 'The deities to whom it belongs.', {
    aliases: ['deities'],
  }),
  commissioned_by: thingName('Commissioned by', 'Who had it built.', { slot_uri: 'crm:P17_was_motivated_by' }),
  has_component: thingName('Components', 'Carved or built parts worth naming.', {
    slot_uri: 'crm:P46_is_composed_of',
    multivalued: true,
  }),
  destruction_event: relation('event', 'DestructionEvent', 'Destroyed in', 'The event that destroyed or damaged it.', {
    slot_uri: 'crm:P13i_was_destroyed_by',
  }),
  hypothesized_location: relations('location', 'Place', 'Possible locations', 'Places where it may have stood.'),
  documented_in_source: relations('data_source', 'DataSource', 'Documented in', 'Sources that describe it.', {
    slot_uri: 'crm:P70i_is_documented_in',
  }),
  has_provenance_assertion: provenAssertions,
  ...objectFields,
}

/** Fields that rituals, festivals and the rites of the living goddess share. */
export const riteFields = {
  note,
  ritual_type: select('Ritual type', 'What kind of rite it is.', vocabularies.ritualType, {
    slot_uri: 'crm:P2_has_type',
  }),
  ritual_on_structure: relation('structure', 'PhysicalHeritageThing', 'Held at', 'The building where it is held.', {
    slot_uri: 'crm:P8_took_place_on_or_within',
  }),
  ...timespanFields,
  lunar_date_tithi: text('Lunar date', 'The lunar day (tithi) on which it falls.', {
    slot_uri: 'heritageGraph:lunar_date_tithi',
    maxLength: 100,
  }),
  recurrence_pattern: text('Recurrence', 'How often it comes round.', {
    slot_uri: 'heritageGraph:recurrence_pattern',
    maxLength: 100,
  }),
  invokes_deity: relations('deity', 'Deity', 'Deities', 'The deities who are invoked.', {
    slot_uri: 'crm:P12_occurred_in_the_presence_of',
  }),
  carried_out_by: carriedOutBy,
  performed_by_group: thingName('Performed by group', 'The community, caste or trust that performs it.', {
    slot_uri: 'crm:P14_carried_out_by',
    multivalued: true,
  }),
  is_part_of_festival: relation('festival', 'Festival', 'Part of festival', 'The festival to which it belongs.', {
    slot_uri: 'crm:P9i_forms_part_of',
  }),
  managed_by_guthi: relations('guthi', 'Guthi', 'Managed by', 'The guthis that see to it.', {
    slot_uri: 'heritageGraph:managed_by_guthi',
  }),
  occurs_before: relation('ritual', 'RitualEvent', 'Comes before', 'The rite that follows this one.', {
    slot_uri: 'crm:P120_occurs_before',
  }),
  occurs_after: relation('ritual', 'RitualEvent', 'Comes after', 'The rite that precedes this one.', {
    slot_uri: 'crm:P120i_is_occurred_before_by',
  }),
  used_materials: thingName('Materials', 'What is offered or used.', {
    slot_uri: 'crm:P125_used_object_of_type',
    multivalued: true,
  }),
  start_place: relation('location', 'Place', 'Starts at', 'Where the procession sets out.'),
  end_place: relation('location', 'Place', 'Ends at', 'Where the procession ends.'),
  route_places: relations('location', 'Place', 'Passes through', 'The places along the way.'),
  route_description: textarea('Route', 'The way that the procession takes.'),
  was_documented_by: documentedBy,
  has_provenance_assertion: provenAssertions,
}
