import { getMany, itemIn } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { doubtSource } from '../doubt/items.ts'
import { textOf } from '../names/text.ts'
import type { History } from '../records/history.ts'
import type { Assertion } from '../records/items.ts'
import { NONE, referencesOf, registeredIn, sourcesByPack } from '../records/source-references.ts'
import { type SourceMark, sourceMark } from '../sources/marks.ts'
import { dataSource } from '../sources/sources.ts'
import type { Evidence } from './propose.ts'

/** What is known of the sources of records' claims. `marks`: one for each reference to a source that experts have put in question. */
export type KnownSources = { marks: readonly SourceMark[]; evidenceOf: (claim: Assertion) => Evidence }

type References = ReadonlyMap<string, readonly string[]>
type Found = Awaited<ReturnType<typeof getMany>>

/**
 * Loads what is known of the sources of living claims. It tells whether experts have put them in question, how reviewers decided on their
 * claims, and when they were published. One call for each hundred keys; none if no claim names a source.
 */
export async function loadKnownSources(...records: readonly Pick<History, 'assertions'>[]): Promise<KnownSources> {
  const byClaim: References = new Map(records.flatMap(referencesByClaim))
  const references = [...new Set([...byClaim.values()].flat())].filter((it) => it !== NONE)
  const found = await getMany([
    ...references.flatMap((it) => [key.sourceMark(it), key.doubtSource(it)]),
    ...registeredIn(references).map(key.source),
  ])
  return {
    marks: references.flatMap((reference) => itemIn(found, sourceMark, { reference }) ?? []),
    evidenceOf: (claim) => ({ ...claim, ...knownOf(byClaim.get(claim.id) ?? [], found) }),
  }
}

/** The references of each living claim, by the claim's id. */
function referencesByClaim({ assertions }: Pick<History, 'assertions'>) {
  const byPack = sourcesByPack(assertions)
  const living = assertions.filter(({ reconciliation_status }) => reconciliation_status !== 'superseded')
  return living.map((it) => [it.id, referencesOf(it, byPack)] as const)
}

/** What is known of the sources of one claim. A claim is in question only if all its sources are. */
function knownOf(references: readonly string[], found: Found) {
  const marks = references.map((reference) => itemIn(found, sourceMark, { reference }))
  const tallies = references.flatMap((reference) => itemIn(found, doubtSource, { reference }) ?? [])
  const sources = registeredIn(references).flatMap((id) => itemIn(found, dataSource, { id }) ?? [])
  const isInQuestion = marks.length > 0 && marks.every((mark) => mark !== undefined)
  const isWithdrawn = isInQuestion && marks.every((mark) => mark?.standing === 'withdrawn')
  return {
    standing_of_source: isWithdrawn ? ('withdrawn' as const) : isInQuestion ? ('questioned' as const) : undefined,
    record_of_source: {
      kept: tallies.reduce((sum, it) => sum + it.kept, 0),
      decided: tallies.reduce((sum, it) => sum + it.decided, 0),
    },
    source_year: sources.map(({ data }) => textOf(data.publication_timespan) || textOf(data.publication_year))[0],
  }
}
