import { beforeAll, describe, expect, test } from 'vitest'
import type { App, Persona } from '../../harness/app.ts'
import { sure } from '../../harness/make.ts'
import { createUser, signInAs } from '../../harness/people.ts'
import {
  addAsset,
  at,
  linkTo,
  move,
  newProject,
  openProjects,
  projectIn,
  waitingRecords,
} from '../../harness/projects.ts'

let app: App
beforeAll(async () => {
  app = await openProjects()
})

const states = ['draft', 'in_review', 'needs_revision', 'approved', 'merged', 'withdrawn'] as const
type State = (typeof states)[number]
const roles = ['owner', 'editor', 'viewer', 'expert', 'stranger', 'community', 'domain', 'curator', 'staff'] as const
type Role = (typeof roles)[number]

const editors: readonly Role[] = ['owner', 'editor', 'staff']
const reviewers: readonly Role[] = ['expert', 'community', 'domain', 'curator', 'staff']
const mergers: readonly Role[] = ['domain', 'curator', 'staff']
/** Every move there is, and whose it is. */
const moves: readonly [State, State, readonly Role[]][] = [
  ['draft', 'in_review', editors],
  ['needs_revision', 'in_review', editors],
  ['draft', 'withdrawn', editors],
  ['in_review', 'withdrawn', editors],
  ['needs_revision', 'withdrawn', editors],
  ['approved', 'withdrawn', editors],
  ['withdrawn', 'draft', editors],
  ['in_review', 'needs_revision', reviewers],
  ['in_review', 'approved', reviewers],
  ['approved', 'merged', mergers],
]

/** A public project of the contributor in a state, with someone in each role. */
async function projectWith(state: State): Promise<{ slug: string; who: Record<Role, Persona> }> {
  const slug = await newProject(app.contributor, { visibility: 'public' })
  await addAsset(slug)
  const [record] = await waitingRecords(app, 1)
  await linkTo(app.contributor, slug, record)
  const member = async (role: string) => {
    const username = `${role}-${crypto.randomUUID().slice(0, 8)}`.replace('_', '-')
    const user = await createUser({ username, email: `${username}@heritage.test` })
    if (role !== 'stranger')
      sure(201, await app.contributor.post(at(slug, 'memberships/'), { body: { username, role } }))
    return app.as(await signInAs(user))
  }
  const who = {
    owner: app.contributor,
    editor: await member('editor'),
    viewer: await member('viewer'),
    expert: await member('domain_expert'),
    stranger: await member('stranger'),
    community: app.community,
    domain: app.domain,
    curator: app.curator,
    staff: app.staff,
  }
  const ways: Record<State, readonly [Persona, State][]> = {
    draft: [],
    in_review: [[app.contributor, 'in_review']],
    needs_revision: [
      [app.contributor, 'in_review'],
      [app.community, 'needs_revision'],
    ],
    approved: [
      [app.contributor, 'in_review'],
      [app.community, 'approved'],
    ],
    merged: [
      [app.contributor, 'in_review'],
      [app.community, 'approved'],
      [app.domain, 'merged'],
    ],
    withdrawn: [[app.contributor, 'withdrawn']],
  }
  for (const [one, to] of ways[state]) sure(200, await move(one, slug, to, 'Why.'))
  return { slug, who }
}

const stateOf = async (slug: string) => sure(200, await app.staff.get(at(slug))).state

describe('each move is made by those whose move it is, and by nobody else', () => {
  test.each(moves)('from %s to %s', async (from, to, allowed) => {
    const { slug, who } = await projectWith(from)
    for (const role of roles) {
      if (allowed.includes(role)) continue
      const reply = await move(who[role], slug, to, 'Why.')
      expect([role, reply.status, await stateOf(slug)]).toEqual([role, 403, from])
    }
    for (const [nth, role] of allowed.entries()) {
      const it = nth === 0 ? { slug, who } : await projectWith(from)
      const body = sure(200, await move(it.who[role], it.slug, to, 'Why.'))
      expect([role, body.state, await stateOf(it.slug)]).toEqual([role, to, to])
    }
  })

  test.each(states)('from %s all others are no moves, whoever asks, and everyone is shown their own', async (from) => {
    const { slug, who } = await projectWith(from)
    const there = moves.filter(([state]) => state === from).map(([, to]) => to)
    for (const to of states.filter((state) => !there.includes(state)))
      for (const role of ['owner', 'community', 'staff'] as const) {
        const reply = await move(who[role], slug, to, 'Why.')
        const words = (state: string) => state.replace('_', ' ')
        expect([role, to, reply.status, reply.body]).toEqual([
          ...[role, to, 400],
          { target_state: [`A project that is ${words(from)} cannot become ${words(to)}.`] },
        ])
      }
    expect(await stateOf(slug)).toBe(from)
    for (const role of roles) {
      const body = sure(200, await who[role].get(at(slug)))
      const own = moves.filter(([state, , allowed]) => state === from && allowed.includes(role)).map(([, to]) => to)
      expect([role, body.allowed_transitions, body.can_edit]).toEqual([role, own.sort(), editors.includes(role)])
    }
  })
})

