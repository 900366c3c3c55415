import '../../search-words/name-words.ts'
import { type Kind, type KindKey, kinds, recordKinds, whenKindsChange } from '../../kinds/index.ts'
import { allColumnsBeside } from '../../records/table-columns.ts'
import { findOption } from '../cells.ts'
import { aboutValue, evidenceField, isDateField, type Mapping, type Rule, sourceMembers } from '../mapping.ts'
import type { Column } from './columns.ts'
import { backWords, headerWords, kindWords, sourceWords } from './headers.ts'

/** How a column was understood, and how sure that is, from 0 to 1. */
export type ColumnGuess = {
  column: string
  field: string | null
  by: 'header' | 'values' | 'names' | null
  sure: number
}
export type TableGuess = { kind: KindKey; mapping: Mapping; guesses: ColumnGuess[] }

/** A header in lower case, without marks and without brackets after other words. Example: "height" for "Height (m)". */
const wordsOf = (header: string): string =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\S)\s*[([{][^)\]}]*[)\]}]/g, ' ')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()

/** The meanings of headers for a kind: field names, and members of the source with the prefix `assertion.`. */
function meaningsFor(kind: Kind): Map<string, string> {
  const meanings = new Map<string, string>()
  const mean = (words: string, field: string) => {
    const plain = wordsOf(words)
    if (plain !== '' && !meanings.has(plain)) meanings.set(plain, field)
  }
  const fields = Object.entries(kind.fields)
  for (const [name] of fields) mean(name, name)
  for (const [name, field] of fields) for (const alias of [...field.aliases, field.label]) mean(alias, name)
  for (const [name, words] of Object.entries(backWords)) for (const it of words) mean(it, name)
  for (const member of sourceMembers) {
    mean(`assertion ${member}`, `assertion.${member}`)
    if (!(member in kind.fields)) mean(member, `assertion.${member}`)
  }
  for (const [name] of fields) for (const it of headerWords[name] ?? []) mean(it, name)
  if (kind.fields.coordinates)
    for (const name of ['latitude', 'longitude']) for (const it of [name, ...(headerWords[name] ?? [])]) mean(it, name)
  // The header "source" usually means a citation in words, not a link to a registered source.
  for (const [name, words] of Object.entries(sourceWords))
    for (const it of words)
      if (it === 'source' || !meanings.has(wordsOf(it))) meanings.set(wordsOf(it), `assertion.${name}`)
  return meanings
}

const meanings = new Map<KindKey, Map<string, string>>()
whenKindsChange(() => meanings.clear())
function meaningOf(kind: Kind, header: string): string | undefined {
  const known = meanings.get(kind.key) ?? meaningsFor(kind)
  meanings.set(kind.key, known)
  const words = wordsOf(header)
  const meaning = known.get(words) ?? known.get(words.replace(/^(the|its|of) /, '').replace(/ (relation )?hint$/, ''))
  return meaning ?? meaningAboutValue(kind, words, known)
}

/** What a header says about the value of a field. Example: "condition.confidence" for "Condition: certainty". */
function meaningAboutValue({ fields }: Kind, words: string, known: ReadonlyMap<string, string>): string | undefined {
  for (const { ending, member } of endingsOfSources) {
    const field = words.endsWith(` ${ending}`) ? known.get(words.slice(0, -ending.length - 1)) : undefined
    if (field !== undefined && field in fields) return evidenceField(field, member)
  }
  return undefined
}

/** The words for a source at the end of a header, the longest first. */
const endingsOfSources = sourceMembers
  .flatMap((member) => [member, ...(sourceWords[member] ?? [])].map((it) => ({ ending: wordsOf(it), member })))
  .toSorted((a, b) => b.ending.length - a.ending.length)

/** Whether cells are headers: at least two, and 60 % of the filled cells, mean a field of some kind. */
export function areHeaders(cells: readonly string[]): boolean {
  const filled = cells.filter((it) => it.trim() !== '')
  const known = filled.filter((it) => recordKinds.some((key) => meaningOf(kinds[key], it) !== undefined))
  return known.length >= 2 && known.length >= filled.length * 0.6
}

