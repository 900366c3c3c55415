import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { footingsOf, groundsOf, standingWithout, successorWithout } from '../../../lib/domain/foundations/footings.ts'
import { newClaim } from '../../../lib/domain/records/build.ts'
import type { History } from '../../../lib/domain/records/history.ts'
import {
  type ClaimState,
  computeCanonical,
  type DecisionOutcomes,
  settleReview,
} from '../../../lib/domain/records/rules/canonical.ts'
import { handlings } from '../../../lib/domain/records/rules/verdicts.ts'
import { citationReference } from '../../../lib/domain/records/source-references.ts'

const books = ['Book A', 'Book B', 'Book C'] as const
const values = ['Good', 'Fair', 'Ruinous'] as const
/** A contribution and how a reviewer accepted it, or the removal of the value. */
const event = fc.record({
  book: fc.constantFrom(...books),
  value: fc.constantFrom(...values),
  handling: fc.constantFrom(...handlings),
  removes: fc.boolean(),
})
type Event = { id: string; book: string; value: string; handling: (typeof handlings)[number]; removes: boolean }

/** Accepts the events one after the other by the real rules. `isContested`: whether a reviewer met a contradiction then. */
function accept(events: readonly Event[], isContested: (it: Event, standing: unknown) => boolean) {
  let claims: ClaimState[] = []
  const decisions: DecisionOutcomes[] = []
  for (const [i, it] of events.entries()) {
    const standing = computeCanonical(claims, decisions)
    const old = standing.get('condition')
    const claim: ClaimState = { id: it.id, property: 'condition', value: it.value, status: 'pending', carried: true }
    if (!it.removes) claims = [...claims, claim]
    const contested = !it.removes && Boolean(old?.stands) && isContested(it, old?.value)
    const { outcomes, fates } = settleReview({
      claims,
      standing,
      values: it.removes ? {} : { condition: it.value },
      edits: new Map(),
      contested: new Map(contested ? [['condition', [it.id, String(old?.stands)]]] : []),
      handling: contested ? it.handling : 'not_applicable',
    })
    claims = claims.map((one) => ({ ...one, status: fates.get(one.id)?.status ?? one.status }))
    decisions.push({ id: `d${i}`, sequence: i, outcomes })
  }
  return { claims, decisions, standing: computeCanonical(claims, decisions).get('condition') }
}

const actor = { id: 'u', username: 'u', email: '', is_staff: false, is_superuser: false, rank: null }
function historyOf(events: readonly Event[], { claims, decisions }: ReturnType<typeof accept>): History {
  const about = { entity_id: 'e', kind: 'structure' as const, id: 1 }
  const source = {
    source_type: 'book',
    source_citation: '',
    source_url: '',
    confidence: 'likely',
    data_quality_note: '',
  }
  const assertions = claims.map(({ id, value, status }) => ({
    ...newClaim({ about, source, actor, revision_number: 1, at: '2025' }, 'condition', value, id),
    source_citation: events.find((it) => it.id === id)?.book ?? '',
    reconciliation_status: status,
  }))
  // The pure functions look at nothing else of a history.
  return {
    kind: 'structure',
    public: true,
    deleted_at: null,
    data: {},
    access_tier: 'public',
    assertions,
    decisions,
  } as never
}

test('what would stand without a source equals a replay in which nobody cited it', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 9 }), fc.subarray([...books]), (drawn, fallen) => {
      const events = drawn.map((it, i) => ({
        ...it,
        id: `00000000-0000-4000-8000-00000000000${i}`,
        removes: it.removes && i % 3 === 2,
      }))
      const met = new Set<string>()
      const made = accept(events, (it, standing) => {
        const meets = it.handling !== 'not_applicable' && standing !== it.value
        if (meets) met.add(it.id)
        return meets
      })
      const replayed = accept(
        events.filter((it) => it.removes || !fallen.includes(it.book as (typeof books)[number])),
        (it, standing) => met.has(it.id) && standing !== it.value,
      )
      const history = historyOf(events, made)
      const references = new Set(fallen.flatMap((book) => citationReference(book)))
      const planned = standingWithout(groundsOf(history), 'condition', references)
      // A settled claim that says something stands where the decisions leave nothing.
      if (replayed.standing?.stands) expect(planned?.value).toBe(replayed.standing.value)
      // What is stored for lists says the same as the plan made anew.
      const [footing] = footingsOf(history)
      if (footing?.references.every((it) => references.has(it)))
        expect(successorWithout(footing, references)?.claim ?? null).toBe(planned?.id ?? null)
    }),
    { numRuns: 1000 },
  )
})
