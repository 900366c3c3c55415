import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SortedLines } from '../../../lib/engines/sorted-lines/index.ts'
import { openApp } from '../../harness/app.ts'

let engine: typeof import('../../../lib/engines/sorted-lines/index.ts')
let folder: string
beforeAll(async () => {
  await openApp()
  engine = await import('../../../lib/engines/sorted-lines/index.ts')
  folder = await mkdtemp(join(tmpdir(), 'sorted-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Lines in no order, with repeated ones and letters of every length. */
const lines = Array.from({ length: 3000 }, (_, at) => {
  const number = (at * 7919) % 1500
  return `${['temple', 'मन्दिर', '🛕', 'temple of'][number % 4]}\t${number}\t${'x'.repeat(number % 40)}\t`
})
const expected = [...new Set(lines)].sort()

async function sortedBy(run: number, width: number): Promise<string[]> {
  const sorter = engine.startSort(folder, `s${run}-${width}`, run, width)
  for (let at = 0; at < lines.length; at += 70) await sorter.add(lines.slice(at, at + 70))
  return (await Array.fromAsync(sorter.sorted())).flat()
}

describe('lines are sorted, each once', () => {
  test.each([
    ['in memory', 1 << 20, 24],
    ['in some runs', 20_000, 24],
    ['in many runs, which are merged several times', 2000, 3],
  ])('%s', async (_, run, width) => {
    expect(await sortedBy(run, width)).toEqual(expected)
    expect(await readdir(folder)).toEqual([])
  })

  test('also if there are none', async () => {
    expect(await Array.fromAsync(engine.startSort(folder, 'none').sorted())).toEqual([])
  })
})

describe('lines in the bucket', () => {
  let stored: SortedLines
  beforeAll(async () => {
    async function* chunks() {
      for (let at = 0; at < expected.length; at += 100) yield expected.slice(at, at + 100)
    }
    stored = await engine.storeSorted('sorted/lines', chunks(), { block: 500, blocks: 5 })
  })

  test('are all there, and counted', async () => {
    expect([stored.lines, stored.top.length > 5]).toEqual([expected.length, true])
    expect(await engine.readLines(stored, 0, stored.lines)).toEqual(expected)
    expect(await engine.readLines(stored, 7, 9)).toEqual(expected.slice(7, 9))
    expect(await engine.readLines(stored, stored.lines - 1, stored.lines + 5)).toEqual(expected.slice(-1))
  })

  test('are found by their beginning', async () => {
    const beginnings = [
      '',
      'temple\t',
      'temple of\t',
      'मन्दिर\t',
      '🛕\t',
      'a',
      'zzz',
      '\u{10FFFF}',
      'temple\t100\t',
      expected[0] ?? '',
    ]
    for (const beginning of [...beginnings, ...expected.filter((_, at) => at % 97 === 0)]) {
      const { from, to } = await engine.findPrefix(stored, beginning)
      expect(await engine.readLines(stored, from, to), beginning).toEqual(
        expected.filter((line) => line.startsWith(beginning)),
      )
    }
  })

  test('that are none are found by no beginning', async () => {
    async function* nothing() {}
    const none = await engine.storeSorted('sorted/none', nothing())
    expect([none.lines, none.top, await engine.findPrefix(none, 'a')]).toEqual([0, [], { from: 0, to: 0 }])
    expect(await engine.readLines(none, 0, 100)).toEqual([])
  })
})
