import { beforeAll, describe, expect, test } from 'vitest'
import { ranks } from '../../../lib/platform/permissions.ts'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { withTornQueries } from '../../harness/faults.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { atOnce, commandsOf, contribute, decide, flagsOf, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const nothingWaits = { detail: 'Nothing waits for review here.' }
const ownWork = { detail: 'Nobody decides on a contribution of their own.' }

type Item = Record<string, unknown>
type Claim = {
  property: string
  value: string
  reconciliation_status: string
  refines: string | null
  supersedes: string | null
}
const read = async (who: Persona, it: { id: number }) => (await who.get(`/cidoc/structures/${it.id}/`)).body
const values = (body: { assertions: Claim[] }, property: string) =>
  body.assertions
    .filter((it) => it.property === property)
    .map((it) => [it.value, it.reconciliation_status])
    .sort()
const waiting = (name: string, body: object = {}) => contribute(app.contributor, 'structures', { name, ...body })
const patch = async (who: Persona, it: { id: number }, body: object) => {
  app.tick(1)
  return sure(200, await who.patch(`/cidoc/structures/${it.id}/`, { body }))
}

describe('a verdict', () => {
  test('is answered in full', async () => {
    const it = await waiting('Answered')
    const reply = await decide(app.community, it, { verdict: 'accept', comments: 'Well sourced.' })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      id: expect.any(String),
      entity: it.cultural_entity_id,
      entity_id: it.cultural_entity_id,
      reviewer: expect.objectContaining({ username: 'reviewer', email: '' }),
      revision_reviewed: expect.objectContaining({ revision_number: 1 }),
      accepted_revision: 1,
      verdict: 'accept',
      conflict_handling: 'not_applicable',
      confidence_override: null,
      verification_method: null,
      feedback: 'Well sourced.',
      reconciliation_note: '',
      internal_note: '',
      escalated_to: null,
      created_at: '2025-01-15T10:00:00.000Z',
    })
  })

  test('of acceptance publishes the record and its claims', async () => {
    const it = await waiting('Accepted', { note: 'n' })
    expect((await app.anon.get(`/cidoc/structures/${it.id}/`)).status).toBe(404)
    sure(201, await decide(app.community, it, { verdict: 'accept' }))
    const body = await read(app.anon, it)
    expect(body).toMatchObject({ name: 'Accepted', status: 'accepted' })
    expect(body.assertions.map((one: Claim) => one.reconciliation_status)).toEqual(['accepted', 'accepted'])
  })

  test('of rejection withholds the record and needs a reason', async () => {
    const it = await waiting('Rejected')
    for (const feedback of [undefined, '', '  \n']) {
      const reply = await decide(app.community, it, { verdict: 'reject', feedback })
      expect([reply.status, reply.body]).toEqual([
        400,
        { feedback: ['Say why, so that the contributor can act on it.'] },
      ])
    }
    expect(await read(app.contributor, it)).toMatchObject({ status: 'pending_review' })
    sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No source.' }))
    expect(await read(app.contributor, it)).toMatchObject({ status: 'rejected' })
    expect((await app.anon.get(`/cidoc/structures/${it.id}/`)).status).toBe(404)
  })

  test('that asks for changes sends the contribution back, with a reason', async () => {
    const it = await waiting('Sent back')
    expect((await decide(app.community, it, { verdict: 'request_changes' })).status).toBe(400)
    sure(201, await decide(app.community, it, { verdict: 'request_changes', feedback: 'Which century?' }))
    expect(await read(app.contributor, it)).toMatchObject({ status: 'pending_revision' })
    const mine = await app.contributor.get('/data/cultural-entities/my_contributions/')
    const row = mine.body.results.find((one: { name: string }) => one.name === 'Sent back')
    expect(row.latest_feedback).toMatchObject({ comment: 'Which century?', activity_type: 'changes_requested' })
  })

  test('on what is sent back and revised publishes the revision', async () => {
    const it = await waiting('Sent back and forth', { note: 'old' })
    sure(201, await decide(app.community, it, { verdict: 'request_changes', feedback: 'Which century?' }))
    await patch(app.contributor, it, { note: 'new' })
    sure(201, await decide(app.community, it, { verdict: 'accept' }))
    expect(await read(app.anon, it)).toMatchObject({ note: 'new', status: 'accepted' })
    expect(values(await read(app.staff, it), 'note')).toEqual([
      ['new', 'accepted'],
      ['old', 'superseded'],
    ])
  })

  test('on what no longer waits is refused', async () => {
    const it = await publish(app, 'structures', { name: 'Decided' })
    for (const body of [{ verdict: 'accept' }, { verdict: 'reject', feedback: 'Changed my mind.' }]) {
      const reply = await decide(app.domain, it, body)
      expect([reply.status, reply.body]).toEqual([409, nothingWaits])
    }
    expect(await read(app.anon, it)).toMatchObject({ status: 'accepted' })
    const refused = await waiting('Decided and refused')
    sure(201, await decide(app.community, refused, { verdict: 'reject', feedback: 'No.' }))
    for (const verdict of ['accept', 'accept_with_edits', 'request_changes', 'reject', 'escalate']) {
      const reply = await decide(app.domain, refused, { verdict, feedback: 'Again.' })
      expect([reply.status, reply.body]).toEqual([409, nothingWaits])
    }
    const gone = await waiting('Decided and gone')
    sure(204, await app.contributor.delete(`/cidoc/structures/${gone.id}/`))
    expect((await decide(app.staff, gone, { verdict: 'accept' })).status).toBe(409)
    expect((await decide(app.community, gone, { verdict: 'accept' })).status).toBe(404)
  })

  test('on what has changed since the reviewer read it is refused, and nothing is written', async () => {
    const it = await waiting('Read too early')
    const workspace = `/data/review-workspace/${it.cultural_entity_id}/`
    const { etag = '' } = (await app.community.get(workspace)).headers
    await patch(app.contributor, it, { note: 'Changed meanwhile' })
    const late = await app.community.post(`${workspace}decide/`, {
      body: { verdict: 'accept' },
      headers: { 'if-match': etag },
    })
    expect([late.status, late.body]).toEqual([412, { detail: 'This has changed since the version named in If-Match.' }])
    expect((await read(app.staff, it)).status).toBe('pending_review')
    const fresh = (await app.community.get(workspace)).headers.etag ?? ''
    const verdict = { body: { verdict: 'accept' }, headers: { 'if-match': fresh } }
    expect((await app.community.post(`${workspace}decide/`, verdict)).status).toBe(201)
  })

  const hasClaimOn = (property: string, { type, claims }: Item) =>
    type === 'claims' && Object.hasOwn(Object(claims), property)

  // An amendment is being put in place: a query sees the record as it will be, and something beside it not yet.
  test.each([
    ['a claim', (item: Item) => hasClaimOn('note', item)],
    ['the revision', (item: Item) => item.type === 'revision' && item.revision_number === 2],
    ['a flag', (item: Item) => item.type === 'flag'],
  ])('takes an amendment whole of which a reader sees one half, %s not yet, or is refused', async (what, isLate) => {
    const refusal = [409, { detail: 'This has changed since it was read. Read it again and retry.' }]
    const it = await waiting(`Being amended, ${what} late`, { construction_date: '1700' })
    await patch(app.staff, it, { note: 'It comes', construction_date: '1800' })
    const isOwn = (item: Item) => item.pk === `ENTITY#${it.cultural_entity_id}` && isLate(item)
    const accept = { verdict: 'accept', conflict_handling: 'coexist', comments: 'Both.' }
    await withTornQueries(Number.POSITIVE_INFINITY, isOwn, async () => {
      const reply = await decide(app.domain, it, accept)
      expect([reply.status, reply.body]).toEqual(refusal)
      // Whose revision it is cannot be told from the one half: they do not decide on it either.
      const own = await decide(app.staff, it, accept)
      expect([403, 409]).toContain(own.status)
    })
    expect((await read(app.staff, it)).status).toBe('pending_review')
    await withTornQueries(1, isOwn, async () => sure(201, await decide(app.domain, it, accept)))
    const body = await read(app.anon, it)
    expect(body).toMatchObject({ status: 'accepted', note: 'It comes' })
    expect(values(body, 'note')).toEqual([['It comes', 'accepted']])
    expect(await flagsOf(it)).toEqual([expect.objectContaining({ is_resolved: true })])
  })

  test('is not the only one that waits for an amendment: so does the next amendment', async () => {
    const it = await waiting('Amended twice')
    await patch(app.contributor, it, { note: 'One' })
    const isLate = (item: Item) => item.entity_id === it.cultural_entity_id && hasClaimOn('note', item)
    await withTornQueries(Number.POSITIVE_INFINITY, isLate, async () => {
      const reply = await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'Two' } })
      expect([reply.status, reply.body]).toEqual([
        409,
        { detail: 'This has changed since it was read. Read it again and retry.' },
      ])
    })
    await withTornQueries(1, isLate, () => patch(app.contributor, it, { note: 'Two' }))
    expect(values(await read(app.staff, it), 'note')).toEqual([
      ['One', 'superseded'],
      ['Two', 'pending'],
    ])
  })

  test('of two reviewers at once: one wins, the other is told', async () => {
    const it = await waiting('Contested')
    const replies = await atOnce([
      () => decide(app.community, it, { verdict: 'accept' }),
      () => decide(app.domain, it, { verdict: 'reject', feedback: 'No.' }),
    ])
    const [won, lost] = replies.sort((a, b) => a.status - b.status)
    expect([won?.status, lost?.status]).toEqual([201, 409])
    expect(lost?.body).toEqual({ detail: 'This has changed since it was read. Read it again and retry.' })
    const body = await read(app.staff, it)
    expect(body.status).toBe(won?.body.verdict === 'accept' ? 'accepted' : 'rejected')
    const { body: feed } = await app.staff.get('/data/activities/', { query: { limit: 100 } })
    const kinds = feed.results.filter((row: { entity_id: string }) => row.entity_id === it.cultural_entity_id)
    expect(kinds).toHaveLength(2)
  })

  test.each(['community', 'domain', 'curator', 'staff'] as const)(
    'is not given by %s on their own contribution',
    async (who) => {
      const it = await contribute(app[who], 'structures', { name: `Own work of ${who}` })
      const reply = await decide(app[who], it, { verdict: 'accept' })
      expect([reply.status, reply.body]).toEqual([403, ownWork])
      // Who may not decide is not told what is wrong with the decision.
      expect((await decide(app[who], it, { verdict: 'maybe' })).body).toEqual(ownWork)
      expect((await app.anon.get(`/cidoc/structures/${it.id}/`)).status).toBe(404)
    },
  )

  test('is not given on an edit of their own to the record of someone else', async () => {
    const it = await publish(app, 'structures', { name: 'Edited by staff' })
    await patch(app.staff, it, { note: 'By staff' })
    expect((await decide(app.staff, it, { verdict: 'accept' })).body).toEqual(ownWork)
    expect((await decide(app.curator, it, { verdict: 'accept' })).status).toBe(201)
    expect(await read(app.anon, it)).toMatchObject({ note: 'By staff', contributor: 'dev' })
  })

  test('is given by reviewers only', async () => {
    const it = await waiting('Not for all')
    expect((await decide(app.anon, it, { verdict: 'accept' })).status).toBe(401)
    expect((await decide(app.contributor, it, { verdict: 'accept' })).status).toBe(403)
    expect((await decide(app.other, it, { verdict: 'accept' })).status).toBe(403)
    // Whether it is there is not told either.
    const nothing = { cultural_entity_id: '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10' }
    expect((await decide(app.other, nothing, { verdict: 'accept' })).status).toBe(403)
    expect(await read(app.contributor, it)).toMatchObject({ status: 'pending_review' })
  })

  test('overrides confidence where the reviewer is an expert', async () => {
    const it = await waiting('Overridden', { note: 'n' })
    const verdict = { verdict: 'accept', confidence_override: 'speculative' }
    const refusal = await decide(app.community, it, verdict)
    expect([refusal.status, refusal.body]).toEqual([
      403,
      { detail: 'Overriding confidence takes at least a domain expert.' },
    ])
    sure(201, await decide(app.domain, it, verdict))
    const { assertions } = await read(app.anon, it)
    expect(assertions.map((one: { confidence: string }) => one.confidence)).toEqual(['speculative', 'speculative'])
  })

  test('is one transaction, logged with the rest of the history', async () => {
    const it = await waiting('Logged')
    sure(201, await decide(app.community, it, { verdict: 'accept', feedback: 'Fine.' }))
    const { body } = await app.contributor.get(`/data/cultural-entities/${it.cultural_entity_id}/`)
    expect(
      body.activities.map((one: { activity_type: string; comment: string }) => [one.activity_type, one.comment]),
    ).toEqual([
      ['accepted', 'Fine.'],
      ['submitted', ''],
    ])
  })
})

