import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import type { App } from '../../harness/app.ts'
import { sure } from '../../harness/make.ts'
import { addAsset, at, newProject, openProjects } from '../../harness/projects.ts'

/** `npm run search -- rebuild` where texts of assets have no items of their own yet: no projector has been by. */

let app: App
beforeAll(async () => {
  app = await openProjects()
})

const read = async (slug: string, ocr_text: string) => {
  const { beginOcr, finishOcr } = await import('../../../lib/domain/projects/assets/ocr.ts')
  const id = await addAsset(slug, { ocr_status: 'pending', ocr_since: '2025-01-15T10:00:00.000Z' })
  const { project } = sure(200, await app.staff.get(at(slug, `assets/${id}/`)))
  const begun = await beginOcr({ project_id: project, id })
  if (!begun) throw new Error('nothing to read')
  await finishOcr(begun, { ocr_text, entity_suggestions: [] })
  return `${slug}/assets/${id}`
}
/** What a process finds that opens the snapshot now. */
const found = async (text: string, signedIn: boolean) => {
  const { ModelFollower } = await import('../../../lib/engines/search/model/follower.ts')
  const scope = { signedIn, everything: false, own: null }
  const model = await new ModelFollower().model()
  const { hits } = await model.search({ text, scope, resources: ['project_assets'], limit: 10 })
  return hits.map((it) => it.object_pk)
}
const rebuild = async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['local/commands/search.ts', 'rebuild'], {
    env: process.env,
  })
  expect(stdout).toMatch(/^rebuilt in .* \d+ documents/)
}

test('takes in texts that were read before search knew of them, and does so once', async () => {
  const open = await read(await newProject(app.contributor, { visibility: 'public' }), 'zfirst palm leaf')
  const hidden = await read(await newProject(app.contributor, { visibility: 'private' }), 'zfirst ledger')
  const gone = await newProject(app.contributor, { visibility: 'public' })
  await read(gone, 'zfirst of what is deleted')
  sure(204, await app.contributor.delete(at(gone)))
  await rebuild()
  expect(await found('zfirst', true)).toEqual([open])
  expect(await found('zfirst', false)).toEqual([])
  expect(await found('ledger', true)).toEqual([])

  const { renewTexts } = await import('../../../lib/domain/projects/assets/texts.ts')
  const { scan } = await import('../../../lib/engines/table/scan.ts')
  const stored = async () => {
    const all = []
    for await (const page of scan(['project_asset_text'])) all.push(...page)
    return all.map((it) => [it.slug, it.text, it.version]).sort()
  }
  const before = await stored()
  expect(before.map(([slug]) => slug)).toEqual([open, hidden].map((it) => it.split('/')[0]).sort())
  await renewTexts()
  expect(await stored()).toEqual(before)
})
