import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { atOnce, contribute, decide, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

type Made = { id: number; cultural_entity_id: string }
const PATH = '/data/forks/'
let made = 0
const values = (more: object = {}) => ({
  name: `Forked ${++made}`,
  description: 'A temple of three roofs.',
  note: 'Of brick.',
  construction_date: '1702',
  assertion: { source_type: 'book', source_citation: 'Gazetteer' },
  ...more,
})
const temple = (more: object = {}): Promise<Made> => publish(app, 'structures', values(more))
const fork = async (it: Made, body: object = {}, who: Persona = app.other) => {
  const sent = { entity_id: it.cultural_entity_id, reason: 'By the inscription.', fork_reason_tag: 'correction' }
  return sure(201, await who.post(PATH, { body: { ...sent, ...body } }))
}
const verdict = (id: string, verb: string, body: object | undefined = undefined, who: Persona = app.domain) =>
  who.post(`${PATH}${id}/${verb}/`, body ? { body } : {})
const forksOf = async (it: Made, who: Persona = app.anon) =>
  sure(200, await who.get(PATH, { query: { entity_id: it.cultural_entity_id } }))
const entity = (id: string) => `/data/cultural-entities/${id}/`
const lineage = async (id: string, who: Persona = app.anon) => sure(200, await who.get(`${entity(id)}lineage/`))
const read = async (it: Made, who: Persona = app.anon) => sure(200, await who.get(`/cidoc/structures/${it.id}/`))
/** An edit of a published record, which a curator accepts. */
const edit = async (it: Made, body: object, handling?: string) => {
  sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body }))
  const settled = handling ? { conflict_handling: handling } : {}
  sure(201, await decide(app.curator, it, { verdict: 'accept', ...settled }))
}
const noticesOf = async (who: Persona): Promise<string[]> => {
  await following.settled()
  const { results } = sure(200, await who.get('/data/notifications/', { query: { limit: 100 } }))
  return results
    .filter((it: { notification_type: string }) => it.notification_type === 'fork')
    .map((it: { message: string }) => it.message)
}