/** A published record of which staff has changed the condition: two claims that contradict each other. */
async function contested(name: string) {
  const it = await publish(app, 'structures', { name, condition: 'Good', note: 'n' })
  await patch(app.staff, it, { condition: 'Ruinous' })
  return it
}

describe('a contradiction', () => {
  test('raises a flag that names both sides', async () => {
    const it = await contested('Flagged')
    const body = await read(app.staff, it)
    const sides = body.assertions
      .filter((one: Claim) => one.property === 'condition')
      .map((one: { id: string }) => one.id)
    const flags = await flagsOf(it)
    expect(flags).toMatchObject([
      { flag_type: 'contradiction', property: 'condition', is_resolved: false, flagged_by: null },
    ])
    expect([...(flags[0]?.assertion_ids ?? [])].sort()).toEqual(sides.sort())
  })

  test('is not raised by a value that agrees, refines, or is the same', async () => {
    const it = await publish(app, 'structures', {
      name: 'Agreeing',
      coordinates: '27.67, 85.42',
      construction_date: '1702~',
    })
    await patch(app.staff, it, { coordinates: '27.6714, 85.4214', construction_date: '1702' })
    expect(await flagsOf(it)).toEqual([])
  })

  test('is not raised by a second thought of the same person before review', async () => {
    const it = await waiting('Second thought', { condition: 'Good' })
    await patch(app.contributor, it, { condition: 'Poor' })
    expect(await flagsOf(it)).toEqual([])
    expect(values(await read(app.contributor, it), 'condition')).toEqual([
      ['Good', 'superseded'],
      ['Poor', 'pending'],
    ])
  })

  test('is not accepted without saying how it is settled', async () => {
    const it = await contested('Unsettled')
    const reply = await decide(app.curator, it, { verdict: 'accept' })
    expect([reply.status, reply.body]).toEqual([
      400,
      { conflict_handling: ['There is an open contradiction: say how it is settled.'] },
    ])
    expect(await read(app.anon, it)).toMatchObject({ condition: 'Good' })
  })

  test('is settled by a domain expert, not by a community reviewer', async () => {
    const it = await contested('For experts')
    const verdict = { verdict: 'accept', conflict_handling: 'coexist' }
    // Whether or not it says how: who may not settle it need not be told what is missing.
    for (const input of [verdict, { verdict: 'accept' }]) {
      const refusal = await decide(app.community, it, input)
      expect([refusal.status, refusal.body]).toEqual([
        403,
        { detail: 'Settling a contradiction takes at least a domain expert.' },
      ])
    }
    expect((await decide(app.domain, it, verdict)).status).toBe(201)
  })

  const handlings = [
    ['supersedes', 'Ruinous', 'superseded', 'accepted'],
    ['coexist', 'Ruinous', 'accepted', 'accepted'],
    ['existing_stands', 'Good', 'accepted', 'superseded'],
    ['refines', 'Ruinous', 'accepted', 'accepted'],
    ['disputed', 'Good', 'disputed', 'disputed'],
  ] as const
  test.each(handlings)(
    'settled by %s: the value is %s, the old claim %s, the new one %s',
    async (conflict_handling, shown, old, made) => {
      const it = await contested(`Settled by ${conflict_handling}`)
      const verdict = { verdict: 'accept', conflict_handling, reconciliation_note: 'Seen on site.' }
      sure(201, await decide(app.domain, it, verdict))
      const body = await read(app.staff, it)
      expect(body).toMatchObject({ condition: shown, status: 'accepted', note: 'n' })
      expect(values(body, 'condition')).toEqual([
        ['Good', old],
        ['Ruinous', made],
      ])
      const [good, ruinous] = ['Good', 'Ruinous'].map((value) =>
        body.assertions.find((one: Claim) => one.value === value),
      )
      expect(ruinous.refines).toBe(conflict_handling === 'refines' ? good.id : null)
      expect(ruinous.supersedes).toBe(conflict_handling === 'supersedes' ? good.id : null)
      const me = (await app.domain.get('/api/user/info')).body.id
      expect(await flagsOf(it)).toMatchObject([{ is_resolved: true, resolved_by: me, resolved_at: expect.any(String) }])
      const { body: feed } = await app.staff.get(`/data/cultural-entities/${it.cultural_entity_id}/`)
      expect(feed.activities[0]).toMatchObject({ activity_type: 'conflict_resolved', comment: 'Seen on site.' })
    },
  )

  test('before publication is settled for the first value by existing_stands', async () => {
    const it = await waiting('Two claims', { condition: 'Good' })
    await patch(app.staff, it, { condition: 'Poor' })
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'existing_stands' }))
    const body = await read(app.anon, it)
    expect(body.condition).toBe('Good')
    expect(values(body, 'condition')).toEqual([['Good', 'accepted']])
  })

  test('of a refused edit asks nothing of the next one', async () => {
    const it = await contested('Refused and moot')
    sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No.' }))
    await patch(app.contributor, it, { description: 'Harmless' })
    expect((await decide(app.community, it, { verdict: 'accept' })).status).toBe(201)
    expect((await flagsOf(it)).every((flag) => flag.is_resolved)).toBe(true)
  })

  test('of a value that its author replaces again and again is one flag, which ends with the last of them', async () => {
    const it = await contested('Again and again')
    for (const condition of ['Poor', 'Fair', 'Ruinous']) await patch(app.staff, it, { condition })
    const { assertions } = await read(app.staff, it)
    const claimOf = (value: string) => assertions.find((one: Claim) => one.value === value).id
    expect(await flagsOf(it)).toMatchObject([
      { is_resolved: false, property: 'condition', assertion_ids: [expect.any(String), claimOf('Good')] },
    ])
    const row = sure(200, await app.staff.get(`/data/review-queue/${it.cultural_entity_id}/`))
    expect(row).toMatchObject({ flag_count: 1, has_conflicts: true })

    // The edit that takes the value out of the revision leaves nothing to settle.
    await patch(app.staff, it, { condition: 'Good', note: 'Seen on site' })
    expect(await flagsOf(it)).toMatchObject([{ is_resolved: true, resolved_by: null }])
    expect((await decide(app.community, it, { verdict: 'accept' })).status).toBe(201)
  })

  test('is settled by acceptance only: no other verdict takes a handling for one', async () => {
    const it = await contested('Sent back contested')
    const verdict = { verdict: 'request_changes', feedback: 'Source?', conflict_handling: 'supersedes' }
    sure(201, await decide(app.community, it, verdict))
    expect((await flagsOf(it)).map((flag) => flag.is_resolved)).toEqual([false])
  })
})

