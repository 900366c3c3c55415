import type { Answer, App, Persona } from '../harness/app.ts'
import { print } from './tools/table.ts'

const P = '/data/projects/'
type Cost = { calls: number; units: number; seconds: string; cpu: string; peak: string }

/** Calls, capacity units and seconds of projects: what people do with one, and merging and rolling back by its size. */
export async function benchProjects(): Promise<void> {
  const { openApp, waitFor } = await import('../harness/app.ts')
  // The emulator writes some 1,500 items a second, whoever waits.
  waitFor(600_000)
  const app = await openApp({ env: { LOG_LEVEL: 'info', RATE_PROJECTS: '100000/h' } })
  const tokens = await Promise.all(['dev', 'reviewer', 'expert'].map((name) => signedIn(app, name)))
  const [dev, reviewer, expert] = tokens
  if (!dev || !reviewer || !expert) throw new Error('nobody is there')
  const rows: Record<string, string | number>[] = []
  const note = async (request: string, answer: () => Promise<Answer>) => {
    const { body, ...cost } = await measured(request, answer)
    rows.push({ request, ...cost })
    return body
  }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const body = { slug: 'measured', title: 'Measured', abstract: 'A project made to be measured.', tags: ['one', 'two'] }
  await note('create', () => dev.post(P, { body, headers }))
  await note('create, the same key again', () => dev.post(P, { body, headers }))
  const records = await waiting(200)
  const [first = ''] = records
  await note('link a record', () =>
    dev.post(`${P}measured/entities/`, { body: { entity: first, role_in_project: '' } }),
  )
  await linkAll('measured', records.slice(1), 50)
  await note('detail, 50 assets and 200 records', () => dev.get(`${P}measured/`))
  await note('activity', () => dev.get(`${P}measured/activity/`))
  await note('comments', () => dev.get(`${P}measured/comments/`))
  await note('comment', () => dev.post(`${P}measured/comments/`, { body: { comment: 'Measured.', parent: null } }))
  await note('invite a member', () => dev.post(`${P}measured/memberships/`, { body: { username: 'other' } }))
  await note('change its title', () => dev.patch(`${P}measured/`, { body: { title: 'Measured again' } }))
  await note('move to in_review, 50 assets and 200 records', () => move(dev, 'measured', 'in_review'))
  await note('list, own', () => dev.get(P))
  await note('list, for reviewers: state=in_review', () => reviewer.get(`${P}?state=in_review&ordering=submitted_at`))
  await note('list, anonymous', () => app.anon.get(`${P}?visibility=public&ordering=-updated_at`))

  const { recoverStaged } = await import('../../lib/engines/table/two-phase/commit.ts')
  // A larger one goes on behind its request: `merging` measures it.
  for (const size of [10, 100]) {
    const slug = `merged-${size}`
    await dev.post(P, { body: { ...body, slug } })
    await linkAll(slug, await waiting(size), 1)
    await move(dev, slug, 'in_review')
    await move(reviewer, slug, 'approved')
    const details = `${size} records`
    await note(`merge, ${details}`, () => move(expert, slug, 'merged'))
    await note(`detail once merged, ${details}`, () => dev.get(`${P}${slug}/`))
    const began = performance.now()
    await recoverStaged()
    process.stderr.write(`${details} in place after ${((performance.now() - began) / 1000).toFixed(1)} s more\n`)
    await note(`detail once in place, ${details}`, () => dev.get(`${P}${slug}/`))
    await note(`roll back, ${details}`, () => expert.post(`${P}${slug}/rollback-merge/`))
    await recoverStaged()
  }
  print('Projects: calls / capacity units per request, with token', rows)
}