/** How many different fields the cells name if they are headers, for the kind with the most named fields. */
export function countNamedFields(cells: readonly string[]): number {
  const filled = cells.filter((it) => it.trim() !== '' && it.length <= LONGEST_HEADER)
  if (filled.length === 0) return 0
  const named = (key: KindKey) => new Set(filled.flatMap((it) => meaningOf(kinds[key], it) ?? [])).size
  return Math.max(...recordKinds.map(named))
}
const LONGEST_HEADER = 200

/** Guesses the kind of the rows and the meaning of each column. `about` holds the names of file and sheet. */
export function guessTable(
  columns: readonly Column[],
  about: readonly string[],
  sheet: number,
  header_row: number,
): TableGuess {
  const [best] = recordKinds
    .map((key) => ({ key, score: scoreOf(kinds[key], columns, about) }))
    .sort((a, b) => b.score - a.score)
  const kind = kinds[best?.key ?? 'structure']
  const guesses = guessColumns(kind, columns)
  return { kind: kind.key, guesses, mapping: buildMapping(kind, guesses, { sheet, header_row }, columns) }
}

/** Guesses the meaning of each column for a given kind. */
export function guessFor(
  key: KindKey,
  columns: readonly Column[],
  at: { sheet: number; header_row: number },
): TableGuess {
  const guesses = guessColumns(kinds[key], columns)
  return { kind: key, guesses, mapping: buildMapping(kinds[key], guesses, at, columns) }
}

const wordsFor = (kind: Kind): string[] =>
  [kind.key, kind.label, kind.labelPlural, kind.segment, kind.className, ...(kindWords[kind.key] ?? [])].map(wordsOf)

/** Whether a text has a word for this kind. Example: "temples-of-patan.csv" for a structure. */
export function namesKind(kind: Kind, text: string): boolean {
  const plain = ` ${wordsOf(text)} `
  return wordsFor(kind).some((it) => plain.includes(` ${it} `))
}

/**
 * Scores a kind. Headers that only this kind has count most. Names of file and sheet count, and so does a column that names the
 * kind.
 */
function scoreOf(kind: Kind, columns: readonly Column[], about: readonly string[]): number {
  const own = columns.filter(({ header }) => isOwn(kind, meaningOf(kind, header))).length
  const words = wordsFor(kind)
  const named = (text: string) => namesKind(kind, text)
  const kindColumns = columns.filter((it) => ['kind', 'entity type', 'प्रकार'].includes(wordsOf(it.header)))
  const says = kindColumns.some(({ values }) => values?.length === 1 && words.includes(wordsOf(values[0] ?? '')))
  const options = columns.filter((it) => optionField(kind, it, [])).length
  return (
    own * 2 +
    options +
    (about.some(named) ? 5 : 0) +
    (columns.some(({ header }) => named(header)) ? 2 : 0) +
    (says ? 20 : 0) +
    (kind.key === 'structure' ? 0.5 : 0)
  )
}

const shared = new Set(['name', 'name_ne', 'alternate_names', 'description', 'identifier', 'same_as', 'note', 'source'])
const isOwn = (kind: Kind, field: string | undefined) =>
  field !== undefined && field in kind.fields && !shared.has(field) && !field.startsWith('source_')

/** Whether a guessed column shows that the table is about heritage. A name in Latin script, a text or a source does not show it. */
export function isTelling(key: KindKey, field: string, name: string, columns: readonly Column[]): boolean {
  if (['id', 'revision', 'latitude', 'longitude', 'name_ne', 'alternate_names', 'same_as'].includes(field)) return true
  if (isOwn(kinds[key], field)) return true
  const shares = columns.find((column) => column.name === name)?.shares
  // A name in Devanagari is hardly that of goods in a shop.
  return field === 'name' && shares !== undefined && shares.devanagari + shares.mixed > 0.2
}