describe('a contradiction that is none of the values', () => {
  test('which a person raised is settled by saying how, and changes no claim', async () => {
    const it = await waiting('Contradicted by hand', { condition: 'Good' })
    const body = { entity: it.cultural_entity_id, flag_type: 'contradiction', reason: 'The plaque says otherwise.' }
    sure(201, await app.community.post('/data/review-flags/', { body }))
    expect((await decide(app.domain, it, { verdict: 'accept' })).status).toBe(400)
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'existing_stands' }))
    expect(values(await read(app.staff, it), 'condition')).toEqual([['Good', 'accepted']])
    expect(await flagsOf(it)).toMatchObject([{ is_resolved: true }])
  })

  test('which its author has withdrawn is not settled by what is said of another', async () => {
    const it = await publish(app, 'structures', { name: 'Moot', condition: 'Good', existence_status: 'Extant' })
    await patch(app.staff, it, { condition: 'Ruinous', existence_status: 'Destroyed' })
    await patch(app.staff, it, { condition: 'Good' })
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'coexist' }))
    const body = await read(app.staff, it)
    expect(values(body, 'existence_status')).toEqual([
      ['Destroyed', 'accepted'],
      ['Extant', 'accepted'],
    ])
    expect(values(body, 'condition')).toEqual([
      ['Good', 'accepted'],
      ['Good', 'superseded'],
      ['Ruinous', 'superseded'],
    ])
    expect((await flagsOf(it)).every((flag) => flag.is_resolved)).toBe(true)
  })

  test('need not be there for a handling to be named', async () => {
    const it = await waiting('Nothing to handle', { condition: 'Good' })
    sure(201, await decide(app.community, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    expect(await activitiesOf(it)).toEqual(['accepted', 'submitted'])
  })
})

