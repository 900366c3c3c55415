import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from './app.ts'
import { atOnce, contribute, decide, flagsOf, publish, sure } from './make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

const nothingWaits = { detail: 'Nothing waits for review here.' }
const ownWork = { detail: 'Nobody decides on a contribution of their own.' }

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
    const gone = await waiting('Decided and gone')
    sure(204, await app.contributor.delete(`/cidoc/structures/${gone.id}/`))
    expect((await decide(app.staff, gone, { verdict: 'accept' })).status).toBe(409)
    expect((await decide(app.community, gone, { verdict: 'accept' })).status).toBe(404)
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
    // Who does not see it does not learn that it is there.
    expect((await decide(app.other, it, { verdict: 'accept' })).status).toBe(404)
    expect(await read(app.contributor, it)).toMatchObject({ status: 'pending_review' })
  })

  test('overrides confidence where the reviewer is an expert', async () => {
    const it = await waiting('Overridden', { note: 'n' })
    const verdict = { verdict: 'accept', confidence_override: 'speculative' }
    expect((await decide(app.community, it, verdict)).body).toEqual({
      non_field_errors: ['Your role does not override confidence.'],
    })
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
    expect((await decide(app.community, it, verdict)).body).toEqual({
      non_field_errors: ['Your role does not settle contradictions.'],
    })
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

  test('is settled by acceptance only: no other verdict takes a handling for one', async () => {
    const it = await contested('Sent back contested')
    const verdict = { verdict: 'request_changes', feedback: 'Source?', conflict_handling: 'supersedes' }
    sure(201, await decide(app.community, it, verdict))
    expect((await flagsOf(it)).map((flag) => flag.is_resolved)).toEqual([false])
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
