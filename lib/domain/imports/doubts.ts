import * as v from 'valibot'
import { findPeriod } from '../../engines/calendars/index.ts'
import { fold } from '../../engines/matching/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { type InputValues, kinds } from '../kinds/index.ts'
import { findPeriodByName } from '../records/periods.ts'
import { doubtOfNumber } from './cells.ts'
import { boundsIn, boundsOfDate, type DateBounds, rewriteDate } from './dates.ts'
import { isDateField, type Mapping, mappedField } from './mapping.ts'
import { columnFor, type Piece, type ReadRow } from './rows.ts'

/** What is doubtful in a row, though it is no fault, and how its dates were understood. */

export const CellDoubt = v.object({
  field: v.string(),
  column: v.nullable(v.string()),
  value: v.string(),
  message: v.string(),
})
export type CellDoubt = v.InferOutput<typeof CellDoubt>

/** A date of a row with its first and last day in the Gregorian calendar. An open end is null; so are both if nothing was understood. */
export const ReadDate = v.object({
  field: v.string(),
  column: v.nullable(v.string()),
  value: v.string(),
  from: v.nullable(v.string()),
  to: v.nullable(v.string()),
  approximate: v.boolean(),
})
export type ReadDate = v.InferOutput<typeof ReadDate>

/** The most texts that are looked up as names of periods in one dry run. Each different text costs the calls of `findPeriodByName`. */
const MOST_PERIODS = 500

/** Finds the bounds of periods that dates name, each different text once. */
export class PeriodFinder {
  readonly #actor: Actor
  readonly #found = new Map<string, Promise<DateBounds | undefined>>()

  constructor(actor: Actor) {
    this.#actor = actor
  }