describe('several edits that wait', () => {
  test('leave one standing claim for each value when they are accepted', async () => {
    const it = await publish(app, 'structures', { name: 'Many hands', note: 'one' })
    await patch(app.contributor, it, { note: 'two' })
    await patch(app.staff, it, { note: 'three' })
    sure(201, await decide(app.domain, it, { verdict: 'accept' }))
    const body = await read(app.staff, it)
    expect(body.note).toBe('three')
    expect(values(body, 'note')).toEqual([
      ['one', 'superseded'],
      ['three', 'accepted'],
      ['two', 'superseded'],
    ])
  })

  test('that take a value away end its claim', async () => {
    const it = await publish(app, 'structures', { name: 'Emptied', note: 'gone' })
    await patch(app.contributor, it, { note: '' })
    expect(await read(app.anon, it)).toMatchObject({ note: 'gone' })
    sure(201, await decide(app.domain, it, { verdict: 'accept' }))
    expect(await read(app.anon, it)).toMatchObject({ note: '' })
    expect(values(await read(app.staff, it), 'note')).toEqual([['gone', 'superseded']])
  })
})

/** A revision as those see it who work on the record. */
const revisionsOf = async (it: { cultural_entity_id: string }) =>
  (await app.staff.get(`/data/revisions/?entity=${it.cultural_entity_id}`)).body.results
