import * as v from 'valibot'
import { newId } from '../../base/clock.ts'
import { invalid } from '../../base/errors.ts'
import { didYouMean } from '../../engines/matching/index.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { type Field, type Kind, type KindKey, kinds, type ReferenceInput, schemaOf } from '../kinds/index.ts'
import { nearestOption } from './cells.ts'
import { doubtOfPiece, type PeriodFinder, type ReadDate, understandDate } from './doubts.ts'
import type { Import } from './items.ts'
import { loadHeads } from './known.ts'
import { isDateField, type Mapping, mappedField } from './mapping.ts'
import type { ReferenceResolver } from './references.ts'
import { inOneLine, type Piece, pieceValue, type ReadRow } from './rows.ts'
import { groupSpellings } from './spellings.ts'
import { getChunk, putChunk } from './store.ts'

/**
 * The different values of each column, and what each becomes. The dry run gathers them, so it says exactly what the run would
 * do, and showing them costs no look-up.
 */

/** What a value may become. `nothing`: it is left out. */
export const becomingWords = [
  'date',
  'option',
  'record',
  'new_record',
  'point',
  'number',
  'text',
  'nothing',
  'refused',
] as const

const Becoming = v.object({
  what: v.picklist(becomingWords),
  /** The value as it would be stored: an option, a name, a number, a point. */
  text: v.string(),
  /** Of a date: its first and last day. */
  from: v.optional(v.nullable(v.string()), null),
  to: v.optional(v.nullable(v.string()), null),
  approximate: v.optional(v.boolean(), false),
  /** Of a record: its kind and review identity. */
  kind: v.optional(v.nullable(v.string()), null),
  entity_id: v.optional(v.nullable(v.string()), null),
  /** A doubt, or the reason of a refusal. */
  message: v.optional(v.nullable(v.string()), null),
  /** The option that was probably meant. */
  nearest: v.optional(v.nullable(v.string()), null),
})
export type Becoming = v.InferOutput<typeof Becoming>
const buildBecoming = (what: Becoming['what'], text: string, more: Partial<Becoming> = {}): Becoming => ({
  ...{ what, text, from: null, to: null, approximate: false },
  ...{ kind: null, entity_id: null, message: null, nearest: null },
  ...more,
})

const StoredValue = v.object({
  value: v.string(),
  rows: v.number(),
  /** The first row that has it. */
  row: v.number(),
  chosen: v.boolean(),
  becomes: v.array(Becoming),
})
export type ColumnValue = v.InferOutput<typeof StoredValue>

const Summary = v.object({
  column: v.string(),
  field: v.string(),
  /** Different values, and groups of spellings. */
  values: v.number(),
  groups: v.number(),
  /** Values that are refused or doubtful. */
  doubtful: v.number(),
  /** Rows whose value is not listed: it is too long, or the column or the table has too many different values. */
  unlisted: v.number(),
})
export type ValueSummary = v.InferOutput<typeof Summary>
const Summaries = v.array(Summary)
const Groups = v.array(v.array(StoredValue))

/** The most different values that are listed: of one column, and of all columns together. */
const MOST_IN_COLUMN = 1000
const MOST_IN_TABLE = 20_000
/** The most different texts of a column of plain texts. A column with more is no list of values, and is left out. */
const MOST_TEXTS = 200
const LONGEST_VALUE = 300

type Tally = { rule: Piece['rule']; values: Map<string, TalliedValue>; unlisted: number }
type TalliedValue = { piece: Piece; rows: number; row: number; date: ReadDate | undefined }

/** Gathers the different values of a table while its rows are tried. */
export class ValueTally {
  readonly #mapping: Mapping
  readonly #kind: Kind
  readonly #tallies = new Map<Piece['rule'], Tally>()
  #size = 0

  constructor(mapping: Mapping) {
    this.#mapping = mapping
    this.#kind = kinds[mapping.kind]
  }

