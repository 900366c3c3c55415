import { once } from '../../base/once.ts'
import { type FormResult, formsIn, type Interval, impliedForms, readInForms } from './forms.ts'
import { type CalendarKey, calendarKeys } from './keys.ts'
import { rewriteNepali } from './nepali-forms.ts'
import { type Fault, isFault, systems } from './systems.ts'

export type { Interval } from './forms.ts'

/** What was understood of a date, and in which calendar it was meant (of a span, that of its end). */
export type DateReading = Interval & { calendar: CalendarKey }

/**
 * Reads a date as contributors write it:
 *
 * - EDTF: `1702`, `17XX`, `1702~`, `1200/1300`, `../1500`, `-0056`; ISO timestamps;
 * - years, decades and centuries with CE or BCE: "c. 5th century CE", "early 17th century"; ranges: "1690-1692 CE";
 * - written days: "January 15 1934", also of the Julian calendar: "5 March 1702 O.S.";
 * - Bikram Sambat: "BS 2031", "2031-04-05 VS", "१ वैशाख २०८१", "BS 1884 Magh sudi 12";
 * - Nepal Sambat: "NS 1145 Kachhala thwa 1"; years of Shaka: "Shaka 1624".
 *
 * `calendar` is the one that bare numbers are meant in; words that name their own calendar win. A day or month that no
 * calendar has is a fault. Anything else that is no date is undefined, such as a range that runs backwards.
 */
export function readDate(words: string, calendar?: unknown): DateReading | Fault | undefined {
  if (words.length > longest) return undefined
  const text = rewriteNepali(tidyText(words))
  const key = calendarKeys.find((it) => it === calendar && it !== 'gregorian')
  if (key === undefined && typeof calendar === 'string' && calendar !== '' && calendar !== 'gregorian') return undefined
  const meant = read(text, key)
  if (key === undefined || (meant && !isFault(meant)) || !/\p{L}/u.test(text)) return meant
  const plain = read(text, undefined)
  return plain && !isFault(plain) ? plain : meant
}

/**
 * The same without faults: undefined for whatever is no date. `calendar` is the one that the record of the date names,
 * if any.
 */
export function readInterval(words: string, calendar?: unknown): Interval | undefined {
  const found = readDate(words, calendar)
  return found && !isFault(found) ? found : undefined
}

/** Puts the name of a record's calendar before its date, so that it can be compared with dates of other records. */
export function withCalendar<T>(value: T, calendar: unknown): T | string {
  const key = calendarKeys.find((it) => it === calendar)
  if (typeof value !== 'string' || key === undefined) return value
  const meant = readDate(value, key)
  const isSaid = !meant || isFault(meant) || meant.calendar !== key
  return isSaid ? value : `${systems[key].mark.en} ${value}`.trim()
}

/** The most characters of a date. Longer texts are prose, and not worth the search for one. */
const longest = 200

/**
 * Makes spellings equal: Devanagari digits, marks above letters, the many dashes. Drops remarks in parentheses, unless
 * they name a calendar.
 */
function tidyText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x966))
    .replace(/\((julian(?: calendar)?|o\.? ?s\.?|old style|b\.? ?s\.?|n\.? ?s\.?)\)/gi, ' $1 ')
    .replace(/\([^)]*\)/g, ' ')
    .replace(/[‐‑‒–—―−]/g, '-')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
}

const doubtBefore =
  /^(?:circa|ca\.?|c\.?|about|around|approx\.?|approximately|probably|~|लगभग|करिब|अन्दाजी) ?(?=[\p{L}\d])(?!entury|e[ .])(.+)$/u
const doubtAfter = /^(.+?) ?(?:[?~%]|circa|तिर)$/

/** How writers name calendars, before a date and after it. */
const marks: readonly (readonly [CalendarKey, string])[] = [
  ['bikram_sambat', 'b\\.? ?s\\.?|v\\.? ?s\\.?|वि\\.? ?सं\\.?|विसं|(?:b|v)ikrama? sam(?:b|v)at|विक्रम (?:सम्बत्?|संवत्?)'],
  ['nepal_sambat', 'n\\.? ?s\\.?|ने\\.? ?सं\\.?|नेसं|nepala? sam(?:b|v)at|नेपाल (?:सम्बत्?|संवत्?)'],
  ['shaka', 's(?:h)?aka(?: sam(?:b|v)at| era)?|s(?:h)?ake|शाके|शक(?: सम्बत्?| संवत्?)?'],
  ['julian', 'o\\.? ?s\\.?|old style|julian(?: calendar)?|जुलियन'],
]
const marked = once(() =>
  marks.map(([key, mark]) => ({
    key,
    before: new RegExp(`^(?:${mark})(?![\\p{L}\\p{M}])[ ,:]?(.+)$`, 'u'),
    after: new RegExp(`^(.+?)(?<![\\p{L}\\p{M}])[ ,]?(?:${mark})$`, 'u'),
  })),
)

type Stripped = { core: string; approximate: boolean; key: CalendarKey | undefined }