const activitiesOf = async (it: { cultural_entity_id: string }) =>
  (await app.staff.get(`/data/cultural-entities/${it.cultural_entity_id}/`)).body.activities.map(
    (one: { activity_type: string }) => one.activity_type,
  )

describe('acceptance with edits', () => {
  test('publishes the reviewer’s values as a further revision, with claims of the reviewer', async () => {
    const it = await waiting('With edits', { condition: 'Good', note: 'kept' })
    const edits = {
      condition: 'Fair',
      description: 'Three roofs.',
      nonsense: 'dropped',
      status: 'draft',
      assertion: { source_type: 'field_survey', source_citation: 'Visit 2024', confidence: 'certain' },
    }
    const made = sure(201, await decide(app.community, it, { verdict: 'accept_with_edits', edits }))
    expect(made).toMatchObject({ verdict: 'accept_with_edits', revision_reviewed: { revision_number: 1 } })
    expect(made.accepted_revision).toBe(2)
    const body = await read(app.anon, it)
    expect(body).toMatchObject({
      ...{ name: 'With edits', condition: 'Fair', note: 'kept', description: 'Three roofs.', status: 'accepted' },
      contributor: 'dev',
    })
    const claims = (await read(app.staff, it)).assertions.map((one: Claim & Record<string, unknown>) => [
      one.property,
      one.value,
      one.reconciliation_status,
      one.contributed_by,
      one.source_citation,
      one.revision_number,
    ])
    expect(claims.sort()).toEqual([
      ['condition', 'Fair', 'accepted', 'reviewer', 'Visit 2024', 2],
      ['condition', 'Good', 'superseded', 'dev', '', 1],
      ['description', 'Three roofs.', 'accepted', 'reviewer', 'Visit 2024', 2],
      ['name', 'With edits', 'accepted', 'dev', '', 1],
      ['note', 'kept', 'accepted', 'dev', '', 1],
    ])
    const revisions = await revisionsOf(it)
    expect(
      revisions.map((one: { revision_number: number; created_by: { username: string }; is_accepted: boolean }) => [
        one.revision_number,
        one.created_by.username,
        one.is_accepted,
      ]),
    ).toEqual([
      [2, 'reviewer', true],
      [1, 'dev', false],
    ])
    expect(await activitiesOf(it)).toEqual(['accepted', 'submitted'])
  })

  test('takes a value away and turns names into links', async () => {
    const place = await publish(app, 'locations', { name: 'Taumadhi' })
    const it = await waiting('Emptied by edits', { note: 'wrong' })
    const edits = { note: '', has_current_location: 'Taumadhi', location_name: 'Taumadhi tol' }
    sure(201, await decide(app.community, it, { verdict: 'accept_with_edits', edits }))
    const body = await read(app.anon, it)
    expect(body).toMatchObject({ note: '', has_current_location: { id: place.id, name: 'Taumadhi' } })
    expect(values(await read(app.staff, it), 'note')).toEqual([['wrong', 'superseded']])
  })

  test('is found by its new name, not by the one before', async () => {
    // What the other tests have changed is not for search to learn here.
    await following.take()
    const it = await waiting('Misspelt Mandir')
    sure(201, await decide(app.community, it, { verdict: 'accept_with_edits', edits: { name: 'Wellspelt Mandir' } }))
    await following.settled()
    const found = async (search: string) => (await app.anon.get('/cidoc/structures/', { query: { search } })).body.count
    expect([await found('Wellspelt'), await found('Misspelt')]).toEqual([1, 0])
  })

  test('without edits, or with such as change nothing, accepts what was handed in', async () => {
    for (const edits of [undefined, null, {}, { note: 'same' }, { nonsense: 1 }]) {
      const it = await waiting('No edits', { note: 'same' })
      sure(201, await decide(app.community, it, { verdict: 'accept_with_edits', edits }))
      expect(await revisionsOf(it)).toHaveLength(1)
      expect(await read(app.anon, it)).toMatchObject({ note: 'same' })
    }
  })

  test('takes edits that the kind allows only', async () => {
    const it = await waiting('Bad edits')
    for (const edits of ['text', 5, [], { condition: 'Shiny' }, { name: '' }, { coordinates: 'north' }]) {
      const reply = await decide(app.community, it, { verdict: 'accept_with_edits', edits })
      expect([reply.status, Object.keys(reply.body)]).toEqual([400, ['edits']])
    }
    const illegal = await decide(app.community, it, { verdict: 'accept_with_edits', edits: { condition: 'Shiny' } })
    expect(illegal.body.edits).toEqual([expect.stringMatching(/^condition: Not a valid choice/)])
    const dangling = await decide(app.community, it, {
      verdict: 'accept_with_edits',
      edits: { has_current_location: 999_999 },
    })
    expect([dangling.status, Object.keys(dangling.body)]).toEqual([400, ['has_current_location']])
    expect(await read(app.contributor, it)).toMatchObject({ status: 'pending_review' })
  })

  test('does not change anything with another verdict', async () => {
    const it = await waiting('Edits elsewhere', { note: 'n' })
    sure(201, await decide(app.community, it, { verdict: 'accept', edits: { note: 'smuggled' } }))
    expect(await read(app.anon, it)).toMatchObject({ note: 'n' })
  })

  test('settles a contradiction in the reviewer’s words, but cannot also keep the existing value', async () => {
    const it = await contested('Edited contradiction')
    const verdict = { verdict: 'accept_with_edits', edits: { condition: 'Poor' } }
    for (const conflict_handling of ['existing_stands', 'disputed']) {
      const reply = await decide(app.domain, it, { ...verdict, conflict_handling })
      expect([reply.status, reply.body]).toEqual([
        400,
        { conflict_handling: ['The edits give another value of condition.'] },
      ])
    }
    sure(201, await decide(app.domain, it, { ...verdict, conflict_handling: 'supersedes' }))
    expect(values(await read(app.staff, it), 'condition')).toEqual([
      ['Good', 'superseded'],
      ['Poor', 'accepted'],
      ['Ruinous', 'superseded'],
    ])
    expect(await read(app.anon, it)).toMatchObject({ condition: 'Poor' })
  })
})

