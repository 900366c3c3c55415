import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import { learnNames, rowOf } from '../../lib/domain/records/rows.ts'
import { keysToShow } from '../../lib/domain/records/shown.ts'
import { fold } from '../../lib/engines/matching/index.ts'
import { readName } from '../../lib/engines/matching/reading.ts'
import { answerCache } from '../../lib/engines/search/answer-cache.ts'
import { toWord } from '../../lib/engines/search/index/words.ts'
import { tokenMemory } from '../../lib/platform/auth/memory.ts'
import { memoryStore } from '../../lib/platform/cache/memory.ts'
import { HEAP_MB } from '../../local/service/functions.ts'

/** No process dies of its caches: at their fullest they leave most of its memory to its work. */

const MB = 1024 * 1024

/** The most megabytes that the caches of a file hold in one process. */
const bounds: Readonly<Record<string, number>> = {
  // A few files of the package, packed.
  'lib/base/telemetry/shipped-files.ts': 4,
  // Descriptions of two indexes.
  'lib/doors/fragments/stored.ts': 1,
  // 4 MB of JSON, which takes some twelve times as much as values.
  'lib/domain/imports/stored-columns.ts': 48,
  // Rows 4.5 MB, names 1.5 MB, and their entries.
  'lib/domain/records/rows.ts': 8,
  'lib/engines/calendars/bikram-sambat.ts': 1,
  'lib/engines/calendars/nepal-sambat.ts': 1,
  'lib/engines/matching/fold.ts': 8,
  'lib/engines/matching/reading.ts': 8,
  'lib/engines/search/answer-cache.ts': 16,
  // The cache itself. Its callers state what they hold.
  'lib/engines/search/index/memoize.ts': 0,
  // Postings 20 MB, documents 8 MB, then grams, words and names, each of terms and of words.
  'lib/engines/search/index/snapshot-file.ts': 70,
  'lib/engines/search/index/words.ts': 40,
  // Five hundred references to concepts of the vocabulary.
  'lib/engines/search/model/learned.ts': 0,
  'lib/engines/search/model/lookup.ts': 30,
  'lib/engines/search/model/question.ts': 4,
  'lib/engines/search/model/snippet.ts': 8,
  // Blocks of lines.
  'lib/engines/sorted-lines/read.ts': 8,
  'lib/engines/table/pages.ts': 2,
  'lib/platform/auth/memory.ts': 12,
  'lib/platform/cache/memory.ts': 16,
  'lib/platform/cache/remembered.ts': 16,
  'lib/platform/cache/table.ts': 1,
}
/** The most of a process's memory that its caches may hold. The rest is for Node, the code, and the work in hand. */
const MOST_PART = 1 / 3

