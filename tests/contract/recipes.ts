import { kindKeys, recordKinds } from '../../lib/domain/kinds/keys.ts'

/**
 * The recipes of CONTRIBUTING.md as edits. Each recipe names every list that must grow. `recipes.test.ts` carries them out on a copy of the tree.
 * An edit that finds no anchor fails: then the recipe is no longer so, and CONTRIBUTING.md has to follow, too.
 */
export type Edit = {
  file: string
  /** What stands there, and what stands there afterwards. Without it the file is new. */
  from?: string
  to: string
  /** Without this edit: who says so (`tsc` or a test), and the file that the message must name. */
  without?: { fails: 'tsc' | 'test'; names: string }
}

const nepali = (part: string, line: string, leftOut?: Edit['without']): Edit => ({
  file: `lib/base/language/nepali/${part}.ts`,
  from: `export const ${part}: Readonly<Record<string, string>> = {`,
  to: `export const ${part}: Readonly<Record<string, string>> = {\n${line}`,
  ...(leftOut && { without: leftOut }),
})

const endpoint: Edit[] = [
  {
    file: 'functions/calendars.ts',
    from: '} satisfies Routes',
    to: `  'GET /data/calendars/first/': publicRoute({
    permission: 'calendar.convert',
    summary: 'Show a date',
    answer: ok(v.object({ date: v.string() })),
    query: v.object({ date: v.string(), days: v.optional(v.string()) }),
    translatedPaths: [],
    handle: async ({ query: { date } }) => ({ date }),
  }),
} satisfies Routes`,
  },
  {
    file: 'api/words.ts',
    from: "  id: 'The id.',",
    to: "  id: 'The id.',\n  days: 'How many days.',",
    without: { fails: 'test', names: 'api/words.ts' },
  },
  {
    file: 'tests/contract/permissions.test.ts',
    from: "    'GET /data/calendars/convert/':",
    to: "    'GET /data/calendars/first/': at(() => '/data/calendars/first/?date=BS+2081', all(200)),\n    'GET /data/calendars/convert/':",
    without: { fails: 'tsc', names: 'tests/contract/permissions.test.ts' },
  },
  {
    file: 'tests/contract/every-question.test.ts',
    from: "  category: ['tangible',",
    to: "  days: ['1', '2'],\n  category: ['tangible',",
    without: { fails: 'test', names: 'tests/contract/every-question.test.ts' },
  },
]

/** The sample comes after the kind that is the last one today. */
const LAST_KIND = recordKinds.at(-1)
const kind: Edit[] = [
  {
    file: 'lib/domain/kinds/instrument.ts',
    to: `import { text } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { locationName } from './schema/slots.ts'

export const instrument = defineRecordKind({
  key: 'instrument',
  code: ${kindKeys.length + 1},
  segment: 'instruments',
  label: 'Instrument',
  labelPlural: 'Instruments',
  description: 'A drum, trumpet or cymbal that is played at rites.',
  classUri: 'heritageGraph:Instrument',
  className: 'Instrument',
  typeScope: 'instrument',
  category: 'tangible',
  icon: 'image',
  navigable: true,
  queueCategory: 'artifact',
  fields: {
    technique: text('Technique', 'How and of what it was made.', { slot_uri: 'crm:P32_used_general_technique' }),
    location_name: locationName,
  },
  search: ['name', 'name_ne', 'alternate_names', 'description'],
  hub: {
    hubCategory: 'tangible',
    emoji: '🥁',
    shortDescription: 'A drum, trumpet or cymbal',
    description: 'Add an instrument: where it is, how it was made.',
    difficulty: 'beginner',
  },
})
`,
  },
  { file: 'lib/domain/kinds/keys.ts', from: `  '${LAST_KIND}',\n]`, to: `  '${LAST_KIND}',\n  'instrument',\n]` },
  {
    file: 'lib/domain/kinds/index.ts',
    from: "import { iconography } from './iconography.ts'",
    to: "import { iconography } from './iconography.ts'\nimport { instrument } from './instrument.ts'",
  },
  {
    file: 'lib/domain/kinds/index.ts',
    from: `  ${LAST_KIND},\n  assertion,`,
    to: `  ${LAST_KIND},\n  instrument,\n  assertion,`,
    without: { fails: 'tsc', names: 'lib/domain/kinds/index.ts' },
  },
  {
    file: 'lib/doors/linked/classes.ts',
    from: "  period: 'crm:E4_Period',",
    to: "  period: 'crm:E4_Period',\n  instrument: 'crm:E22_Human-Made_Object',",
    without: { fails: 'tsc', names: 'lib/doors/linked/classes.ts' },
  },
  nepali(
    'kinds',
    `  Instrument: 'बाजा',
  Instruments: 'बाजाहरू',
  'A drum, trumpet or cymbal that is played at rites.': 'पूजामा बजाइने ढोल, तुरही वा झ्याली।',
  'A drum, trumpet or cymbal': 'ढोल, तुरही वा झ्याली',
  'Add an instrument: where it is, how it was made.': 'बाजा थप्नुहोस्: कहाँ छ, कसरी बनेको।',`,
    { fails: 'test', names: 'lib/base/language/nepali' },
  ),
  {
    file: 'local/commands/import/mappings.ts',
    from: "  festival: { kind: 'festival', renamed: {} },",
    to: "  festival: { kind: 'festival', renamed: {} },\n  instrument: { kind: 'instrument', renamed: {} },",
  },
  {
    file: 'local/commands/import/mappings.ts',
    from: "  'festival',\n",
    to: "  'festival',\n  'instrument',\n",
    without: { fails: 'test', names: 'local/commands/import/mappings.ts' },
  },
  {
    file: 'local/commands/demo/happenings.ts',
    from: "  {\n    id: 'demo:festival/biska',",
    to: `  {
    id: 'demo:instrument/dhimay',
    kind: 'instrument',
    name: 'Dhimay of Bhaktapur',
    description: 'The drum of the farmers.',
    ...cite.gutschow,
  },
  {
    id: 'demo:festival/biska',`,
    without: { fails: 'test', names: 'local/commands/demo/happenings.ts' },
  },
  {
    file: 'tests/domain/kinds/registry.test.ts',
    from: `const KINDS = ${kindKeys.length}`,
    to: `const KINDS = ${kindKeys.length + 1}`,
    without: { fails: 'test', names: 'tests/domain/kinds/registry.test.ts' },
  },
]

