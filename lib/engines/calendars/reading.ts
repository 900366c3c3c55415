import { once } from '../../base/once.ts'
import { type FormResult, formsIn, type Interval, impliedForms, readInForms } from './forms.ts'
import { type CalendarKey, calendarKeys } from './keys.ts'
import { rewriteNepali } from './nepali-forms.ts'
import { type DateFault, isFault, systems } from './systems.ts'

export type { Interval } from './forms.ts'

/** The days of a date, and the calendar in which it was written. A span has the calendar of its end. */
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
 * `calendar` is the calendar of bare numbers. A calendar that the words name is used instead. A day or month that the
 * calendar does not have is a fault. Any other text that is not a date returns undefined, such as a range that runs
 * backwards.
 */
export function readDate(words: string, calendar?: unknown): DateReading | DateFault | undefined {
  if (words.length > LONGEST_DATE) return undefined
  const text = rewriteNepali(tidyText(words))
  const key = calendarKeys.find((it) => it === calendar && it !== 'gregorian')
  if (key === undefined && typeof calendar === 'string' && calendar !== '' && calendar !== 'gregorian') return undefined
  const date = readTidy(text, key)
  if (key === undefined || (date && !isFault(date)) || !/\p{L}/u.test(text)) return date
  const plain = readTidy(text, undefined)
  return plain && !isFault(plain) ? plain : date
}

/**
 * Reads a date as `readDate` does. Undefined instead of a fault. `calendar` is the calendar that the record names, if
 * any.
 */
export function readInterval(words: string, calendar?: unknown): Interval | undefined {
  const date = readDate(words, calendar)
  return date && !isFault(date) ? date : undefined
}

/**
 * Writes the name of a record's calendar before its date, so that the date can be compared with dates of other records.
 * Returns the value as it is if it already names a calendar, or is not a date.
 */
export function withCalendar<T>(value: T, calendar: unknown): T | string {
  const key = calendarKeys.find((it) => it === calendar)
  if (typeof value !== 'string' || key === undefined) return value
  const date = readDate(value, key)
  const needsNoMark = !date || isFault(date) || date.calendar !== key
  return needsNoMark ? value : `${systems[key].mark.en} ${value}`.trim()
}

/** The most characters of a date. Longer texts are prose, and are not tried. */
const LONGEST_DATE = 200

/**
 * Makes spellings equal: ASCII digits, no marks above letters, one sort of dash. Drops remarks in parentheses, unless
 * they name a calendar.
 */
