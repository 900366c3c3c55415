import { now } from '../../base/clock.ts'
import { conflict, notFound } from '../../base/errors.ts'
import { omit } from '../../base/omit.ts'
import { addToNumber } from '../../engines/table/immediate.ts'
import {
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
import { newSubmissionVersion } from './submissions.ts'

/** A change that a person suggests for a legacy submission, as the subject of permissions. Reviewers decide on it. */
export type SuggestionSubject = Subject & { suggestion: Suggestion; version: number }

/** The members of a suggestion on which permissions depend. */
export const suggestionSubject = (stored: Suggestion): SuggestionSubject => ({
  suggestion: stored,
  contributor_id: stored.contributor_id,
  author_id: stored.suggested_by,
  public: stored.approved === true,
  version: stored.version,
})

/** Loads a suggestion by its number. */
export async function loadSuggestion(id: number): Promise<SuggestionSubject | undefined> {
  const stored = await get(suggestion, { id })
  return stored && suggestionSubject(stored)
}

export type SuggestionPage = PageResult<Suggestion>

/** Returns one page of all suggestions, of those for one submission, or of those by one person. Newest first. */
export async function listSuggestions(
  filter: { submission: number } | { by: string } | 'all',
  place: PageRequest,
): Promise<SuggestionPage> {
  const partition =
    filter === 'all'
      ? ({ index: 'gsi2', pk: suggestionList.all } as const)
      : 'by' in filter
        ? ({ index: 'gsi3', pk: suggestionList.by(filter.by) } as const)
        : ({ index: 'gsi1', pk: suggestionList.of(filter.submission) } as const)
  const listing = await readList({ partitions: [partition], counted: [partition.pk] }, place)
  return { ...omit(listing, 'items', 'found'), results: listing.items.map((item) => parse(suggestion, item)) }
}

export type SuggestionInput = Pick<Submission, 'title' | 'description' | 'contribution_data'>

export async function createSuggestion(
  unit: UnitOfWork,
  target: Submission,
  actor: Actor,
  { title, description, contribution_data }: SuggestionInput,
): Promise<Suggestion> {
  const created: Suggestion = {
    id: await addToNumber(key.sequence('suggestion')),
    submission: target.id,
    submission_id: target.submission_id,
    contributor_id: target.contributor_id,
    suggested_by: actor.id,
    title,
    description,
    contribution_data,
    approved: null,
    reviewed_by: null,
    reviewed_at: null,
    created_at: now(),
    version: 1,
  }
  unit.add([put(suggestion, created, undefined)])
  return created
}

/**
 * Approves a suggestion. Suggestion, changed submission and its new version are one transaction. Fails with `conflict` if
 * the suggestion is decided already.
 */
export async function approveSuggestion(unit: UnitOfWork, id: number, actor: Actor): Promise<Suggestion> {
  unit.retryOn('conflict')
  const [old, next] = await decideSuggestion(id, actor, true)
  const before = await get(submission, { id: old.submission })
  if (!before) throw notFound()
  const { title, description, contribution_data } = old
  const after = withNextVersion<Submission>(before, {
    title,
    description,
    contribution_data,
    latest_version: before.latest_version + 1,
    updated_at: now(),
  })
  unit.add([
    put(suggestion, next, old),
    put(submission, after, before),
    put(submissionVersion, newSubmissionVersion(after, old.suggested_by), undefined),
  ])
  return next
}

/** Rejects a suggestion. Fails with `conflict` if it is decided already. */
export async function rejectSuggestion(unit: UnitOfWork, id: number, actor: Actor): Promise<Suggestion> {
  unit.retryOn('conflict')
  const [old, next] = await decideSuggestion(id, actor, false)
  unit.add([put(suggestion, next, old)])
  return next
}

/** Returns a suggestion before and after the decision. */
async function decideSuggestion(id: number, actor: Actor, approved: boolean): Promise<[Suggestion, Suggestion]> {
  const old = await get(suggestion, { id })
  if (!old) throw notFound()
  if (old.approved !== null) throw conflict('This suggestion has been decided on already.')
  return [old, withNextVersion<Suggestion>(old, { approved, reviewed_by: actor.id, reviewed_at: now() })]
}
