import { beforeAll, describe, expect, test } from 'vitest'
import type { App, Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { sure } from '../../harness/make.ts'
import { createUser, signInAs } from '../../harness/people.ts'
import { at, move, newProject, openProjects, projectIn, waitingRecords } from '../../harness/projects.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openProjects({ LOG_LEVEL: 'silent' })
  following = await followTable()
})

type Row = { project: string | null; message: string; link: string; notification_type: string }
const about = async (who: Persona, slug: string): Promise<Row[]> => {
  const { results } = sure(200, await who.get('/data/notifications/', { query: { limit: 100 } }))
  return results.filter((row: Row) => row.project === slug)
}
const said = async (who: Persona, slug: string) => (await about(who, slug)).map((row) => row.message)

async function newcomer(name: string) {
  const user = await createUser({ email: `${name}@heritage.test`, username: name })
  return { id: user.id, who: app.as(await signInAs(user)) }
}

describe('those whom a move concerns are told, and nobody else', () => {
  test('at every step from review to merged', async () => {
    const records = await waitingRecords(app, 1)
    const slug = await projectIn(app, 'draft', records, { title: 'Told of' })
    const editor = await newcomer('told-editor')
    const viewer = await newcomer('told-viewer')
    for (const [it, role] of [
      [editor, 'editor'],
      [viewer, 'viewer'],
    ] as const)
      sure(201, await app.contributor.post(at(slug, 'memberships/'), { body: { user_id: it.id, role } }))
    const everyone = {
      ...{ owner: app.contributor, editor: editor.who, viewer: viewer.who, stranger: app.other },
      ...{ community: app.community, domain: app.domain, curator: app.curator, staff: app.staff },
    }
    const heard = async () => {
      await following.settled()
      const all = await Promise.all(
        Object.entries(everyone).map(async ([name, who]) => [name, await said(who, slug)] as const),
      )
      return Object.fromEntries(all.filter(([, messages]) => messages.length > 0))
    }
    sure(200, await move(app.contributor, slug, 'in_review'))
    const waits = 'A project waits for review: Told of'
    expect(await heard()).toEqual({ community: [waits], domain: [waits], curator: [waits] })
    const [row] = await about(app.curator, slug)
    expect(row).toMatchObject({ link: `/contribute/projects/${slug}`, notification_type: 'project_state_changed' })

    sure(200, await move(app.community, slug, 'needs_revision', 'Sources?'))
    const revise = 'A project of yours needs revision: Told of'
    // Reviewers do not see it any more, so they are not told what it is called.
    const hidden = { community: [], domain: [], curator: [] }
    expect(await heard()).toEqual({ owner: [revise], editor: [revise] })
    expect(await said(app.community, slug)).toEqual(hidden.community)

    app.tick(1)
    sure(200, await move(editor.who, slug, 'in_review'))
    app.tick(1)
    sure(200, await move(app.community, slug, 'approved'))
    app.tick(1)
    const approved = 'Your project was approved: Told of'
    sure(200, await move(app.domain, slug, 'merged'))
    const merged = 'A project that you work on was merged: Told of'
    const after = await heard()
    expect(after).toMatchObject({
      owner: [merged, approved, revise],
      editor: [merged, revise],
      viewer: [merged],
    })
    expect(after.stranger).toBeUndefined()
    expect(after.staff).toBeUndefined()
  })

  test('of a comment all members but its author', async () => {
    const slug = await newProject(app.contributor, { visibility: 'public', title: 'Spoken of' })
    sure(201, await app.other.post(at(slug, 'comments/'), { body: { comment: 'Nice.', parent: null } }))
    await following.settled()
    const message = 'There is a comment on a project that you work on: Spoken of'
    expect(await said(app.contributor, slug)).toEqual([message])
    expect(await said(app.other, slug)).toEqual([])
  })

  test('of a merge, contributors of the records that it accepts; and of nothing before its switch', async () => {
    const [record] = await waitingRecords(app, 1)
    const slug = await projectIn(app, 'approved', [record])
    const { withFault } = await import('../../harness/faults.ts')
    const accepted = async () => {
      await following.settled()
      const { results } = sure(200, await app.contributor.get('/data/notifications/', { query: { limit: 100 } }))
      return results.filter(
        (row: { entity_id: string; message: string }) =>
          row.entity_id === record.cultural_entity_id && row.message.startsWith('Your contribution was accepted'),
      ).length
    }
    // Stopped at every call until it comes through: it is told once, at the end.
    for (let nth = 4; nth < 60; nth += 4) {
      const hit = await withFault(nth, 'killed', async () => {
        await move(app.domain, slug, 'merged')
      })
      const { state } = sure(200, await app.staff.get(at(slug)))
      if (state === 'merged' || !hit) break
      expect(await accepted()).toBe(0)
      app.tick(61)
    }
    const { recoverStaged } = await import('../../../lib/engines/table/two-phase/commit.ts')
    await recoverStaged()
    expect(sure(200, await app.staff.get(at(slug))).state).toBe('merged')
    expect(await accepted()).toBe(1)
  })
})