const field: Edit[] = [
  {
    file: 'lib/domain/kinds/schema/enums.ts',
    from: 'export const existenceStatus: Vocabulary = {',
    to: `export const festivalScale: Vocabulary = {
  name: 'FestivalScaleEnum',
  values: { Household: 'Held at home', Town: 'Held by a town' },
  spellings: {},
}

export const existenceStatus: Vocabulary = {`,
  },
  {
    file: 'lib/domain/kinds/festival.ts',
    from: "import { edtfDate, relations, text } from './schema/fields.ts'",
    to: "import { festivalScale } from './schema/enums.ts'\nimport { edtfDate, relations, select, text } from './schema/fields.ts'",
  },
  {
    file: 'lib/domain/kinds/festival.ts',
    from: '    location_name: locationName,',
    to: "    scale: select('Scale', 'Who holds it.', festivalScale),\n    location_name: locationName,",
  },
  nepali('fields', "  Scale: 'परिमाण',\n  'Who holds it.': 'कसले मनाउँछ।',", {
    fails: 'test',
    names: 'lib/base/language/nepali',
  }),
  nepali(
    'choices',
    "  Household: 'घरपरिवार',\n  'Held at home': 'घरमा मनाइने',\n  Town: 'सहर',\n  'Held by a town': 'सहरले मनाउने',",
  ),
]