describe('the caches of a process', () => {
  test('are all bounded by a size, and stated here', async () => {
    const files = (await readdir('lib', { recursive: true })).filter((name) => name.endsWith('.ts'))
    const withCaches: string[] = []
    for (const name of files) {
      const code = await readFile(join('lib', name), 'utf8')
      if (/(?<!function )\b(?:lru|memoize)(?:<[^(]*>)?\(|\bconst wordCache = new Map/.test(code))
        withCaches.push(`lib/${name}`)
    }
    expect(withCaches.sort()).toEqual(Object.keys(bounds).sort())
  })

  test('leave two thirds of its heap to a process of `npm run serve`, where all functions share them', () => {
    const all = Object.values(bounds).reduce((sum, most) => sum + most, 0)
    expect(all).toBeLessThan(HEAP_MB * MOST_PART)
  })

  test('leave two thirds of its memory to the work of each function', async () => {
    const memory = await memoryByFunction()
    const { metafile } = await build({
      entryPoints: functionNames().map((name) => `functions/${name}.ts`),
      outdir: 'memory',
      write: false,
      metafile: true,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'silent',
    })
    const table = Object.values(metafile.outputs).flatMap(({ entryPoint = '', inputs }) => {
      const name = /^functions\/(.*)\.ts$/.exec(entryPoint)?.[1]
      if (name === undefined) return []
      const caches = Object.keys(inputs).reduce((sum, file) => sum + (bounds[file] ?? 0), 0)
      return [{ name, caches, memory: memory.get(name) ?? 0 }]
    })
    expect(table.map(({ name }) => name).sort()).toEqual(functionNames().sort())
    expect(table.filter((row) => row.caches > row.memory * MOST_PART)).toEqual([])
    const groups = Map.groupBy(table, ({ caches, memory }) => `${caches} | ${memory} |`)
    const rows = [...groups].map(
      ([figures, them]) =>
        `| ${them
          .map(({ name }) => `\`${name}\``)
          .sort()
          .join(', ')} | ${figures}`,
    )
    const page = await readFile('deploy/OPERATING.md', 'utf8')
    const written = page.split('\n').filter((line) => /^\| `[^|]*` \| \d+ \| \d+ \|$/.test(line))
    expect(written.sort(), 'the table under "Memory" in deploy/OPERATING.md').toEqual(rows.sort())
  })
})

/** The megabytes of each function, as serverless.yml gives them. */
async function memoryByFunction(): Promise<Map<string, number>> {
  const text = await readFile('serverless.yml', 'utf8')
  const [, common] = /^ {2}memorySize: (\d+)$/m.exec(text) ?? []
  const entries = text.split(/^ {2}(?=[\w-]+:$)/m)
  return new Map(
    entries.flatMap((entry) => {
      const [, name] = /handler: functions\/([\w-]+)\.handler/.exec(entry) ?? []
      const [, own] = /^ {4}memorySize: (\d+)$/m.exec(entry) ?? []
      return name === undefined ? [] : [[name, Number(own ?? common)] as const]
    }),
  )
}

describe('a cache that is filled twice over with its largest values holds no more than it states', () => {
  let collect: () => void
  beforeAll(() => {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc')
    // What is made once, such as the shapes of rows, is no cache.
    times(500, learnRow)
  })
  const heldBy = async (fill: () => unknown): Promise<number> => {
    collect()
    const before = process.memoryUsage().heapUsed
    const kept = await fill()
    collect()
    const held = (process.memoryUsage().heapUsed - before) / MB
    expect(kept).toBeDefined()
    return held
  }
  /** A text of its own for each number, of this many letters. */
  const textOf = (number: number, length: number) => {
    const words = `${number.toString(36)}ka `
    return words.repeat(Math.ceil(length / words.length)).slice(0, length)
  }

  test.each<[string, () => unknown]>([
    ['lib/engines/matching/fold.ts', () => times(20_000, (i) => fold(textOf(i, 100)))],
    ['lib/engines/matching/reading.ts', () => times(4000, (i) => readName(textOf(i, 200)))],
    ['lib/engines/search/index/words.ts', () => times(49_000, (i) => toWord(textOf(i, 40).replaceAll(' ', 'a')))],
    [
      'lib/platform/cache/memory.ts',
      async () => {
        const store = memoryStore()
        for (let i = 0; i < 320; i += 1) await store.keep(`answer ${i}`, Buffer.alloc(100_000, `${i} `).toString(), 60)
        await store.keep('one that fills it alone', Buffer.alloc(20_000_000, 'x').toString(), 60)
        return store
      },
    ],
    ['lib/domain/records/rows.ts', () => times(6000, learnRow)],
    [
      'lib/platform/auth/memory.ts',
      () => {
        const tokens = tokenMemory<object>(10_000)
        for (let i = 0; i < 20_000; i += 1) tokens.set(`token ${i}`, { id: crypto.randomUUID(), at: i }, 2e9)
        return tokens
      },
    ],
    [
      'lib/engines/search/answer-cache.ts',
      async () => {
        const answer = answerCache<object>(60)
        // A page of 100 ids, with counts of its facets.
        for (let i = 0; i < 1000; i += 1)
          await answer('state', `${i}`, async () => ({
            ids: Array.from({ length: 100 }, () => crypto.randomUUID()),
            counts: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${i} ${n}`, n])),
          }))
        return answer
      },
    ],
  ])('%s', async (file, fill) => {
    expect(await heldBy(fill)).toBeLessThan(bounds[file] ?? 0)
  })

  const blankRow = {
    ...{ kind: 'structure', id: 1, name: 'Well', category: 'tangible', status: 'accepted', public: true },
    ...{
      contributor: 'dev',
      current_revision: 1,
      current_revision_id: 'r',
      created_at: 't',
      updated_at: 't',
      version: 1,
    },
  }
  const learnRow = (i: number) => {
    const contributor_id = crypto.randomUUID()
    const row = rowOf({ ...blankRow, entity_id: crypto.randomUUID(), contributor_id, data: { note: textOf(i, 2000) } })
    const person = { pk: `USER#${contributor_id}`, sk: 'HEAD', id: contributor_id, username: textOf(i, 100) }
    learnNames(keysToShow([row]), new Map([[`${person.pk} ${person.sk}`, person]]), {}, Date.now())
  }
  const times = (many: number, work: (index: number) => unknown) => {
    for (let i = 0; i < many; i += 1) work(i)
    return many
  }
})
