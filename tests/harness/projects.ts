import type { NewActivity } from '../../lib/domain/projects/projects.ts'
import { type App, openApp, type Persona } from './app.ts'
import { contribute, sure } from './make.ts'

/** Makes projects by the endpoints, and assets without an upload. */

export const openProjects = (env: Record<string, string> = {}): Promise<App> =>
  openApp({ env: { RATE_PROJECTS: '100000/h', ...env } })

let made = 0
export const at = (slug: string, rest = '') => `/data/projects/${slug}/${rest}`

/** Creates a project of this person. Returns its slug. */
export async function newProject(who: Persona, body: object = {}): Promise<string> {
  const slug = `project-${++made}`
  const whole = { slug, title: `Project ${made}`, abstract: 'What it is about.', ...body }
  return sure(201, await who.post('/data/projects/', { body: whole })).slug
}

/** Stores an asset as an upload does, but without a file. Returns its id. */
export async function addAsset(slug: string, more: object = {}): Promise<string> {
  const { loadProject, changeProject } = await import('../../lib/domain/projects/projects.ts')
  const { inUnit } = await import('../../lib/platform/unit-of-work.ts')
  const { asset, Asset } = await import('../../lib/domain/projects/items.ts')
  const { put } = await import('../../lib/engines/table/item.ts')
  const v = await import('valibot')
  const it = await loadProject(slug)
  if (!it) throw new Error(`no project ${slug}`)
  const id = crypto.randomUUID()
  const one = v.parse(Asset, {
    ...{ id, project_id: it.about.id, role: 'evidence', media: 1, content_type: 'image/png', media_type: 'image' },
    ...{ size: 1, sha256: 'x', object_key: `assets/${id}`, ocr_status: 'not_started', uploaded_by: it.about.owner_id },
    ...{ created_at: it.about.created_at, updated_at: it.about.created_at, version: 1, caption: 'A gate', ...more },
  })
  await inUnit((unit) =>
    changeProject(unit, it, (about) => ({
      changes: { asset_count: about.asset_count + 1 },
      writes: [put(asset, one, undefined)],
      result: undefined,
    })),
  )
  return id
}

/** Stores activities as a merge or rollback in the background does. */
export async function storeActivities(slug: string, activities: readonly NewActivity[]): Promise<void> {
  const { loadProject, changeProject } = await import('../../lib/domain/projects/projects.ts')
  const { inUnit } = await import('../../lib/platform/unit-of-work.ts')
  const it = await loadProject(slug)
  if (!it) throw new Error(`no project ${slug}`)
  await inUnit((unit) => changeProject(unit, it, () => ({ activities, result: undefined })))
}

export const linkTo = async (who: Persona, slug: string, it: { cultural_entity_id: string }) =>
  sure(201, await who.post(at(slug, 'entities/'), { body: { entity: it.cultural_entity_id } }))

export const move = (who: Persona, slug: string, target_state: string, comment = '') =>
  who.post(at(slug, 'transition/'), { body: { target_state, comment } })

/** Creates a project of the contributor with an asset and these records, and moves it to this state. Returns its slug. */
export async function projectIn(
  app: App,
  state: string,
  records: readonly { cultural_entity_id: string }[],
  body: object = {},
): Promise<string> {
  const slug = await newProject(app.contributor, body)
  await addAsset(slug)
  for (const it of records) await linkTo(app.contributor, slug, it)
  for (const [who, to] of ways[state] ?? []) sure(200, await move(app[who], slug, to, 'Because.'))
  return slug
}

const ways: Record<string, readonly ['contributor' | 'community' | 'domain', string][]> = {
  draft: [],
  in_review: [['contributor', 'in_review']],
  needs_revision: [
    ['contributor', 'in_review'],
    ['community', 'needs_revision'],
  ],
  approved: [
    ['contributor', 'in_review'],
    ['community', 'approved'],
  ],
  merged: [
    ['contributor', 'in_review'],
    ['community', 'approved'],
    ['domain', 'merged'],
  ],
  withdrawn: [['contributor', 'withdrawn']],
}

let names = 0
/** Makes `many` records of the contributor that wait for review. */
export const waitingRecords = (app: App, many: number, more: object = {}) =>
  Promise.all(
    Array.from({ length: many }, () =>
      contribute(app.contributor, 'traditions', {
        name: `Waiting tradition ${crypto.randomUUID()} ${++names}`,
        ...more,
      }),
    ),
  )
