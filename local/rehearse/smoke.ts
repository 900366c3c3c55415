import { setTimeout as sleep } from 'node:timers/promises'
import document from '../../tests/contract/openapi.json' with { type: 'json' }
import { drawings } from '../commands/demo/drawings.ts'
import { project } from '../commands/demo/project.ts'

type Sent = { body?: unknown; headers?: { [name: string]: string } }
type Answer = { status: number; id: string | null; text: string; body: Facts }
type Facts = { readonly [name: string]: unknown }
type Speaker = (method: string, path: string, body?: unknown) => Promise<Answer>

async function ask(origin: string, method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Answer> {
  const isForm = body instanceof FormData
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    id: response.headers.get('x-request-id'),
    text,
    body: isJson && text ? JSON.parse(text) : {},
  }
}

/** One of the seeded people, with a token of their own. */
async function signedIn(origin: string, username: string): Promise<Speaker> {
  const { body } = await ask(origin, 'POST', '/api/token/', { body: { username, password: 'heritage-local' } })
  const headers = { authorization: `Bearer ${body.access}` }
  return (method, path, sent) => ask(origin, method, path, { headers, ...(sent !== undefined && { body: sent }) })
}

const NOBODY = '00000000-0000-4000-8000-000000000000'
const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Asks for every operation of the API document, by nobody and by staff: each is answered by its function, none with a fault. */
export async function everyRoute(origin: string): Promise<string[]> {
  const staff = await signedIn(origin, 'staff')
  const failed: string[] = []
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    methods.filter((method) => method in operations).map((method) => ({ method: method.toUpperCase(), path })),
  )
  const one = async ({ method, path }: { method: string; path: string }) => {
    const filled = path.replace(/\{\w+\}/g, NOBODY)
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    const answers = [
      await ask(origin, method, filled, body && { body }),
      await staff(method, filled.replace(/\/$/, ''), body),
    ]
    for (const { status, id, text } of answers)
      if (status >= 500 || id === null) failed.push(`${method} ${path}: ${status} ${text.slice(0, 100)}`)
  }
  for (let start = 0; start < calls.length; start += 4) await Promise.all(calls.slice(start, start + 4).map(one))
  return failed
}

type Around = { bucket: { name: string; endpoint: string }; idp: string }

/** What people do, from a first sign-in to a merged project, with files of every sort. Answers what went wrong. */
export async function story(origin: string, around: Around): Promise<string[]> {
  const failed: string[] = []
  const chapter = async (name: string, work: () => Promise<unknown>) => {
    await work().catch((error: unknown) => failed.push(`${name}: ${error instanceof Error ? error.message : error}`))
  }
  const [dev, other, reviewer, staff] = await Promise.all(
    ['dev', 'other', 'reviewer', 'staff'].map((it) => signedIn(origin, it)),
  )
  if (!dev || !other || !reviewer || !staff) throw new Error('Nobody can sign in.')
  const [drawing] = await drawings()
  const picture = () =>
    new File([drawing?.bytes ?? new Uint8Array()], drawing?.name ?? '', { type: drawing?.type ?? '' })

  await chapter('a first sign-in by the provider', () => newcomer(origin, around.idp))
  await chapter('a project', () => project(origin))
  await chapter('a record', () => record(dev, other, reviewer))
  await chapter('files of a project', () => files(dev, around, picture))
  await chapter('a picture of oneself', async () => {
    for (let turn = 0; turn < 2; turn += 1)
      good(await dev('PUT', '/data/user/profile-image/', formOf({ profile_image: picture() })))
    const { body } = good(await dev('GET', '/data/user/me/'))
    good(await dev('GET', `/data/user/${body.user_id}/image/`))
  })
  await chapter('a source with a file', async () => {
    const text = new File(['A chronicle.'], 'chronicle.txt', { type: 'text/plain' })
    const made = good(await dev('POST', '/cidoc/data_sources/', formOf({ title: 'A chronicle', uploaded_file: text })))
    good(await dev('GET', `/cidoc/data_sources/${made.body.id}/file/`))
    good(await dev('DELETE', `/cidoc/data_sources/${made.body.id}/`))
  })
  await chapter('files for everyone', async () => good(await ask(origin, 'GET', '/data/exports/')))
  return failed
}

