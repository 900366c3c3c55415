import { setTimeout as sleep } from 'node:timers/promises'
import { groupRoots } from '../../lib/platform/http/groups.ts'
import { drawings } from '../../local/commands/demo/drawings.ts'
import { project } from '../../local/commands/demo/project.ts'
import { document, note, organization, schemaProposal, tableAsJob, thingProposal } from './beside.ts'
import { addressMaker, apiDocument, NOBODY, routeOf } from './document.ts'
import { ON_SIGNPOST, signpost } from './signpost.ts'
import { type Answer, ask, formOf, good, type Speaker, signedIn } from './speaker.ts'

/** The number of requests at once. Neighbours reach one function, and each that comes while it is busy starts another process of it. */
const AT_ONCE = 2
const methods = ['get', 'post', 'put', 'patch', 'delete']

/**
 * Calls every operation of the API document, anonymously and as staff. GET takes ids from lists; POST, PUT and PATCH send `{}`. A function
 * must answer each call, with a status below 500. Every file address in an answer must work. The two gateways read a last slash
 * differently, so both are called. With `short`, one kind stands for all kinds in their shared routes.
 */
export async function everyRoute(
  [one = '', other = '']: readonly string[],
  { bucket }: Around,
  short: boolean,
): Promise<string[]> {
  const [staff, staffThere] = await Promise.all([steadyIn(one, 'staff'), steadyIn(other, 'staff')])
  const failed: string[] = []
  const shown = new Set<string>()
  const document = await apiDocument()
  const address = addressMaker(document, staff)
  const all = Object.entries(document.paths).flatMap(([path, operations]) =>
    methods.filter((method) => method in operations).map((method) => ({ method: method.toUpperCase(), path })),
  )
  const calls = short ? [...new Map(all.map((it) => [`${it.method} ${routeOf(it.path)}`, it])).values()] : all
  const call = async ({ method, path }: { method: string; path: string }) => {
    const reads = method === 'GET'
    const filled = reads ? await address(path) : path.replace(/\{\w+\}/g, NOBODY)
    const body = reads || method === 'DELETE' ? undefined : {}
    const answers = [
      await askUntilWell(() => ask(one, method, filled, body && { body }), path),
      await askUntilWell(() => staffThere(method, filled, body), path),
      await askUntilWell(() => staff(method, filled.replace(/\/(?=\?|$)/, ''), body), path),
    ]
    for (const { status, id, text } of answers) {
      if (status >= 500 || id === null) failed.push(`${method} ${filled}: ${status} ${text.slice(0, 300)}`)
      for (const [address] of text.matchAll(/https:\/\/[^"\s]+X-Amz-Signature=[^"\s]+/g)) shown.add(address)
    }
  }
  // Without its last slash most roots fit no route of the gateway. Then the dispatcher answers.
  for (const { path } of groupRoots) calls.push({ method: 'GET', path })
  for (let start = 0; start < calls.length; start += AT_ONCE)
    await Promise.all(calls.slice(start, start + AT_ONCE).map(call))
  for (const address of shown) {
    const answer = await fetch(address.replace(/^https:\/\/[^/]+/, `${bucket.endpoint}/${bucket.name}`))
    const told = await answer.text()
    if (!answer.ok) failed.push(`an address that was given is answered ${answer.status}, ${told}: ${address}`)
  }
  if (shown.size === 0) failed.push('no answer had the address of a file')
  return failed
}

/** Signs in as a seeded user, and again whenever the session has ended: some operations end it. */
async function steadyIn(origin: string, username: string): Promise<Speaker> {
  let speaker = await signedIn(origin, username)
  return async (...call) => {
    const answer = await speaker(...call)
    if (answer.status !== 401) return answer
    speaker = await signedIn(origin, username)
    return speaker(...call)
  }
}

/** Asks again where a probe tells that something is late, as it may be while processes start. */
async function askUntilWell(asked: () => Promise<Answer>, path: string): Promise<Answer> {
  for (let turn = 1; ; turn += 1) {
    const answer = await asked()
    if (answer.status !== 503 || !path.startsWith('/health/') || turn === 5) return answer
    await sleep(500)
  }
}

export type Door = { method: string; path: string; body?: object }

/**
 * Requests that use search: lists with a search word, reconciliation, a question to the assistant, a machine's search, the feed of a watched
 * search, and a claim that contradicts another name. `who` makes what the last two ask for.
 */