describe('nobody decides on a project of their own, whatever their rank', () => {
  test.each(['domain', 'curator', 'staff'] as const)('%s', async (rank) => {
    const slug = await newProject(app[rank], { visibility: 'public' })
    await addAsset(slug)
    const [record] = await waitingRecords(app, 1)
    await linkTo(app[rank], slug, record)
    sure(200, await move(app[rank], slug, 'in_review'))
    const own = { status: 403, body: { detail: 'Nobody decides on a contribution of their own.' } }
    expect(await move(app[rank], slug, 'approved')).toMatchObject(own)
    expect(await move(app[rank], slug, 'needs_revision', 'Why.')).toMatchObject(own)
    expect(sure(200, await app[rank].get(at(slug))).allowed_transitions).toEqual(['withdrawn'])
    sure(200, await move(app.community, slug, 'approved'))
    expect(await move(app[rank], slug, 'merged')).toMatchObject(own)
    expect(await stateOf(slug)).toBe('approved')
  })
})

test('nobody decides on a project that they have sent in, though it is of another', async () => {
  const slug = await newProject(app.contributor, { visibility: 'public' })
  await addAsset(slug)
  const [record] = await waitingRecords(app, 1)
  await linkTo(app.contributor, slug, record)
  sure(200, await move(app.staff, slug, 'in_review'))
  const own = { status: 403, body: { detail: 'Nobody decides on a contribution of their own.' } }
  expect(await move(app.staff, slug, 'approved')).toMatchObject(own)
  const { id } = sure(200, await app.staff.get(at(slug)))
  expect(await app.staff.post(`/merge-requests/${id}/approve/`, { body: {} })).toMatchObject(own)
  sure(200, await move(app.community, slug, 'approved'))
})

