import { drawings } from '../../local/commands/demo/drawings.ts'
import { nameOf, visit, type World } from './aws/background.ts'
import type { Around } from './smoke.ts'
import { type Answer, ask, expectStatus, formOf, good, type Speaker, signedIn } from './speaker.ts'

type Picture = { id: string; iiif: string }
type Shown = { id: number; cultural_entity_id: string; images: Picture[] }

/**
 * Pictures are uploaded with a request and to the bucket, published with a record, drawn, and removed. Others come with a merge and go
 * with its rollback. Those that no record names are swept away. Returns what went wrong.
 */
export async function pictures(world: World, origin: string, around: Around): Promise<string[]> {
  const failed: string[] = []
  const chapter = async (name: string, work: () => Promise<void>) =>
    work().catch((error: unknown) => void failed.push(`${name}: ${error instanceof Error ? error.message : error}`))
  const [dev, reviewer, expert] = await Promise.all(['dev', 'reviewer', 'expert'].map((it) => signedIn(origin, it)))
  if (!dev || !reviewer || !expert) throw new Error('nobody can sign in')
  await chapter('pictures of a record', () => ofRecord(origin, around, { dev, reviewer }))
  await chapter('pictures of a project', () => ofProject(origin, { dev, reviewer, expert }))
  await chapter('pictures that nobody names', () => sweepUnnamedPictures(world, around, dev))
  return failed
}

async function ofRecord(origin: string, around: Around, { dev, reviewer }: { dev: Speaker; reviewer: Speaker }) {
  const [one, other] = [await sentWhole(dev), await sentToBucket(dev, around)]
  good(await dev('POST', `/data/pictures/uploads/${other}/complete/`))
  good(await dev('GET', `/data/pictures/${other}/`))
  const images = [{ id: one, caption: 'From the square', licence: 'CC-BY-4.0', face: true }, { id: other }]
  const made: Shown = Object(good(await dev('POST', '/cidoc/structures/', { name: 'Golden Gate', images })).body)
  const accept = async () =>
    good(await reviewer('POST', `/data/review-workspace/${made.cultural_entity_id}/decide/`, { verdict: 'accept' }))
  const [first] = made.images
  expectStatus(await ask(origin, 'GET', `${first?.iiif}/info.json`), 404)
  await accept()
  for (const { iiif } of made.images) await viewPicture(origin, iiif)
  good(await ask(origin, 'GET', `/data/manifests/records/${made.cultural_entity_id}/`))
  good(await dev('PATCH', `/cidoc/structures/${made.id}/`, { images: [] }))
  await accept()
  for (const { iiif } of made.images) expectStatus(await ask(origin, 'GET', `${iiif}/info.json`), 404)
}

/** Asks for a picture as a viewer does: its description, then a part of it twice. The second time it comes from the bucket. */
async function viewPicture(origin: string, iiif: string): Promise<void> {
  good(await ask(origin, 'GET', `${iiif}/info.json`))
  for (let turn = 0; turn < 2; turn += 1) good(await ask(origin, 'GET', `${iiif}/pct:25,25,50,50/100,/0/gray.png`))
}

/** An image of a project depicts a record. The record has it after the merge, and not after the rollback. */
async function ofProject(origin: string, people: { dev: Speaker; reviewer: Speaker; expert: Speaker }): Promise<void> {
  const { dev, reviewer, expert } = people
  const slug = `pictured-${Date.now()}`
  const at = `/data/projects/${slug}/`
  const body = { slug, title: 'Pictured', abstract: 'With a picture.', visibility: 'public', license: 'CC-BY-4.0' }
  good(await dev('POST', '/data/projects/', body))
  const made: Shown = Object(good(await dev('POST', '/cidoc/structures/', { name: `Shown by ${slug}` })).body)
  const record = `/cidoc/structures/${made.id}/`
  good(await dev('POST', `${at}entities/`, { entity: made.cultural_entity_id, role_in_project: '' }))
  const form = formOf({ file: await picture(), run_ocr: 'false', depicts: made.cultural_entity_id })
  const asset = good(await dev('POST', `${at}assets/upload/`, form)).body
  await viewPicture(origin, `/data/iiif/${asset.project}.${asset.id}`)
  good(await ask(origin, 'GET', `/data/manifests/projects/${slug}/`))
  for (const [who, target_state] of [[dev, 'in_review'] as const, [reviewer, 'approved'] as const])
    good(await who('POST', `${at}transition/`, { target_state, comment: '' }))
  good(await expert('POST', `${at}transition/`, { target_state: 'merged', comment: '' }))
  const { images }: Shown = Object(good(await ask(origin, 'GET', record)).body)
  if (images.length !== 1) throw new Error(`the record has ${images.length} pictures`)
  for (const { iiif } of images) await viewPicture(origin, iiif)
  good(await expert('POST', `${at}rollback-merge/`))
  for (const { iiif } of images) expectStatus(await ask(origin, 'GET', `${iiif}/info.json`), 404)
}

/** After three days the sweeper deletes pictures that no record names, whether their upload was completed or not. */
async function sweepUnnamedPictures(world: World, around: Around, dev: Speaker): Promise<void> {
  await sentWhole(dev)
  await sentToBucket(dev, around)
  const [{ walk }, { putItems }, { UNNAMED }, { listKeys }] = await Promise.all([
    import('../../lib/engines/table/read.ts'),
    import('../../lib/engines/table/write.ts'),
    import('../../lib/domain/pictures/items.ts'),
    import('../../lib/engines/bucket/blobs.ts'),
  ])
  const waiting = await walk({ index: 'gsi1', pk: UNNAMED, forward: true, limit: 50 })
  const until = '2020-01-01T00:00:00.000Z'
  await putItems(waiting.map((it) => ({ ...it, until })))
  for (const schedule of world.stack.schedules().filter(({ target }) => nameOf(target) === 'sweeper'))
    await visit(world, schedule)
  const keys = [...(await listKeys('pictures/')), ...(await listKeys('uploads/pictures/'))]
  const left = waiting.filter(({ id }) => keys.some((key) => key.endsWith(String(id))))
  if (waiting.length < 2 || left.length > 0) throw new Error(`${left.length} of ${waiting.length} are still there`)
}

/** Uploads a picture with a request. Returns its id. */
const sentWhole = async (dev: Speaker): Promise<string> =>
  idOf(good(await dev('POST', '/data/pictures/', formOf({ file: await picture() }))))

/** Uploads a picture to the bucket, and does not complete it. Returns its id. */
async function sentToBucket(dev: Speaker, { bucket }: Around): Promise<string> {
  const file = await picture()
  const made = good(await dev('POST', '/data/pictures/uploads/', { file_name: file.name, size: file.size }))
  const { url, fields }: { url: string; fields: Record<string, string> } = Object(made.body.upload)
  // Before the upload there is nothing to complete.
  expectStatus(await dev('POST', `/data/pictures/uploads/${made.body.id}/complete/`), 400)
  const address = url.replace(/^https:\/\/[^/]+/, `${bucket.endpoint}/${bucket.name}`)
  const answer = await fetch(address, { method: 'POST', body: formOf({ ...fields, file }) })
  if (!answer.ok) throw new Error(`the bucket answers a form with ${answer.status}`)
  return idOf(made)
}

const idOf = ({ body }: Answer): string => String(body.id)

/** A small picture as a file. */
export async function picture(): Promise<File> {
  const [drawing] = await drawings()
  return new File([drawing?.bytes ?? new Uint8Array()], drawing?.name ?? '', { type: drawing?.type ?? '' })
}
