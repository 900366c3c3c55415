import type { Answer } from '../harness/app.ts'
import { print } from './tools/table.ts'

const ROUNDS = 200

/**
 * What questions to search cost over so many records: calls and capacity units, each with the question whether anything has
 * changed, and the time from event to answer in one process.
 */
export async function benchAnswers(sizes: readonly number[]): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const { anon, staff } = await openApp({ env: { LOG_LEVEL: 'info' } })
  const { fill } = await import('./tools/fill.ts')
  const size = Math.max(...sizes)
  await fill(1, size + 1)
  // Without a snapshot it is built from the table, which is no part of what is measured here.
  const { openSearchModel } = await import('../../lib/engines/search/index.ts')
  await openSearchModel()

  const villages = ['panga', 'chovar', 'bungamati', 'khokana', 'sankhu', 'thimi', 'kirtipur', 'pharping']
  const village = (i: number) => villages[i % villages.length]
  const messages = (i: number) => [{ role: 'user', content: `Where is shrine ${(i % size) + 1} of ${village(i)}?` }]
  const questions: Readonly<Record<string, (i: number) => Promise<Answer>>> = {
    'search of the public, not kept': (i) => anon.get(`/data/search/?q=shrine+${(i % size) + 1}&facets=true`),
    'the same, kept': () => anon.get('/data/search/?q=shrine+1&facets=true'),
    'search signed in, all that there is': () => staff.get('/data/search/?q=shrine&facets=true'),
    'suggestions, not kept': (i) => anon.get(`/data/search/suggest/?q=shrine+${(i % size) + 1}`),
    'the first search, 50 rows': (i) => anon.get(`/cidoc/search/?q=of+${village(i)}`),
    discovery: (i) => anon.get(`/cidoc/discovery/?q=${village(i)}`),
    'list that is searched, 20 rows': (i) => anon.get(`/cidoc/structures/?search=${village(i)}`),
    'the same, the last page': (i) => anon.get(`/cidoc/structures/?search=shrine&offset=${size - 20 - (i % 10)}`),
    'list by name, 20 rows': (i) => anon.get(`/cidoc/structures/?ordering=name&offset=${i * 20}`),
    'assistant, quoting': (i) => anon.post('/assistant/chat/', { body: { messages: messages(i) } }),
  }
  const rows = []
  for (const [question, ask] of Object.entries(questions)) rows.push({ question, ...(await measure(ask)) })
  print(`Questions to search over ${size} records`, rows)
}

async function measure(ask: (i: number) => Promise<Answer>) {
  const times: number[] = []
  let [calls, units] = [0, 0]
  for (let i = 0; i < ROUNDS; i += 1) {
    const began = performance.now()
    const { status, cost, text } = await ask(i)
    times.push(performance.now() - began)
    if (status !== 200) throw new Error(`${status} ${text}`)
    calls = Math.max(calls, cost.calls)
    units = Math.max(units, cost.units)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  return { 'calls / units at most': `${calls} / ${units}`, 'p50 ms': at(0.5), 'p99 ms': at(0.99) }
}
