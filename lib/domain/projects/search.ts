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
import { fitsFilter, type ProjectFilter, type ProjectPage } from './lists.ts'

/** The most stored words of a project: words of title and subject first, then of the abstract from its beginning. */
const MAX_WORDS = 80
/** The most projects that are read for one word of a search. */
const MAX_PROJECTS_PER_WORD = 300

/** The folded words by which a project is found. None if it is deleted. */
function wordsOf(it: Project | undefined): Set<string> {
  if (!it || it.deleted_at !== null) return new Set()
  const words = [it.title, it.intended_subject, it.abstract].flatMap((text) => fold(text).split(' '))
  return new Set([...new Set(words.map((word) => cut(word, 60)).filter(Boolean))].slice(0, MAX_WORDS))
}

/** Words that one transaction writes. DynamoDB takes 100 actions in one. */
const WORDS_IN_TRANSACTION = 90

/** Replaces the entries for the words of `before` by entries for the words of `after`. Safe to repeat. */
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
 * Returns one page of the projects in which each of the first eight words of the text begins a word. Example: "wel pat" finds "Wells of
 * Patan". Makes one query for each word, and one call for each hundred projects. Page and count are exact up to `MAX_PROJECTS_PER_WORD`.
 */
export async function searchProjects(
  text: string,
  filter: ProjectFilter,
  actor: Actor | null,
  page: PageRequest,
): Promise<ProjectPage> {
  const words = [...new Set(fold(text).split(' '))].filter(Boolean).slice(0, 8)
  if (words.length === 0) return { count: 0, results: [], people: () => null }
  const hits = await Promise.all(words.map(projectsWithWord))
  const ids = [...new Set(hits[0])].filter((id) => hits.every((each) => each.has(id)))
  const items = await getMany(ids.map(key.project))
  const sorted = [...items.values()]
    .map((item) => parse(project, item))
    .filter((it) => it.deleted_at === null && mayVisit(actor, asSubject(it)) && fitsFilter(it, filter))
    .map((it) => ({ it, sortKey: `${it[filter.order] ?? ''}#${it.id}` }))
    .sort((a, b) => (a.sortKey < b.sortKey === filter.forward ? -1 : 1))
    .map(({ it }) => it)
  const results = sorted.slice(page.offset, page.offset + page.limit)
  return { count: sorted.length, results, people: await peopleOf(results.map((it) => it.owner_id)) }
}

async function projectsWithWord(word: string): Promise<Set<string>> {
  const { pk } = key.projectWord('', '')
  const entries = await queryBetween(pk, word, `${word}\u{10ffff}`, MAX_PROJECTS_PER_WORD)
  return new Set(entries.map((entry) => v.parse(Entry, entry).project_id))
}