export async function searchDoors(who: Speaker): Promise<Door[]> {
  const document = await apiDocument()
  const asked = Object.entries(document.paths).flatMap(([path, { get }]) => {
    const name = get?.parameters?.find((it) => it.name === 'q' || it.name === 'search')?.name
    return name ? [{ method: 'GET', path: `${path}?${name}=stupa` }] : []
  })
  const question = { messages: [{ role: 'user', content: 'Which stupas are there in Patan?' }] }
  const queries = encodeURIComponent(JSON.stringify({ q0: { query: 'stupa' } }))
  const found = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search', arguments: { query: 'stupa' } },
  }
  const watched = good(await who('POST', '/data/watches/', { what: 'search', about: `stupa ${Date.now()}` })).body
  const { pathname, search } = new URL(String(watched.feed_url))
  const values = { name: `Sattal of ${Date.now()}`, has_current_location: 'Lalitpur' }
  const { id: entity_id } = good(await who('POST', '/cidoc/structures/', values)).body
  const claim = { entity_type: 'structure', entity_id, asserted_property: 'has_current_location' }
  return [
    ...asked,
    { method: 'GET', path: `/data/reconcile/?queries=${queries}` },
    { method: 'POST', path: '/assistant/chat/', body: question },
    { method: 'POST', path: '/mcp/', body: found },
    { method: 'GET', path: pathname + search },
    { method: 'POST', path: '/cidoc/assertions/', body: { ...claim, asserted_value: 'Kirtipur', source_type: 'book' } },
  ]
}

/**
 * Calls every function with the identity provider's token, as a new user and as a registered one whose name the provider completes.
 * `targetOf` says which function a path leads to.
 */
export async function newcomers(
  origin: string,
  { idp }: Around,
  targetOf: (path: string, method: string) => string | undefined,
): Promise<string[]> {
  const document = await apiDocument()
  const doors = new Map<string, string>()
  const paths = Object.keys(document.paths).sort((a, b) => params(a) - params(b))
  for (const method of ['GET', 'POST'])
    for (const path of paths.filter((it) => method.toLowerCase() in Object(document.paths)[it])) {
      const target = targetOf(path, method) ?? ''
      if (!doors.has(target)) doors.set(target, `${method} ${path.replace(/\{\w+\}/g, NOBODY)}`)
    }
  const each = [...doors.values()].map((door, n) => ({ door, n }))
  const failed: string[] = []
  for (let start = 0; start < each.length; start += AT_ONCE)
    failed.push(...(await Promise.all(each.slice(start, start + AT_ONCE).map((it) => comers(origin, idp, it)))).flat())
  return failed
}

/** A registered user and a new one call one function. `door` is `METHOD path`. */
async function comers(origin: string, idp: string, { door, n }: { door: string; n: number }): Promise<string[]> {
  const failed: string[] = []
  const registered = {
    email: `known${n}@example.org`,
    username: `known${n}`,
    password: 'Stupa-at-dawn-1',
    first_name: 'Known',
  }
  const { status } = await ask(origin, 'POST', '/api/register/', { body: registered })
  if (status !== 201) failed.push(`nobody can register: ${status}`)
  for (const email of [registered.email, `new.comer${n}@example.org`]) {
    const headers = { authorization: `Bearer ${await tokenOf(idp, email)}` }
    const [method = '', path = ''] = door.split(' ')
    const { status: answered } = await ask(origin, method, path, { headers, ...(method === 'POST' && { body: {} }) })
    if (answered >= 500 || answered === 401) failed.push(`${email} at ${door}: ${answered}`)
  }
  return failed
}

const params = (path: string) => path.split('{').length

/** An opaque token: the service has to ask the identity provider who it is. */
export async function tokenOf(idp: string, username: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', username, password: 'any', scope: 'opaque' })
  const { access_token } = Object(await (await fetch(`${idp}/token`, { method: 'POST', body })).json())
  return String(access_token)
}

export type Around = { bucket: { name: string; endpoint: string }; idp: string }

