import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { atOnce, contribute, publish, sure } from '../../harness/make.ts'
import { newProject } from '../../harness/projects.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

type Made = { id: number; cultural_entity_id: string }
const toggle = (who: Persona, body: object) => who.post('/data/reactions/toggle/', { body })
const summary = async (who: Persona, query: Record<string, string | number>) =>
  sure(200, await who.get('/data/reactions/summary/', { query }))
const comment = async (who: Persona, it: Made, text = 'Seen') =>
  sure(201, await who.post(`/data/entities/${it.cultural_entity_id}/comments/`, { body: { comment: text } }))
const named = (it: Made) => ({ entity_id: it.cultural_entity_id })
let names = 0
const published = (): Promise<Made> => publish(app, 'structures', { name: `Voted ${++names}` })
const pending = (): Promise<Made> => contribute(app.contributor, 'structures', { name: `Voted ${++names}` })

describe('POST /data/reactions/toggle/', () => {
  test('votes, turns the vote round and takes it back', async () => {
    const it = await published()
    const steps = [
      ['upvote', 201, 'created', { upvotes: 1, downvotes: 0, user_reaction: 'upvote' }],
      ['downvote', 200, 'switched', { upvotes: 0, downvotes: 1, user_reaction: 'downvote' }],
      ['downvote', 200, 'removed', { upvotes: 0, downvotes: 0, user_reaction: null }],
    ] as const
    for (const [reaction_type, status, action, sums] of steps) {
      const reply = await toggle(app.other, { ...named(it), reaction_type })
      expect([reply.status, reply.body]).toEqual([status, { action, reaction_type }])
      expect(await summary(app.other, named(it))).toEqual(sums)
    }
  })

  test('on a comment shows in its thread, to each reader with their own vote', async () => {
    const it = await published()
    const said = await comment(app.contributor, it)
    for (const who of [app.other, app.curator])
      sure(201, await toggle(who, { comment_id: said.id, reaction_type: 'upvote' }))
    sure(201, await toggle(app.staff, { comment_id: said.comment_id, reaction_type: 'downvote' }))
    const shown = async (who: Persona) =>
      sure(200, await who.get(`/data/entities/${it.cultural_entity_id}/comments/`)).results[0].reaction_summary
    expect(await shown(app.other)).toEqual({ upvotes: 2, downvotes: 1, user_reaction: 'upvote' })
    expect(await shown(app.staff)).toEqual({ upvotes: 2, downvotes: 1, user_reaction: 'downvote' })
    expect(await shown(app.anon)).toEqual({ upvotes: 2, downvotes: 1, user_reaction: null })
    expect(await summary(app.anon, { comment_id: said.id })).toEqual({ upvotes: 2, downvotes: 1, user_reaction: null })
    // The record itself got none of them.
    expect(await summary(app.other, named(it))).toEqual({ upvotes: 0, downvotes: 0, user_reaction: null })
  })

  test('of many at once counts each', async () => {
    const it = await published()
    const everyone = [app.contributor, app.other, app.community, app.domain, app.curator, app.staff]
    const replies = await atOnce(everyone.map((who) => () => toggle(who, { ...named(it), reaction_type: 'upvote' })))
    expect(replies.map(({ status }) => status)).toEqual(everyone.map(() => 201))
    expect((await summary(app.anon, named(it))).upvotes).toBe(everyone.length)
  })

  test('keeps the votes of a comment whose text changes', async () => {
    const it = await published()
    const said = await comment(app.contributor, it)
    sure(201, await toggle(app.other, { comment_id: said.id, reaction_type: 'upvote' }))
    const changed = sure(
      200,
      await app.contributor.patch(`/data/comments/${said.id}/`, { body: { comment: 'Seen again' } }),
    )
    expect(changed.comment).toBe('Seen again')
    expect((await summary(app.anon, { comment_id: said.id })).upvotes).toBe(1)
  })

  test('on a comment of a project is for those who see the project', async () => {
    const slug = await newProject(app.contributor, { visibility: 'private' })
    const said = sure(
      201,
      await app.contributor.post(`/data/projects/${slug}/comments/`, { body: { comment: 'Ours' } }),
    )
    const vote = { comment_id: said.id, reaction_type: 'upvote' }
    const hidden = await toggle(app.other, vote)
    expect([hidden.status, hidden.body]).toEqual([400, { comment_id: ['There is no such comment.'] }])
    sure(201, await toggle(app.contributor, vote))
    const [row] = sure(200, await app.contributor.get(`/data/projects/${slug}/comments/`)).results
    expect(row.reaction_summary).toEqual({ upvotes: 1, downvotes: 0, user_reaction: 'upvote' })
  })
})