describe('the walk', () => {
  test('fork, change, merge against a changed original: taken, kept, and a rival', async () => {
    const it = await temple()
    const changes = { note: 'Of stone.', construction_date: '1650', assertion: { source_type: 'inscription' } }
    const made = await fork(it, { changes })
    expect(made).toMatchObject({
      original_entity: it.cultural_entity_id,
      forked_entity: made.id,
      forked_entity_id: made.id,
      forked_entity_name: `${(await read(it)).name} (fork by other)`,
      forked_entity_status: 'pending_review',
      forked_by: { username: 'other' },
      reason: 'By the inscription.',
      fork_reason_tag: 'correction',
      fork_reason_tag_display: 'Factual Correction',
      fork_status: 'active',
      fork_status_display: 'Active',
      diff_summary: {
        note: { old: 'Of brick.', new: 'Of stone.' },
        construction_date: { old: '1702', new: '1650' },
      },
      diff_field_count: 2,
      values_withheld: false,
      merged_at: null,
      merged_by_username: null,
    })
    // The author goes on with it, and the original changes meanwhile.
    sure(200, await app.other.patch(entity(made.id), { body: { description: 'A temple of two roofs.' } }))
    await edit(it, { construction_date: '1690', architectural_style: 'Pagoda' }, 'supersedes')

    const refused = await verdict(made.id, 'merge', { on_conflict: 'refuse' })
    expect([refused.status, refused.body]).toEqual([
      409,
      { detail: 'Both the record and its fork have changed: construction_date.' },
    ])
    const merged = sure(200, await verdict(made.id, 'merge'))
    expect(merged).toMatchObject({
      fork_status: 'merged',
      forked_entity_status: 'merged',
      merged_by_username: 'expert',
      merged_at: expect.any(String),
    })
    expect(await read(it)).toMatchObject({
      note: 'Of stone.',
      description: 'A temple of two roofs.',
      construction_date: '1690',
      architectural_style: 'Pagoda',
      status: 'accepted',
    })
    // The values are those of their author, with the evidence of the fork.
    const { assertions } = await read(it, app.community)
    const rival = assertions.find((each: { value: string }) => each.value === '1650')
    expect(rival).toMatchObject({
      contributed_by: 'other',
      source_type: 'inscription',
      reconciliation_status: 'pending',
    })
    expect(assertions.find((each: { value: string }) => each.value === 'Of stone.')).toMatchObject({
      contributed_by: 'other',
      source_type: 'inscription',
      reconciliation_status: 'accepted',
    })
    const workspace = sure(200, await app.domain.get(`/data/review-workspace/${it.cultural_entity_id}/`))
    expect(workspace.status).toBe('pending_review')
    expect(workspace.flags).toMatchObject([{ flag_type: 'contradiction', property: 'construction_date' }])

    // The rival is settled as any contradiction is.
    sure(201, await decide(app.curator, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    expect(await read(it)).toMatchObject({ construction_date: '1650', note: 'Of stone.' })
    // The record of the fork has given way.
    expect((await app.anon.get(entity(made.id))).status).toBe(404)
    expect(sure(200, await app.other.get(entity(made.id)))).toMatchObject({
      status: 'superseded',
      superseded_by: it.cultural_entity_id,
      is_fork: true,
      parent_entity: it.cultural_entity_id,
      parent_entity_name: (await read(it)).name,
    })
    expect((await verdict(made.id, 'merge')).body).toEqual({ detail: 'This fork is merged already.' })
  })

  test('a fork without changes is merged, and nothing of the record changes', async () => {
    const it = await temple()
    const before = await read(it, app.staff)
    const { id } = await fork(it, { changes: {} })
    sure(200, await verdict(id, 'merge'))
    expect(await read(it, app.staff)).toEqual(before)
  })

  test('a promoted fork takes the place of its record, whose address still answers', async () => {
    const it = await temple()
    const { name } = await read(it)
    const { id } = await fork(it, { fork_reason_tag: 'expansion', changes: { note: 'Of stone.' } })
    const promoted = sure(200, await verdict(id, 'promote'))
    expect(promoted).toMatchObject({
      fork_status: 'promoted',
      forked_entity_status: 'accepted',
      values_withheld: false,
    })
    expect(await read(it)).toMatchObject({ status: 'superseded', superseded_by: id, note: 'Of brick.' })
    expect(sure(200, await app.anon.get(entity(id)))).toMatchObject({ status: 'accepted', name })
    const { results, count } = sure(200, await app.anon.get('/cidoc/structures/', { query: { name, limit: 100 } }))
    expect(results.map((each: { cultural_entity_id: string }) => each.cultural_entity_id)).not.toContain(
      it.cultural_entity_id,
    )
    expect(count).toBe(results.length)
    expect(await verdict(id, 'promote')).toMatchObject({
      status: 400,
      body: { detail: 'This fork is promoted already.' },
    })
    const again = await app.other.post(PATH, { body: { entity_id: it.cultural_entity_id } })
    expect([again.status, again.body]).toEqual([
      400,
      { detail: 'Another record has taken the place of this one. Fork that.' },
    ])
    // The tree begins with the record that was replaced.
    expect(await lineage(id)).toMatchObject({
      entity_id: it.cultural_entity_id,
      status: 'superseded',
      children: [{ entity_id: id, status: 'accepted', fork_info: { fork_status: 'promoted' } }],
    })
  })

  test('a fork is turned down with a reason', async () => {
    const it = await temple()
    const { id } = await fork(it, { changes: { note: 'Of straw.' } })
    expect((await verdict(id, 'reject', { reason: ' ' })).body).toEqual({
      reason: ['Say why, so that the contributor can act on it.'],
    })
    expect(sure(200, await verdict(id, 'reject', { reason: 'No source.' }))).toMatchObject({
      fork_status: 'rejected',
      forked_entity_status: 'rejected',
    })
    expect(await forksOf(it)).toEqual([])
    expect(await forksOf(it, app.other)).toMatchObject([{ id, fork_status_display: 'Rejected' }])
    expect(await verdict(id, 'merge')).toMatchObject({
      status: 400,
      body: { detail: 'This fork is rejected already.' },
    })
  })

  test('a verdict in the workspace that refuses the record turns the fork down, too', async () => {
    const it = await temple()
    const { id } = await fork(it, { changes: { note: 'Of straw.' } })
    sure(201, await decide(app.curator, { cultural_entity_id: id }, { verdict: 'reject', feedback: 'No.' }))
    expect(sure(200, await app.community.get(`${PATH}${id}/`)).fork_status).toBe('rejected')
    expect(await forksOf(it)).toEqual([])
  })

  test('notices: of a new fork, of a merge, of a promotion', async () => {
    const [first, second] = [await temple(), await temple()]
    const names = [(await read(first)).name, (await read(second)).name]
    const merged = await fork(first, { changes: { note: 'Of stone.' } })
    const promoted = await fork(second, { changes: { note: 'Of stone.' } })
    sure(200, await verdict(merged.id, 'merge'))
    sure(200, await verdict(promoted.id, 'promote'))
    const told = await noticesOf(app.contributor)
    expect(told).toContain(`A record of yours was forked: ${names[0]}`)
    expect(told).toContain(`Values of a fork were taken over into your record: ${names[0]}`)
    expect(told).toContain(`A fork has taken the place of your record: ${names[1]}`)
    expect(await noticesOf(app.other)).toContain(`Your fork was merged: ${names[0]}`)
  })
})

describe('the boards', () => {
  test('count the forks of a person, and give the points of its tag for one that was merged or promoted', async () => {
    const figures = async () => {
      await following.settled()
      const [row] = sure(200, await app.anon.get('/data/contributors/?search=other')).results
      const [points] = sure(200, await app.anon.get('/data/leaderboard/?type=Forks&search=other')).results
      return { forks: row?.forks_count ?? 0, merged: row?.merged_forks_count ?? 0, points: points?.score ?? 0 }
    }
    const before = await figures()
    const [merged, promoted, refused] = [
      await fork(await temple()),
      await fork(await temple()),
      await fork(await temple()),
    ]
    sure(200, await verdict(merged.id, 'merge'))
    sure(200, await verdict(promoted.id, 'promote'))
    sure(200, await verdict(refused.id, 'reject', { reason: 'No.' }))
    const { forks, merged: taken, points } = await figures()
    expect([forks - before.forks, taken - before.merged, points - before.points]).toEqual([3, 1, 2 * 15])
  })
})

describe('rules', () => {
  test('nobody decides on a fork of their own, or of a record of their own', async () => {
    const own = 'Nobody decides on a contribution of their own.'
    const byReviewer = await fork(await temple(), { changes: { note: 'Mine.' } }, app.community)
    const ofReviewer = await fork(await publish(app, 'structures', values(), app.community))
    for (const { id } of [byReviewer, ofReviewer])
      for (const verb of ['merge', 'promote', 'reject'])
        expect(await verdict(id, verb, { reason: 'x' }, app.community)).toMatchObject({
          status: 403,
          body: { detail: own },
        })
  })

  test('of two reviewers who decide at once, one gets 409', async () => {
    for (const [one, two] of [
      ['merge', 'merge'],
      ['merge', 'promote'],
      ['promote', 'reject'],
    ] as const) {
      const it = await temple()
      const { id } = await fork(it, { changes: { note: 'Of stone.' } })
      const replies = await atOnce([
        () => verdict(id, one, { reason: 'x' }, app.domain),
        () => verdict(id, two, { reason: 'x' }, app.curator),
      ])
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })

  test('while another reviewer has claimed the fork, a verdict gets 409', async () => {
    const { id } = await fork(await temple())
    sure(200, await app.community.post(`/data/review-queue/${id}/claim/`))
    expect((await verdict(id, 'merge')).status).toBe(409)
    sure(200, await verdict(id, 'merge', undefined, app.community))
  })

  test('while an edit of the record waits, a fork is neither merged nor promoted', async () => {
    const it = await temple()
    const { id } = await fork(it, { changes: { note: 'Of stone.' } })
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'Of mud.' } }))
    for (const verb of ['merge', 'promote'])
      expect(await verdict(id, verb)).toMatchObject({
        status: 409,
        body: { detail: 'The record is not published, or an edit of it waits. That is decided first.' },
      })
  })

  test('what the record has gained since is kept, and what the fork removed goes', async () => {
    const it = await temple()
    const { id } = await fork(it, { changes: { note: '' } })
    await edit(it, { architectural_style: 'Pagoda' })
    sure(200, await verdict(id, 'merge'))
    expect(await read(it)).toMatchObject({
      note: '',
      architectural_style: 'Pagoda',
      description: 'A temple of three roofs.',
    })
  })

  test.each([
    [{}, { entity_id: ['This field is required.'] }],
    [{ entity_id: 'x' }, { entity_id: ['Not a valid UUID.'] }],
  ])('%j is refused', async (body, fault) => {
    const reply = await app.other.post(PATH, { body })
    expect([reply.status, reply.body]).toEqual([400, fault])
  })

  test('changes are checked as an edit is, an unknown tag counts as other, and depth has a limit', async () => {
    const it = await temple()
    const bad = await app.other.post(PATH, {
      body: { entity_id: it.cultural_entity_id, changes: { name: ' ' } },
    })
    expect(bad.status).toBe(400)
    expect(bad.body.changes).toEqual(['name: This field may not be blank.'])
    expect((await fork(it, { fork_reason_tag: 'whim' })).fork_reason_tag).toBe('other')
    let last = it.cultural_entity_id
    for (let depth = 1; depth <= 8; depth += 1) last = (await fork({ id: 0, cultural_entity_id: last })).id
    const deeper = await app.other.post(PATH, { body: { entity_id: last } })
    expect(deeper.body).toEqual({ detail: 'A fork has no more than 8 records above it.' })
    expect((await app.anon.get(PATH)).body).toEqual({ entity_id: ['This parameter is required.'] })
  })

  test('a repeated request with a key makes one fork', async () => {
    const it = await temple()
    const sent = { body: { entity_id: it.cultural_entity_id }, headers: { 'idempotency-key': 'fork-once' } }
    const [first, second] = [await app.other.post(PATH, sent), await app.other.post(PATH, sent)]
    expect(second.body).toEqual(first.body)
    expect(await forksOf(it)).toHaveLength(1)
  })
})

