import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { print, say } from '../tools/table.ts'
import { documents, questions } from './fill.ts'
import { hasRows, readRows } from './rows.ts'

/** The last version whose questions had no grammar. */
const WITHOUT_GRAMMAR = 'a1d81a93^'
/** Questions that are asked of one version before the other has its turn. */
const TURN = 10
/** Questions of each sort. */
const EACH = 200
/** How often each question is asked after its first time. */
const AGAIN = 3

const here = fileURLToPath(new URL('../../../', import.meta.url))
const shared = fileURLToPath(new URL('../../../../shared', import.meta.url))

/**
 * `npm run bench -- before`: the processor time of a question beside that of an earlier version, which `BEFORE=` names by its commit. Both run
 * in turns over the same rows and questions, each in a process of its own, so that other work on the machine slows both.
 */
export async function benchBefore(sizes: readonly number[]): Promise<void> {
  if (!hasRows) return say('Skipped: the shared rows are not here.')
  const commit = process.env.BEFORE ?? WITHOUT_GRAMMAR
  const folder = mkdtempSync(join(tmpdir(), 'heritage-before-'))
  const tree = join(folder, 'tree')
  const git = (...words: string[]) => execFileSync('git', words, { cwd: here, encoding: 'utf8' }).trim()
  git('worktree', 'add', '--quiet', '--detach', tree, commit)
  try {
    symlinkSync(join(here, 'node_modules'), join(tree, 'node_modules'))
    symlinkSync(shared, join(folder, 'shared'))
    say(`Before: ${git('log', '-1', '--format=%h of %as, "%s"', commit)}. A ratio above 1 means: slower now.`)
    for (const size of [readRows().length, Math.max(...sizes)]) await compareVersions(tree, size)
  } finally {
    git('worktree', 'remove', '--force', tree)
    rmSync(folder, { recursive: true })
  }
}

async function compareVersions(tree: string, size: number): Promise<void> {
  const [before, now] = [await startVersion(tree, size), await startVersion(here, size)]
  const rows: Record<string, string | number>[] = []
  const all: Times = { first: [], again: [] }
  const sorts = Object.entries(questionsOf(size))
  // Each sort is asked once in other words, so that both versions are compiled.
  for (const texts of sorts.map(([, each]) => each)) await inTurns(before, now, texts.splice(0, TURN * 4), 1)
  for (const [sort, texts] of sorts) {
    const times: Times = {
      first: await inTurns(before, now, texts, 1),
      again: await inTurns(before, now, texts, AGAIN),
    }
    all.first.push(...times.first)
    all.again.push(...times.again)
    rows.push(rowOf(sort, texts.length, times))
  }
  print(`Processor time of a question over ${size.toLocaleString('en')} documents: before and now`, [
    ...rows,
    rowOf('all', all.first.length, all),
  ])
  for (const process of [before, now]) process.disconnect()
}

/** The processor time of one question in both versions, in microseconds. */
type Pair = readonly [before: number, now: number]
type Times = { first: Pair[]; again: Pair[] }

/** Names with their spellings, as in the bench of search, and what visitors ask. */
function questionsOf(size: number): Record<string, string[]> {
  const names = [...documents(readRows(), size)].map(({ title }) => title)
  const files = ['visitor-questions.json', 'fresh-questions.json'].map((name) => join(shared, 'data', name))
  const visitors = files.filter(existsSync).flatMap((path): string[] => {
    const { questions: all } = JSON.parse(readFileSync(path, 'utf8'))
    return all.map(({ question }: { question: string }) => question)
  })
  return { ...questions(names, EACH), 'of visitors': visitors }
}

async function startVersion(root: string, size: number): Promise<ChildProcess> {
  const worker = fileURLToPath(new URL('before-worker.ts', import.meta.url))
  const child = fork(worker, [root, String(size)], { cwd: here })
  const [ready] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (!Array.isArray(ready)) throw new Error(`The version at ${root} does not start.`)
  return child
}

async function ask(child: ChildProcess, texts: readonly string[]): Promise<number[]> {
  const answer = once(child, 'message')
  child.send(texts)
  const [times] = await answer
  return times
}

/** Asks both versions the same questions in turns, each turn in the other order. Returns the least time of each question in both. */
async function inTurns(
  before: ChildProcess,
  now: ChildProcess,
  texts: readonly string[],
  rounds: number,
): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (let from = 0; from < texts.length; from += TURN) {
    const part = texts.slice(from, from + TURN)
    let least: Pair[] = part.map(() => [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
    for (let round = 0; round < rounds; round += 1) {
      const isOldFirst = (round + from / TURN) % 2 === 0
      const early = isOldFirst ? await ask(before, part) : undefined
      const late = await ask(now, part)
      const old = early ?? (await ask(before, part))
      least = least.map(([a, b], i): Pair => [Math.min(a, old[i] ?? a), Math.min(b, late[i] ?? b)])
    }
    pairs.push(...least)
  }
  return pairs
}

function rowOf(sort: string, asked: number, { first, again }: Times): Record<string, string | number> {
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const figures = (title: string, pairs: readonly Pair[]) => {
    const [before, now] = [pairs.map(([it]) => it), pairs.map(([, it]) => it)]
    return {
      [`${title}: before p50 ms`]: (median(before) / 1000).toFixed(2),
      [`${title}: now`]: (median(now) / 1000).toFixed(2),
      [`${title}: ratio of medians`]: (median(now) / median(before)).toFixed(2),
      [`${title}: ratio of sums`]: (sum(now) / sum(before)).toFixed(2),
    }
  }
  return { questions: sort, asked, ...figures('first', first), ...figures('again', again) }
}