describe('nobody learns of what they may not see', () => {
  test('a record that waits', async () => {
    const it = await pending()
    const reply = await toggle(app.other, { ...named(it), reaction_type: 'upvote' })
    expect([reply.status, reply.body]).toEqual([400, { entity_id: ['There is no record with this id.'] }])
    const read = await app.anon.get('/data/reactions/summary/', { query: named(it) })
    expect([read.status, read.body]).toEqual([400, { entity_id: ['There is no record with this id.'] }])
    sure(201, await toggle(app.community, { ...named(it), reaction_type: 'upvote' }))
  })

  const noComment = [400, { comment_id: ['There is no such comment.'] }]
  const vote = async (who: Persona, comment_id: string) => {
    const { status, body } = await toggle(who, { comment_id, reaction_type: 'upvote' })
    return [status, body]
  }

  test('what is said of a record that waits', async () => {
    const { comment_id } = await comment(app.contributor, await pending())
    expect(await vote(app.other, comment_id)).toEqual(noComment)
    const read = await app.anon.get('/data/reactions/summary/', { query: { comment_id } })
    expect([read.status, read.body]).toEqual(noComment)
    expect((await vote(app.community, comment_id))[0]).toBe(201)
  })

  test('what was said in a project that is deleted, whoever worked on it', async () => {
    const slug = await newProject(app.contributor)
    const member = { username: 'other', role: 'editor' }
    sure(201, await app.contributor.post(`/data/projects/${slug}/memberships/`, { body: member }))
    const body = { comment: 'Ours' }
    const { id } = sure(201, await app.contributor.post(`/data/projects/${slug}/comments/`, { body }))
    expect((await vote(app.other, id))[0]).toBe(201)
    sure(204, await app.contributor.delete(`/data/projects/${slug}/`))
    for (const who of [app.other, app.contributor]) expect(await vote(who, id)).toEqual(noComment)
  })

  test('a comment that is deleted', async () => {
    const it = await published()
    const said = await comment(app.contributor, it)
    sure(204, await app.contributor.delete(`/data/comments/${said.id}/`))
    expect(await vote(app.other, said.id)).toEqual(noComment)
  })
})

describe('what names nothing', () => {
  const uuid = '00000000-0000-4000-8000-000000000000'
  const one = { non_field_errors: ['Give entity_id or comment_id, one of them.'] }
  test.each([
    [{ reaction_type: 'upvote' }, one],
    [{ reaction_type: 'upvote', entity_id: uuid, comment_id: 1 }, one],
    [{ reaction_type: 'upvote', entity_id: uuid }, { entity_id: ['There is no record with this id.'] }],
    [{ reaction_type: 'upvote', entity_id: 'x' }, { entity_id: ['Not a valid UUID.'] }],
    [{ reaction_type: 'upvote', comment_id: 'no such' }, { comment_id: ['There is no such comment.'] }],
    [{ reaction_type: 'upvote', comment_id: {} }, { comment_id: ['Give the id of a comment.'] }],
    [
      { reaction_type: 'love', entity_id: uuid },
      { reaction_type: ['Not a valid choice. Choose one of: upvote, downvote.'] },
    ],
    [{ entity_id: uuid }, { reaction_type: ['This field is required.'] }],
  ])('%j is refused', async (body, says) => {
    const reply = await toggle(app.other, body)
    expect([reply.status, reply.body]).toEqual([400, says])
  })

  test('and nobody who is not signed in votes', async () => {
    expect((await toggle(app.anon, { reaction_type: 'upvote', entity_id: uuid })).status).toBe(401)
  })
})
