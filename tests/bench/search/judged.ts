import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { recordId } from '../../../lib/base/ids/address.ts'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { documentOf } from '../../harness/search-documents.ts'
import { print, say } from '../tools/table.ts'
import { documents } from './fill.ts'
import { openFts5Stemmed } from './fts5.ts'
import { type Judged, mean, ndcg } from './ndcg.ts'
import { opened } from './opened.ts'
import { regionQuestions, regionRows } from './region/rows.ts'
import type { Finder } from './relevance.ts'
import { documentOf as documentOfRow, hasRows, readRows } from './rows.ts'

/** Questions of visitors, and later ones that ask in ways which the engine was not made for at first. */
const questionFiles = {
  'Questions of visitors': 'visitor-questions.json',
  'Fresh questions: negation, nearness, order, dates, identifiers': 'fresh-questions.json',
}
const shared = new URL('../../../../shared/data/', import.meta.url)
const Questions = v.object({
  questions: v.array(
    v.object({
      family: v.string(),
      question: v.string(),
      answers: v.record(v.string(), v.number()),
      neutral: v.optional(v.array(v.string()), []),
    }),
  ),
})

/** What visitors ask of the shared rows: nDCG@5 by family. */
export async function judgeVisitors(finders: Readonly<Record<string, Finder>>): Promise<void> {
  for (const [title, file] of Object.entries(questionFiles)) {
    const path = new URL(file, shared)
    if (!existsSync(path)) {
      say(`${title}: skipped, the shared questions are not here.`)
      continue
    }
    const { questions } = v.parse(Questions, JSON.parse(readFileSync(path, 'utf8')))
    await printed(`${title}, nDCG@5`, questions, 5, finders)
  }
}

/** The thirty questions on a region of another country, and its records. */
async function otherRegion(): Promise<void> {
  const rows = regionRows().map((row, i) => documentOfRow(row, i + 1))
  const ours = await opened(rows)
  const fts5 = openFts5Stemmed(rows)
  await printed(`A region of another country, ${rows.length} records, nDCG@5`, regionQuestions(), 5, {
    ours: ours.find,
    'FTS5, porter': fts5.find,
  })
  fts5.close()
  ours.close()
}

/** Judges finders and prints a row for each family and one for all. Answers the mean of the first finder. */
async function printed(
  title: string,
  questions: readonly Judged[],
  depth: number,
  finders: Readonly<Record<string, Finder>>,
) {
  const families = [...new Set(questions.map(({ family }) => family))]
  const scores = new Map<string, number[]>()
  const empty: Record<string, number> = {}
  for (const [name, find] of Object.entries(finders)) {
    const found = await Promise.all(questions.map(async (it) => find(it.question)))
    scores.set(
      name,
      questions.map((it, i) => ndcg(found[i] ?? [], it, depth)),
    )
    empty[name] = found.filter(
      (ids, i) => ids.length === 0 && Object.keys(questions[i]?.answers ?? {}).length > 0,
    ).length
  }
  const row = (family: string, fits: (it: Judged) => boolean) => ({
    family,
    questions: questions.filter(fits).length,
    ...Object.fromEntries(
      [...scores].map(([name, all]) => [name, mean(all.filter((_, i) => fits(questions[i] ?? none))).toFixed(3)]),
    ),
  })
  const rows = families.length > 1 ? families.map((one) => row(one, ({ family }) => family === one)) : []
  print(title, [...rows, row('all', () => true)])
  const [[first, firstScores] = ['', []]] = scores
  const failing = questions.flatMap((it, i) => {
    const score = firstScores[i] ?? 0
    return score < FAILS_BELOW ? [{ question: it.question, family: it.family, [first]: score.toFixed(3) }] : []
  })
  if (families.length > 1 && failing.length > 0) print(`${title}: questions below ${FAILS_BELOW}`, failing)
  say(
    `Without any answer, of those that have one: ${Object.entries(empty)
      .map(([name, n]) => `${name} ${n}`)
      .join(', ')}.`,
  )
}

/** A question with a lower gain is told by name. */
const FAILS_BELOW = 0.5
const none: Judged = { family: '', question: '', answers: {} }

/** A folder with the public Cranfield collection as TREC writes it; its path is given, it is no part of this project. */
async function cranfield(folder: string): Promise<void> {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const tag = (text: string, name: string) => new RegExp(`<${name}>([^]*?)</${name}>`).exec(text)?.[1]?.trim() ?? ''
  const all = read('cran.all.1400.xml')
    .split('</doc>')
    .map((it) => ({ id: tag(it, 'docno'), title: tag(it, 'title'), text: tag(it, 'text') }))
    .filter(({ id }) => id !== '')
  const grades = read('cranqrel.trec.txt')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  // Grades go by the place of a question, not by the number that is written beside it.
  const questions = read('cran.qry.xml')
    .split('</top>')
    .map((it) => tag(it, 'title'))
    .filter(Boolean)
  const judged = questions.map((question, i) => ({
    family: 'cranfield',
    question: question.replace(/\s+/g, ' '),
    answers: Object.fromEntries(
      grades.flatMap(([topic, , id = '', grade]) => (Number(topic) === i + 1 && Number(grade) > 0 ? [[id, 1]] : [])),
    ),
  }))
  const texts = all.map(({ id, title, text }, i) => textDocument(i + 1, id, title, text))
  const ours = await opened(texts)
  const fts5 = openFts5Stemmed(texts)
  await printed(`Cranfield, ${all.length} texts, nDCG@10`, judged, 10, { ours: ours.find, 'FTS5, porter': fts5.find })
  fts5.close()
  ours.close()
}

const textDocument = (number: number, object_pk: string, title: string, text: string): SearchDocument =>
  documentOf(number, title.replace(/\s+/g, ' '), {
    id: recordId(12, number),
    resource: 'sources',
    object_pk,
    text,
    ...written,
  })
const written = { created_at: '2025-01-15T10:00:00.000Z', updated_at: '2025-01-15T10:00:00.000Z' }

/** `npm run bench -- judged`; `COLLECTION=` names the folder of the Cranfield collection. */
export async function benchJudged(): Promise<void> {
  if (hasRows) {
    const rows = readRows()
    const all = [...documents(rows, rows.length)]
    const ours = await opened(all)
    const fts5 = openFts5Stemmed(all)
    await judgeVisitors({ ours: ours.find, 'FTS5, porter': fts5.find })
    fts5.close()
    ours.close()
  } else say('Questions of visitors: skipped, the shared rows are not here.')
  await otherRegion()
  const folder = process.env.COLLECTION
  if (folder) await cranfield(folder)
  else say('Cranfield: skipped, COLLECTION names no folder.')
}
