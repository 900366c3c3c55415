import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Acceptance,
  type ClaimState,
  computeCanonical,
  type DecisionOutcomes,
  settleReview,
} from '../../../../lib/domain/records/rules/canonical.ts'
import { handlings } from '../../../../lib/domain/records/rules/verdicts.ts'
import { standingValues } from '../../../harness/standing-values.ts'

const claim = (id: string, value: unknown, more: Partial<ClaimState> = {}): ClaimState => ({
  ...{ id, value, property: 'condition', status: 'pending', carried: true },
  ...more,
})
const review = (claims: ClaimState[], more: Partial<Acceptance> = {}): Acceptance => ({
  claims,
  standing: new Map(),
  values: { condition: claims.at(-1)?.value },
  edits: new Map(),
  contested: new Map(),
  handling: 'not_applicable',
  ...more,
})
const stands = (id: string | null) => new Map([['condition', { stands: id }]])
const old = claim('1', 'Good', { status: 'accepted' })
const fatesOf = (it: Acceptance) =>
  Object.fromEntries([...settleReview(it).fates].map(([id, fate]) => [id, fate.status]))

describe('an acceptance', () => {
  test('lets a first value stand', () => {
    expect(settleReview(review([claim('1', 'Good')]))).toEqual({
      outcomes: [{ property: 'condition', stands: '1', rule: 'accepted', rivals: [] }],
      fates: new Map([['1', { status: 'accepted' }]]),
    })
  })

  test('lets a new value take the place of the former', () => {
    const it = review([old, claim('2', 'Fair')], { standing: stands('1') })
    expect(settleReview(it)).toEqual({
      outcomes: [{ property: 'condition', stands: '2', rule: 'replaced', rivals: ['1'] }],
      fates: new Map([
        ['2', { status: 'accepted', supersedes: '1' }],
        ['1', { status: 'superseded' }],
      ]),
    })
  })

  test('says nothing of a value that stands already', () => {
    expect(settleReview(review([old], { standing: stands('1') }))).toEqual({ outcomes: [], fates: new Map() })
  })

  test('ends what is taken away', () => {
    expect(settleReview(review([old], { standing: stands('1'), values: {} }))).toEqual({
      outcomes: [{ property: 'condition', stands: null, rule: 'removed', rivals: ['1'] }],
      fates: new Map([['1', { status: 'superseded' }]]),
    })
  })

  test('ends a waiting claim whose value was taken away before review', () => {
    expect(settleReview(review([claim('1', 'Good')], { values: {} }))).toEqual({
      outcomes: [],
      fates: new Map([['1', { status: 'superseded' }]]),
    })
  })

  test('takes up the claim with which a value was refused, when it comes again', () => {
    const it = review([claim('1', 'Good', { status: 'superseded' })])
    expect(settleReview(it).outcomes).toEqual([{ property: 'condition', stands: '1', rule: 'accepted', rivals: [] }])
  })

  test('prefers the edit of the reviewer to what waits and to what stands', () => {
    const it = review([old, claim('2', 'Fair'), claim('3', 'Poor')], {
      standing: stands('1'),
      edits: new Map([['condition', '3']]),
      contested: new Map([['condition', ['2', '1']]]),
      handling: 'supersedes',
    })
    expect(settleReview(it).outcomes).toEqual([
      { property: 'condition', stands: '3', rule: 'supersedes', rivals: ['1'] },
    ])
    expect(fatesOf(it)).toEqual({ 1: 'superseded', 2: 'superseded', 3: 'accepted' })
  })

  const contested = new Map([['condition', ['2', '1']]])
  test.each([
    ['supersedes', '2', 'superseded', 'accepted'],
    ['coexist', '2', 'accepted', 'accepted'],
    ['existing_stands', '1', 'accepted', 'superseded'],
    ['refines', '2', 'accepted', 'accepted'],
    ['disputed', '1', 'disputed', 'disputed'],
  ] as const)('settles a contradiction by %s', (handling, standing, first, second) => {
    const it = review([old, claim('2', 'Ruinous')], { standing: stands('1'), contested, handling })
    expect(settleReview(it).outcomes).toEqual([
      { property: 'condition', stands: standing, rule: handling, rivals: [standing === '1' ? '2' : '1'] },
    ])
    expect(fatesOf(it)).toEqual({ 1: first, 2: second })
  })

  test('that keeps the existing value refuses everything that waits against it', () => {
    const apart = claim('2', 'Poor', { carried: false })
    const it = review([old, apart, claim('3', 'Ruinous')], {
      standing: stands('1'),
      contested: new Map([['condition', ['3', '2', '1']]]),
      handling: 'existing_stands',
    })
    expect(fatesOf(it)).toEqual({ 1: 'accepted', 2: 'superseded', 3: 'superseded' })
  })

  test('settles a contradiction by a claim that was made apart', () => {
    const apart = claim('2', 'Poor', { carried: false })
    const it = review([old, apart], { standing: stands('1'), values: { condition: 'Good' }, contested })
    expect(settleReview(it)).toEqual({ outcomes: [], fates: new Map() })
    expect(settleReview({ ...it, handling: 'supersedes' }).outcomes).toEqual([
      { property: 'condition', stands: '2', rule: 'supersedes', rivals: ['1'] },
    ])
    expect(settleReview({ ...it, handling: 'existing_stands' }).outcomes).toEqual([
      { property: 'condition', stands: '1', rule: 'existing_stands', rivals: ['2'] },
    ])
  })

  test('does not hand a handling on to properties that nobody contests', () => {
    const note = (id: string, more: Partial<ClaimState> = {}) => claim(id, `note ${id}`, { property: 'note', ...more })
    const it = review([old, note('2', { status: 'accepted' }), claim('3', 'Ruinous'), note('4')], {
      standing: new Map([...stands('1'), ['note', { stands: '2' }]]),
      values: { condition: 'Ruinous', note: 'note 4' },
      contested: new Map([['condition', ['3', '1']]]),
      handling: 'coexist',
    })
    expect(fatesOf(it)).toEqual({ 1: 'accepted', 2: 'superseded', 3: 'accepted', 4: 'accepted' })
  })
})

