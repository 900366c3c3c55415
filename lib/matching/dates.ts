/** A stretch of time in whole days since 1970-01-01, proleptic Gregorian, both ends included; an open end is infinite. */
export type Interval = { from: number; to: number; approximate: boolean }

/**
 * Reads a date as contributors write it: EDTF (`1702`, `17XX`, `1702~`, `1200/1300`, `../1500`, `-0056`), ISO timestamps, years,
 * decades and centuries with CE or BCE ("c. 5th century CE", "early 17th century"), ranges ("1690-1692 CE"), written days
 * ("January 15 1934"), and years of Bikram Sambat ("BS 2031", "2031 VS") and Nepal Sambat ("NS 1000").
 * Undefined for anything else, for days that no month has, and for a range that runs backwards.
 */
export function interval(text: string): Interval | undefined {
  if (text.length > longest) return undefined
  const tidy = tidied(text)
  return one(tidy) ?? range(tidy)
}

const eras: Readonly<Record<string, string>> = { bikram_sambat: 'BS', nepal_sambat: 'NS' }

/** The same of a date in words whose record names a calendar. A bare year of another calendar is not one of ours. Words that name their own calendar say more than the record does. */
export function intervalIn(words: string, calendar: unknown): Interval | undefined {
  if (typeof calendar !== 'string' || calendar === '' || calendar === 'gregorian') return interval(words)
  const era = eras[calendar]
  return (era && interval(`${era} ${words}`)) || (/\p{L}/u.test(words) ? interval(words) : undefined)
}

/** Prose is no date, and is not worth the search for one. */
const longest = 200

/** Devanagari digits, a remark in parentheses and the many dashes are only spelling. */
function tidied(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x966))
    .replace(/\([^)]*\)/g, ' ')
    .replace(/[‐‑‒–—―−]/g, '-')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
}

const doubtBefore = /^(?:circa|ca\.?|c\.?|about|around|approx\.?|approximately|probably|~) ?(?=[\da-z])(?!entury)(.+)$/
const doubtAfter = /^(.+?) ?(?:[?~%]|circa)$/

/** One date that is not written as a range: marks of doubt first, then the first form that reads it. */
function one(text: string): Interval | undefined {
  const sure = doubtBefore.exec(text)?.[1] ?? doubtAfter.exec(text)?.[1]
  if (sure !== undefined) return doubted(one(sure))
  for (const [pattern, read] of forms) {
    const found = read(pattern.exec(text)?.groups)
    if (found) return found
  }
  return undefined
}

const doubted = (found: Interval | undefined) => found && { ...found, approximate: true }

type Parts = Readonly<Record<string, string | undefined>>
type Form = readonly [RegExp, (parts: Parts | undefined) => Interval | undefined]

const era = '(?<era>bce?|b\\. ?c\\.(?: ?e\\.)?|ce|c\\. ?e\\.|ad|a\\. ?d\\.)'
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const named = `(?<name>${monthNames.join('|')})[a-z]*\\.?`
const nth = '(?:st|nd|rd|th)?'
const within = '(?:(?<within>early|mid|middle|late|first half(?: of)?|second half(?: of)?)[ -])?(?:the )?'
const bikram = '(?<bikram>b\\.? ?s\\.?|v\\.? ?s\\.?|वि\\.? ?सं\\.?|bikram sambat|vikram samvat)'
const nepal = '(?:n\\.? ?s\\.?|ने\\.? ?सं\\.?|nepal sambat)'
const sambatYear = '(?<year>\\d{1,4})(?:-\\d\\d?){0,2}'

const form = (source: string, read: (parts: Parts) => Interval | undefined): Form => [
  new RegExp(`^${source}$`),
  (parts) => parts && read(parts),
]

const forms: readonly Form[] = [
  // Stores that know only timestamps write a bare year as its first midnight, so that one claims no more than the year.
  form('(?<year>-?\\d{4})-01-01t00:00(?::00(?:\\.0+)?)?(?:z|[+-]00:?00)?', (p) => yearsOf(p)),
  form('(?<year>-?\\d{4,6})-(?<month>\\d\\d)-(?<day>\\d\\d)(?:t[\\d:.]+(?:z|[+-]\\d\\d:?\\d\\d)?)?', (p) => dayOf(p)),
  form('(?<year>-?\\d{4})-(?<month>\\d\\d)', (p) => monthOf(p)),
  form('(?<sign>-?)(?<digits>\\d{1,3})(?<open>x{1,3})', (p) => masked(p)),
  form('y?(?<year>-\\d{4,6})', (p) => yearsOf(p)),
  form('(?<year>\\d{3,4})', (p) => yearsOf(p)),
  form(`(?<year>\\d{1,4}) ?${era}`, (p) => yearsOf(p)),
  form(`${era} ?(?<year>\\d{1,4})`, (p) => yearsOf(p)),
  form(`(?<year>\\d{1,3}0)'?s(?: ?${era})?`, (p) => decade(p)),
  form(`${within}(?<number>\\d{1,2})${nth} ?(?:century|cent\\.)(?: ?${era})?`, (p) => century(p)),
  form(`(?<day>\\d{1,2})${nth} (?:of )?${named},? (?<year>\\d{3,4})(?: ?${era})?`, (p) => dayOf(p)),
  form(`${named} (?<day>\\d{1,2})${nth},? (?<year>\\d{3,4})(?: ?${era})?`, (p) => dayOf(p)),
  form(`${named},? (?<year>\\d{3,4})(?: ?${era})?`, (p) => monthOf(p)),
  form(`${bikram} ?${sambatYear}`, (p) => sambat(p, -57)),
  form(`${sambatYear} ?${bikram}`, (p) => sambat(p, -57)),
  form(`${nepal} ?${sambatYear}`, (p) => sambat(p, 879)),
  form(`${sambatYear} ?${nepal}`, (p) => sambat(p, 879)),
]

