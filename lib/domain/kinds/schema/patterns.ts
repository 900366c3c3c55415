import type { KindKey } from '../keys.ts'
import type { HubCategory } from './kind.ts'

/** Builds the worked examples for contributors: which records to make, in which order. */
export function semanticPatterns() {
  return patterns.map(({ steps, ...pattern }) => ({
    ...pattern,
    steps: steps.map(([kind, title, detail], index) => ({
      order: index + 1,
      title,
      detail,
      ctaRoute: `/contribute/${kind.replaceAll('_', '-')}`,
      ctaLabel: title,
    })),
  }))
}

type Step = readonly [kind: KindKey, title: string, detail: string]

type Pattern = {
  readonly key: string
  readonly userLabel: string
  readonly userDescription: string
  readonly hubCategory: HubCategory
  readonly emoji: string
  readonly difficulty: 'beginner' | 'intermediate' | 'advanced'
  readonly journey: 'record' | 'describe' | 'claim' | 'verify'
  readonly steps: readonly Step[]
}

const patterns: readonly Pattern[] = [
  {
    key: 'place_then_structure_link',
    userLabel: 'A building in its place',
    userDescription: 'First the square or town, then the building that stands there.',
    hubCategory: 'tangible',
    emoji: '🛕',
    difficulty: 'beginner',
    journey: 'record',
    steps: [
      ['location', 'Add the place', 'Give it coordinates if you know them.'],
      ['structure', 'Add the building', 'Choose the place as its current location.'],
    ],
  },
  {
    key: 'place_then_monument_link',
    userLabel: 'A stupa or chaitya in its place',
    userDescription: 'First the place, then the monument.',
    hubCategory: 'tangible',
    emoji: '⛩️',
    difficulty: 'beginner',
    journey: 'record',
    steps: [
      ['location', 'Add the place', 'The hill, courtyard or crossing where it stands.'],
      ['monument', 'Add the monument', 'Choose the place as its current location.'],
    ],
  },
  {
    key: 'bhaktapur_site_documentation',
    userLabel: 'Document a whole square',
    userDescription: 'A square with its buildings, the people behind them and a source for each.',
    hubCategory: 'tangible',
    emoji: '🏘️',
    difficulty: 'intermediate',
    journey: 'describe',
    steps: [
      ['source', 'Add your source', 'The inventory, book or survey that you work from.'],
      ['location', 'Add the square', 'One record for the square as a whole.'],
      ['structure', 'Add its buildings', 'One record for each, all with the square as their location.'],
      ['person', 'Add patrons and makers', 'Kings, priests and craftsmen whom the source names.'],
    ],
  },
  {
    key: 'restoration_and_site_link',
    userLabel: 'A restoration',
    userDescription: 'When a building was repaired or rebuilt, by whom, and on what evidence.',
    hubCategory: 'events',
    emoji: '🔨',
    difficulty: 'intermediate',
    journey: 'describe',
    steps: [
      ['structure', 'Find or add the building', 'Its state today belongs here.'],
      ['production', 'Add the restoration', 'Name the building as what was produced, with the years.'],
      ['source', 'Add the report', 'The document that describes the work.'],
    ],
  },
  {
    key: 'historic_event_affected_site',
    userLabel: 'An event that struck a site',
    userDescription: 'An earthquake, fire or war and the buildings it touched.',
    hubCategory: 'events',
    emoji: '🌋',
    difficulty: 'beginner',
    journey: 'describe',
    steps: [
      ['event', 'Add the event', 'Give its date and the structures it touched.'],
      ['structure', 'Update the buildings', 'Name the event where one was destroyed by it.'],
    ],
  },
  {
    key: 'ritual_with_performer',
    userLabel: 'A rite and those who perform it',
    userDescription: 'The community first, then the rite.',
    hubCategory: 'events',
    emoji: '🔥',
    difficulty: 'beginner',
    journey: 'record',
    steps: [
      ['guthi', 'Add the guthi', 'The trust that sees to the rite.'],
      ['ritual', 'Add the rite', 'Choose the guthi, the deity and the day.'],
    ],
  },
  {
    key: 'ritual_geography',
    userLabel: 'The way of a procession',
    userDescription: 'The places on the way, then the rite that joins them.',
    hubCategory: 'events',
    emoji: '🗺️',
    difficulty: 'intermediate',
    journey: 'describe',
    steps: [
      ['location', 'Add the places', 'Start, end and the halts between.'],
      ['ritual', 'Add the procession', 'Choose the start, the end and the places it passes.'],
    ],
  },
  {
    key: 'festival_with_component_rituals',
    userLabel: 'A festival and its rites',
    userDescription: 'Each rite for itself, then the festival that holds them together.',
    hubCategory: 'events',
    emoji: '🎉',
    difficulty: 'intermediate',
    journey: 'describe',
    steps: [
      ['ritual', 'Add the rites', 'One record for each.'],
      ['festival', 'Add the festival', 'Choose the rites that belong to it.'],
    ],
  },
  {
    key: 'deity_sacred_art_and_site',
    userLabel: 'A deity, its image and its shrine',
    userDescription: 'Three records that point at each other.',
    hubCategory: 'conceptual',
    emoji: '🕉️',
    difficulty: 'intermediate',
    journey: 'describe',
    steps: [
      ['deity', 'Add the deity', 'With its other names and its traditions.'],
      ['iconography', 'Add the image', 'Choose the deity that it shows.'],
      ['enshrinement', 'Add how it came to the shrine', 'Choose the deity and the building.'],
    ],
  },
  {
    key: 'cross_tradition_deity_mapping',
    userLabel: 'One deity in two traditions',
    userDescription: 'Both deities, then the claim that they are one, with its source.',
    hubCategory: 'conceptual',
    emoji: '🔀',
    difficulty: 'advanced',
    journey: 'claim',
    steps: [
      ['deity', 'Add both deities', 'Under the names their own traditions use.'],
      ['syncretism', 'Add the match', 'Say of which kind it is.'],
      ['source', 'Add the source', 'Who holds this, and where it is written.'],
    ],
  },
  {
    key: 'tradition_in_practice',
    userLabel: 'A tradition as it is lived',
    userDescription: 'The tradition and a rite in which it can be seen.',
    hubCategory: 'conceptual',
    emoji: '🪔',
    difficulty: 'beginner',
    journey: 'record',
    steps: [
      ['tradition', 'Add the tradition', 'With what is made, worn or used in it.'],
      ['ritual', 'Add a rite', 'Where and when it is practised.'],
    ],
  },
  {
    key: 'kumari_lifecycle',
    userLabel: 'A Kumari from selection to retirement',
    userDescription: 'The tenure, how it began and how it ended.',
    hubCategory: 'kumari',
    emoji: '👑',
    difficulty: 'advanced',
    journey: 'describe',
    steps: [
      ['kumari_tenure', 'Add the tenure', 'The goddess, the house and the years. Do not name a living child.'],
      ['kumari_selection', 'Add the selection', 'Choose the tenure that it began.'],
      ['kumari_retirement', 'Add the retirement', 'Choose the tenure that it ended.'],
    ],
  },
  {
    key: 'guthi_and_managed_site',
    userLabel: 'A guthi and what it looks after',
    userDescription: 'The trust and the buildings in its care.',
    hubCategory: 'social',
    emoji: '🤝',
    difficulty: 'beginner',
    journey: 'record',
    steps: [
      ['structure', 'Add the building', 'If it is not recorded yet.'],
      ['guthi', 'Add the guthi', 'Choose the buildings that it has in custody.'],
    ],
  },
  {
    key: 'person_and_guthi_affiliation',
    userLabel: 'A person and their guthi',
    userDescription: 'The group, then the person who belongs to it.',
    hubCategory: 'social',
    emoji: '👤',
    difficulty: 'beginner',
    journey: 'record',
    steps: [
      ['guthi', 'Add the guthi', 'If it is not recorded yet.'],
      ['person', 'Add the person', 'Choose the guthi under memberships.'],
    ],
  },
  {
    key: 'caste_ritual_specialists',
    userLabel: 'A community of ritual specialists',
    userDescription: 'The community, its role and a rite that needs it.',
    hubCategory: 'social',
    emoji: '👥',
    difficulty: 'intermediate',
    journey: 'describe',
    steps: [
      ['caste_group', 'Add the community', 'With its traditional role.'],
      ['ritual', 'Add the rite', 'Name the community as the group that performs it.'],
    ],
  },
  {
    key: 'period_context_for_events',
    userLabel: 'Events in their age',
    userDescription: 'The period first, then what happened in it.',
    hubCategory: 'spatiotemporal',
    emoji: '⏳',
    difficulty: 'beginner',
    journey: 'record',
    steps: [
      ['period', 'Add the period', 'With the years in which it begins and ends.'],
      ['event', 'Add the event', 'With its own date.'],
    ],
  },
  {
    key: 'source_to_assertion',
    userLabel: 'From a source to a claim',
    userDescription: 'Register the source, then make one claim that rests on it.',
    hubCategory: 'provenance',
    emoji: '✅',
    difficulty: 'advanced',
    journey: 'claim',
    steps: [
      ['data_source', 'Register the source', 'Once, for everything that rests on it.'],
      ['assertion', 'Make the claim', 'The property, the value, how sure you are.'],
    ],
  },
  {
    key: 'document_then_bio',
    userLabel: 'A life from a document',
    userDescription: 'The document, then the person whom it tells of.',
    hubCategory: 'provenance',
    emoji: '📜',
    difficulty: 'beginner',
    journey: 'verify',
    steps: [
      ['source', 'Add the document', 'With its archive or address.'],
      ['person', 'Add the person', 'Cite the document for what you write.'],
    ],
  },
]
