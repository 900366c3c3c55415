import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { drawings } from './drawings.ts'

/**
 * Takes a project from draft to merge and back. A contributor makes it, with drawings and waiting records. A reviewer sends it back, then
 * approves it. An expert merges it and rolls it back. If a step does not do what it should, throws and names the step.
 */
export async function project(base: string): Promise<void> {
  const slug = `demo-${randomUUID().slice(0, 8)}`
  const at = `/data/projects/${slug}`
  const [dev, reviewer, expert] = ['dev', 'reviewer', 'expert'].map((name) => speaker(base, name))
  if (!dev || !reviewer || !expert) throw new Error('Nobody is there.')

  const body = {
    slug,
    title: 'The rest house by the tank',
    abstract: '',
    visibility: 'public',
    tags: ['demonstration'],
  }
  const key = { 'idempotency-key': randomUUID() }
  const made = await dev('POST', '/data/projects', body, { headers: key })
  say(`made          ${made.title} (${made.slug}), ${made.state}`)
  const again = await dev('POST', '/data/projects', body, { headers: key })
  say(`made again    under the same Idempotency-Key: ${again.id === made.id ? 'the same project' : 'ANOTHER ONE'}`)
  const early = await dev('POST', `${at}/transition/`, { target_state: 'in_review' }, { expects: 400 })
  say(`too early     ${early.blockers?.join(' ')}`)

  const records = await linkRecords(dev, slug)
  await uploadDrawings(dev, at)
  await dev('PATCH', `${at}/`, { abstract: 'A survey of the rest house, with its inscription.' })
  await dev('POST', `${at}/memberships/`, { username: 'other', role: 'viewer' })

  const move = mover(at)
  await move(dev, 'in_review')
  await move(reviewer, 'needs_revision', 'Who has read the inscription?')
  const comment = await reviewer('POST', `${at}/comments/`, { comment: 'The date looks doubtful.', parent: null })
  await dev('POST', `${at}/comments/`, { comment: 'I have seen the stone.', parent: comment.comment_id })
  await move(dev, 'in_review')
  await move(reviewer, 'approved')
  const shown = () => statusesOf(base, records)
  say(`public        the records are ${await shown()}`)
  await move(expert, 'merged')
  say(`public        the records are ${await shown()}`)
  const back = await expert('POST', `${at}/rollback-merge/`)
  say(`rolled back   to ${back.state}`)
  say(`public        the records are ${await shown()}`)
  const { results, count } = await dev('GET', `${at}/activity/`)
  say(`activity      ${count} rows, the latest: ${results?.[0]?.action} ${JSON.stringify(results?.[0]?.payload)}`)
}

/** Makes two records and links them to the project. */
async function linkRecords(who: Speaker, slug: string): Promise<Spoken[]> {
  const records: Spoken[] = []
  for (const name of ['Rest house by the tank', 'Rama Malla’s inscription']) {
    const values = { name: `${name} (${slug})`, note: 'Recorded for the demonstration.' }
    records.push(await who('POST', '/cidoc/structures/', values))
  }
  for (const it of records)
    await who('POST', `/data/projects/${slug}/entities/`, { entity: it.cultural_entity_id, role_in_project: '' })
  say(`linked        ${records.map((it) => it.name).join('; ')}`)
  return records
}

async function uploadDrawings(who: Speaker, at: string): Promise<void> {
  for (const { name, type, caption, role, bytes } of await drawings()) {
    const form = new FormData()
    form.set('file', new File([bytes], name, { type }))
    for (const [member, value] of Object.entries({ role, caption, run_ocr: 'false' })) form.set(member, value)
    const asset = await who('POST', `${at}/assets/upload/`, form)
    say(`uploaded      ${name}, ${bytes.length} bytes, ${asset.media_type}`)
  }
}

/** Returns a function that moves the project to another state, and prints where it may go from there. */
const mover =
  (at: string) =>
  async (who: Speaker, target_state: string, comment = ''): Promise<void> => {
    const { state, allowed_transitions } = await who('POST', `${at}/transition/`, { target_state, comment })
    say(
      `moved         to ${state}${comment && `: ${comment}`} (from here: ${allowed_transitions?.join(', ') || 'nowhere'})`,
    )
  }

/** What an anonymous reader sees of the records: their statuses, or that they are hidden. */
async function statusesOf(base: string, records: readonly Spoken[]): Promise<string> {
  const anyone = speaker(base)
  const replies = await Promise.all(
    records.map((it) => anyone('GET', `/cidoc/structures/${it.id}/`, undefined, { expects: 'any' })),
  )
  return replies.map((it) => it.status ?? 'hidden').join(', ')
}

const say = (line: string) => console.log(`  ${line}`)

/** The members of an answer that the steps read. */
const Answer = v.object({
  id: v.optional(v.union([v.string(), v.number()])),
  slug: v.optional(v.string()),
  title: v.optional(v.string()),
  name: v.optional(v.string()),
  state: v.optional(v.string()),
  status: v.optional(v.string()),
  media_type: v.optional(v.string()),
  cultural_entity_id: v.optional(v.string()),
  comment_id: v.optional(v.string()),
  count: v.optional(v.number()),
  allowed_transitions: v.optional(v.array(v.string())),
  blockers: v.optional(v.array(v.string())),
  results: v.optional(v.array(v.object({ action: v.optional(v.string()), payload: v.optional(v.unknown()) }))),
})
type Spoken = v.InferOutput<typeof Answer>
type Options = { expects?: number | 'any'; headers?: Record<string, string> }
type Speaker = (method: string, path: string, body?: object, options?: Options) => Promise<Spoken>

/** Calls the service as this user; without a name, anonymously. Throws if the answer is not what the step expects. */
function speaker(base: string, name?: string): Speaker {
  let token: Promise<string> | undefined
  return async (method, path, body, { expects, headers = {} } = {}) => {
    if (name !== undefined) token ??= signIn(base, name)
    const isForm = body instanceof FormData
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${await token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const fits = expects === 'any' || (expects === undefined ? response.ok : response.status === expects)
    if (!fits) throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 300)}`)
    return v.parse(Answer, text === '' ? {} : JSON.parse(text))
  }
}

async function signIn(base: string, username: string): Promise<string> {
  const response = await fetch(`${base}/api/token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: 'heritage-local' }),
  })
  if (!response.ok) throw new Error(`${username} cannot sign in: ${response.status} ${await response.text()}`)
  return v.parse(v.object({ access: v.string() }), await response.json()).access
}