  add(row: number, { pieces }: ReadRow, dates: readonly ReadDate[]): void {
    for (const piece of pieces) {
      const { rule } = piece
      if (rule.column === undefined || !isListed(this.#kind, rule.field)) continue
      const tally = this.#tallies.get(rule) ?? { rule, values: new Map<string, TalliedValue>(), unlisted: 0 }
      this.#tallies.set(rule, tally)
      const value = inOneLine(piece.value)
      const known = tally.values.get(value)
      if (known) known.rows += 1
      else if (this.#hasRoom(tally, value)) {
        this.#size += 1
        const date = dates.find(({ field }) => field === rule.field)
        tally.values.set(value, { piece, rows: 1, row, date })
      } else tally.unlisted += 1
    }
  }

  #hasRoom({ values }: Tally, value: string): boolean {
    const fits = value !== '' && value.length <= LONGEST_VALUE && value.isWellFormed()
    return fits && values.size < MOST_IN_COLUMN && this.#size < MOST_IN_TABLE
  }

  /** Stores what each value becomes. Returns the name under which the values are stored, which is never used again. */
  async store(id: string, resolver: ReferenceResolver, periods: PeriodFinder): Promise<string> {
    const name = `values-${newId()}`
    const summaries: ValueSummary[] = []
    for (const { rule, values, unlisted } of this.#tallies.values()) {
      const isPlain = mappedField(this.#kind, rule.field)?.type === 'text'
      if (rule.column === undefined || (isPlain && values.size > MOST_TEXTS)) continue
      const listed: ColumnValue[] = []
      for (const [value, { piece, rows, row, date }] of values) {
        const becomes = await understandPiece(this.#mapping, piece, { resolver, periods, date })
        listed.push({ value, rows, row, chosen: piece.chosen, becomes })
      }
      const groups = groupSpellings(listed.map((it) => ({ ...it, sure: surelyIs(it) })))
        .map((group) => group.map(({ sure: _, ...it }) => it))
        .sort((a, b) => firstRow(a) - firstRow(b))
      summaries.push({
        ...{ column: rule.column, field: rule.field, values: listed.length, groups: groups.length, unlisted },
        doubtful: listed.filter(isDoubtful).length,
      })
      await putChunk(id, name, summaries.length, groups)
    }
    await putChunk(id, name, 0, summaries)
    return name
  }
}

const listedTypes: ReadonlySet<Field['type']> = new Set([
  ...(['date', 'edtf_date', 'select', 'boolean', 'number', 'float', 'coordinates', 'relation', 'text'] as const),
])
const isListed = (kind: Kind, name: string): boolean => {
  const field = mappedField(kind, name)
  if (!field) return name === 'latitude' || name === 'longitude'
  return name !== kind.nameField && name !== 'identifier' && listedTypes.has(field.type)
}

const firstRow = (group: readonly ColumnValue[]) => Math.min(...group.map(({ row }) => row))
const isDoubtful = ({ becomes }: ColumnValue) => becomes.some(({ message }) => message !== null)
/** What a value surely is. A text or a new record may be a wrong spelling of anything. */
const surelyIs = ({ becomes }: ColumnValue) => {
  const [one] = becomes
  return one && ['option', 'record', 'number', 'date'].includes(one.what) && one.message === null
    ? `${one.entity_id ?? one.text}`
    : undefined
}

type Means = { resolver: ReferenceResolver; periods: PeriodFinder; date: ReadDate | undefined }

/** What a piece of a cell becomes by itself, without the other cells of its row. */
async function understandPiece(mapping: Mapping, piece: Piece, means: Means): Promise<Becoming[]> {
  const kind = kinds[mapping.kind]
  const { field: name } = piece.rule
  if (piece.texts.length === 0) return [buildBecoming('nothing', '')]
  const value = pieceValue(kind, piece)
  const parsed = v.safeParse(schemaOf(kind, 'change'), bodyWith(name, value))
  if (!parsed.success) return [refusedPiece(kind, piece, parsed.issues[0].message)]
  const stored = parsed.output.data[name]
  const field = mappedField(kind, name)
  if (!field) return [buildBecoming('number', String(value))]
  if (field.type === 'relation' && Array.isArray(stored)) {
    const each: Becoming[] = []
    for (const reference of stored as ReferenceInput[])
      each.push(await understandReference(name, field, reference, means))
    return each.map((it) => withDoubt(it, mapping, piece))
  }
  if (isDateField(field)) return [withDoubt(await understandDateOf(String(stored), means), mapping, piece)]
  return [withDoubt(buildBecoming(wordOf(field), String(stored)), mapping, piece)]
}

/** One angle alone is refused, so the other is added. */
function bodyWith(name: string, value: unknown): Record<string, unknown> {
  if (name === 'latitude') return { latitude: value, longitude: '0' }
  if (name === 'longitude') return { latitude: '0', longitude: value }
  return { [name]: value }
}

function wordOf({ type }: Field): Becoming['what'] {
  if (type === 'select' || type === 'boolean') return 'option'
  if (type === 'number' || type === 'float') return 'number'
  return type === 'coordinates' ? 'point' : 'text'
}

function refusedPiece(kind: Kind, { rule, texts }: Piece, message: string): Becoming {
  const field = mappedField(kind, rule.field)
  const text = texts.join('; ')
  return buildBecoming('refused', text, { message, nearest: (field?.vocabulary && nearestOption(field, text)) ?? null })
}

async function understandReference(
  name: string,
  field: Field,
  reference: ReferenceInput,
  { resolver }: Means,
): Promise<Becoming> {
  const resolved = await resolver.resolve(name, field, reference)
  const kind: KindKey | null = field.relation ?? null
  const text = 'text' in reference ? reference.text : String(reference.id)
  if ('fault' in resolved) return buildBecoming('refused', text, { message: resolved.fault })
  if ('makes' in resolved) return buildBecoming('new_record', resolved.makes, { kind })
  return buildBecoming('record', text, { kind, entity_id: resolved.link.entity_id ?? null })
}

async function understandDateOf(text: string, { periods, date }: Means): Promise<Becoming> {
  if (date?.from || date?.to)
    return buildBecoming('date', text, { from: date.from, to: date.to, approximate: date.approximate })
  const bounds = await understandDate(text, undefined, periods)
  return 'fault' in bounds
    ? buildBecoming('text', text, { message: bounds.fault })
    : buildBecoming('date', text, bounds)
}

function withDoubt(it: Becoming, mapping: Mapping, piece: Piece): Becoming {
  const makes = it.what === 'new_record' ? [{ name: it.text }] : []
  return { ...it, message: doubtOfPiece(mapping, piece, makes) ?? it.message }
}

/** The most values of one page. A group is never cut, and groups that begin in one row stay together, so a page may have more. */
export const LARGEST_PAGE = 50

/** A record that a value means, as the reader may see it. */
export type SeenRecord = { kind: string; id: number; name: string; entity_id: string }
export type ListedValues = {
  columns: ValueSummary[]
  groups: ColumnValue[][]
  /** The first row of the last group, after which the list continues. Undefined at its end. */
  next: number | undefined
  records: ReadonlyMap<string, SeenRecord>
}

type ValuePlace = { column?: string | undefined; field?: string | undefined; after: number; limit: number }

/**
 * One page of the values of a column, in groups of spellings, in the order of their first rows. Without a column only the
 * summaries of all. Empty before the dry run. Costs one call of the table, for the heads of the page's records; none without a column.
 */
export async function listValues(
  { id, values }: Import,
  place: ValuePlace,
  actor: Actor | null,
): Promise<ListedValues> {
  const columns = values === null ? [] : ((await getChunk(Summaries, id, values, 0)) ?? [])
  const nothing = { columns, groups: [], next: undefined, records: new Map<string, SeenRecord>() }
  if (values === null || place.column === undefined) return nothing
  const at = columns.findIndex(
    ({ column, field }) => column === place.column && (place.field === undefined || field === place.field),
  )
  if (at < 0) {
    const near = didYouMean(
      place.column,
      columns.map(({ column }) => column),
    )
    throw invalid({ column: [`There is no list of values of "${place.column}".${near}`] })
  }
  const all = ((await getChunk(Groups, id, values, at + 1)) ?? []).filter((group) => firstRow(group) > place.after)
  const groups: ColumnValue[][] = []
  let size = 0
  for (const group of all) {
    size += group.length
    const before = groups.at(-1)
    if (before && size > place.limit && firstRow(group) > firstRow(before)) break
    groups.push(group)
  }
  const last = groups.at(-1)
  const next = last && groups.length < all.length ? firstRow(last) : undefined
  return { columns, groups, next, records: await seenRecords(groups, actor) }
}

/** The records that values mean, as far as the reader may see them now. */
async function seenRecords(groups: readonly ColumnValue[][], actor: Actor | null): Promise<Map<string, SeenRecord>> {
  const ids = groups.flat().flatMap(({ becomes }) => becomes.flatMap(({ entity_id }) => entity_id ?? []))
  const heads = await loadHeads([...new Set(ids)].slice(0, LARGEST_PAGE * 2))
  return new Map(
    [...heads].flatMap(([entity_id, head]): [string, SeenRecord][] =>
      head.deleted_at || !mayInspect(actor, head)
        ? []
        : [[entity_id, { kind: head.kind, id: Number(head.id), name: head.name, entity_id }]],
    ),
  )
}