/** What people do, from signing in to a merged project, with files of every sort. Returns what went wrong. */
export async function story(origin: string, around: Around, only?: readonly string[]): Promise<string[]> {
  const failed: string[] = []
  const chapter = async (name: string, work: () => Promise<unknown>) => {
    if (only && !only.includes(name)) return
    await work().catch((error: unknown) => failed.push(`${name}: ${error instanceof Error ? error.message : error}`))
  }
  const [dev, other, reviewer, staff] = await Promise.all(
    ['dev', 'other', 'reviewer', 'staff'].map((it) => signedIn(origin, it)),
  )
  if (!dev || !other || !reviewer || !staff) throw new Error('Nobody can sign in.')
  // A picture with place names, so that OCR finds words.
  const picture = await signpost()

  await chapter('a project', () => project(origin))
  await chapter('a record', () => record(dev, other, reviewer))
  await chapter('files of a project', () => files(dev, around, picture))
  await chapter('a picture of oneself', async () => {
    for (let turn = 0; turn < 2; turn += 1)
      good(await dev('POST', '/data/user/profile-image/', formOf({ profile_image: picture })))
    const { body } = good(await dev('GET', '/data/user/me/'))
    good(await dev('GET', `/data/user/${body.user_id}/image/`))
  })
  await chapter('a source with a file', async () => {
    const text = new File(['A chronicle.'], 'chronicle.txt', { type: 'text/plain' })
    const made = good(await dev('POST', '/cidoc/data_sources/', formOf({ name: 'A chronicle', uploaded_file: text })))
    good(await dev('GET', `/cidoc/data_sources/${made.body.id}/file/`))
    good(await dev('DELETE', `/cidoc/data_sources/${made.body.id}/`))
  })
  await chapter('files for everyone', async () => good(await ask(origin, 'GET', '/data/exports/')))
  await chapter('a harvest', () => harvest(origin))
  const people = { dev, other, reviewer }
  await chapter('an organization', () => organization(origin, people))
  await chapter('a note of a visitor', () => note(origin, people))
  await chapter('a table as a job', () => tableAsJob(people))
  await chapter('a proposal for the schema', () => schemaProposal(people))
  await chapter('a proposal that something exists', () => thingProposal({ ...people, staff }))
  await chapter('a scanned document', () => document(origin, people, picture))
  return failed
}

/** Uploads a picture for OCR, in a new project. */
export async function pictureSent(origin: string): Promise<void> {
  const dev = await signedIn(origin, 'dev')
  const [drawing] = await drawings()
  const slug = `picture-${Date.now()}`
  good(await dev('POST', '/data/projects/', { slug, title: 'A picture', visibility: 'public' }))
  const file = new File([drawing?.bytes ?? new Uint8Array()], drawing?.name ?? '', { type: drawing?.type ?? '' })
  good(await dev('POST', `/data/projects/${slug}/assets/upload/`, formOf({ file, run_ocr: 'true' })))
}

/** A record is contributed, accepted, disputed, discussed, and found by search. */
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
  const thread = `/data/entities/${entity}/comments/`
  good(await other('POST', thread, { comment: 'I have seen it.' }))
  good(await dev('GET', thread))
  good(await dev('GET', `/data/comments/?user_id=${good(await other('GET', '/data/user/me/')).body.user_id}`))
  for (let turn = 0; turn < 40; turn += 1) {
    const { body } = good(await other('GET', '/data/search/?q=chyasilin'))
    if (JSON.stringify(body).includes('Chyasilin')) return
    await sleep(250)
  }
  throw new Error('it is not found')
}

/** Harvests public records as a library does, over OAI-PMH. */
async function harvest(origin: string): Promise<void> {
  let said = ''
  for (let turn = 0; turn < 40; turn += 1) {
    said = (await ask(origin, 'GET', '/data/oai/?verb=ListRecords&metadataPrefix=oai_dc')).text
    if (said.includes('<record>')) return
    await sleep(250)
  }
  throw new Error(said.slice(0, 300))
}

/** Files are uploaded with a request and to the bucket. OCR reads one, and it gets a thumbnail. */
async function files(dev: Speaker, { bucket }: Around, file: File): Promise<void> {
  const slug = `files-${Date.now()}`
  good(await dev('POST', '/data/projects/', { slug, title: 'Files', visibility: 'public' }))
  const at = `/data/projects/${slug}/assets/`
  const asset = good(await dev('POST', `${at}upload/`, formOf({ file, run_ocr: 'true' }))).body
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
      if (!String(body.ocr_text).includes(ON_SIGNPOST)) throw new Error(`it is read as ${body.ocr_text}`)
      for (const url of [body.media_url, body.thumbnail_url]) {
        const got = await fetch(String(url).replace(/^https:\/\/[^/]+/, host))
        if (!got.ok) throw new Error(`the bucket answers an address with ${got.status}`)
      }
      return void good(await dev('DELETE', `${at}${asset.id}/`))
    }
    await sleep(500)
  }
  throw new Error('the picture is not read')
}