const notification: Edit[] = [
  {
    file: 'lib/domain/notifications/events.ts',
    from: '  commented: {',
    to: `  flagged_reviewed: {
    type: 'moderation',
    to: 'earlier_reviewers',
    says: 'A record that you have reviewed was flagged',
    link: review,
  },
  commented: {`,
  },
  {
    file: 'lib/domain/effects/notify.ts',
    from: "notices: ['flagged'],",
    to: "notices: ['flagged', 'flagged_reviewed'],",
  },
  nepali(
    'notices',
    "  'A record that you have reviewed was flagged': 'तपाईंले समीक्षा गरेको अभिलेखमा चेतावनी चिह्न लगाइयो',",
    { fails: 'test', names: 'lib/base/language/nepali' },
  ),
  // For followers: one sort of change.
  {
    file: 'lib/domain/notifications/events.ts',
    from: '  watched: {',
    to: `  watched_new: {
    type: 'general',
    to: 'named',
    says: 'There is something new among what you watch',
    link: view,
  },
  watched: {`,
  },
  {
    file: 'lib/domain/notifications/events.ts',
    from: "    says: 'There is something new among what you watch',",
    to: "    of_watches: true,\n    says: 'There is something new among what you watch',",
    without: { fails: 'tsc', names: 'lib/domain/watches/bulletins.ts' },
  },
  nepali('notices', "  'There is something new among what you watch': 'तपाईंले निगरानीमा राख्नुभएको कुरामा नयाँ थपियो',"),
  {
    file: 'lib/domain/watches/bulletins.ts',
    from: "at }): WatchNews => ({\n      notice: 'watched',",
    to: "at, change }): WatchNews => ({\n      notice: change === 'created' ? 'watched_new' : 'watched',",
  },
  // For followers: one sort of update.
  {
    file: 'lib/domain/feed/items.ts',
    from: '  digest: v.nullable(v.string()),\n',
    to: '  digest: v.nullable(v.string()),\n  pictures: v.optional(v.nullable(v.array(v.string())), null),\n',
  },
  {
    file: 'lib/domain/feed/items.ts',
    from: '  change: v.picklist(changeSorts),\n',
    to: '  change: v.picklist(changeSorts),\n  new_pictures: v.optional(v.nullable(v.array(v.string())), null),\n',
  },
  {
    file: 'lib/domain/feed/state.ts',
    from: "import { type RecordItem, recordItem } from '../records/items.ts'",
    to: "import { picturesIn } from '../pictures/items.ts'\nimport { type RecordItem, recordItem } from '../records/items.ts'",
  },
  {
    file: 'lib/domain/feed/state.ts',
    from: 'compared: { digest } }',
    to: 'compared: { digest, pictures: digest === null ? null : picturesIn(data).map((it) => it.id) } }',
    without: { fails: 'tsc', names: 'lib/domain/feed/state.ts' },
  },
  {
    file: 'lib/domain/feed/state.ts',
    from: 'compared: { digest } }',
    to: 'compared: { digest, pictures: null } }',
    without: { fails: 'tsc', names: 'lib/domain/feed/state.ts' },
  },
  {
    file: 'lib/domain/feed/tell.ts',
    from: 'put(feedEntry, { ...about, number, at, change,',
    to: `put(feedEntry, { ...about, number, at, change,
      new_pictures: before?.pictures ? (compared.pictures ?? []).filter((id) => !before.pictures?.includes(id)) : null,`,
    without: { fails: 'tsc', names: 'lib/domain/feed/tell.ts' },
  },
  {
    file: 'lib/domain/watches/changes.ts',
    from: '(a.number < b.number ? b : a)',
    to: '({ ...(a.number < b.number ? b : a), new_pictures: [...(a.new_pictures ?? []), ...(b.new_pictures ?? [])] })',
  },
  {
    file: 'lib/domain/watches/changes.ts',
    from: "change: 'updated' as const }",
    to: "change: 'updated' as const, new_pictures: null }",
    without: { fails: 'tsc', names: 'lib/domain/watches/changes.ts' },
  },
  {
    file: 'lib/domain/notifications/events.ts',
    from: '  watched: {',
    to: `  watched_picture: {
    type: 'general',
    to: 'named',
    of_watches: true,
    says: 'Something that you watch has a new picture',
    link: view,
  },
  watched: {`,
  },
  nepali(
    'notices',
    "  'Something that you watch has a new picture': 'तपाईंले निगरानीमा राख्नुभएको कुरामा नयाँ तस्बिर थपियो',",
  ),
  {
    file: 'lib/domain/watches/bulletins.ts',
    from: "at, change }): WatchNews => ({\n      notice: change === 'created' ? 'watched_new' : 'watched',",
    to: `at, change, new_pictures, record }): WatchNews => ({
      notice:
        change === 'created'
          ? 'watched_new'
          : picturesIn(record.data).some((it) => new_pictures?.includes(it.id))
            ? 'watched_picture'
            : 'watched',`,
  },
  {
    file: 'lib/domain/watches/bulletins.ts',
    from: "import { type News, sendAll } from '../notifications/send.ts'",
    to: "import { type News, sendAll } from '../notifications/send.ts'\nimport { picturesIn } from '../pictures/items.ts'",
  },
]