function guessColumns(kind: Kind, columns: readonly Column[]): ColumnGuess[] {
  const taken = new Map<string, Column[]>()
  const guesses = columns.map((column): ColumnGuess => {
    const field = column.header === '' ? undefined : byHeader(kind, column, columns)
    const others = taken.get(field ?? '') ?? []
    // Two columns may fill one field if no row has both.
    if (field === undefined || !others.every((it) => standsFor(column, it)))
      return { column: column.name, field: null, by: null, sure: 0 }
    taken.set(field, [...others, column])
    return { column: column.name, field, by: 'header', sure: isContradicted(kind, field, column) ? 0.4 : 1 }
  })
  return guesses.map((it, i) => {
    const column = columns[i]
    if (it.field !== null || !column || !isOpen(kind, column)) return it
    const field = byValues(kind, column, columns, [...taken.keys()])
    if (field === undefined) return it
    taken.set(field, [column])
    return { column: column.name, field, by: 'values', sure: 0.6 }
  })
}

/** Whether the meaning of a column must be guessed by its values: it has some, and its header means no field. */
export const isOpen = (kind: Kind, { header, filled }: Column): boolean =>
  // If the header has a meaning, the field may belong to another column already.
  filled > 0 && !isBookkeeping(header) && meaningOf(kind, header) === undefined

const standsFor = ({ rows: a }: Column, { rows: b }: Column) =>
  a !== undefined && b !== undefined && ![...a].some((row) => b.has(row))

/** Columns about the row itself, like "No." or "Status", and those of our own tables. Any field guessed for them would be wrong. */
const isBookkeeping = (header: string) =>
  ownColumns.has(wordsOf(header)) ||
  /^(kind|license|licence|attribution|redistributable|share|id|no|sn|s n|row|import|contributed|fields|kg|privacy|created|updated|status|version|script)\b|script$|raw$|क्र स|सि नं/.test(
    wordsOf(header),
  )

const ownColumns = new Set(allColumnsBeside.map(wordsOf))

function byHeader(kind: Kind, column: Column, all: readonly Column[]): string | undefined {
  const words = wordsOf(column.header)
  if (words === 'id' || words === 'cultural entity id') return idOrIdentifier(column, words)
  const field = meaningOf(kind, column.header)
  return field === kind.nameField && isNepaliBeside(kind, column, all) ? 'name_ne' : field
}

/** Whether a column of names is the Nepali one of two. Example: "नाम" in Devanagari beside "Name". */
function isNepaliBeside(kind: Kind, column: Column, all: readonly Column[]): boolean {
  const meaning = (field: string) => all.filter(({ header }) => meaningOf(kind, header) === field)
  const isNepali = ({ shares }: Column) => shares.devanagari >= 0.8
  return (
    'name_ne' in kind.fields &&
    isNepali(column) &&
    meaning('name_ne').length === 0 &&
    meaning(kind.nameField).some((it) => it !== column && !isNepali(it))
  )
}

/**
 * The field of a column "id", by its values. Numbers and UUIDs are ids of this service. Anything else is an identifier of the sender's own
 * collection. A column "cultural entity id" fills no field.
 */
function idOrIdentifier({ samples }: Column, words: string): string | undefined {
  const own = samples.every((it) => /^(\d+|[0-9a-f]{8}-[0-9a-f-]{27})$/i.test(it))
  if (words === 'cultural entity id') return undefined
  return own ? 'id' : 'identifier'
}

/** Whether the values of a column cannot be what its header says. */
function isContradicted(kind: Kind, field: string, { shares, filled, values }: Column): boolean {
  const it = kind.fields[field]
  if (!it || filled === 0) return false
  if (it.type === 'select' && values) return values.filter((value) => findOption(it, value)).length * 2 < values.length
  if (it.type === 'url') return shares.address < 0.5
  if (it.type === 'coordinates') return shares.coordinates < 0.5
  return false
}

