import { beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../harness/app.ts'
import { commandsOf, contribute, decide, publish, sure } from '../../harness/make.ts'
import { at, linkTo, move, openProjects, projectIn, waitingRecords } from '../../harness/projects.ts'

let app: App
beforeAll(async () => {
  app = await openProjects({ LOG_LEVEL: 'silent' })
})

type Row = { entity: string; outcome: string; entity_name: string }
const preview = async (slug: string, who: 'community' | 'domain' | 'curator' | 'staff' = 'domain', query = {}) =>
  sure(200, await app[who].get(at(slug, 'merge-preview/'), { query: { limit: 100, ...query } }))
const named = (body: { results: Row[] }, it: { cultural_entity_id: string }) =>
  body.results.find((row) => row.entity === it.cultural_entity_id)

describe('a preview of a merge', () => {
  test('says of each record what the merge then makes of it, and writes nothing', async () => {
    const records = await waitingRecords(app, 2, { note: 'Every spring' })
    const open = await publish(app, 'traditions', { name: `Open ${crypto.randomUUID()}` })
    const refused = await contribute(app.contributor, 'traditions', { name: `Refused ${crypto.randomUUID()}` })
    sure(201, await decide(app.community, refused, { verdict: 'reject', feedback: 'No.' }))
    const slug = await projectIn(app, 'approved', [...records, open, refused])
    const { listKeys } = await import('../../../lib/engines/bucket/blobs.ts')
    // Whoever asks is signed in by now.
    await preview(slug)
    const before = await listKeys('snapshots/')
    let body: Awaited<ReturnType<typeof preview>>
    const commands = await commandsOf(async () => {
      body = await preview(slug)
    })
    expect(commands.filter((it) => !/^(Get|BatchGet|Query)/.test(it))).toEqual([])
    expect(await listKeys('snapshots/')).toEqual(before)
    expect(body).toMatchObject({
      count: 4,
      blockers: [],
      size: { records: 4, planned: 4, accepted: 2, blocked: 0, left: 2, parts: 1 },
      seconds: 1,
      goes_on_alone: false,
    })
    expect(body.size.writes).toBeGreaterThan(10)
    expect(body.size.bytes).toBeGreaterThan(5000)
    expect(body.results.map((row: Row) => row.outcome).sort()).toEqual(['accepted', 'accepted', 'left', 'left'])
    sure(200, await move(app.domain, slug, 'merged'))
    for (const it of records) {
      const row = named(body, it)
      const after = sure(200, await app.anon.get(`/cidoc/traditions/${it.id}/`))
      expect(row).toMatchObject({ becomes: { status: after.status, is_published: true, revision: 1 }, blocker: null })
      const said = (row as unknown as { difference: { field: string; new: unknown }[] }).difference
      expect(Object.fromEntries(said.map((each) => [each.field, each.new]))).toEqual({
        name: after.name,
        note: after.note,
      })
    }
  })

  test('advises on a contradiction as the workspace does, and knows which source was withdrawn', async () => {
    const cited = (source_citation: string, source_type: string) => ({ assertion: { source_type, source_citation } })
    const source = { name: 'List that was copied', source_type: 'book' }
    const { id } = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: source }))
    const question = { standing: 'withdrawn', reason: 'It copied.' }
    sure(200, await app.domain.post(`/cidoc/data_sources/${id}/question/`, { body: question }))
    const first = { name: `Weighed ${crypto.randomUUID()}`, condition: 'Good', ...cited(source.name, 'book') }
    const it = await contribute(app.contributor, 'structures', first)
    app.tick(1)
    const claim = { entity_type: 'structure', entity_id: it.id, asserted_property: 'condition', asserted_value: 'Fair' }
    const rival = { ...claim, source_type: 'web', source_citation: 'A page' }
    sure(201, await app.staff.post('/cidoc/assertions/', { body: rival }))
    const slug = await projectIn(app, 'approved', [it])
    const workspace = sure(200, await app.domain.get(`/data/review-workspace/${it.cultural_entity_id}/`))
    const advice = [{ property: 'condition', why: expect.stringContaining('the existing one is withdrawn') }]
    expect(workspace.conflicts).toMatchObject(advice)
    expect(named(await preview(slug), it)).toMatchObject({ conflicts: advice })
  })

  test('names the blockers as the merge names them', async () => {
    const own = await contribute(app.domain, 'traditions', { name: `Own of the merger ${crypto.randomUUID()}` })
    const [other] = await waitingRecords(app, 1)
    const slug = await projectIn(app, 'draft', [other])
    await linkTo(app.staff, slug, own)
    sure(200, await move(app.contributor, slug, 'in_review'))
    const early = await preview(slug)
    sure(200, await move(app.community, slug, 'approved'))
    const body = await preview(slug)
    const merge = await move(app.domain, slug, 'merged')
    expect([merge.status, merge.body]).toEqual([400, { blockers: body.blockers }])
    expect(body.blockers).toEqual([`${own.name}: Nobody decides on a contribution of their own.`])
    expect(early.blockers).toEqual(['A project that is in review cannot become merged.', ...body.blockers])
    expect(named(body, own)).toMatchObject({
      outcome: 'blocked',
      blocker: 'Nobody decides on a contribution of their own.',
      becomes: null,
    })
    expect(named(body, other)?.outcome).toBe('accepted')
    expect((await preview(slug, 'curator')).blockers).toEqual([])
    expect((await preview(slug, 'community')).blockers).toEqual([
      'Only mergers may lead a project from approved to merged.',
    ])
  })

  test('shows what contradicts what, and what looks like what, in the project and beyond it', async () => {
    const name = `Bhairab of ${crypto.randomUUID()}`
    const beyond = await publish(app, 'structures', { name, coordinates: '27.6722, 85.4279' })
    const one = await contribute(app.contributor, 'structures', { name, construction_date: '1702' })
    const two = await contribute(app.other, 'structures', { name })
    const claim = { entity_type: 'structure', entity_id: one.id, asserted_property: 'construction_date' }
    sure(201, await app.staff.post('/cidoc/assertions/', { body: { ...claim, asserted_value: '1456' } }))
    const slug = await projectIn(app, 'draft', [one], { visibility: 'public' })
    await linkTo(app.staff, slug, two)
    const body = await preview(slug, 'curator')
    const row = named(body, one)
    expect(row).toMatchObject({
      outcome: 'blocked',
      blocker: 'There is an open contradiction: say how it is settled.',
      conflicts: [expect.objectContaining({ property: 'construction_date', verdict: 'contradicts' })],
    })
    const alike = (row as unknown as { look_alikes: { entity_id: string; linked: boolean }[] }).look_alikes
    expect(new Map(alike.map((it) => [it.entity_id, it.linked]))).toEqual(
      new Map([
        [beyond.cultural_entity_id, false],
        [two.cultural_entity_id, true],
      ]),
    )
  })

  test('does not name what a record looked like that is deleted at this moment', async () => {
    const name = `Bhimsen of ${crypto.randomUUID()}`
    const gone = await publish(app, 'structures', { name })
    const one = await contribute(app.contributor, 'structures', { name })
    const slug = await projectIn(app, 'approved', [one])
    const alike = (body: { results: Row[] }) =>
      (named(body, one) as unknown as { look_alikes: { entity_id: string }[] }).look_alikes.map((it) => it.entity_id)
    expect(alike(await preview(slug))).toEqual([gone.cultural_entity_id])
    const { reading, withSomebodyFaster } = await import('../../harness/lost-reply.ts')
    const deleting = async () => sure(204, await app.staff.delete(`/cidoc/structures/${gone.id}/`))
    const faster = await withSomebodyFaster(reading(gone.cultural_entity_id), deleting, () => preview(slug))
    expect(alike(faster)).toEqual([])
  })

  test('is a page of records, and of the whole project what is said of all', async () => {
    const records = await waitingRecords(app, 3)
    const slug = await projectIn(app, 'approved', records)
    const first = await preview(slug, 'domain', { limit: 2 })
    const second = sure(200, await app.domain.get(first.next))
    expect([first.results.length, second.results.length, first.size.accepted, second.size.accepted]).toEqual([
      2, 1, 3, 3,
    ])
    const seen = [...first.results, ...second.results].map((row: Row) => row.entity)
    expect(seen.sort()).toEqual(records.map((it) => it.cultural_entity_id).sort())
  })

  test('that has no time for all reckons the rest, and says so', async () => {
    const { previewLimits } = await import('../../../lib/domain/projects/merge-preview.ts')
    const records = await waitingRecords(app, 3)
    const slug = await projectIn(app, 'approved', records)
    const whole = await preview(slug)
    const { atMostMs } = previewLimits
    previewLimits.atMostMs = -1
    try {
      const part = await preview(slug, 'domain', { limit: 1 })
      expect(part.size).toMatchObject({ records: 3, planned: 1, accepted: 1, left: 0 })
      expect(part.size.writes / whole.size.writes).toBeCloseTo(1, 1)
    } finally {
      previewLimits.atMostMs = atMostMs
    }
  })

  test('is for reviewers who see the project, and for nobody else', async () => {
    const hidden = await projectIn(app, 'draft', await waitingRecords(app, 1))
    const statuses = async (slug: string) =>
      Promise.all(
        (['anon', 'contributor', 'other', 'community', 'domain', 'staff'] as const).map(
          async (who) => (await app[who].get(at(slug, 'merge-preview/'))).status,
        ),
      )
    expect(await statuses(hidden)).toEqual([401, 403, 403, 404, 404, 200])
    expect(await statuses(await projectIn(app, 'in_review', await waitingRecords(app, 1)))).toEqual([
      401, 403, 403, 200, 200, 200,
    ])
  })
})
