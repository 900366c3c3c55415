import * as v from 'valibot'
import { splitIntoParts } from '../../base/concurrency.ts'
import { cut, fold } from '../../engines/matching/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import type { PageRequest } from '../../engines/table/index.ts'
import { getMany, parse, putEntry, queryBetween, removeEntry } from '../../engines/table/index.ts'
import { type Actor, mayVisit } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { peopleOf } from '../../platform/users/people.ts'
import { asSubject, type Project, project } from './items.ts'
import { type Filter, fitsFilter, type Projects } from './lists.ts'

/** Words of a project that are stored: of the title and the subject first, then from the beginning of the abstract. */
const MOST_WORDS = 80
/** Projects read for each word of a search, at most. */
const MOST_FOUND = 300

/** The folded words under which a project is found. */
function wordsOf(it: Project | undefined): Set<string> {
  if (!it || it.deleted_at !== null) return new Set()
  const words = [it.title, it.intended_subject, it.abstract].flatMap((text) => fold(text).split(' '))
  return new Set([...new Set(words.map((word) => cut(word, 60)).filter(Boolean))].slice(0, MOST_WORDS))
}

/** Words that one transaction writes. It holds 100 actions. */
const WORDS_IN_TRANSACTION = 90

/** Changes the entries from the words of `before` to those of `after`. Safe to repeat. */
export async function followWords(before: Project | undefined, after: Project | undefined): Promise<void> {
  const [old, next] = [wordsOf(before), wordsOf(after)]
  const id = (after ?? before)?.id ?? ''
  const writes = [
    ...[...next]
      .filter((word) => !old.has(word))
      .map((word) => putEntry(key.projectWord(word, id), { project_id: id })),
    ...[...old].filter((word) => !next.has(word)).map((word) => removeEntry(key.projectWord(word, id))),
  ]
  for (const part of splitIntoParts(writes, WORDS_IN_TRANSACTION)) await commitWrites(part)
}

const Entry = v.object({ project_id: v.string() })

/**
 * One page of the projects in which each word of the text begins some word. One query for each word, and one call for each
 * hundred projects. Page and count are exact up to the limit of projects for a word.
 */
export async function searchProjects(
  text: string,
  filter: Filter,
  actor: Actor | null,
  at: PageRequest,
): Promise<Projects> {
  const words = [...new Set(fold(text).split(' '))].filter(Boolean).slice(0, 8)
  if (words.length === 0) return { count: 0, results: [], people: () => null }
  const hits = await Promise.all(words.map(projectsWithWord))
  const ids = [...new Set(hits[0])].filter((id) => hits.every((each) => each.has(id)))
  const found = await getMany(ids.map(key.project))
  const sorted = [...found.values()]
    .map((item) => parse(project, item))
    .filter((it) => it.deleted_at === null && mayVisit(actor, asSubject(it)) && fitsFilter(it, filter))
    .map((it) => ({ it, at: `${it[filter.order] ?? ''}#${it.id}` }))
    .sort((a, b) => (a.at < b.at === filter.forward ? -1 : 1))
    .map(({ it }) => it)
  const results = sorted.slice(at.offset, at.offset + at.limit)
  return { count: sorted.length, results, people: await peopleOf(results.map((it) => it.owner_id)) }
}

async function projectsWithWord(word: string): Promise<Set<string>> {
  const { pk } = key.projectWord('', '')
  const entries = await queryBetween(pk, word, `${word}\u{10ffff}`, MOST_FOUND)
  return new Set(entries.map((entry) => v.parse(Entry, entry).project_id))
}
