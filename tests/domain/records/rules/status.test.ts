import { describe, expect, test } from 'vitest'
import {
  canonicalStatus,
  findMove,
  isPublished,
  moves,
  type ReviewState,
  recordStatuses,
  type Trigger,
  withheldStatuses,
} from '../../../../lib/domain/records/rules/status.ts'

const at = (status: ReviewState['status'], more: Partial<ReviewState> = {}): ReviewState => ({
  ...{ status, public: status === 'accepted', deleted: false, ...more },
})

/** Which canonical state may follow which; staying is always allowed. */
const lawful: Readonly<Record<string, readonly string[]>> = {
  draft: ['pending_review', 'accepted', 'rejected'],
  pending_review: ['accepted', 'rejected'],
  accepted: ['pending_review', 'superseded', 'rejected'],
  rejected: ['pending_review', 'accepted'],
  superseded: [],
}

describe('statuses', () => {
  test.each([
    ['draft', 'draft'],
    ['pending', 'pending_review'],
    ['pending_revision', 'pending_review'],
    ['approved', 'accepted'],
    ['incorporated', 'accepted'],
    ['merged', 'accepted'],
    ['published', 'accepted'],
    ['rejected', 'rejected'],
    ['superseded', 'superseded'],
    ['', null],
    [null, null],
    [undefined, null],
    ['on_hold', 'unknown'],
    ['constructor', 'unknown'],
  ])('%j is %j', (status, expected) => {
    expect(canonicalStatus(status)).toBe(expected)
  })

  test('every status is either published or withheld', () => {
    for (const status of recordStatuses) expect(withheldStatuses.includes(status)).toBe(!isPublished(status))
  })

  test('a legacy record without a status is published, one with an unknown status is not', () => {
    expect([null, '', 'merged', 'published', 'on_hold'].map(isPublished)).toEqual([true, true, true, true, false])
  })
})

describe('move', () => {
  test.each<[string, ReviewState, Trigger, Partial<ReviewState> | undefined]>([
    ['a draft is submitted', at('draft'), 'submit', { status: 'pending_review' }],
    ['what waits is not submitted again', at('pending_review'), 'submit', undefined],
    ['a rejected contribution may be reworked', at('rejected'), 'revise', { status: 'pending_revision' }],
    [
      'an edit of an unpublished record leaves its status',
      at('pending_revision'),
      'edit',
      { status: 'pending_revision' },
    ],
    [
      'an edit of a published record waits behind it',
      at('accepted'),
      'edit',
      { status: 'pending_review', public: true },
    ],
    ['accepting publishes', at('pending_review'), 'accept', { status: 'accepted', public: true }],
    [
      'accepting an edit keeps it published',
      at('pending_review', { public: true }),
      'accept',
      { status: 'accepted', public: true },
    ],
    ['rejecting a contribution withholds it', at('pending_review'), 'reject', { status: 'rejected', public: false }],
    [
      'rejecting an edit goes back to accepted',
      at('pending_review', { public: true }),
      'reject',
      { status: 'accepted', public: true },
    ],
    [
      'so does rejecting a reworked edit',
      at('pending_revision', { public: true }),
      'reject',
      { status: 'accepted', public: true },
    ],
    ['an accepted record can be rejected', at('accepted'), 'reject', { status: 'rejected', public: false }],
    [
      'changes can be asked for',
      at('pending_review'),
      'request_changes',
      { status: 'pending_revision', public: false },
    ],
    ['an escalated contribution stays where it is', at('pending_review'), 'escalate', { status: 'pending_review' }],
    ['nothing leads out of superseded', at('superseded'), 'accept', undefined],
    ['a deleted record is not accepted', at('pending_review', { deleted: true }), 'accept', undefined],
  ])('%s', (_rule, state, trigger, expected) => {
    const found = findMove(state, trigger)
    expect(found && { ...found, ...expected }).toEqual(found)
    expect(found === undefined).toBe(expected === undefined)
  })

  test('every move is lawful, and only an edit that goes back reverses one', () => {
    for (const status of recordStatuses)
      for (const isPublic of [true, false])
        for (const { trigger } of moves) {
          const to = findMove({ status, public: isPublic, deleted: false }, trigger)?.status
          // The record of a merged fork ends as superseded, whatever it waited for.
          if (!to || trigger === 'give_way') continue
          const [before, after] = [`${canonicalStatus(status)}`, `${canonicalStatus(to)}`]
          expect(before === after || lawful[before]?.includes(after), `${status} ${trigger} ${to}`).toBe(true)
        }
  })

  test('every row of the table decides something', () => {
    const states = recordStatuses.flatMap((status) => [true, false].map((it) => at(status, { public: it })))
    const first = (state: ReviewState, trigger: Trigger) =>
      moves.find(
        (row) =>
          row.trigger === trigger && row.from.includes(state.status) && (row.public ?? state.public) === state.public,
      )
    const deciding = moves.filter((row) => states.some((state) => first(state, row.trigger) === row))
    expect(deciding).toEqual(moves)
  })
})