async function measured(request: string, answer: () => Promise<Answer>): Promise<Cost & { body: Answer['body'] }> {
  global.gc?.()
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  const started = performance.now()
  const used = process.cpuUsage()
  const { status, body, cost } = await answer()
  const seconds = ((performance.now() - started) / 1000).toFixed(2)
  const cpu = (Object.values(process.cpuUsage(used)).reduce((sum, each) => sum + each, 0) / 1e6).toFixed(2)
  clearInterval(watch)
  if (status >= 300) throw new Error(`${request}: ${status} ${JSON.stringify(body)}`)
  return { body, calls: cost.calls, units: cost.units, seconds, cpu, peak: most ? `${Math.round(most / 1e6)} MB` : '' }
}

export const move = (who: Persona, slug: string, target_state: string) =>
  who.post(`${P}${slug}/transition/`, { body: { target_state, comment: 'Measured.' } })

export async function signedIn(app: App, username: string): Promise<Persona> {
  const { body } = await app.anon.post('/api/token/', { body: { username, password: 'heritage-local' } })
  return app.as(body.access)
}

let made = 0
/** So many records that wait for review, with eight values each; as contributions leave them. */
export async function waiting(many: number): Promise<string[]> {
  const { kinds } = await import('../../lib/domain/kinds/index.ts')
  const { newRecord, nextRecordId } = await import('../../lib/domain/records/build.ts')
  const { transact } = await import('../../lib/engines/table/transact.ts')
  const { loadUserByUsername } = await import('../../lib/platform/users/users.ts')
  const user = await loadUserByUsername('dev')
  if (!user) throw new Error('nobody is there')
  const actor = { ...user, rank: null }
  const unsourced = {
    source_type: 'book',
    source_citation: 'Measured',
    source_url: '',
    confidence: 'likely',
    data_quality_note: '',
  }
  const ids: string[] = []
  for (let i = 0; i < many; i += 1) {
    made += 1
    const data = {
      ...{ name: `Measured tradition ${made}`, description: 'A tradition made to be measured.', note: 'Every year' },
      ...{
        name_ne: `परम्परा ${made}`,
        identifier: `m-${made}`,
        access_tier: 'public',
        significance: 'Some',
        practice: 'Yes',
      },
    }
    const { record: head, writes } = newRecord(kinds.tradition, await nextRecordId(kinds.tradition), {
      data,
      source: unsourced,
      actor,
    })
    await transact(writes)
    ids.push(head.entity_id)
  }
  return ids
}

/** Links records and puts so many assets beside them, forty at a time. */
export async function linkAll(slug: string, records: readonly string[], assets: number): Promise<void> {
  const { loadProject, changeProject } = await import('../../lib/domain/projects/projects.ts')
  const { inUnit } = await import('../../lib/platform/unit-of-work.ts')
  const { Asset, asset, projectEntity } = await import('../../lib/domain/projects/items.ts')
  const { put } = await import('../../lib/engines/table/item.ts')
  const v = await import('valibot')
  const it = await loadProject(slug)
  if (!it) throw new Error('no project')
  const { id, owner_id, created_at } = it.about
  const links = records.map((entity_id) =>
    put(
      projectEntity,
      {
        ...{ id: crypto.randomUUID(), project_id: id, entity_id, role_in_project: '' },
        ...{ added_by: owner_id, added_at: created_at, version: 1 },
      },
      undefined,
    ),
  )
  const files = Array.from({ length: assets }, (_, i) => {
    const made = {
      ...{ id: crypto.randomUUID(), project_id: id, role: 'evidence', media: i + 1, content_type: 'image/jpeg' },
      ...{ media_type: 'image', size: 1_000_000, sha256: 'x'.repeat(64), object_key: `assets/${i}` },
      ...{ ocr_status: 'completed', uploaded_by: owner_id, created_at, updated_at: created_at, version: 1 },
    }
    return put(asset, v.parse(Asset, made), undefined)
  })
  const all = [...links, ...files]
  for (let start = 0; start < all.length; start += 40)
    await inUnit((unit) => changeProject(unit, it, () => ({ writes: all.slice(start, start + 40), result: undefined })))
  await inUnit((unit) =>
    changeProject(unit, it, (about) => ({
      changes: { entity_count: about.entity_count + records.length, asset_count: assets },
      result: undefined,
    })),
  )
}
