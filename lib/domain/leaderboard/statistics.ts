import { now } from '../../base/clock.ts'
import { get, getMany, itemAt, itemIn } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type Entry, entry } from './items.ts'
import { refreshFigures } from './keep.ts'
import { rankIn, treeAt, wholeAt } from './order-statistic-tree.ts'
import { monthBefore, monthOf, scoreBefore, submissionScoreOf, trendOf } from './score.ts'

export type Statistics = ReturnType<typeof trendOf>

/**
 * A person's figures with their change since the end of last month. One call for the figures, two for the ranks. A person without
 * figures gets an entry with zeros.
 */
export async function loadStatistics(user_id: string): Promise<Statistics> {
  const month = monthOf(now())
  const last = monthBefore(month)
  const whole = wholeAt('overall', last)
  const found = await getMany([key.board(user_id), whole], true)
  const it = itemIn(found, entry, { user_id }) ?? (await refreshFigures(user_id, { always: true }))
  if (!it) throw new Error('no entry')
  const [rank, before] = await Promise.all([
    rankOf(it, it.standing.overall?.points ?? 0),
    rankOf(it, scoreBefore(it, month), itemAt(found, whole) ? treeAt('overall', last) : undefined),
  ])
  return trendOf(it, month, rank, before)
}

/** A rank from 1; 0 if the person is not on the board. */
async function rankOf(it: Entry, score: number, tree?: string): Promise<number> {
  if (score === 0 || !it.is_active) return 0
  return (await rankIn('overall', score, tree)).above + 1
}

export type Personal = { rank: number; total_submissions: number; accepted_submissions: number; score: number }

/** A person's rank among those with legacy submissions; undefined for a person without any. Two calls. */
export async function loadPersonalStatistics(user_id: string): Promise<Personal | undefined> {
  const it = await get(entry, { user_id })
  const points = it?.standing.submissions?.points
  if (!it || points === undefined) return undefined
  const { above } = await rankIn('submissions', points)
  return {
    rank: above + 1,
    total_submissions: it.tally.submissions,
    accepted_submissions: it.tally.accepted_submissions,
    score: submissionScoreOf(it.tally),
  }
}
