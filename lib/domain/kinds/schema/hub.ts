import type { Kind } from './kind.ts'

/** Builds the page on which contributors choose what to add: groups, an entry for each kind with a form, first choices. */
export function contributeHub(kinds: readonly Kind[]) {
  return { hubCategories, intents: [...kinds.flatMap(intentOf), proposal], quickStart }
}

const hubCategories = [
  { key: 'general', label: 'General', icon: 'plus', order: 0 },
  { key: 'tangible', label: 'Buildings and Objects', icon: 'landmark', order: 1 },
  { key: 'events', label: 'Events and Rites', icon: 'calendar', order: 2 },
  { key: 'kumari', label: 'The Living Goddess', icon: 'crown', order: 3 },
  { key: 'conceptual', label: 'Beliefs and Traditions', icon: 'sparkles', order: 4 },
  { key: 'social', label: 'People and Groups', icon: 'users', order: 5 },
  { key: 'spatiotemporal', label: 'Places and Times', icon: 'map-pin', order: 6 },
  { key: 'provenance', label: 'Sources and Claims', icon: 'book-open', order: 7 },
]

const quickStart = ['structure', 'source', 'location', 'person', 'entity', 'entity_proposal']

function intentOf({ key, hub }: Kind) {
  if (!hub) return []
  const { hubCategory, route, emoji, shortDescription, description, difficulty } = hub
  return [
    {
      registryKey: String(key),
      hubCategory,
      route: route ?? `/contribute/${key.replaceAll('_', '-')}`,
      emoji,
      shortDescription,
      description,
      difficulty,
    },
  ]
}

const proposal: ReturnType<typeof intentOf>[number] = {
  registryKey: 'entity_proposal',
  hubCategory: 'general',
  route: '/contribute/entity-proposal',
  emoji: '💡',
  shortDescription: 'Suggest something for others to record',
  description: 'Name something that ought to be recorded, with what you know of it and where you know it from.',
  difficulty: 'beginner',
}
