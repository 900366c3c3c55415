import { now } from '../../base/clock.ts'
import { conflict } from '../../base/errors.ts'
import {
  getMany,
  itemIn,
  put,
  remove,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Doubted, type SourceMark, sourceMark } from '../sources/marks.ts'
import { type DataSource, dataSource, type Question } from '../sources/sources.ts'
import { type Chain, loadChain } from './chain.ts'
import { listDependents } from './dependents.ts'

/** What an expert says of a source. `trusted` takes back what was said before, and all that was decided because of it. */
export type QuestionInput = { standing: Question['standing']; reason: string }

/**
 * Says that a source is questioned or withdrawn, or trusted again. No value changes by this: experts decide later on what rests on the
 * source alone. Fails with `conflict` if the source has this standing already, or while decisions are being taken back.
 */
export async function questionSource(
  unit: UnitOfWork,
  old: DataSource,
  actor: Actor,
  { standing, reason }: QuestionInput,
): Promise<DataSource> {
  if (old.question?.is_restoring) throw conflict('What was decided on this source is being taken back.')
  if ((old.question?.standing ?? 'trusted') === standing) throw conflict(`This source is ${standing} already.`)
  const { references, resting } =
    standing === 'trusted'
      ? { references: old.question?.references ?? [], resting: old.question?.resting ?? 0 }
      : await measure(await loadChain({ source: old }, actor), actor)
  const question: Question = {
    standing,
    reason,
    by: actor.id,
    at: now(),
    references,
    is_restoring: standing === 'trusted',
    resting,
  }
  const next = withNextVersion<DataSource>(old, { question })
  unit.add([put(dataSource, next, old), ...(await markWrites(old, question))])
  return next
}

/** The references of a source, and how many values rest on it alone. */
async function measure(chain: Chain, actor: Actor) {
  const { count } = await listDependents(chain, { support: 'alone' }, actor, { limit: 1, offset: 0 })
  return { references: chain.references, resting: count }
}

/** Notes under each reference of a source that it is in question, or removes the notes. What a mark says of other sources stays. */
async function markWrites(source: DataSource, { standing, reason, references }: Question): Promise<Write[]> {
  const touched = [...new Set([...references, ...(source.question?.references ?? [])])]
  const found = await getMany(touched.map(key.sourceMark), true)
  return touched.flatMap((reference): Write[] => {
    const old = itemIn(found, sourceMark, { reference })
    const others = doubtedIn(old).filter(({ source_id }) => source_id !== source.id)
    const own =
      standing !== 'trusted' && references.includes(reference) ? [{ source_id: source.id, standing, reason }] : []
    const [first, ...rest] = [...others, ...own].toSorted(byGravity)
    if (!first) return old ? [remove(sourceMark, old)] : []
    const mark = { reference, ...first, others: rest }
    return [put(sourceMark, old ? withNextVersion<SourceMark>(old, mark) : { ...mark, version: 1 }, old)]
  })
}

/** What a mark says of each of its sources. */
const doubtedIn = (mark: SourceMark | undefined): Doubted[] => {
  if (!mark) return []
  const { source_id, standing, reason, others } = mark
  return [{ source_id, standing, reason }, ...others]
}

/** Withdrawn sources come before those that are questioned. */
const byGravity = (a: Doubted, b: Doubted): number => rankOf(b) - rankOf(a)
const rankOf = ({ standing }: Doubted): number => (standing === 'withdrawn' ? 1 : 0)
