import { expect, test } from 'vitest'
import { preferredLanguage } from '../../../lib/base/language/accept-language.ts'
import { readDateOrFault } from '../../../lib/engines/calendars/index.ts'
import { didYouMean, fold } from '../../../lib/engines/matching/index.ts'
import { readName } from '../../../lib/engines/matching/reading.ts'
import { preferredType } from '../../../lib/platform/http/accept.ts'
import { takesGzip } from '../../../lib/platform/http/shell.ts'
import { unreadMembers } from '../../../lib/platform/http/unread.ts'
import { isStrict } from '../../../lib/platform/http/warnings.ts'

/** Anybody sends headers, names and dates. A long one costs in proportion to its length, and no more. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'Accept-Encoding': (text) => takesGzip({ headers: { 'accept-encoding': text } }),
  'Accept-Language': preferredLanguage,
  Accept: (text) => preferredType(text, ['application/json', 'text/csv']),
  Prefer: (text) => isStrict({ headers: { prefer: text } }),
  'a date': (text) => readDateOrFault(text, 'ad'),
  'a name': (text) => readName(text),
  'a folded name': fold,
  'a name that is not read': (text) => didYouMean(text, ['name', 'status']),
}

/** What a pattern would walk through again and again: runs of one character after a beginning that fits. */
const runs: readonly (readonly [string, string, string])[] = [
  ['gzip', ' ', ';q=0.x'],
  ['gzip', ' ', 'x'],
  ['gzip;q=0', '0', 'x'],
  ['', 'gzip ', ''],
  ['', ',', 'x'],
  ['', ', ', 'x'],
  ['', ';', 'x'],
  ['a/b;', ' ', 'x'],
  ['', '(', 'x'],
  ['', '((', ')'],
  ['', ' ', 'x'],
  ['1', ' ', 'x'],
  ['', '1', 'x'],
  ['', '1-', 'x'],
  ['', 'a', '1'],
  ['', 'अ', 'x'],
  ['', 'ka', '१'],
  ['', 'क', 'x'],
  ['', 'कि', 'x'],
  ['', 'from 1 ', 'x'],
  ['', ' to ', 'x'],
  ['', '/', 'x'],
  ['handling', ' ', 'x'],
  ['', 'handling=', '"'],
]

/** Microseconds of processor time, the least of three. */
function cost(work: (attempt: number) => unknown): number {
  const times = [0, 1, 2].map((attempt) => {
    const before = process.cpuUsage()
    work(attempt)
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...times)
}

const SHORT = 4000
const TIMES = 8
test.each(Object.entries(readers))('%s of a long run costs in proportion to its length', (_, read) => {
  read('x')
  const slow = runs.flatMap(([before, run, after]) => {
    const text = (length: number, salt: string) => before + run.repeat(Math.floor(length / run.length)) + after + salt
    // Each text is another one, so no cache answers.
    const costOf = (length: number) => cost((attempt) => read(text(length, String(attempt))))
    const [short, long] = [costOf(SHORT), costOf(SHORT * TIMES)]
    // A quadratic pattern costs 64 times as much. What takes less than two milliseconds is not measured well, and does no harm.
    return long > 2000 && long > short * TIMES * 3 ? [{ before, run, after, short, long }] : []
  })
  expect(slow).toEqual([])
})

test('a body of many members that nothing reads costs a walk through them, not a warning for each', () => {
  const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`nmae${i}`, i]))
  const find = () => unreadMembers({ name: null, status: null }, body)
  expect(find()).toHaveLength(50)
  // A warning for each costs twenty times as much as the walk.
  expect(cost(find)).toBeLessThan(4 * cost(() => Object.entries(body)))
})
