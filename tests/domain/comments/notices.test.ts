import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, decide, publish, submit, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

type Made = { cultural_entity_id: string }
type Row = {
  notification_type: string
  message: string
  link: string
  entity_id: string | null
  actor_username: string
}
const say = async (who: Persona, it: Made, comment: string, parent?: number) =>
  sure(201, await who.post(`/data/entities/${it.cultural_entity_id}/comments/`, { body: { comment, parent } }))
const shelf = async (who: Persona): Promise<Row[]> =>
  sure(200, await who.get('/data/notifications/', { query: { limit: 100 } })).results
const heard = async (who: Persona, type: string, fits: (row: Row) => boolean) =>
  (await shelf(who)).filter((row) => row.notification_type === type && fits(row)).map((row) => row.message)
const on = (it: Made) => (row: Row) => row.entity_id === it.cultural_entity_id

describe('a comment is told', () => {
  test('to the contributor, with the way to the record', async () => {
    const it = await publish(app, 'structures', { name: 'Talked of' })
    await say(app.other, it, 'Great')
    await following.settled()
    const [row] = (await shelf(app.contributor)).filter((one) => one.notification_type === 'comment')
    expect(row).toMatchObject({
      message: 'Your contribution was commented on: Talked of',
      link: `/knowledge/entity/view/${it.cultural_entity_id}`,
      entity_id: it.cultural_entity_id,
      actor_username: 'other',
    })
    expect(await heard(app.other, 'comment', on(it))).toEqual([])
  })

  test('to whoever is answered, and to the contributor too, each once', async () => {
    const it = await publish(app, 'structures', { name: 'Answered' })
    const root = await say(app.other, it, 'Great')
    await say(app.community, it, 'Indeed', root.id)
    await following.settled()
    expect(await heard(app.other, 'comment', on(it))).toEqual(['Your comment was answered: Answered'])
    expect(await heard(app.contributor, 'comment', on(it))).toEqual([
      'Your contribution was commented on: Answered',
      'Your contribution was commented on: Answered',
    ])
    expect(await heard(app.community, 'comment', on(it))).toEqual([])
  })

  test('once to a contributor who is answered', async () => {
    const it = await publish(app, 'structures', { name: 'Answered oneself' })
    const own = await say(app.contributor, it, 'Look')
    await say(app.other, it, 'Seen', own.id)
    await following.settled()
    expect(await heard(app.contributor, 'comment', on(it))).toEqual(['Your comment was answered: Answered oneself'])
  })

  test('not to oneself, and not again when it is changed, deleted or heard twice', async () => {
    const it = await publish(app, 'structures', { name: 'Talking to oneself' })
    const own = await say(app.contributor, it, 'Look')
    await say(app.contributor, it, 'Look again', own.id)
    const path = `/data/entities/${it.cultural_entity_id}/comments/`
    const other = await say(app.other, it, 'Seen')
    sure(200, await app.other.patch(`${path}${other.id}/`, { body: { comment: 'Seen it' } }))
    await following.settled()
    const { applyEffects } = await import('../../../lib/domain/effects/apply.ts')
    const { changesOf } = await import('../../../lib/engines/table/stream.ts')
    for (const images of (await changesOf(following.told.slice(-30))).flat()) await applyEffects(images)
    sure(204, await app.other.delete(`${path}${other.id}/`))
    await following.settled()
    expect(await heard(app.contributor, 'comment', on(it))).toEqual([
      'Your contribution was commented on: Talking to oneself',
    ])
  })

  test('without the name of a record that its reader may not see any more', async () => {
    const it = await publish(app, 'structures', { name: 'Withdrawn later' })
    const root = await say(app.other, it, 'Great')
    await say(app.community, it, 'Indeed', root.id)
    await following.settled()
    sure(204, await app.staff.delete(`/data/cultural-entities/${it.cultural_entity_id}/`))
    const rows = (await shelf(app.other)).filter((row) => row.message === 'Your comment was answered.')
    expect(rows).toEqual([expect.objectContaining({ entity_id: null, entity_name: '', link: '' })])
  })
})

test('comments follow their record from list to list by the stream itself', async () => {
  const it = await contribute(app.contributor, 'structures', { name: 'Coming out' })
  await say(app.contributor, it, 'A word beforehand')
  const id = (await app.contributor.get('/api/user/info')).body.id
  const seen = async () => {
    const { results } = (await app.anon.get('/data/comments/', { query: { user_id: id } })).body
    return results.filter((row: { comment: string }) => row.comment === 'A word beforehand').length
  }
  expect(await seen()).toBe(0)
  sure(201, await decide(app.curator, it, { verdict: 'accept' }))
  await following.settled()
  expect(await seen()).toBe(1)
})

describe('a legacy submission is told of', () => {
  const by = (id: string) => (row: Row) => row.message.includes(id)

  test('to its contributor when someone would change it, and to them what came of it', async () => {
    const it = await submit('dev')
    const change = { submission: it.id, title: 'T', description: 'D' }
    const ids: number[] = []
    for (let i = 0; i < 2; i += 1)
      ids.push(sure(201, await app.other.post('/data/submission-suggestions/', { body: change })).id)
    sure(200, await app.community.post(`/data/submission-suggestions/${ids[0]}/approve/`))
    sure(200, await app.community.post(`/data/submission-suggestions/${ids[1]}/reject/`))
    await following.settled()
    const suggested = `Someone suggests a change to your submission ${it.submission_id}.`
    expect(await heard(app.contributor, 'submission_update', by(it.submission_id))).toEqual([suggested, suggested])
    expect((await heard(app.other, 'suggestion_review', by(it.submission_id))).sort()).toEqual([
      `Your change to the submission ${it.submission_id} was not taken over.`,
      `Your change to the submission ${it.submission_id} was taken over.`,
    ])
  })

  test('to its contributor when it was moderated', async () => {
    const it = await submit('dev')
    for (const status of ['review', 'accepted'])
      sure(200, await app.staff.patch(`/data/moderations/${it.id}/`, { body: { status } }))
    await following.settled()
    expect((await heard(app.contributor, 'moderation', by(it.submission_id))).sort()).toEqual([
      `A moderator has looked at your submission: ${it.submission_id}, accepted.`,
      `A moderator has looked at your submission: ${it.submission_id}, review.`,
    ])
  })
})
