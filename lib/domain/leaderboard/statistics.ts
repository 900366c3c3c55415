import { now } from '../../base/clock.ts'
import { get, getMany, itemAt, itemIn } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type BoardEntry, boardEntry } from './items.ts'
import { refreshFigures } from './keep.ts'
import { completionKey, loadRank, treeAt } from './order-statistic-tree.ts'
import { monthBefore, monthOf, scoreBefore, submissionScoreOf, trendOf } from './score.ts'

export type Statistics = ReturnType<typeof trendOf>

/**
 * Loads a person's figures with their change since the end of last month. One call for the figures, two for the ranks. A person without
 * figures gets an entry with zeros.
 */
export async function loadStatistics(user_id: string): Promise<Statistics> {
  const month = monthOf(now())
  const last = monthBefore(month)
  const completion = completionKey('overall', last)
  const found = await getMany([key.board(user_id), completion], true)
  const entry = itemIn(found, boardEntry, { user_id }) ?? (await refreshFigures(user_id, { always: true }))
  if (!entry) throw new Error('no entry')
  const [rank, before] = await Promise.all([
    rankOf(entry, entry.standing.overall?.points ?? 0),
    rankOf(entry, scoreBefore(entry, month), itemAt(found, completion) ? treeAt('overall', last) : undefined),
  ])
  return trendOf(entry, month, rank, before)
}

/** A rank from 1; 0 if the person is not on the board. */
async function rankOf(it: BoardEntry, score: number, tree?: string): Promise<number> {
  if (score === 0 || !it.is_active) return 0
  return (await loadRank('overall', score, tree)).above + 1
}

export type SubmissionStatistics = {
  rank: number
  total_submissions: number
  accepted_submissions: number
  score: number
}

/** Loads a person's rank among those with legacy submissions. Undefined for a person without any. Two calls. */
export async function loadPersonalStatistics(user_id: string): Promise<SubmissionStatistics | undefined> {
  const it = await get(boardEntry, { user_id })
  const points = it?.standing.submissions?.points
  if (!it || points === undefined) return undefined
  const { above } = await loadRank('submissions', points)
  return {
    rank: above + 1,
    total_submissions: it.tally.submissions,
    accepted_submissions: it.tally.accepted_submissions,
    score: submissionScoreOf(it.tally),
  }
}
