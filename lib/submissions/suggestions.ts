import { now } from '../clock.ts'
import { commitPlan, commitWithAnswer } from '../commit.ts'
import { conflict, notFound } from '../errors.ts'
import type { Actor, Subject } from '../permissions.ts'
import { amended, parse, put } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { get } from '../table/read.ts'
import { add } from '../table/write.ts'
import { type Submission, type Suggestion, submission, submissionVersion, suggestion, suggestionList } from './items.ts'
import { versionOf } from './submissions.ts'

/** What people would have legacy submissions say instead, for reviewers to decide on. */

/** A suggestion as the subject of rules. */
export type Suggested = Subject & { suggestion: Suggestion; version: number }

/** What rules look at in a suggestion. */
export const suggestedOf = (it: Suggestion): Suggested => ({
  suggestion: it,
  contributor_id: it.contributor_id,
  author_id: it.suggested_by,
  public: it.approved === true,
  version: it.version,
})

/** A suggestion by its number. One call. */
export async function load(id: number): Promise<Suggested | undefined> {
  const it = await get(suggestion, { id })
  return it && suggestedOf(it)
}

export type SuggestionPage = PageResult<Suggestion>

/** One page of all, of those on one submission, or of those by one person; newest first. Two calls. */
export async function list(
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

/** Suggests a change of a submission. */
export async function create(of: Submission, actor: Actor, change: Change): Promise<Suggestion> {
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
  commitWithAnswer([put(suggestion, made, undefined)])
  return made
}

/**
 * Takes a change over into its submission: both and the version that comes of it are one transaction. Fails with
 * `conflict` when it is decided on already.
 */
export const approve = (id: number, actor: Actor): Promise<Suggestion> =>
  commitPlan(async () => {
    const [old, next] = await decided(id, actor, true)
    const before = await get(submission, { id: old.submission })
    if (!before) throw notFound()
    const { title, description, contribution_data } = old
    const after = amended<Submission>(before, {
      ...{ title, description, contribution_data },
      latest_version: before.latest_version + 1,
      updated_at: now(),
    })
    return {
      result: next,
      writes: [
        put(suggestion, next, old),
        put(submission, after, before),
        put(submissionVersion, versionOf(after, old.suggested_by), undefined),
      ],
    }
  })

/** Turns a change down. Fails with `conflict` when it is decided on already. */
export const reject = (id: number, actor: Actor): Promise<Suggestion> =>
  commitPlan(async () => {
    const [old, next] = await decided(id, actor, false)
    return { result: next, writes: [put(suggestion, next, old)] }
  })

/** A suggestion before and after the verdict. */
async function decided(id: number, actor: Actor, approved: boolean): Promise<[Suggestion, Suggestion]> {
  const old = await get(suggestion, { id })
  if (!old) throw notFound()
  if (old.approved !== null) throw conflict('This suggestion has been decided on already.')
  return [old, amended<Suggestion>(old, { approved, reviewed_by: actor.id, reviewed_at: now() })]
}
