import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { mapAtOnce, splitIntoParts } from '../../../lib/base/concurrency.ts'
import { retry } from '../../../lib/base/retry.ts'

test('a list splits into parts in order, and the last part has the rest', () => {
  expect(splitIntoParts([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(splitIntoParts([], 2)).toEqual([])
})

test('at most so many run at a time, and results keep the order of the items', async () => {
  let [running, most] = [0, 0]
  const results = await mapAtOnce([5, 1, 3, 2, 4], 2, async (item) => {
    running += 1
    most = Math.max(most, running)
    await sleep(item)
    running -= 1
    return item * 10
  })
  expect(results).toEqual([50, 10, 30, 20, 40])
  expect(most).toBe(2)
})

test('after a failure nothing starts, and the failure is thrown once the others have ended', async () => {
  const [started, ended]: [number[], number[]] = [[], []]
  const run = mapAtOnce([1, 2, 3, 4], 2, async (item) => {
    started.push(item)
    if (item === 1) throw new Error('the first')
    await sleep(5)
    ended.push(item)
  })
  await expect(run).rejects.toThrow('the first')
  expect([started, ended]).toEqual([[1, 2], [2]])
})

test('work is tried again only after an error that may pass, and so many times', async () => {
  const backoff = { first: 1, most: 2 }
  const failTimes = (times: number, message: string) => {
    let calls = 0
    return async () => {
      calls += 1
      if (calls <= times) throw new Error(message)
      return calls
    }
  }
  const when = (error: unknown) => error instanceof Error && error.message === 'busy'
  expect(await retry(failTimes(2, 'busy'), { attempts: 3, when, ...backoff })).toBe(3)
  await expect(retry(failTimes(3, 'busy'), { attempts: 3, when, ...backoff })).rejects.toThrow('busy')
  await expect(retry(failTimes(1, 'broken'), { attempts: 3, when, ...backoff })).rejects.toThrow('broken')
})