  /** The bounds of a period of this name. Undefined if there is none, or after too many different texts. */
  find(text: string): Promise<DateBounds | undefined> {
    const known = this.#found.get(text)
    if (known) return known
    const found = this.#found.size < MOST_PERIODS ? this.#look(text) : Promise.resolve(undefined)
    if (this.#found.size < MOST_PERIODS) this.#found.set(text, found)
    return found
  }

  async #look(text: string): Promise<DateBounds | undefined> {
    const bounds = (await findPeriodByName(text, this.#actor))?.bounds ?? findPeriod(text)
    return bounds && boundsIn(bounds)
  }
}

/** Reads a date of a contribution: its bounds, or the reason why it cannot be read. The text may name a period. */
export async function understandDate(
  text: string,
  calendar: unknown,
  periods: PeriodFinder,
): Promise<DateBounds | { fault: string }> {
  const read = boundsOfDate(text, calendar)
  return 'fault' in read ? ((await periods.find(text)) ?? read) : read
}

/** What was found out about a row: its contribution, and the names of records that it would make. */
type Found = { data: InputValues; makes: readonly { name: string }[]; periods: PeriodFinder }

/** The doubts about a row that has no fault, and its dates as they were understood. */
export async function findDoubts(
  mapping: Mapping,
  read: ReadRow,
  { data, makes, periods }: Found,
): Promise<{ doubts: CellDoubt[]; dates: ReadDate[] }> {
  const doubt = (field: string, value: string, message: string): CellDoubt => ({
    ...{ field, column: columnFor(mapping, [field]), message },
    value: value.slice(0, 200).toWellFormed(),
  })
  const doubts = read.pieces.flatMap((piece) => {
    const message = doubtOfPiece(mapping, piece, makes)
    return message === undefined ? [] : [doubt(piece.rule.field, piece.value, message)]
  })
  const point = typeof data.coordinates === 'string' ? doubtOfPoint(data.coordinates) : undefined
  if (point !== undefined) {
    const field = ['latitude', 'coordinates'].find((name) => read.texts.has(name)) ?? 'coordinates'
    doubts.push(doubt(field, String(data.coordinates), point))
  }
  const { nameField } = kinds[mapping.kind]
  const name = String(data[nameField] ?? '')
  const misplaced = doubtOfName(name, columnFor(mapping, [nameField]))
  if (misplaced !== undefined) doubts.push(doubt(nameField, name, misplaced))
  const dates: ReadDate[] = []
  for (const [field, value] of Object.entries(data)) {
    if (!isDateField(mappedField(kinds[mapping.kind], field))) continue
    const bounds = await understandDate(String(value), data.calendar_system, periods)
    const text = (read.texts.get(field) ?? String(value)).slice(0, 200)
    const about = { field, column: columnFor(mapping, [field]), value: text }
    dates.push('fault' in bounds ? { ...about, ...NOTHING } : { ...about, ...bounds })
    if ('fault' in bounds && !doubts.some((other) => other.field === field))
      doubts.push(doubt(field, text, bounds.fault))
  }
  return { doubts, dates }
}

const NOTHING: DateBounds = { from: null, to: null, approximate: false }
const NO_LETTER = 'This name has no letter. Is the row a sum, or is the name in another column?'
const NOWHERE = 'The point 0, 0 lies in the Atlantic. It often stands for a place that is not known.'
const SWAPPED = 'This point lies far from Nepal. Latitude and longitude seem to be swapped.'

const SUM = 'This looks like a sum of the table, not like a name. If it is one, leave the row out.'
const HEADER = 'This looks like the headers of the table again, not like a name. If it is, leave the row out.'
const REMARK = 'This looks like a remark on the table, not like a name. If it is one, leave the row out.'
/** A sum as the name of a row, with or without a number. Example: "Grand total: 12". */
const SUMS =
  /^(?:(?:grand|sub)[ -]?)?(?:totals?|sum)(?: (?:number|no\.?|count))?[\s:.=]*[\d०-९.,]*$|^(?:कुल|कूल)?\s*(?:जम्मा|कुल|कूल|योग|जोड)[\s:.=]*[\d०-९.,]*$/iu
const REMARKS = /^(?:[*†‡]|(?:sources?|notes?|n\.\s?b\.?|remarks?|legend|स्रोत|नोट|द्रष्टव्य|टिप्पणी|कैफियत)\s*[:：-])/iu

/**
 * The doubt about the name of a row that seems to be no thing of the table. It may be a sum, a remark, or the headers again, as on each
 * page of a printed table.
 */
export function doubtOfName(name: string, header: string | null = null): string | undefined {
  const text = name.trim()
  if (text === '') return undefined
  if (!/\p{L}/u.test(text)) return NO_LETTER
  if (header !== null && fold(text) === fold(header)) return HEADER
  if (SUMS.test(text)) return SUM
  return REMARKS.test(text) ? REMARK : undefined
}

/** What spreadsheets show where a formula has failed. */
const FORMULA_ERROR = /^#(?:REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!)$/

/** The doubt that one piece of a cell raises by itself. */
export function doubtOfPiece(
  mapping: Mapping,
  { rule, texts, chosen, listed }: Piece,
  makes: readonly { name: string }[],
): string | undefined {
  const field = mappedField(kinds[mapping.kind], rule.field)
  const [text = ''] = texts
  if (!field || chosen) return undefined
  if (texts.some((each) => FORMULA_ERROR.test(each)))
    return `${texts.join(' ').slice(0, 100)} is the error of a formula, not a value.`
  if (isDateField(field)) return rewriteDate(text, rule.date_order).doubt
  if (field.type === 'float' || field.type === 'number') return doubtOfNumber(text)
  const isList = field.type === 'relation' && field.multivalued && rule.split === undefined && !listed
  if (isList && /,\s/.test(text) && makes.some(({ name }) => name === text.normalize('NFC')))
    return `"${text.slice(0, 100)}" was taken for one name. If it is a list, part the names by semicolons, or give "split": "," in the mapping.`
  return undefined
}

/** The doubt about a point: it is 0, 0, or is in Nepal only with its two numbers the other way round. */
function doubtOfPoint(coordinates: string): string | undefined {
  const [lat = 0, lng = 0] = coordinates.split(',').map(Number)
  if (lat === 0 && lng === 0) return NOWHERE
  return isAroundNepal(lng, lat) && !isAroundNepal(lat, lng) ? SWAPPED : undefined
}

const isAroundNepal = (lat: number, lng: number) => lat >= 26 && lat <= 31 && lng >= 79 && lng <= 89