describe('a move', () => {
  test('to a state that there is not names those that there are', async () => {
    const slug = await newProject(app.contributor)
    const choices = 'draft, in_review, needs_revision, approved, merged, withdrawn'
    for (const [body, said] of [
      [{ target_state: 'done' }, `Not a valid choice. Choose one of: ${choices}.`],
      [{}, 'This field is required.'],
    ] as const) {
      const reply = await app.contributor.post(at(slug, 'transition/'), { body })
      expect([reply.status, reply.body]).toEqual([400, { target_state: [said] }])
    }
  })

  test('into review lists what is missing, in order, and then works', async () => {
    const slug = await newProject(app.contributor, { abstract: ' \n ' })
    const blockers = async () => {
      const reply = await move(app.contributor, slug, 'in_review')
      expect(reply.status).toBe(400)
      return reply.body
    }
    const [abstract, asset, entity, ocr] = [
      'Abstract required.',
      'At least one evidence asset required.',
      'At least one linked ontology entity required.',
      'Wait for OCR jobs to finish.',
    ]
    expect(await blockers()).toEqual({ blockers: [abstract, asset, entity] })
    await addAsset(slug, { ocr_status: 'processing' })
    expect(await blockers()).toEqual({ blockers: [abstract, entity, ocr] })
    sure(200, await app.contributor.patch(at(slug), { body: { abstract: 'Now.' } }))
    const [record] = await waitingRecords(app, 1)
    await linkTo(app.contributor, slug, record)
    expect(await blockers()).toEqual({ blockers: [ocr] })
    expect(await stateOf(slug)).toBe('draft')
    const other = await newProject(app.contributor)
    await addAsset(other, { ocr_status: 'pending' })
    await linkTo(app.contributor, other, record)
    expect((await move(app.contributor, other, 'in_review')).body).toEqual({ blockers: [ocr] })
    const ready = await projectIn(app, 'draft', [record])
    expect(sure(200, await move(app.contributor, ready, 'in_review')).state).toBe('in_review')
  })

  test('back to its authors needs a word why, which is shown', async () => {
    const slug = await projectIn(app, 'in_review', await waitingRecords(app, 1))
    for (const comment of ['', '  ']) {
      const reply = await move(app.community, slug, 'needs_revision', comment)
      expect([reply.status, reply.body]).toEqual([400, { comment: ['Say what is to be revised.'] }])
    }
    const bare = await app.community.post(at(slug, 'transition/'), { body: { target_state: 'needs_revision' } })
    expect(bare.status).toBe(400)
    const long = await move(app.community, slug, 'needs_revision', 'x'.repeat(2001))
    expect(long.body).toEqual({ comment: ['Ensure this field has no more than 2000 characters.'] })
    sure(200, await move(app.community, slug, 'needs_revision', 'Add sources'))
    const { results, count } = sure(200, await app.contributor.get(at(slug, 'activity/')))
    expect(results[0]).toEqual({
      ...{ id: expect.any(String), project: expect.any(String), action: 'state_changed' },
      actor: { id: expect.any(String), username: 'reviewer', email: '' },
      ...{ target_kind: '', target_id: '', created_at: expect.any(String) },
      payload: { from: 'in_review', to: 'needs_revision', comment: 'Add sources' },
    })
    expect(results.map((it: { action: string }) => it.action)).toEqual([
      ...['state_changed', 'state_changed', 'entity_linked', 'created'],
    ])
    expect(count).toBe(4)
    const second = sure(200, await app.contributor.get(at(slug, 'activity/'), { query: { limit: 2, offset: 1 } }))
    expect(second.results).toEqual(results.slice(1, 3))
  })

  test('stamps the first submission only', async () => {
    const slug = await projectIn(app, 'in_review', await waitingRecords(app, 1))
    const { submitted_at } = sure(200, await app.contributor.get(at(slug)))
    app.tick(60)
    sure(200, await move(app.community, slug, 'needs_revision', 'Again'))
    expect(sure(200, await move(app.contributor, slug, 'in_review')).submitted_at).toBe(submitted_at)
  })

  test('by two at once is made once', async () => {
    const { atOnce } = await import('../../harness/make.ts')
    const slug = await projectIn(app, 'in_review', await waitingRecords(app, 1))
    const replies = await atOnce([
      () => move(app.community, slug, 'approved'),
      () => move(app.curator, slug, 'needs_revision', 'No'),
    ])
    expect(replies.map((it) => it.status).sort()).toEqual([200, 400])
  })

  test('into review is stopped by an asset that is taken away at the same moment', async () => {
    const [record] = await waitingRecords(app, 1)
    const slug = await newProject(app.contributor)
    const id = await addAsset(slug)
    await linkTo(app.contributor, slug, record)
    const { loadProject, changeProject } = await import('../../../lib/domain/projects/projects.ts')
    const { inUnit } = await import('../../../lib/platform/unit-of-work.ts')
    const { asset } = await import('../../../lib/domain/projects/items.ts')
    const { remove } = await import('../../../lib/engines/table/item.ts')
    const { get } = await import('../../../lib/engines/table/read.ts')
    const { atOnce } = await import('../../harness/make.ts')
    const it = await loadProject(slug)
    if (!it) throw new Error('no project')
    const taken = async () => {
      const old = await get(asset, { project_id: it.about.id, id })
      if (!old) throw new Error('no asset')
      const { checkOpen } = await import('../../../lib/domain/projects/projects.ts')
      return inUnit((unit) =>
        changeProject(unit, it, (about) => {
          checkOpen(about)
          return { changes: { asset_count: about.asset_count - 1 }, writes: [remove(asset, old)], result: 'taken' }
        }),
      ).catch(() => 'kept')
    }
    await atOnce<unknown>([() => move(app.contributor, slug, 'in_review'), taken])
    const { state, assets, asset_count } = sure(200, await app.contributor.get(at(slug)))
    expect([state === 'in_review', assets.length > 0, asset_count > 0]).toContainEqual(state === 'in_review')
    expect(assets.length > 0).toBe(state === 'in_review')
  })
})
