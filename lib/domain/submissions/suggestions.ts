import { now } from '../../base/clock.ts'
import { conflict, notFound } from '../../base/errors.ts'
import {
  add,
  get,
  type PageRequest,
  type PageResult,
  parse,
  put,
  readList,
  type UnitOfWork,
  withNextVersion,
} from '../../engines/table/index.ts'

import type { Actor, Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Submission, type Suggestion, submission, submissionVersion, suggestion, suggestionList } from './items.ts'
import { versionOf } from './submissions.ts'

/** Changes that people suggest for legacy submissions; reviewers decide. */

/** A suggestion as the subject of permissions. */
export type Suggested = Subject & { suggestion: Suggestion; version: number }

/** What permissions look at in a suggestion. */
export const suggestedSubmission = (it: Suggestion): Suggested => ({
  suggestion: it,
  contributor_id: it.contributor_id,
  author_id: it.suggested_by,
  public: it.approved === true,
  version: it.version,
})

/** A suggestion by its number. One call. */
export async function loadSuggestion(id: number): Promise<Suggested | undefined> {
  const it = await get(suggestion, { id })
  return it && suggestedSubmission(it)
}

export type SuggestionPage = PageResult<Suggestion>

/** One page of all suggestions, of those for one submission, or of those by one person. Newest first, two calls. */
export async function listSuggestions(
  of: { submission: number } | { by: string } | 'all',
  place: PageRequest,
): Promise<SuggestionPage> {
  const partition =
    of === 'all'
      ? ({ index: 'gsi2', pk: suggestionList.all } as const)
      : 'by' in of
        ? ({ index: 'gsi3', pk: suggestionList.by(of.by) } as const)
        : ({ index: 'gsi1', pk: suggestionList.of(of.submission) } as const)
  const { items, found: _, ...listed } = await readList({ partitions: [partition], counted: [partition.pk] }, place)
  return { ...listed, results: items.map((item) => parse(suggestion, item)) }
}

export type Change = Pick<Submission, 'title' | 'description' | 'contribution_data'>

export async function createSuggestion(
  unit: UnitOfWork,
  of: Submission,
  actor: Actor,
  change: Change,
): Promise<Suggestion> {
  const made: Suggestion = {
    id: await add(key.sequence('suggestion')),
    submission: of.id,
    submission_id: of.submission_id,
    contributor_id: of.contributor_id,
    suggested_by: actor.id,
    ...change,
    approved: null,
    reviewed_by: null,
    reviewed_at: null,
    created_at: now(),
    version: 1,
  }
  unit.add([put(suggestion, made, undefined)])
  return made
}

/**
 * Approves a suggestion. Suggestion, changed submission and its new version are one transaction. Fails with `conflict` if it is
 * already decided.
 */
export async function approveSuggestion(unit: UnitOfWork, id: number, actor: Actor): Promise<Suggestion> {
  unit.retryOn('conflict')
  const [old, next] = await decideSuggestion(id, actor, true)
  const before = await get(submission, { id: old.submission })
  if (!before) throw notFound()
  const { title, description, contribution_data } = old
  const after = withNextVersion<Submission>(before, {
    ...{ title, description, contribution_data },
    latest_version: before.latest_version + 1,
    updated_at: now(),
  })
  unit.add([
    put(suggestion, next, old),
    put(submission, after, before),
    put(submissionVersion, versionOf(after, old.suggested_by), undefined),
  ])
  return next
}

/** Rejects a suggestion. Fails with `conflict` if it is already decided. */
export async function rejectSuggestion(unit: UnitOfWork, id: number, actor: Actor): Promise<Suggestion> {
  unit.retryOn('conflict')
  const [old, next] = await decideSuggestion(id, actor, false)
  unit.add([put(suggestion, next, old)])
  return next
}

/** A suggestion before and after the decision. */
async function decideSuggestion(id: number, actor: Actor, approved: boolean): Promise<[Suggestion, Suggestion]> {
  const old = await get(suggestion, { id })
  if (!old) throw notFound()
  if (old.approved !== null) throw conflict('This suggestion has been decided on already.')
  return [old, withNextVersion<Suggestion>(old, { approved, reviewed_by: actor.id, reviewed_at: now() })]
}