describe('escalation', () => {
  const escalate = (who: Persona, it: { cultural_entity_id: string }, more: object = {}) =>
    decide(who, it, { verdict: 'escalate', feedback: 'Beyond me.', ...more })
  const persona = async (it: { cultural_entity_id: string }) =>
    (await app.staff.get(`/data/review-workspace/${it.cultural_entity_id}/`)).body.required_persona
  const idOf = async (who: Persona) => (await who.get('/api/user/info')).body.id

  test('leaves the record waiting and raises by one step who has to decide', async () => {
    const it = await waiting('Escalated')
    expect(await persona(it)).toBe('community_reviewer')
    sure(201, await escalate(app.community, it))
    expect(await persona(it)).toBe('domain_expert')
    const refusal = await decide(app.community, it, { verdict: 'accept' })
    expect([refusal.status, refusal.body]).toEqual([
      403,
      { detail: 'This has been escalated: it takes at least a domain expert.' },
    ])
    sure(201, await escalate(app.domain, it))
    expect(await persona(it)).toBe('expert_curator')
    for (const verdict of ['accept', 'reject', 'request_changes'])
      expect((await decide(app.domain, it, { verdict, feedback: 'f' })).status).toBe(403)
    expect(await read(app.contributor, it)).toMatchObject({ status: 'pending_review' })
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
    expect(await activitiesOf(it)).toEqual(['accepted', 'escalated', 'escalated', 'submitted'])
  })

  test('can be passed on by a reviewer who may no longer decide', async () => {
    const it = await waiting('Passed on')
    sure(201, await escalate(app.community, it))
    sure(201, await escalate(app.community, it))
    expect(await persona(it)).toBe('expert_curator')
  })

  test('does not go above the top', async () => {
    const it = await waiting('Topmost')
    for (const rank of ranks.slice(0, -1)) sure(201, await escalate(app.ofRank[rank], it))
    const top = ranks.at(-1) ?? 'expert_curator'
    const reply = await escalate(app.ofRank[top], it)
    expect([reply.status, reply.body]).toEqual([
      400,
      { verdict: [`It is with the ${top.replaceAll('_', ' ')}s already, and nobody is above them.`] },
    ])
  })

  test('is over with the verdict: the next edit is anyone’s to review', async () => {
    const it = await waiting('Escalated once')
    sure(201, await escalate(app.community, it))
    sure(201, await decide(app.domain, it, { verdict: 'accept' }))
    await patch(app.contributor, it, { note: 'later' })
    expect((await decide(app.community, it, { verdict: 'accept' })).status).toBe(201)
  })

  test('outlasts a request for changes', async () => {
    const it = await waiting('Escalated and sent back')
    sure(201, await escalate(app.community, it))
    sure(201, await decide(app.domain, it, { verdict: 'request_changes', feedback: 'Source?' }))
    await patch(app.contributor, it, { note: 'sourced' })
    expect((await decide(app.community, it, { verdict: 'accept' })).status).toBe(403)
  })

  test('may name whom it goes to: an active reviewer of that rank', async () => {
    const it = await waiting('Escalated to')
    const nobody = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'
    for (const who of [nobody, await idOf(app.contributor), await idOf(app.community)]) {
      const reply = await escalate(app.community, it, { escalated_to: who })
      expect([reply.status, reply.body]).toEqual([
        400,
        { escalated_to: ['There is no active domain expert with this id.'] },
      ])
    }
    for (const who of ['expert_curator', 'archbishop', 7, {}]) {
      const reply = await escalate(app.community, it, { escalated_to: who })
      expect([reply.status, reply.body]).toEqual([400, { escalated_to: ['Give the id of a user.'] }])
    }
    const curator = await idOf(app.curator)
    const made = sure(201, await escalate(app.community, it, { escalated_to: curator }))
    expect(made.escalated_to).toBe(curator)
  })
})