describe('what is hidden', () => {
  test('of a fork that waits, readers of the record know that it is there, and not what it says', async () => {
    const it = await temple()
    const { name } = await read(it)
    const { id } = await fork(it, { reason: 'A secret reason', changes: { name: 'A secret name', note: 'Secret' } })
    const [row] = await forksOf(it)
    expect(row).toMatchObject({
      id,
      forked_entity_name: `${name} (fork by other)`,
      forked_entity_status: 'pending_review',
      reason: '',
      diff_summary: {},
      diff_field_count: 2,
      diff_fields: ['name', 'note'],
      values_withheld: true,
    })
    const diff = sure(200, await app.anon.get(`${entity(it.cultural_entity_id)}fork-diff/${id}/`))
    expect(diff).toMatchObject({ entity_name: name, fork_revision: null, diff: {}, values_withheld: true })
    const texts = [await lineage(it.cultural_entity_id), diff, row, sure(200, await app.anon.get(`${PATH}${id}/`))]
    for (const text of texts) expect(JSON.stringify(text)).not.toMatch(/secret/i)
    const children = sure(200, await app.anon.get(`${entity(it.cultural_entity_id)}child-forks/`))
    expect(children).toEqual({ entity_id: it.cultural_entity_id, entity_name: name, forks: [row] })
    for (const who of [app.contributor, app.other, app.community]) {
      expect(await forksOf(it, who)).toMatchObject([{ reason: 'A secret reason', values_withheld: false }])
      expect(sure(200, await who.get(`${entity(it.cultural_entity_id)}fork-diff/${id}/`)).diff).toEqual({
        name: { old: name, new: 'A secret name' },
        note: { old: 'Of brick.', new: 'Secret' },
      })
    }
    expect((await app.anon.get(entity(id))).status).toBe(404)
  })

  test('a fork of what nobody may read is as absent as its record', async () => {
    const restricted = await temple({ access_tier: 'restricted' })
    const closer = await temple()
    const { id } = await fork(restricted)
    const hidden = await fork(closer, { changes: { access_tier: 'restricted' } })
    const missing = await app.anon.get(`${PATH}00000000-0000-4000-8000-000000000000/`)
    for (const each of [id, hidden.id])
      expect([(await app.anon.get(`${PATH}${each}/`)).status, (await app.anon.get(`${PATH}${each}/`)).body]).toEqual([
        404,
        missing.body,
      ])
    expect(await forksOf(restricted)).toEqual([])
    expect(await forksOf(closer)).toEqual([])
    expect((await lineage(closer.cultural_entity_id)).children).toEqual([])
    expect((await app.anon.get(`${entity(restricted.cultural_entity_id)}lineage/`)).status).toBe(404)
    expect((await app.anon.get(`${entity(closer.cultural_entity_id)}fork-diff/${hidden.id}/`)).status).toBe(404)
    const pending = await contribute(app.contributor, 'structures', values())
    const reply = await app.other.post(PATH, { body: { entity_id: pending.cultural_entity_id } })
    const unknown = await app.other.post(PATH, { body: { entity_id: '00000000-0000-4000-8000-000000000000' } })
    expect([reply.status, reply.body]).toEqual([404, unknown.body])
  })

  test('a hidden ancestor leaves no trace: the nearest visible record is the root', async () => {
    const it = await temple()
    const first = await fork(it)
    sure(200, await verdict(first.id, 'promote'))
    const second = await fork({ id: 0, cultural_entity_id: first.id })
    expect(await lineage(first.id)).toMatchObject({
      entity_id: it.cultural_entity_id,
      children: [{ entity_id: first.id, fork_depth: 1, children: [{ entity_id: second.id, fork_depth: 2 }] }],
    })
    sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
    const tree = await lineage(first.id)
    expect(tree).toMatchObject({ entity_id: first.id, fork_depth: 0, is_fork: false, fork_info: null })
    expect(tree.children).toMatchObject([{ entity_id: second.id, fork_depth: 1 }])
    expect(JSON.stringify(tree)).not.toContain(it.cultural_entity_id)
    const row = sure(200, await app.anon.get(entity(first.id)))
    expect(row).toMatchObject({ parent_entity: null, root_entity: null, fork_depth: 0, is_fork: false })
    expect(row.parent_entity_name).toBeNull()
    expect(sure(200, await app.other.get(entity(second.id)))).toMatchObject({
      parent_entity: first.id,
      root_entity: first.id,
      fork_depth: 1,
    })
  })

  test('an exact place that its author may not know is not taken along, and a merge keeps it', async () => {
    const it = await temple({ access_tier: 'community_only', coordinates: '27.67123, 85.32456' })
    const { id } = await fork(it, { changes: { note: 'Of stone.' } })
    const copy = sure(200, await app.other.get(entity(id)))
    expect(JSON.stringify(copy)).not.toContain('27.67123')
    sure(200, await verdict(id, 'merge'))
    expect(await read(it, app.contributor)).toMatchObject({ coordinates: '27.67123, 85.32456', note: 'Of stone.' })
  })
})