/** Guesses a column's field by its values, among fields that no header has taken. */
function byValues(kind: Kind, column: Column, all: readonly Column[], taken: readonly string[]): string | undefined {
  const { shares, samples } = column
  const free = (field: string) => field in kind.fields && !taken.includes(field)
  const placed = taken.includes('coordinates') || taken.includes('latitude')
  if (kind.fields.coordinates && !placed && shares.coordinates >= 0.8) return 'coordinates'
  const side = kind.fields.coordinates && !taken.includes('coordinates') ? sideOf(column, all) : undefined
  if (side && !taken.includes(side)) return side
  if (shares.address >= 0.8) return free('source_url') ? 'source_url' : undefined
  const option = optionField(kind, column, taken)
  if (option) return option
  if (shares.devanagari >= 0.8 && shares.long < 0.2 && free('name_ne')) return 'name_ne'
  if (shares.date >= 0.8 && shares.number < 0.2)
    return Object.keys(kind.fields).find((it) => free(it) && isDateField(kind.fields[it]))
  const isData = samples.every((it) => /^[{[]/.test(it))
  if (shares.long >= 0.6 && !isData && free('description')) return 'description'
  const first = all.find((it) => it.shares.number < 0.2 && it.filled > 0)
  return free(kind.nameField) && first === column ? kind.nameField : undefined
}

/** Latitude or longitude, if the table has one column of each within Nepal. */
function sideOf(column: Column, all: readonly Column[]): 'latitude' | 'longitude' | undefined {
  const within = (it: Column, from: number, to: number) =>
    it.shares.degrees >= 0.8 &&
    it.samples.every((text) => {
      const angle = Number.parseFloat(text)
      return angle >= from && angle <= to
    })
  const [lat, lng] = [all.find((it) => within(it, 26, 31)), all.find((it) => within(it, 79, 89))]
  if (!lat || !lng) return undefined
  return column === lat ? 'latitude' : column === lng ? 'longitude' : undefined
}

/** The field whose controlled list has 80 % of a column's different values. */
function optionField(kind: Kind, { values, filled }: Column, taken: readonly string[]): string | undefined {
  if (!values || filled === 0 || values.every((it) => it.length < 3)) return undefined
  return Object.entries(kind.fields).find(
    ([name, field]) =>
      field.type === 'select' &&
      !taken.includes(name) &&
      values.filter((it) => findOption(field, it)).length >= values.length * 0.8,
  )?.[0]
}

export function buildMapping(
  kind: Kind,
  guesses: readonly ColumnGuess[],
  at: { sheet: number; header_row: number },
  columns: readonly Column[],
): Mapping {
  const known = guesses.flatMap(({ column, field }) => (field === null ? [] : [{ column, field }]))
  const rules = known.filter(({ field }) => !field.startsWith('assertion.') && aboutValue(field) === undefined)
  const has = (field: string) => rules.some((it) => it.field === field)
  return {
    kind: kind.key,
    ...at,
    match: has('id') ? 'id' : has('identifier') ? 'identifier' : 'name_and_place',
    rules: rules.flatMap((it): Rule[] => {
      if (it.field === kind.nameField && !has('id')) return nameRules(it, columns, has)
      return [isDateField(kind.fields[it.field]) ? dateRule(it, columns) : it]
    }),
    assertion: known.flatMap(({ column, field }) => {
      const member = sourceMembers.find((it) => field === `assertion.${it}`)
      if (member) return [{ member, column }]
      const about = aboutValue(field)
      return about ? [{ ...about, column }] : []
    }),
  }
}

/**
 * Some dates show their order: in 25/12/1890 the day is first. If all such dates of a column have one order, the whole column is read in
 * it.
 */
function dateRule(rule: { column: string; field: string }, columns: readonly Column[]): Rule {
  const { day_first = 0, month_first = 0 } = columns.find(({ name }) => name === rule.column)?.shares ?? {}
  if (day_first > 0 === month_first > 0) return rule
  return { ...rule, date_order: day_first > 0 ? 'day_first' : 'month_first' }
}

/**
 * The rules of a column of names. Of names in both scripts the Latin part fills `field`, the other one `name_ne`. Names in Devanagari alone
 * fill both, unless another column fills `name_ne`.
 */
function nameRules(
  { column, field }: { column: string; field: string },
  columns: readonly Column[],
  has: (field: string) => boolean,
): Rule[] {
  const shares = columns.find(({ name }) => name === column)?.shares
  if (!shares) return [{ column, field }]
  const inNepali: Rule[] = has('name_ne') ? [] : [{ column, field: 'name_ne', script: 'devanagari' }]
  if (shares.mixed >= 0.3 && shares.devanagari === 0) return [{ column, field, script: 'latin' }, ...inNepali]
  return [{ column, field, ...(shares.devanagari >= 0.8 && !has('name_ne') && { language: 'ne' as const }) }]
}
