import '../lib/domain/composition.ts'
import { orUndo } from '../lib/base/errors.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { sweepLinks } from '../lib/domain/alerts/check.ts'
import { estimateIfDue } from '../lib/domain/doubt/fit.ts'
import { countParked } from '../lib/domain/effects/parked.ts'
import { restoreRulings } from '../lib/domain/foundations/restore.ts'
import { sweepImports } from '../lib/domain/imports/clean-up.ts'
import { sweepBoards } from '../lib/domain/leaderboard/sweep.ts'
import { workOnMigration } from '../lib/domain/migrations/migrate.ts'
import { sweepContacts } from '../lib/domain/notes/sweep.ts'
import { sweepPictures } from '../lib/domain/pictures/files.ts'
import { sweepOcr } from '../lib/domain/projects/assets/ocr.ts'
import { sweepFiles } from '../lib/domain/projects/assets/sweep.ts'
import { sweepUploads } from '../lib/domain/projects/assets/uploads.ts'
import { returnWhatIsLinked } from '../lib/domain/projects/merge-second-look.ts'
import { sweepMerges } from '../lib/domain/projects/merge-sweep.ts'
import { loadQueueState } from '../lib/domain/review/queue-state.ts'
import { sweepQueue } from '../lib/domain/review/sweep.ts'
import { sweepScans } from '../lib/domain/scans/reading.ts'
import { tellWatchers } from '../lib/domain/watches/bulletins.ts'
import { followFeed } from '../lib/domain/watches/follow.ts'
import { sweepLooseFiles } from '../lib/engines/bucket/index.ts'
import { compactIfDue } from '../lib/engines/search/index.ts'
import { withLock } from '../lib/engines/table/immediate.ts'
import { nextTake, Takes } from '../lib/engines/table/index.ts'
import { recoverStaged } from '../lib/engines/table/two-phase/index.ts'
import { worker } from '../lib/platform/worker.ts'

type Chores = Readonly<Record<string, () => Promise<number>>>
type HowOften = keyof typeof chores

/** Settles staged commits for at most 45 seconds, so that the other chores get their turn. */
const settleStaged = () => recoverStaged(performance.now() + 45_000)

/** Brings the table to the next layout for at most 20 seconds, if an operator has begun a migration. */
const migrate = () => workOnMigration(performance.now() + 20_000)

/** Work that is due by time alone, by how often it runs. Each chore returns the number of items it handled, and is safe to repeat. */
const chores = {
  often: {
    moved: sweepQueue,
    settled: settleStaged,
    uploads: sweepUploads,
    read: sweepOcr,
    scans: sweepScans,
    watched: followFeed,
    told: tellWatchers,
    migrated: migrate,
    restored: restoreRulings,
    returned: returnWhatIsLinked,
  },
  seldom: {
    recounted: sweepBoards,
    cleared: sweepFiles,
    imports: sweepImports,
    pictures: sweepPictures,
    loose: sweepLooseFiles,
    merges: sweepMerges,
    contacts: sweepContacts,
    links: sweepLinks,
    // Few people ask for their data or leave, so the start of the function does not load this code.
    files: async () => (await import('../lib/doors/departure/make-export.ts')).makeOwnExports(),
    left: async () => (await import('../lib/doors/departure/work.ts')).workOnDepartures(),
    packed: compactIfDue,
    estimated: estimateIfDue,
  },
} satisfies Record<string, Chores>

/** The time limit of the function, in seconds. */
const LONGEST_S = 900

/**
 * Runs every minute for urgent chores, and every 15 minutes for the others. Without a name in the event it does all chores. If an
 * earlier visit is still at work on the same chores, it does nothing.
 */
export const handler = worker(async (event?: { chores?: HowOften }): Promise<Record<string, number>> => {
  const due: readonly HowOften[] = event?.chores ? [event.chores] : ['often', 'seldom']
  const done: Record<string, number> = {}
  const failed: unknown[] = []
  for (const each of due) await withLock(`sweeper-${each}`, LONGEST_S, (wasLeft) => visit(each, wasLeft, done, failed))
  log({ level: 'info', message: 'sweep', count: Object.values(done).reduce((sum, each) => sum + each, 0) })
  if (event?.chores !== 'often') {
    const [queue, { parked }] = await Promise.all([loadQueueState(), countParked()])
    log({ level: parked > 0 ? 'error' : 'info', message: 'queue', ...queue, parked })
  }
  if (failed.length > 0) throw new AggregateError(failed, 'chores of the sweeper')
  return done
})

/**
 * Does the chores one after another. A chore may end the process without an error. Then the lock is not given back, and `wasLeft` tells the
 * next visit. From then on each chore counts its own takes. A chore that has ended three processes rests for a day.
 */
async function visit(each: HowOften, wasLeft: boolean, done: Record<string, number>, failed: unknown[]): Promise<void> {
  const due: Chores = chores[each]
  const takes = new Takes('sweeper', each)
  const wasWatched = (await takes.load()) > 0
  const isSuspect = wasLeft || wasWatched
  let rests = false
  for (const [name, work] of Object.entries(due)) {
    try {
      const count = isSuspect ? await takeAlone(name, work) : await work()
      rests ||= count === undefined
      done[name] = count ?? 0
    } catch (error) {
      // A chore that fails must not stop the others.
      failed.push(error)
    }
  }
  // As long as a chore rests, the takes of the others are counted, too.
  if (rests) await takes.store(1)
  else if (wasWatched) await takes.forget()
}

/** Does a chore that may have ended a process. Undefined if the chore rests, since it has ended three processes. */
async function takeAlone(name: string, work: () => Promise<number>): Promise<number | undefined> {
  const takes = new Takes('chore', name)
  const next = nextTake(await takes.load())
  if (next === undefined) {
    log({
      level: 'error',
      message: 'chore',
      error: `The process that worked on "${name}" ended three times. It rests for a day.`,
    })
    return undefined
  }
  await takes.store(next)
  const count = await orUndo(work, () => takes.forget())
  await takes.forget()
  return count
}