describe('who decides', () => {
  test('is none of those whose values wait, even when a later edit is by someone else', async () => {
    const it = await publish(app, 'structures', { name: 'Two authors' })
    await patch(app.staff, it, { note: 'By staff' })
    await patch(app.contributor, it, { description: 'By the contributor' })
    expect((await decide(app.staff, it, { verdict: 'accept' })).body).toEqual(ownWork)
    expect((await decide(app.curator, it, { verdict: 'accept' })).status).toBe(201)
  })

  test('is named by a verdict of the five', async () => {
    const it = await waiting('Illegal verdicts')
    for (const verdict of ['approve', '', null, undefined, 1]) {
      const reply = await decide(app.community, it, { verdict })
      expect([reply.status, Object.keys(reply.body)]).toEqual([400, ['verdict']])
    }
    const handling = await decide(app.community, it, { verdict: 'accept', conflict_handling: 'both' })
    expect([handling.status, Object.keys(handling.body)]).toEqual([400, ['conflict_handling']])
  })

  test('is not someone else while a reviewer has claimed the record', async () => {
    const it = await waiting('Claimed')
    sure(200, await app.domain.post(`/data/review-queue/${it.cultural_entity_id}/claim/`))
    expect((await decide(app.community, it, { verdict: 'accept' })).status).toBe(409)
    expect((await decide(app.domain, it, { verdict: 'accept' })).status).toBe(201)
  })
})