const queueType: Edit[] = [
  {
    file: 'lib/domain/records/rules/triage.ts',
    from: "['new_claims', 'conflicts', 'flagged'] as const",
    to: "['new_claims', 'conflicts', 'flagged', 'sourceless'] as const",
  },
  {
    file: 'lib/domain/records/queue-entry.ts',
    from: "'conflicts' | 'flagged'\n",
    to: "'conflicts' | 'flagged' | 'sourceless'\n",
  },
  {
    file: 'lib/domain/records/queue-entry.ts',
    from: "  flagged: { lists: ['flagged'], ages },",
    to: "  flagged: { lists: ['flagged'], ages },\n  sourceless: { lists: ['sourceless'], ages },",
    without: { fails: 'tsc', names: 'lib/domain/records/queue-entry.ts' },
  },
  {
    file: 'lib/domain/records/queue-entry.ts',
    from: "list === 'conflicts' || list === 'flagged'",
    to: "list === 'conflicts' || list === 'flagged' || list === 'sourceless'",
  },
  {
    file: 'lib/domain/records/queue-entry.ts',
    from: '  flagged: (it) =>',
    to: `  sourceless: (it) =>
    it.worst_source_type === null && it.open_flags === 0 && it.open_contradictions === 0 && !it.contradicted,
  flagged: (it) =>`,
    without: { fails: 'tsc', names: 'lib/domain/records/queue-entry.ts' },
  },
  {
    file: 'lib/domain/review/queue.ts',
    from: "    flagged: size('flagged'),",
    to: "    flagged: size('flagged'),\n    sourceless: size('sourceless'),",
    without: { fails: 'tsc', names: 'lib/domain/review/queue.ts' },
  },
  {
    file: 'functions/queue.ts',
    from: '    new_claims: s.whole,',
    to: '    new_claims: s.whole,\n    sourceless: s.whole,',
  },
]

const facet: Edit[] = [
  {
    file: 'lib/domain/search-words/facets.ts',
    from: "  material: 'material',",
    to: "  material: 'material',\n  ensemble: null,",
  },
  {
    file: 'lib/domain/records/search-document.ts',
    from: "  material: ['associated_materials', 'used_materials'],",
    to: "  material: ['associated_materials', 'used_materials'],\n  ensemble: ['performed_by_group'],",
    without: { fails: 'tsc', names: 'lib/domain/records/search-document.ts' },
  },
  {
    file: 'tests/contract/every-question.test.ts',
    from: "  material: ['brick'],",
    to: "  material: ['brick'],\n  ensemble: ['Maharjan'],",
    without: { fails: 'test', names: 'tests/contract/every-question.test.ts' },
  },
  {
    file: 'api/words.ts',
    from: "  id: 'The id.',",
    to: "  id: 'The id.',\n  ensemble: 'Only those that this group performs.',",
  },
]

const exportFormat: Edit[] = [
  {
    file: 'lib/doors/exports/listing.ts',
    from: "export const exportFormats = ['jsonl', 'csv', 'nq'] as const",
    to: "export const exportFormats = ['jsonl', 'csv', 'nq', 'tsv'] as const",
  },
  {
    file: 'lib/doors/exports/listing.ts',
    from: "  jsonl: 'application/jsonl; charset=utf-8',",
    to: "  jsonl: 'application/jsonl; charset=utf-8',\n  tsv: 'text/tab-separated-values; charset=utf-8',",
    without: { fails: 'tsc', names: 'lib/doors/exports/listing.ts' },
  },
  {
    file: 'lib/doors/exports/make.ts',
    from: '  return [\n',
    to: "  return [\n    { name: key.concat('.tsv'), format: 'tsv', holds: 'records', head: '', lines: ({ id }) => [String(id)] },\n",
  },
  {
    file: 'functions/exports.ts',
    from: 'JSON Lines and CSV of each kind',
    to: 'JSON Lines, CSV and TSV of each kind',
  },
]

/** A rank above all others, since more depends on which is the highest. */
const rank: Edit[] = [
  {
    file: 'lib/platform/permissions.ts',
    from: '] as const\nexport type Rank =',
    to: ", 'regional_curator'] as const\nexport type Rank =",
  },
  {
    file: 'lib/platform/users/roles.ts',
    from: 'const groupsOf: Readonly<Record<Rank, readonly string[]>> = {',
    to: "const groupsOf: Readonly<Record<Rank, readonly string[]>> = {\n  regional_curator: ['Reviewers', 'Moderators'],",
    without: { fails: 'tsc', names: 'lib/platform/users/roles.ts' },
  },
  nepali('words', "  'regional curator': 'क्षेत्रीय समीक्षक',", { fails: 'test', names: 'lib/base/language/nepali' }),
  {
    // Without it every test fails that opens the service.
    file: 'deploy/stand-ins/people.ts',
    from: '\n]\n',
    to: "\n  { email: 'regional@heritage.test', role: 'regional_curator' },\n]\n",
  },
  {
    file: 'README.md',
    from: 'curator and staff.',
    to: 'curator, staff and regional, a regional curator.',
    without: { fails: 'test', names: 'README.md' },
  },
  {
    file: 'GLOSSARY.md',
    from: '`domain_expert` or `expert_curator`.',
    to: '`domain_expert`, `expert_curator` or `regional_curator`.',
    without: { fails: 'test', names: 'GLOSSARY.md' },
  },
  {
    file: 'tests/contract/permissions.test.ts',
    from: 'const ranked: Record<Rank, number> = {',
    to: 'const ranked: Record<Rank, number> = {\n    regional_curator: curator,',
    without: { fails: 'tsc', names: 'tests/contract/permissions.test.ts' },
  },
  {
    file: 'tests/platform/users/users.test.ts',
    from: 'const allowed: Readonly<Record<Rank, object>> = {',
    to: `const allowed: Readonly<Record<Rank, object>> = {
      regional_curator: { groups: ['Contributors', 'Reviewers', 'Moderators'], ...powers(true, true) },`,
    without: { fails: 'tsc', names: 'tests/platform/users/users.test.ts' },
  },
]

