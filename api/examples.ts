import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { isJson } from './json.ts'

/**
 * Recorded examples by operationId: the body of a request, the JSON of each status, and the other media types of a 200.
 */
export type Examples = Record<
  string,
  { request?: unknown; answers: Record<string, unknown>; others?: Record<string, unknown> }
>

/** The file of examples. It is compressed, so that recorded examples do not fill the diff of a change. */
const EXAMPLES = new URL('examples.json.br', import.meta.url)
export const examples: Examples = JSON.parse(brotliDecompressSync(readFileSync(EXAMPLES)).toString())

/** Stores examples in the file and in this process, for every document that is built afterwards. */
export function keepExamples(next: Examples): void {
  writeFileSync(EXAMPLES, brotliCompressSync(JSON.stringify(next)))
  Object.assign(examples, next)
}

type Exchange = { id: string; status: number; type: string; sent?: unknown; body: unknown }

/**
 * Chooses examples from the exchanges of a test run, one line of JSON each. For each operation and status it takes the one with the most
 * members that is still short enough to read. Present examples stay, unless `again` is set.
 */
export function gatherExamples(lines: string, known: Examples, again = false): Examples {
  const made: Examples = structuredClone(known)
  const exchanges = lines
    .split('\n')
    .filter(Boolean)
    .map((line): Exchange => JSON.parse(line))
    // A name that is a path belongs to an operation without a row.
    .filter(({ id }) => !id.includes(' '))
  const best = new Map<string, Exchange>()
  for (const one of exchanges.map(trimExchange)) {
    const at = `${one.id} ${one.status} ${one.type}`
    if (worth(one) > worth(best.get(at))) best.set(at, one)
  }
  for (const { id, status, type, sent, body } of best.values()) {
    const own = made[id] ?? { answers: {} }
    made[id] = own
    if (type === 'application/json') own.answers[status] = again ? body : (own.answers[status] ?? body)
    else if (status === 200) own.others = again ? { ...own.others, [type]: body } : { [type]: body, ...own.others }
    if (isJson(sent)) own.request ??= sent
  }
  return Object.fromEntries(Object.entries(made).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The most characters of an example. */
const LONG = 2500
const LONGEST = 12_000

function worth(it: Exchange | undefined): number {
  if (!it) return -LONGEST
  const size = JSON.stringify([it.sent, it.body]).length
  return size <= LONG ? size : -size
}

const trimExchange = ({ sent, body, ...rest }: Exchange): Exchange => ({
  ...rest,
  sent: shortenValue(sent),
  body: shortenValue(body),
})

/** Shortens a value: the first item of each list except coordinates, cut texts, and no tokens or sealed texts, which expire. */
function shortenValue(value: unknown): unknown {
  if (Array.isArray(value)) return isPosition(value) ? value : value.slice(0, 1).map(shortenValue)
  if (typeof value === 'string') return secretless(value)
  if (!isJson(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === 'password' ? 'a long passphrase' : shortenValue(each)]),
  )
}

const isPosition = (list: readonly unknown[]) => list.length === 2 && list.every((it) => typeof it === 'number')

const secretless = (text: string) =>
  /^eyJ[\w-]+\./.test(text) ? 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln' : text.replace(/&hint=[\w-]+/, '').slice(0, 300)