describe('lists of those who work on a project', () => {
  const listed = async (who: Persona, query: Record<string, string> = {}) => {
    const { count, results } = sure(200, await who.get('/data/projects/', { query: { limit: 100, ...query } }))
    return { count, slugs: results.map((it: { slug: string }) => it.slug) }
  }

  test('hold it from the invitation to the end of the membership, through every state', async () => {
    const { who } = await newcomer('member-one')
    const before = await listed(who)
    const slug = await projectIn(app, 'draft', await waitingRecords(app, 1))
    const body = { username: 'member-one', role: 'editor' }
    const { id } = sure(201, await app.contributor.post(at(slug, 'memberships/'), { body }))
    const adds = { count: before.count + 1, slugs: expect.arrayContaining([slug]) }
    await following.settled()
    expect(await listed(who)).toEqual(adds)
    expect(await listed(who, { state: 'draft', visibility: 'private' })).toEqual({ count: 1, slugs: [slug] })
    sure(200, await move(app.contributor, slug, 'in_review'))
    await following.settled()
    expect(await listed(who)).toEqual(adds)
    expect(await listed(who, { state: 'in_review', ordering: 'submitted_at' })).toEqual({ count: 1, slugs: [slug] })
    expect(await listed(who, { state: 'draft', visibility: 'private' })).toEqual({ count: 0, slugs: [] })
    sure(200, await app.contributor.patch(at(slug), { body: { visibility: 'public' } }))
    await following.settled()
    // Now it is in the list of everyone, and in no other.
    expect((await listed(who)).slugs.filter((one: string) => one === slug)).toHaveLength(1)
    sure(200, await app.contributor.patch(at(slug), { body: { visibility: 'org' } }))
    sure(200, await move(app.contributor, slug, 'withdrawn'))
    sure(204, await app.contributor.delete(at(slug, `memberships/${id}/`)))
    await following.settled()
    expect(await listed(who)).toEqual(before)
  })
})

describe('search', () => {
  const found = async (who: Persona, search: string, more: Record<string, string> = {}) => {
    const { count, results } = sure(200, await who.get('/data/projects/', { query: { search, limit: 100, ...more } }))
    return { count, slugs: results.map((it: { slug: string }) => it.slug) }
  }

  test('finds words of title, subject and abstract by their beginning, in either script, among what one may see', async () => {
    const body = { title: 'Quillon terraces', intended_subject: 'झ्यालिन', abstract: 'Of the Zephyrine gate.' }
    const open = await newProject(app.contributor, { ...body, visibility: 'public' })
    app.tick(1)
    const hidden = await newProject(app.contributor, { ...body, title: 'Quillon hidden' })
    await following.settled()
    expect(await found(app.anon, 'quill')).toEqual({ count: 1, slugs: [open] })
    expect(await found(app.contributor, 'QUILLON')).toEqual({ count: 2, slugs: [hidden, open] })
    expect(await found(app.contributor, 'quillon zephy', { ordering: 'created_at' })).toEqual({
      count: 2,
      slugs: [open, hidden],
    })
    expect(await found(app.anon, 'झ्यालिन')).toEqual({ count: 1, slugs: [open] })
    expect(await found(app.anon, 'terraces hidden')).toEqual({ count: 0, slugs: [] })
    expect(await found(app.contributor, 'quillon', { visibility: 'private' })).toEqual({ count: 1, slugs: [hidden] })
    sure(200, await app.contributor.patch(at(open), { body: { title: 'Renamed altogether' } }))
    await following.settled()
    expect(await found(app.anon, 'quill')).toEqual({ count: 0, slugs: [] })
    expect(await found(app.anon, 'altogether')).toEqual({ count: 1, slugs: [open] })
    sure(204, await app.contributor.delete(at(open)))
    await following.settled()
    expect(await found(app.anon, 'altogether')).toEqual({ count: 0, slugs: [] })
    expect(await found(app.anon, ' ?! ')).toEqual({ count: 0, slugs: [] })
  })
})