const calendar: Edit[] = [
  {
    file: 'lib/engines/calendars/keys.ts',
    from: "'nepal_sambat', 'shaka'] as const",
    to: "'nepal_sambat', 'shaka', 'kirat'] as const",
  },
  {
    file: 'lib/engines/calendars/systems.ts',
    from: '  shaka: {\n',
    to: "  kirat: { mark: { en: 'Kirat', ne: 'किरात' }, ...civil(gregorianDay, gregorianDate) },\n  shaka: {\n",
    without: { fails: 'tsc', names: 'lib/engines/calendars/systems.ts' },
  },
  {
    file: 'lib/engines/calendars/forms.ts',
    from: "  julian: once(() => civilForms('julian')),",
    to: "  julian: once(() => civilForms('julian')),\n  kirat: once(() => numberForms('kirat')),",
    without: { fails: 'tsc', names: 'lib/engines/calendars/forms.ts' },
  },
  {
    file: 'lib/engines/calendars/reading.ts',
    from: '  // Bare dates are Gregorian.',
    to: "  kirat: 'kirat|किरात',\n  // Bare dates are Gregorian.",
    without: { fails: 'tsc', names: 'lib/engines/calendars/reading.ts' },
  },
  nepali('choices', "  Kirat: 'किरात',"),
]

const column: Edit[] = [
  {
    file: 'lib/doors/exports/rows.ts',
    from: '    cultural_entity_id: it.entity_id,',
    to: '    cultural_entity_id: it.entity_id,\n    access_tier: it.access_tier,',
    without: { fails: 'tsc', names: 'lib/doors/exports/rows.ts' },
  },
  {
    file: 'lib/doors/exports/rows.ts',
    from: '  cultural_entity_id: string\n',
    to: '  cultural_entity_id: string\n  access_tier: string\n',
  },
  {
    file: 'lib/domain/records/table-columns.ts',
    from: "before: ['id', 'cultural_entity_id'],",
    to: "before: ['id', 'cultural_entity_id', 'access_tier'],",
  },
]

const storedItem: Edit[] = [
  {
    file: 'lib/platform/table/keys.ts',
    from: '  shares: (record: string): Key',
    to: "  visit: (record: string, day: string): Key => ({ pk: ['VISITS', record].join('#'), sk: day }),\n  shares: (record: string): Key",
  },
  {
    file: 'lib/domain/visits.ts',
    to: `import * as v from 'valibot'
import { defineItem } from '../engines/table/index.ts'
import { key } from '../platform/table/keys.ts'

export const visit = defineItem({
  type: 'visit',
  schema: v.object({ record: v.string(), day: v.string(), version: v.number() }),
  key: (it: { record: string; day: string }) => key.visit(it.record, it.day),
  counted: ({ record }) => [['VISITS', record].join('#')],
})
`,
  },
  {
    file: 'lib/domain/effects/repair.ts',
    from: "import '../submissions/items.ts'\n",
    to: "import '../submissions/items.ts'\nimport '../visits.ts'\n",
    without: { fails: 'test', names: 'lib/domain/effects/repair.ts' },
  },
  {
    file: 'tests/contract/plan.ts',
    from: "    'shares',\n",
    to: "    'shares',\n    'visits',\n",
    without: { fails: 'test', names: 'tests/contract/plan.ts' },
  },
]

/** The recipes by their headings in CONTRIBUTING.md. `npm run openapi` follows them all. */
export const recipes: Readonly<Record<string, readonly Edit[]>> = {
  'Add an endpoint': endpoint,
  'Add a kind': kind,
  'Add a field': field,
  'Add a notification': notification,
  'Add a rank': rank,
  'Add a calendar': calendar,
  'Add a column': column,
  'Add a queue type': queueType,
  'Store a new item': storedItem,
  'Add a facet': facet,
  'Add an export format': exportFormat,
}