describe('the queue', () => {
  test('lists and counts forks, with what they are forks of', async () => {
    const before = sure(200, await app.community.get('/data/contribution-queue/queue-counts/')).forks
    const it = await temple()
    const { id } = await fork(it, { fork_reason_tag: 'dispute', changes: { note: 'Of stone.' } })
    app.tick(60)
    expect(sure(200, await app.community.get('/data/contribution-queue/queue-counts/')).forks).toBe(before + 1)
    for (const ordering of ['-created_at', 'created_at', 'name', '-triage_priority']) {
      const query = { queue_tab: 'forks', limit: 100, ordering }
      const { count, results } = sure(200, await app.community.get('/data/contribution-queue/', { query }))
      expect([ordering, count]).toEqual([ordering, before + 1])
      expect(results.find((each: { entity_id: string }) => each.entity_id === id)).toMatchObject({
        is_fork: true,
        parent_entity: it.cultural_entity_id,
        fork_info: {
          fork_id: id,
          original_entity_id: it.cultural_entity_id,
          original_entity_name: (await read(it)).name,
          fork_reason_tag: 'dispute',
          fork_reason_tag_display: 'Dispute Existing Claim',
          fork_status: 'active',
          diff_field_count: 1,
          reason: 'By the inscription.',
          forked_by: 'other',
        },
      })
    }
    const comments = `/data/entities/${it.cultural_entity_id}/comments/`
    sure(201, await app.other.post(comments, { body: { comment: 'See the stone.' } }))
    expect(sure(200, await app.domain.get(`/data/review-workspace/${id}/`))).toMatchObject({
      is_fork: true,
      flags: [],
      fork_context: {
        fork_id: id,
        parent_entity_id: it.cultural_entity_id,
        parent_entity_status: 'accepted',
        fork_status_display: 'Active',
        diff_summary: { note: { old: 'Of brick.', new: 'Of stone.' } },
        forked_from_revision_number: 1,
        parent_current_revision: 1,
        parent_comments: [{ comment: 'See the stone.', user: { username: 'other' } }],
      },
    })
  })
})

test('costs stay flat: a hundred forks are one answer below 100 units', async () => {
  const it = await temple()
  const few = await fork(it, { changes: { note: 'Of stone.' } })
  const small = await app.cost(app.anon.get(`${entity(it.cultural_entity_id)}lineage/`))
  for (let n = 0; n < 101; n += 1) await fork(it, { changes: { note: `Of stone ${n}.` } })
  const tree = await app.anon.get(`${entity(few.id)}lineage/`, {})
  expect(tree.status).toBe(404)
  const all = await app.anon.get(`${entity(it.cultural_entity_id)}lineage/`)
  expect(all.body).toMatchObject({ truncated: true, children: { length: 100 } })
  expect(all.cost.units).toBeLessThan(100)
  expect(all.cost.calls - small.calls).toBeLessThanOrEqual(2)
  const list = await app.contributor.get(PATH, { query: { entity_id: it.cultural_entity_id } })
  expect(list.body).toHaveLength(100)
  expect(list.cost.calls).toBeLessThanOrEqual(12)
  const { calls, units } = (await app.other.post(PATH, { body: { entity_id: it.cultural_entity_id } })).cost
  expect([calls <= 8, units < 100]).toEqual([true, true])
}, 60_000)