/** The year as astronomers count: 1 BCE is 0, 57 BCE is -56, which is how EDTF writes them too. */
function yearOf(parts: Parts): number {
  const year = Number(parts.year)
  return parts.era?.startsWith('b') ? 1 - year : year
}

function yearsOf(parts: Parts): Interval | undefined {
  return years(yearOf(parts), yearOf(parts))
}

function monthOf(parts: Parts): Interval | undefined {
  const [year, month] = [yearOf(parts), monthNumber(parts)]
  if (month < 1 || month > 12) return undefined
  return { from: dayNumber(year, month, 1), to: dayNumber(year, month + 1, 1) - 1, approximate: false }
}

function dayOf(parts: Parts): Interval | undefined {
  const whole = monthOf(parts)
  const day = Number(parts.day)
  const from = whole && whole.from + day - 1
  return whole && from !== undefined && day >= 1 && from <= whole.to
    ? { from, to: from, approximate: false }
    : undefined
}

function monthNumber(parts: Parts): number {
  return parts.month === undefined ? monthNames.indexOf(parts.name ?? '') + 1 : Number(parts.month)
}

function masked(parts: Parts): Interval | undefined {
  const [digits, open] = [parts.digits ?? '', parts.open ?? '']
  if (digits.length + open.length !== 4) return undefined
  const [low, high] = [Number(digits + open.replaceAll('x', '0')), Number(digits + open.replaceAll('x', '9'))]
  return parts.sign === '-' ? years(-high, -low) : years(low, high)
}

/** "1600s" is the century, "1690s" the decade. */
function decade(parts: Parts): Interval | undefined {
  const span = Number(parts.year) % 100 === 0 ? 99 : 9
  const first = Number(parts.year)
  return parts.era?.startsWith('b') ? years(1 - first - span, 1 - first) : years(first, first + span)
}

/** Which years of a hundred the words mean; they overlap because writers do not agree where "early" ends. */
const shares: Readonly<Record<string, readonly [number, number]>> = {
  ...{ early: [0, 39], mid: [30, 69], middle: [30, 69], late: [60, 99], first: [0, 49], second: [50, 99] },
}

function century(parts: Parts): Interval | undefined {
  const number = Number(parts.number)
  if (number < 1) return undefined
  const first = parts.era?.startsWith('b') ? 1 - number * 100 : number * 100 - 99
  const share = shares[parts.within?.split(' ')[0] ?? '']
  return share ? doubted(years(first + share[0], first + share[1])) : years(first, first + 99)
}

/** A year of these calendars lies in two of ours; the months are not converted, so both count whole. */
function sambat(parts: Parts, offset: number): Interval | undefined {
  const year = Number(parts.year)
  return years(year + offset, year + offset + 1)
}

function years(first: number, last: number): Interval | undefined {
  if (Math.abs(first) > 200_000 || Math.abs(last) > 200_000) return undefined
  return { from: dayNumber(first, 1, 1), to: dayNumber(last + 1, 1, 1) - 1, approximate: false }
}

/** `Date.UTC` alone would take the years 0 to 99 for 1900 to 1999. */
function dayNumber(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) / 86_400_000
}

const everBefore: Interval = { from: -Infinity, to: -Infinity, approximate: false }
const everAfter: Interval = { from: Infinity, to: Infinity, approximate: false }
const stillGoing = /^(?:present|now|today|ongoing|date)$/

function range(text: string): Interval | undefined {
  const half = /^(before|until|after|since|from) (.+)$/.exec(text)
  if (half?.[1] && half[2]) {
    const known = one(half[2])
    const opensLeft = half[1] === 'before' || half[1] === 'until'
    if (known) return opensLeft ? { ...known, from: -Infinity } : { ...known, to: Infinity }
  }
  for (const separator of separators) {
    const ends = separator.exec(text)
    const found = ends && between(ends[1] ?? '', ends[2] ?? '')
    if (found) return found
  }
  return undefined
}

const separators = [
  /^(.*?) ?\/ ?(.*)$/,
  /^between (.+) and (.+)$/,
  /^(?:from )?(.+) (?:to|until|till) (.+)$/,
  /^(.+?) ?- ?(.+)$/,
]

/** The first end borrows what only the second says ("7th-8th century CE"), the second the digits it leaves out ("1934-35"). */
function between(first: string, last: string): Interval | undefined {
  const borrowed = /^\d+(?:st|nd|rd|th)?( ?[a-z].*)$/.exec(last)?.[1]
  const short = /\d{4}$/.test(first) && /^\d\d$/.test(last) ? first.slice(-4, -2) + last : last
  const start = (borrowed && one(first + borrowed)) || end(first, everBefore)
  const stop = end(short, everAfter)
  if (!start || !stop || start.from > stop.to || (start === everBefore && stop === everAfter)) return undefined
  return { from: start.from, to: stop.to, approximate: start.approximate || stop.approximate }
}

function end(text: string, open: Interval): Interval | undefined {
  return text === '..' || text === '' || (open === everAfter && stillGoing.test(text)) ? open : one(text)
}
