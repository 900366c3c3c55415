import * as v from 'valibot'
import { cut } from '../matching/cut.ts'
import { fold } from '../matching/fold.ts'
import { type Actor, mayVisit } from '../permissions.ts'
import { parse, putEntry, removeEntry } from '../table/item.ts'
import { key } from '../table/keys.ts'
import type { PageRequest } from '../table/pages.ts'
import { getMany, queryBetween } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { peopleOf } from '../users/people.ts'
import { asSubject, type Project, project } from './items.ts'
import { type Filter, fits, type Projects } from './lists.ts'

/** Words of a project are kept by the projector: title and subject whole, the abstract from its beginning. */
const MOST_WORDS = 80
/** At most this many projects are looked at for each word of a search, and counted. */
const MOST_FOUND = 300

/** The folded words by which a project is found. */
function wordsOf(it: Project | undefined): Set<string> {
  if (!it || it.deleted_at !== null) return new Set()
  const words = [it.title, it.intended_subject, it.abstract].flatMap((text) => fold(text).split(' '))
  return new Set([...new Set(words.map((word) => cut(word, 60)).filter(Boolean))].slice(0, MOST_WORDS))
}

/** Makes the entries those of `after` where they were those of `before`. Repeating it changes nothing. */
export async function wordWrites(before: Project | undefined, after: Project | undefined): Promise<void> {
  const [old, next] = [wordsOf(before), wordsOf(after)]
  const id = (after ?? before)?.id ?? ''
  const writes = [
    ...[...next]
      .filter((word) => !old.has(word))
      .map((word) => putEntry(key.projectWord(word, id), { project_id: id })),
    ...[...old].filter((word) => !next.has(word)).map((word) => removeEntry(key.projectWord(word, id))),
  ]
  if (writes.length === 0) return
  for (let start = 0; start < writes.length; start += 90) await transact(writes.slice(start, start + 90))
}

const Entry = v.object({ project_id: v.string() })

/**
 * One page of the projects that have a word beginning with each word of a text: a query for each, and a call for each
 * hundred that fit. Up to that number the page and the count are exact.
 */
export async function searchProjects(
  text: string,
  filter: Filter,
  actor: Actor | null,
  at: PageRequest,
): Promise<Projects> {
  const words = [...new Set(fold(text).split(' '))].filter(Boolean).slice(0, 8)
  if (words.length === 0) return { count: 0, results: [], people: () => null }
  const hits = await Promise.all(words.map(withWord))
  const ids = [...new Set(hits[0])].filter((id) => hits.every((each) => each.has(id)))
  const found = await getMany(ids.map(key.project))
  const sorted = [...found.values()]
    .map((item) => parse(project, item))
    .filter((it) => it.deleted_at === null && mayVisit(actor, asSubject(it)) && fits(it, filter))
    .map((it) => ({ it, at: `${it[filter.order] ?? ''}#${it.id}` }))
    .sort((a, b) => (a.at < b.at === filter.forward ? -1 : 1))
    .map(({ it }) => it)
  const results = sorted.slice(at.offset, at.offset + at.limit)
  return { count: sorted.length, results, people: await peopleOf(results.map((it) => it.owner_id)) }
}

async function withWord(word: string): Promise<Set<string>> {
  const { pk } = key.projectWord('', '')
  const entries = await queryBetween(pk, word, `${word}\u{10ffff}`, MOST_FOUND)
  return new Set(entries.map((entry) => v.parse(Entry, entry).project_id))
}
