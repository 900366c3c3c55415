import * as v from 'valibot'
import { recordId } from '../../lib/base/ids/address.ts'
import type { KindKey } from '../../lib/domain/kinds/index.ts'
import { compareValues } from '../../lib/domain/records/corrections.ts'
import type { History } from '../../lib/domain/records/history.ts'
import { Assertion, Decision } from '../../lib/domain/records/items.ts'
import { dice } from './search/fill.ts'

/** A record as the estimates look at it. */
export type SimulatedRecord = Pick<History, 'kind' | 'data' | 'assertions' | 'decisions'> & {
  /** By claim, the share of reviewers who would keep it. No model can know more. */
  chances: ReadonlyMap<string, number>
}

const sources = ['inscription', 'archival', 'published', 'field_survey', 'oral_history', 'web'] as const
const confidences = ['certain', 'likely', 'uncertain', 'speculative'] as const
/** Properties of structures, each with values that contradict each other. */
const properties = {
  existence_status: ['Extant', 'Destroyed', 'Ruined'],
  condition: ['Good', 'Fair', 'Poor'],
  construction_date: ['1702', '1850', '1640'],
} as const
const propertyNames = Object.keys(properties) as (keyof typeof properties)[]

type Seen = {
  source: number
  confidence: number
  dated: boolean
  contradicts: boolean
  supports: boolean
  skill: number
}
/** The habits of reviewers: the log-odds by which each keeps a claim. */
export const habits: Readonly<Record<string, (it: Seen) => number>> = {
  // Goes by the source, and wants a good one for dates.
  scholar: ({ source, dated, contradicts }) => 3 - source * (dated ? 1.2 : 0.7) - (contradicts ? 0.8 : 0),
  // Knows who is careful, and what agrees.
  neighbour: ({ skill, supports, confidence }) => 5 * (skill - 0.5) + (supports ? 1.5 : 0) + 1 - confidence * 0.5,
  // Leaves what stands.
  keeper: ({ contradicts, source, confidence }) => (contradicts ? -1.8 : 2.2) - source * 0.15 - confidence * 0.3,
}

const probabilityOf = (odds: number) => 1 / (1 + Math.exp(-odds))

const START = Date.parse('2025-01-01T00:00:00.000Z')
const HOUR = 3_600_000

type Chance = ReturnType<typeof dice>
const pickFrom = <T>(all: readonly T[], chance: Chance) => all[Math.floor(chance() * all.length)] as T

/** A claim that is sent in: `source` counts from the most trusted sort. */
export type Sent = { property: string; value: unknown; source: number }
/** The claims of one record, in the order in which they are sent in. */
export type SentRecord = { kind: KindKey; claims: readonly Sent[] }

/** Simulates records of which each claim was decided on by a reviewer of one of three habits. The same seed gives the same records. */
export function simulateReviews({ records, seed }: { records: number; seed: number }): SimulatedRecord[] {
  const chance = dice(seed)
  const sent = Array.from({ length: records }, (): SentRecord => {
    const claims = Array.from({ length: 1 + Math.floor(chance() * 6) }, (): Sent => {
      const property = pickFrom(propertyNames, chance)
      const value = pickFrom(properties[property].slice(0, chance() < 0.6 ? 1 : 3), chance)
      return { property, value, source: Math.floor(chance() * sources.length) }
    })
    return { kind: 'structure', claims }
  })
  return reviewRecords(sent, { seed, hours: records })
}

/** Decides on the claims of records, each by a reviewer of one of three habits. They are worked on at all times within so many hours. */
export function reviewRecords(
  sent: readonly SentRecord[],
  { seed, hours }: { seed: number; hours: number },
): SimulatedRecord[] {
  const chance = dice(seed + 1000)
  const people = Array.from({ length: 40 }, (_, i) => ({ id: `person-${i}`, skill: chance() }))
  const reviewers = Object.entries(habits)
  return sent.map(({ kind, claims }, number): SimulatedRecord => {
    const entity_id = recordId(8, number + 1)
    const assertions: Assertion[] = []
    const decisions: Decision[] = []
    const chances = new Map<string, number>()
    const standing = new Map<string, Assertion>()
    let time = START + Math.floor(chance() * hours) * HOUR
    for (const [i, { property, value, source }] of claims.entries()) {
      time += Math.floor(1 + chance() * 40) * HOUR
      const person = pickFrom(people, chance)
      const confidence = Math.floor(chance() * confidences.length)
      const old = standing.get(property)
      const verdict = old && compareValues({ kind, data: {} }, property, old, { value })
      const [contradicts, supports] = [verdict === 'contradicts', verdict === 'same']
      const dated = property.endsWith('_date')
      const [name, habit] = pickFrom(reviewers, chance)
      const seen = { source, confidence, dated, contradicts, supports, skill: person.skill }
      const isKept = chance() < probabilityOf(habit(seen))
      const [at, later] = [new Date(time).toISOString(), new Date(time + HOUR / 2).toISOString()]
      const id = `claim-${number}-${i}`
      chances.set(
        id,
        reviewers.reduce((sum, [, one]) => sum + probabilityOf(one(seen)) / reviewers.length, 0),
      )
      const claim = v.parse(Assertion, {
        ...{ id, entity_id, kind, object_id: number + 1 },
        ...{ asserted_property: property, asserted_value: String(value), value },
        ...{ source_type: sources[source], confidence: confidences[confidence] },
        ...{ contributor_id: person.id, contributed_by: person.id, revision_number: i + 1 },
        reconciliation_status: isKept ? 'accepted' : 'superseded',
        ...{ created_at: at, updated_at: later, version: 1 },
      })
      if (isKept && old && contradicts) Object.assign(old, { reconciliation_status: 'superseded', updated_at: later })
      const outcome = isKept
        ? { property, stands: id, rule: old ? 'supersedes' : 'accepted', rivals: old ? [old.id] : [] }
        : { property, stands: old?.id ?? null, rule: 'existing_stands', rivals: [id] }
      decisions.push(
        v.parse(Decision, {
          ...{ id: `decision-${number}-${i}`, entity_id, reviewer_id: name, revision_reviewed: i + 1, sequence: i + 1 },
          ...{ verdict: isKept || old ? 'accept' : 'reject', conflict_handling: 'not_applicable' },
          outcomes: isKept || old ? [outcome] : [],
          ...{ created_at: later, version: 1 },
        }),
      )
      assertions.push(claim)
      if (isKept) standing.set(property, claim)
    }
    return { kind, data: {}, assertions, decisions, chances }
  })
}