/** A text without marks of doubt and without the name of its calendar, each as often as it stands there. */
function stripMarks(text: string, given: CalendarKey | undefined): Stripped {
  const it: Stripped = { core: text.trim(), approximate: false, key: given }
  for (let rounds = 0; rounds < MOST_MARKS; rounds += 1) {
    const sure = (doubtBefore.exec(it.core) ?? doubtAfter.exec(it.core))?.[1]
    const named = marked().find(({ before, after }) => before.test(it.core) || after.test(it.core))
    const bare = named && (named.before.exec(it.core) ?? named.after.exec(it.core))?.[1]
    if (sure === undefined && bare === undefined) break
    it.approximate ||= sure !== undefined
    it.key = sure === undefined && named ? named.key : it.key
    it.core = (sure ?? bare ?? '').trim()
  }
  return it
}
const MOST_MARKS = 4

/** A date or a span of them. */
function read(text: string, given: CalendarKey | undefined): DateReading | Fault | undefined {
  const { core, approximate, key } = stripMarks(text, given)
  const single = inCalendars(core, key)
  if (single && !isFault(single)) return withDoubt(single, approximate)
  const spanned = range(core, key)
  return withDoubt(spanned && !isFault(spanned) ? spanned : (single ?? spanned), approximate)
}

/** One date that is not written as a range. */
function one(text: string, given: CalendarKey | undefined): DateReading | Fault | undefined {
  const { core, approximate, key } = stripMarks(text, given)
  return withDoubt(inCalendars(core, key), approximate)
}

const withDoubt = (found: DateReading | Fault | undefined, approximate: boolean) =>
  found && !isFault(found) && approximate ? { ...found, approximate } : found

function inCalendars(text: string, key: CalendarKey | undefined): DateReading | Fault | undefined {
  if (key) return reading(readInForms(formsIn[key](), text), key)
  let fault: DateReading | Fault | undefined
  for (const [calendar, forms] of impliedForms) {
    const found = reading(readInForms(forms(), text), calendar)
    if (found && !isFault(found)) return found
    fault ??= found
  }
  return fault
}

const reading = (found: FormResult, calendar: CalendarKey) => found && (isFault(found) ? found : { ...found, calendar })

const everBefore = { from: -Infinity, to: -Infinity, approximate: false }
const everAfter = { from: Infinity, to: Infinity, approximate: false }
const stillGoing = /^(?:present|now|today|ongoing|date|हालसम्म)$/

/** "Until 1768" holds the year 1768, "before 1768" does not. */
const openBounds: Readonly<Record<string, (named: Interval) => Partial<Interval>>> = {
  before: ({ from }) => ({ from: -Infinity, to: from - 1 }),
  until: () => ({ from: -Infinity }),
  after: ({ to }) => ({ from: to + 1, to: Infinity }),
  since: () => ({ to: Infinity }),
  from: () => ({ to: Infinity }),
}

function range(text: string, key: CalendarKey | undefined): DateReading | Fault | undefined {
  const half = /^(before|until|after|since|from) (.+)$/.exec(text)
  if (half?.[1] && half[2]) {
    const known = one(half[2], key)
    if (known && !isFault(known)) return { ...known, ...openBounds[half[1]]?.(known) }
  }
  let fault: Fault | undefined
  for (const separator of separators) {
    const ends = separator.exec(text)
    const found = ends ? between(ends[1] ?? '', ends[2] ?? '', key) : undefined
    if (found && !isFault(found)) return found
    fault ??= found
  }
  return fault
}

const separators = [
  /^(.*?) ?\/ ?(.*)$/,
  /^between (.+) and (.+)$/,
  /^(?:from )?(.+) (?:to|until|till|देखि) (.+?)(?: सम्म)?$/,
  /^(.+?) ?- ?(.+)$/,
]

/**
 * The first end borrows what only the second says ("7th-8th century CE"). The second borrows the digits that it leaves
 * out ("1934-35").
 */
function between(first: string, last: string, key: CalendarKey | undefined): DateReading | Fault | undefined {
  const borrowed = /^\d+(?:st|nd|rd|th)?( ?\p{L}.*)$/u.exec(last)?.[1]
  const short = /\d{4}$/.test(first) && /^\d\d$/.test(last) ? first.slice(-4, -2) + last : last
  const lent = borrowed && one(first + borrowed, key)
  const start = (lent && !isFault(lent) ? lent : undefined) ?? end(first, everBefore, key)
  const stop = end(short, everAfter, key)
  for (const each of [start, stop]) if (each && isFault(each)) return each
  if (!start || !stop || isFault(start) || isFault(stop)) return undefined
  const calendar = calendarOf(stop) ?? calendarOf(start)
  if (start.from > stop.to || calendar === undefined) return undefined
  return { from: start.from, to: stop.to, approximate: start.approximate || stop.approximate, calendar }
}

function end(text: string, open: Interval, key: CalendarKey | undefined): DateReading | Interval | Fault | undefined {
  return text === '..' || text === '' || (open === everAfter && stillGoing.test(text)) ? open : one(text, key)
}

const calendarOf = (it: DateReading | Interval) => ('calendar' in it ? it.calendar : undefined)
