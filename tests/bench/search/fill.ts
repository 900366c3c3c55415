import { recordId } from '../../../lib/base/ids/address.ts'
import { shortSummary } from '../../../lib/domain/records/search-document.ts'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { memoize } from '../../../lib/engines/search/index/memoize.ts'
import { documentOf, type Row } from './rows.ts'

/** Numbers between 0 and 1 that are the same in every run. */
export function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** So many documents: the real ones first, then others whose names and texts are put together from pieces of real ones. */
export function* documents(rows: readonly Row[], size: number): Generator<SearchDocument> {
  const roll = dice(7)
  const any = () => rows[Math.floor(roll() * rows.length)] ?? documentless
  const places = rows.filter(({ kind }) => kind === 'location').map(({ name }) => name)
  for (let number = 1; number <= size; number += 1) {
    const row = rows[number - 1]
    if (row) {
      yield documentOf(row, number, dated(number))
      continue
    }
    const [first, second, third] = [any(), any(), any()]
    const place = places[Math.floor(roll() * places.length)] ?? ''
    const [head, tail] = [first.name.split(/\s+/), second.name.split(/\s+/)]
    const name = [...head.slice(0, 1 + Math.floor(roll() * 2)), ...tail.slice(-1 - Math.floor(roll() * 2))].join(' ')
    const description = `${text(second)} ${text(third)}`
    const title = roll() < 0.4 ? `${name}, ${place}` : name
    const name_ne = roll() < 0.3 && typeof third.name_ne === 'string' ? third.name_ne : undefined
    const other = roll() < 0.2 ? third.name : undefined
    const rest = bare(first)
    yield {
      ...rest,
      ...{ id: recordId(8, number), object_pk: `made:${number}`, title, summary: shortSummary(description) },
      names: [name_ne, other].filter((it) => it !== undefined),
      text: `${description}\n${rest.text}`,
      ...(name_ne && { name_ne }),
      ...dated(number),
    }
  }
}

/** The document of a row but for its names and its description, made once for each: what is put together differs in these alone. */
const bare = memoize(
  (row: Row) => documentOf({ ...row, name_ne: undefined, alternate_names: undefined, description: undefined }, 0),
  10_000,
)
const documentless: Row = { id: '', kind: 'structure', name: '' }
const text = (row: Row) => (typeof row.description === 'string' ? row.description : '')
const dated = (number: number) => {
  const at = new Date(Date.parse('2025-01-15T10:00:00Z') - ((number * 7919) % 1000) * 86_400_000).toISOString()
  return { created_at: at, updated_at: at }
}

export const sorts = ['exact', 'two words', 'one typo', 'prefix', 'long question'] as const
export type QuerySort = (typeof sorts)[number]

/** Questions of each sort, made from names that are there. */
export function questions(names: readonly string[], each: number): Record<QuerySort, string[]> {
  const roll = dice(11)
  const name = () => names[Math.floor(roll() * names.length)] ?? ''
  const long = () => {
    for (;;) {
      const words = name().split(/\s+/)
      if (words.length >= 2) return words
    }
  }
  const times = (make: () => string) => Array.from({ length: each }, make)
  return {
    exact: times(name),
    'two words': times(() => {
      const words = long()
      const at = Math.floor(roll() * (words.length - 1))
      return words.slice(at, at + 2).join(' ')
    }),
    'one typo': times(() => misspelt(name(), roll)),
    'long question': times(() =>
      ['where', 'is', 'the', ...long(), 'and', ...long(), 'built', 'by', ...long()].join(' '),
    ),
    prefix: times(() => {
      const given = name()
      return given.slice(0, Math.min(given.length, 3 + Math.floor(roll() * 5)))
    }),
  }
}

/** A text with one letter of a longer word left out, doubled, replaced or swapped with the next. */
function misspelt(name: string, roll: () => number): string {
  const letters = [...name]
  const at = 1 + Math.floor(roll() * Math.max(1, letters.length - 2))
  const [a = '', b = ''] = letters.slice(at, at + 2)
  const slips = [[b], [a, a, b], ['x', b], [b, a]]
  letters.splice(at, 2, ...(slips[Math.floor(roll() * 4)] ?? []))
  return letters.join('')
}

/** How long each question takes and what processor time, in milliseconds: the middle, and what 99 of 100 stay below. The first few are asked beforehand. */
export async function timed(
  queries: readonly string[],
  ask: (query: string) => unknown,
  beforehand: number,
  cpu: () => number = ownCpu,
) {
  for (const query of queries.slice(0, beforehand)) await ask(query)
  const times: number[] = []
  const spent: number[] = []
  for (const query of queries) {
    const [before, began] = [cpu(), performance.now()]
    await ask(query)
    times.push(performance.now() - began)
    spent.push(cpu() - before)
  }
  return { wall: spreadOf(times), cpu: spreadOf(spent) }
}

function spreadOf(all: readonly number[]) {
  const sorted = all.toSorted((a, b) => a - b)
  return { p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
}

/** Processor time of this process, in milliseconds. */
const ownCpu = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