/** What people do to three properties: hand in values, take them away, and decide. */
type Step = {
  property: string
  value: number | null
  edit: boolean
  handling: (typeof handlings)[number]
  accept: boolean
}
const step: fc.Arbitrary<Step> = fc.record({
  property: fc.constantFrom('a', 'b', 'c'),
  value: fc.option(fc.nat(3), { nil: null }),
  edit: fc.boolean(),
  handling: fc.constantFrom(...handlings),
  accept: fc.boolean(),
})

/** The claims, the decisions, and the values that stand, as one after the other made them. */
function history(steps: readonly Step[]) {
  let claims: ClaimState[] = []
  const rulings: DecisionOutcomes[] = []
  let accepted: Record<string, unknown> = {}
  let waiting: Record<string, unknown> = {}
  for (const [n, { property, value, edit, handling, accept }] of steps.entries()) {
    const id = String(n).padStart(3, '0')
    if (value === null) delete waiting[property]
    else {
      waiting[property] = value
      claims = [...claims, claim(id, value, { property })]
    }
    if (!accept) continue
    const standing = computeCanonical(claims, rulings)
    const rivals = claims.filter((it) => it.property === property && it.status !== 'superseded').map((it) => it.id)
    const { outcomes, fates } = settleReview({
      claims,
      standing,
      values: waiting,
      edits: new Map(edit && value !== null ? [[property, id]] : []),
      contested: new Map([[property, rivals]]),
      handling,
    })
    claims = claims.map((it) => ({ ...it, ...fates.get(it.id) }))
    accepted = { ...waiting }
    for (const it of outcomes) {
      if (it.stands === null) delete accepted[it.property]
      else accepted[it.property] = claims.find(({ id }) => id === it.stands)?.value
    }
    rulings.push({ id, sequence: n, outcomes })
    waiting = { ...accepted }
  }
  return { claims, rulings, accepted }
}

describe('what stands', () => {
  const shuffled = fc.array(step, { maxLength: 25 }).chain((steps) => {
    const made = history(steps)
    return fc.record({
      made: fc.constant(made),
      claims: fc.shuffledSubarray(made.claims, { minLength: made.claims.length }),
      rulings: fc.shuffledSubarray(made.rulings, { minLength: made.rulings.length }),
      again: fc.subarray(made.rulings),
    })
  })

  test('is the same in whatever order, and however often, claims and decisions arrive', () => {
    fc.assert(
      fc.property(shuffled, ({ made, claims, rulings, again }) => {
        const expected = Object.fromEntries(computeCanonical(made.claims, made.rulings))
        expect(Object.fromEntries(computeCanonical(claims, [...rulings, ...again]))).toEqual(expected)
      }),
    )
  })

  test('is what the decisions made one after the other', () => {
    fc.assert(
      fc.property(shuffled, ({ made, claims, rulings }) => {
        expect(standingValues(computeCanonical(claims, rulings))).toEqual(made.accepted)
      }),
    )
  })

  test('is never a claim that waits or has lost', () => {
    fc.assert(
      fc.property(shuffled, ({ made: { claims, rulings } }) => {
        const standing = [...computeCanonical(claims, rulings).values()].map((it) => it.stands)
        const statuses = claims.filter((it) => standing.includes(it.id)).map((it) => it.status)
        expect(statuses.filter((it) => it !== 'accepted' && it !== 'disputed')).toEqual([])
      }),
    )
  })

  test('leaves no claim waiting after an acceptance', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
        const { claims } = history(steps.map((it, i) => (i === steps.length - 1 ? { ...it, accept: true } : it)))
        expect(claims.filter((it) => it.status === 'pending')).toEqual([])
      }),
    )
  })
})