function good(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text.slice(0, 200)}`)
  return answer
}

function formOf(members: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) form.set(name, value)
  return form
}

async function newcomer(origin: string, idp: string): Promise<void> {
  for (const scope of ['openid', 'opaque']) {
    const body = new URLSearchParams({
      grant_type: 'password',
      username: `maya.${scope}@example.org`,
      password: 'any',
      scope,
    })
    const { access_token }: { access_token?: string } = Object(
      await (await fetch(`${idp}/token`, { method: 'POST', body })).json(),
    )
    good(await ask(origin, 'GET', '/data/user/me/', { headers: { authorization: `Bearer ${access_token}` } }))
  }
}

/** Contributed, disputed, judged, talked about, found. */
async function record(dev: Speaker, other: Speaker, reviewer: Speaker): Promise<void> {
  const place = '/cidoc/structures/'
  const made = good(
    await dev('POST', place, { name: 'Chyasilin Mandap', existence_status: 'Extant', construction_date: '1702' }),
  ).body
  const entity = made.cultural_entity_id
  good(await reviewer('POST', `/data/review-queue/${entity}/claim/`))
  good(await reviewer('POST', `/data/review-workspace/${entity}/decide/`, { verdict: 'accept' }))
  const about = {
    entity_type: 'structure',
    entity_id: made.id,
    asserted_property: 'construction_date',
    asserted_value: '1934',
  }
  good(await other('POST', '/cidoc/assertions/', { ...about, source_type: 'book' }))
  good(await dev('PATCH', `${place}${made.id}/`, { note: 'Rebuilt.' }))
  good(await other('POST', `/data/entities/${entity}/comments/`, { comment: 'I have seen it.' }))
  good(await other('POST', '/data/submissions/', { title: 'A temple', description: 'By the pond.' })).body
  for (let turn = 0; turn < 40; turn += 1) {
    const { body } = good(await other('GET', '/data/search/?q=chyasilin'))
    if (JSON.stringify(body).includes('Chyasilin')) return
    await sleep(250)
  }
  throw new Error('it is not found')
}

/** Sent with a request, and to the bucket itself; read by OCR, drawn small. */
async function files(dev: Speaker, { bucket }: Around, picture: () => File): Promise<void> {
  const slug = `files-${Date.now()}`
  good(await dev('POST', '/data/projects/', { slug, title: 'Files', visibility: 'public' }))
  const at = `/data/projects/${slug}/assets/`
  const asset = good(await dev('POST', `${at}upload/`, formOf({ file: picture(), run_ocr: 'true' }))).body
  const file = picture()
  const form = good(
    await dev('POST', `${at}uploads/`, { file_name: file.name, size: file.size, media_type: file.type }),
  ).body
  const { url, fields }: { url: string; fields: Record<string, string> } = Object(form.upload)
  const host = `${bucket.endpoint}/${bucket.name}`
  const sent = await fetch(url.replace(/^https:\/\/[^/]+/, host), { method: 'POST', body: formOf({ ...fields, file }) })
  if (!sent.ok) throw new Error(`the bucket answers a form with ${sent.status}`)
  good(await dev('POST', `${at}uploads/${form.asset_id}/complete/`))
  for (let turn = 0; turn < 120; turn += 1) {
    const { body } = good(await dev('GET', `${at}${asset.id}/`))
    if (body.ocr_status === 'completed' && body.thumbnail_url) {
      const got = await fetch(String(body.media_url).replace(/^https:\/\/[^/]+/, host))
      if (!got.ok) throw new Error(`the bucket answers an address with ${got.status}`)
      return void good(await dev('DELETE', `${at}${asset.id}/`))
    }
    await sleep(500)
  }
  throw new Error('the picture is not read')
}
