import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { type Kept, keepRunning, NEW_ROUTES } from '../../local/service/keep-running.ts'

/** A process that does as its code says. */
const node = (code: string, ...flags: string[]) => spawn(process.execPath, [...flags, '-e', code], { stdio: 'ignore' })

let kept: Kept | undefined
afterEach(() => kept?.stop())

/** Keeps a process running with short pauses; collects what is said, and when each one began. */
function keep(begin: () => ChildProcess, more: { healthyMs?: number } = {}) {
  const sentences: string[] = []
  const starts = [performance.now()]
  kept = keepRunning(begin(), {
    ...{ what: 'The test', heapMb: 64, shortestMs: 100, longestMs: 400, ...more },
    begin: () => {
      starts.push(performance.now())
      return begin()
    },
    say: (sentence) => sentences.push(sentence),
  })
  return { kept, sentences, starts }
}

test('a process that ends at once is started again, after pauses that grow to the longest', async () => {
  const { sentences } = keep(() => node('process.exit(3)'))
  await vi.waitFor(() => expect(sentences.length).toBeGreaterThanOrEqual(5), { timeout: 20_000 })
  expect(sentences.slice(0, 5)).toEqual(
    [0.1, 0.2, 0.4, 0.4, 0.4].map((pause) => `The test ended with exit code 3. It starts again in ${pause} s.`),
  )
})

test('no restart comes before its pause is over', async () => {
  const { sentences, starts } = keep(() => node('process.exit(3)'))
  await vi.waitFor(() => expect(starts.length).toBeGreaterThanOrEqual(4), { timeout: 20_000 })
  const gaps = starts.slice(1).map((start, i) => start - (starts[i] ?? 0))
  expect(gaps[2]).toBeGreaterThan(400)
  expect(sentences).not.toEqual([])
})

test('the pauses begin anew after a process that was healthy', async () => {
  const { sentences } = keep(() => node('setTimeout(() => process.exit(1), 100)'), { healthyMs: 50 })
  await vi.waitFor(() => expect(sentences.length).toBeGreaterThanOrEqual(3), { timeout: 20_000 })
  expect(new Set(sentences)).toEqual(new Set(['The test ended with exit code 1. It starts again in 0.1 s.']))
})

test('a full heap is called one', async () => {
  const full = () => node('const all = []; for (;;) all.push(new Array(1e5).fill({}))', '--max-old-space-size=20')
  const { sentences } = keep(full)
  await vi.waitFor(() => expect(sentences).not.toEqual([]), { timeout: 20_000 })
  expect(sentences[0]).toBe('The test ran out of memory (it may take 64 MB). It starts again in 0.1 s.')
})

test('a process that asks for it is started again at once', async () => {
  const { sentences } = keep(() => node(`setTimeout(() => process.exit(${NEW_ROUTES}), 50)`))
  await vi.waitFor(() => expect(sentences.length).toBeGreaterThanOrEqual(3), { timeout: 20_000 })
  expect(new Set(sentences)).toEqual(new Set(['The test starts again with the new routes.']))
})

test('whoever asks between two processes waits for the next', async () => {
  const { kept, starts } = keep(() => node('setTimeout(() => undefined, 1e6)'))
  const first = await kept.current()
  first.kill('SIGKILL')
  await once(first, 'exit')
  const second = await kept.current()
  expect([second.pid !== first.pid, second.exitCode, starts.length]).toEqual([true, null, 2])
})

test('after the stop nothing starts', async () => {
  const { kept, sentences, starts } = keep(() => node('setTimeout(() => undefined, 1e6)'))
  const child = await kept.current()
  await kept.stop()
  await sleep(300)
  expect([child.signalCode, sentences, starts.length]).toEqual(['SIGTERM', [], 1])
})
