import { loadNeighbourhood, type Neighbour } from '../../domain/graph/read.ts'
import { loadSourceNames, type SourceNames } from '../../domain/records/evidence.ts'
import type { History } from '../../domain/records/history.ts'
import { loadHistory } from '../../domain/records/history.ts'
import type { Assertion } from '../../domain/records/items.ts'
import { pastRecord } from '../../domain/records/past/record.ts'
import { storyPage } from '../../domain/records/past/story.ts'
import { showRecord, type Visible } from '../../domain/records/shown.ts'
import { type DateDisplay, loadDateDisplay } from '../../domain/records/views/dates.ts'
import { mayShowClaim } from '../../domain/records/views/record.ts'
import type { Request } from '../../platform/http/request.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { mementosOf } from './memento.ts'

/** The most links and entries of the history on a page. The JSON has all of them. */
const MOST_LINKS = 40
const MOST_ENTRIES = 20

type Story = Awaited<ReturnType<typeof storyPage>>

/** All that a page about a record shows to one reader. */
export type RecordModel = {
  record: Visible<History>
  actor: Actor | null
  /** The claims that this reader may see. */
  claims: readonly Assertion[]
  sources: SourceNames
  neighbours: readonly Neighbour[]
  story: Story
  mementos: readonly string[]
  dates: DateDisplay
  /** The moment of the past that is shown. Undefined: the present. */
  at: string | undefined
}

type Wanted = { actor: Actor | null; at: string | undefined; request: Request }

/**
 * Loads what a page shows. One query reads the record with its history. Then the names in it, its links, its sources and the people of its
 * history are read in parallel. Undefined if the record was not public at that moment, or if this reader may not read it.
 */
export async function loadRecordModel(entity_id: string, wanted: Wanted): Promise<RecordModel | undefined> {
  const { actor, at, request } = wanted
  const { language } = request
  const today = await loadHistory(entity_id)
  const history = at === undefined ? today : today && pastRecord(today, at, actor)
  if (!today || !history || !maySee(actor, today)) return undefined
  // Readers of Nepali also get dates in their own calendar.
  const style = language === 'ne' ? ({ calendar: 'bikram_sambat', language } as const) : undefined
  const claims = history.assertions.filter((claim) => mayShowClaim(history, claim, actor))
  const [record, sources, around, story, dates] = await Promise.all([
    showRecord(actor, { ...history, assertions: claims }),
    loadSourceNames(claims, actor),
    // Links of the past are not stored.
    at === undefined ? loadNeighbourhood(entity_id, MOST_LINKS, actor) : undefined,
    storyPage(history, actor, { limit: MOST_ENTRIES, offset: 0 }, request, undefined),
    loadDateDisplay([history], style, actor),
  ])
  return {
    record,
    actor,
    // Oldest first, so that a source keeps its number.
    claims: record.assertions.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    sources,
    neighbours: around?.neighbours ?? [],
    story,
    mementos: mementosOf(today, actor),
    dates,
    at,
  }
}