export function tidyText(text: string): string {
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

/** The names of calendars, as people write them before a date or after it. */
const calendarMarks: Readonly<Record<CalendarKey, string | undefined>> = {
  // Bare dates are Gregorian.
  gregorian: undefined,
  bikram_sambat: 'b\\.? ?s\\.?|v\\.? ?s\\.?|वि\\.? ?सं\\.?|विसं|(?:b|v)ikrama? sam(?:b|v)at|विक्रम (?:सम्बत्?|संवत्?)',
  nepal_sambat: 'n\\.? ?s\\.?|ने\\.? ?सं\\.?|नेसं|nepala? sam(?:b|v)at|नेपाल (?:सम्बत्?|संवत्?)',
  shaka: 's(?:h)?aka(?: sam(?:b|v)at| era)?|s(?:h)?ake|शाके|शक(?: सम्बत्?| संवत्?)?',
  julian: 'o\\.? ?s\\.?|old style|julian(?: calendar)?|जुलियन',
}
const markPatterns = once(() =>
  calendarKeys.flatMap((key) => {
    const mark = calendarMarks[key]
    return mark === undefined ? [] : [{ key, ...marksAround(mark) }]
  }),
)

/** Patterns for a mark before a date and after it. The rest of the text is their first group. */
const marksAround = (mark: string) => ({
  before: new RegExp(`^(?:${mark})(?![\\p{L}\\p{M}])[ ,:]?(.+)$`, 'u'),
  after: new RegExp(`^(.+?)(?<![\\p{L}\\p{M}])[ ,]?(?:${mark})$`, 'u'),
})

type Stripped = { core: string; approximate: boolean; key: CalendarKey | undefined }

/** Takes marks of doubt and names of calendars off a text, up to four of them: "c. BS 1759?". */
function stripMarks(text: string, defaultKey: CalendarKey | undefined): Stripped {
  const stripped: Stripped = { core: text.trim(), approximate: false, key: defaultKey }
  for (let rounds = 0; rounds < MOST_MARKS; rounds += 1) {
    const { core } = stripped
    const withoutDoubt = (doubtBefore.exec(core) ?? doubtAfter.exec(core))?.[1]
    const mark = markPatterns().find(({ before, after }) => before.test(core) || after.test(core))
    const withoutMark = mark && (mark.before.exec(core) ?? mark.after.exec(core))?.[1]
    if (withoutDoubt === undefined && withoutMark === undefined) break
    if (withoutDoubt !== undefined) stripped.approximate = true
    else if (mark) stripped.key = mark.key
    stripped.core = (withoutDoubt ?? withoutMark ?? '').trim()
  }
  return stripped
}
const MOST_MARKS = 4

/** Reads a tidy text as one date, else as a range. `defaultKey` is the calendar of bare numbers. */
function readTidy(text: string, defaultKey: CalendarKey | undefined): DateReading | DateFault | undefined {
  const { core, approximate, key } = stripMarks(text, defaultKey)
  const single = readInCalendars(core, key)
  if (single && !isFault(single)) return withDoubt(single, approximate)
  const range = readRange(core, key)
  return withDoubt(range && !isFault(range) ? range : (single ?? range), approximate)
}

/** Reads one date that is not a range. */
function readSingle(text: string, defaultKey: CalendarKey | undefined): DateReading | DateFault | undefined {
  const { core, approximate, key } = stripMarks(text, defaultKey)
  return withDoubt(readInCalendars(core, key), approximate)
}

const withDoubt = (date: DateReading | DateFault | undefined, approximate: boolean) =>
  date && !isFault(date) && approximate ? { ...date, approximate } : date

/** Reads a date of the calendar `key`. Without a key, the name of the month decides. */
function readInCalendars(text: string, key: CalendarKey | undefined): DateReading | DateFault | undefined {
  if (key) return withCalendarKey(readInForms(formsIn[key](), text), key)
  let fault: DateReading | DateFault | undefined
  for (const [calendar, forms] of impliedForms) {
    const date = withCalendarKey(readInForms(forms(), text), calendar)
    if (date && !isFault(date)) return date
    fault ??= date
  }
  return fault
}

const withCalendarKey = (result: FormResult, calendar: CalendarKey) =>
  result && (isFault(result) ? result : { ...result, calendar })

const everBefore = { from: -Infinity, to: -Infinity, approximate: false }
const everAfter = { from: Infinity, to: Infinity, approximate: false }
const stillGoing = /^(?:present|now|today|ongoing|date|हालसम्म)$/

/** "Until 1768" includes the year 1768, "before 1768" does not. */
const openBounds: Readonly<Record<string, (date: Interval) => Partial<Interval>>> = {
  before: ({ from }) => ({ from: -Infinity, to: from - 1 }),
  until: () => ({ from: -Infinity }),
  after: ({ to }) => ({ from: to + 1, to: Infinity }),
  since: () => ({ to: Infinity }),
  from: () => ({ to: Infinity }),
}

function readRange(text: string, key: CalendarKey | undefined): DateReading | DateFault | undefined {
  const half = /^(before|until|after|since|from) (.+)$/.exec(text)
  if (half?.[1] && half[2]) {
    const date = readSingle(half[2], key)
    if (date && !isFault(date)) return { ...date, ...openBounds[half[1]]?.(date) }
  }
  let fault: DateFault | undefined
  for (const separator of separators) {
    const ends = separator.exec(text)
    const range = ends ? readBetween(ends[1] ?? '', ends[2] ?? '', key) : undefined
    if (range && !isFault(range)) return range
    fault ??= range
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
 * Reads a range by its two ends. The first end takes over words of the second ("7th-8th century CE"). The second takes
 * over digits of the first ("1934-35").
 */
function readBetween(first: string, last: string, key: CalendarKey | undefined): DateReading | DateFault | undefined {
  const borrowed = /^\d+(?:st|nd|rd|th)?( ?\p{L}.*)$/u.exec(last)?.[1]
  const short = /\d{4}$/.test(first) && /^\d\d$/.test(last) ? first.slice(-4, -2) + last : last
  const completed = borrowed && readSingle(first + borrowed, key)
  const start = (completed && !isFault(completed) ? completed : undefined) ?? readEnd(first, everBefore, key)
  const stop = readEnd(short, everAfter, key)
  for (const bound of [start, stop]) if (bound && isFault(bound)) return bound
  if (!start || !stop || isFault(start) || isFault(stop)) return undefined
  const calendar = calendarOf(stop) ?? calendarOf(start)
  if (start.from > stop.to || calendar === undefined) return undefined
  return { from: start.from, to: stop.to, approximate: start.approximate || stop.approximate, calendar }
}

function readEnd(
  text: string,
  open: Interval,
  key: CalendarKey | undefined,
): DateReading | Interval | DateFault | undefined {
  return text === '..' || text === '' || (open === everAfter && stillGoing.test(text)) ? open : readSingle(text, key)
}

const calendarOf = (date: DateReading | Interval) => ('calendar' in date ? date.calendar : undefined)