describe('a claim that was made apart', () => {
  const apart = async (it: { id: number }, property: string, value: string) =>
    sure(
      201,
      await app.other.post('/cidoc/assertions/', {
        body: { entity_type: 'structure', entity_id: it.id, property, value },
      }),
    )

  test('and contradicts what stands becomes the value when the decision says so', async () => {
    const it = await publish(app, 'structures', { name: 'Apart', condition: 'Good' })
    app.tick(1)
    await apart(it, 'condition', 'Poor')
    await patch(app.contributor, it, { note: 'meanwhile' })
    expect((await decide(app.domain, it, { verdict: 'accept' })).status).toBe(400)
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    const body = await read(app.anon, it)
    expect(body).toMatchObject({ condition: 'Poor', note: 'meanwhile' })
    expect(values(await read(app.staff, it), 'condition')).toEqual([
      ['Good', 'superseded'],
      ['Poor', 'accepted'],
    ])
    // The accepted revision holds what stands.
    const [latest] = await revisionsOf(it)
    expect(latest).toMatchObject({ revision_number: 3, is_accepted: true, data: { condition: 'Poor' } })
  })

  test('loses when the existing value is to stand', async () => {
    const it = await publish(app, 'structures', { name: 'Apart and lost', condition: 'Good' })
    app.tick(1)
    await apart(it, 'condition', 'Poor')
    await patch(app.contributor, it, { note: 'meanwhile' })
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'existing_stands' }))
    expect(await read(app.anon, it)).toMatchObject({ condition: 'Good' })
    expect(values(await read(app.staff, it), 'condition')).toEqual([
      ['Good', 'accepted'],
      ['Poor', 'superseded'],
    ])
  })

  test('cannot become a value that the kind does not know', async () => {
    const it = await publish(app, 'structures', { name: 'Apart and strange', condition: 'Good' })
    app.tick(1)
    await apart(it, 'condition', 'Shiny')
    await patch(app.contributor, it, { note: 'meanwhile' })
    const reply = await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'supersedes' })
    expect([reply.status, reply.body]).toEqual([
      400,
      { conflict_handling: ['The claim on condition cannot become its value. Accept with edits.'] },
    ])
  })
})

test('a value that loses is in no revision that the public may read', async () => {
  const it = await contested('Secret loser')
  sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'existing_stands' }))
  const { text } = await app.anon.get(`/data/revisions/?entity=${it.cultural_entity_id}`)
  expect(text).toContain('Good')
  expect(text).not.toContain('Ruinous')
})

test('a decision costs one query and one transaction', async () => {
  const it = await waiting('Costed', { note: 'n', condition: 'Good' })
  // Signed in, whoever decides.
  sure(200, await app.community.get('/api/user/info'))
  const seen = await commandsOf(() => decide(app.community, it, { verdict: 'accept' }))
  // One call to know the caller, one for people and for what is linked before the commit, one that makes kept answers stale.
  expect(seen).toEqual([
    'BatchGetItemCommand',
    'QueryCommand',
    'BatchGetItemCommand',
    'TransactWriteItemsCommand',
    'UpdateItemCommand',
  ])
})
