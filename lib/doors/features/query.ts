import * as v from 'valibot'
import { invalid } from '../../base/errors.ts'
import { whereEntries } from '../../engines/search/index.ts'
import { documentAs } from '../../platform/http/schema-notes.ts'

const NO_INTERVAL =
  'Give a moment, or two in order with a slash between them. Two dots are an open end, as in ../1700-12-31.'

/** Leaves the heights out of a box of six numbers, since places here have none. */
const flatBox = (text: string): string => {
  const numbers = text.split(',')
  const areNumbers = numbers.every((it) => it.trim() !== '' && Number.isFinite(Number(it)))
  return numbers.length === 6 && areNumbers ? [0, 1, 3, 4].map((at) => numbers[at]).join(',') : text
}

/** A moment of RFC 3339, or its date alone. */
const MOMENT = /^(\d{4})-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?$/i

type Years = { from: number; to: number }
type Interval = { from: Years | undefined; to: Years | undefined }

/** Reads the `datetime` of the standard as years: a moment, `a/b`, `../b`, `a/..`. Undefined if it is none of these. */
function readInterval(text: string): Interval | undefined {
  const ends = text.split('/')
  const [from, to = from] = ends.map((end) => (end === '' || end === '..' ? null : yearOf(end)))
  const isOpen = from === null && to === null
  if (ends.length > 2 || isOpen || from === undefined || to === undefined) return undefined
  if (from && to && from.from > to.from) return undefined
  return { from: from ?? undefined, to: to ?? undefined }
}

function yearOf(moment: string): Years | undefined {
  const year = MOMENT.test(moment) && !Number.isNaN(Date.parse(moment)) ? Number(moment.slice(0, 4)) : undefined
  return year === undefined ? undefined : { from: year, to: year }
}

export const FeatureQuery = v.object({
  bbox: v.pipe(
    v.optional(v.string(), ''),
    v.transform((text): string | undefined => flatBox(text)),
    whereEntries.bbox,
    documentAs({ type: 'string', example: '85.2,27.6,85.5,27.8' }),
  ),
  datetime: v.pipe(
    v.optional(v.string()),
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }): Interval | undefined => {
      const read = value === undefined ? undefined : readInterval(value)
      if (value === undefined || read !== undefined) return read
      addIssue({ message: NO_INTERVAL })
      return NEVER
    }),
    documentAs({ type: 'string', example: '1650-01-01T00:00:00Z/..' }),
  ),
})

/** What the parameters of a page must be. */
const pageForms: Readonly<Record<string, { form: RegExp; wanted: string }>> = {
  limit: { form: /^0*[1-9]\d*$/, wanted: 'A whole number from 1 is wanted.' },
  offset: { form: /^\d+$/, wanted: 'A whole number from 0 is wanted.' },
}

/** The names of the parameters that name a page. A hint may be any text: it only makes a page cheaper, and an altered hint is ignored. */
export const pageParameters = [...Object.keys(pageForms), 'hint']

/** Fails with `invalid` if a parameter is not `known`, or if `limit` or `offset` is malformed. The standard requires both. */
export function checkSent(sent: Readonly<Record<string, string>>, known: readonly string[]): void {
  const faults = Object.entries(sent).flatMap(([name, text]): [string, string[]][] => {
    if (!known.includes(name)) return [[name, ['There is no such parameter.']]]
    const page = pageForms[name]
    return !page || page.form.test(text) ? [] : [[name, [page.wanted]]]
  })
  if (faults.length > 0) throw invalid(Object.fromEntries(faults))
}

/** Turns a query into a filter of lists of records. */
export const filterOf = ({ bbox, datetime }: v.InferOutput<typeof FeatureQuery>) => ({ bbox, ...datetime })
