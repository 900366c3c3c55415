import type { Comment } from '../../lib/domain/comments/items.ts'
import type { Write } from '../../lib/engines/table/item.ts'
import type { Answer, App } from '../harness/app.ts'
import { print } from './tools/table.ts'

/** Calls, units and time of threads and feeds, by how many comments there are on one record. */
export async function benchComments(sizes: readonly number[]): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info' } })
  const { key } = await import('../../lib/platform/table/keys.ts')
  const { addToNumber } = await import('../../lib/engines/table/write.ts')
  await addToNumber(key.sequence('comment'), 100_000_000)
  const made = await app.contributor.post('/cidoc/structures/', { body: { name: 'Much talked of' } })
  const { cultural_entity_id: entity } = made.body
  await app.curator.post(`/data/review-workspace/${entity}/decide/`, { body: { verdict: 'accept' } })
  const user = (await app.other.get('/api/user/info')).body.id
  const rows: Record<string, string>[] = []
  let filled = 0
  for (const size of sizes) {
    const started = performance.now()
    await fillComments({ entity, user }, filled, size)
    filled = size
    process.stderr.write(`${size} comments in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
    const measured = await measure(app, entity, user)
    measured.forEach(({ request, cost }, i) => {
      rows[i] = { ...(rows[i] ?? { request }), [`at ${size}`]: cost }
    })
  }
  print('Comments: calls / units / milliseconds (median), by comments on one record', rows)
}

/** So many of each five comments are replies to the first of them. */
const FAMILY = 5
const text = 'A remark of some length on the carving of the struts and on who paid for their renewal in that year. '

/** Puts comments on one record straight into the table: their numbers are those from `from` to `to`, both multiples of five. */
async function fillComments(of: { entity: string; user: string }, from: number, to: number): Promise<void> {
  const { putAll } = await import('./tools/fill.ts')
  const { newComment } = await import('../../lib/domain/comments/comments.ts')
  await putAll(
    (function* (): Iterable<Write> {
      for (let n = from + 1; n <= to; n += 1) yield* newComment(commentOf(n, of))
    })(),
  )
}

function commentOf(n: number, { entity, user }: { entity: string; user: string }): Comment {
  const place = (n - 1) % FAMILY
  const root = n - place
  const at = new Date(Date.parse('2020-01-01T00:00:00Z') + n * 1000).toISOString()
  const others = place === 0 ? FAMILY - 1 : 0
  return {
    id: n,
    thread: `ENTITY#${entity}`,
    entity_id: entity,
    project_id: null,
    user_id: user,
    comment: text.repeat(2),
    parent: place === 0 ? null : root,
    parent_user_id: place === 0 ? null : user,
    root,
    place,
    answers: others,
    replies: others,
    came: others,
    upvotes: 0,
    downvotes: 0,
    standing: 'published',
    activity_id: null,
    created_at: at,
    updated_at: at,
    version: 1,
  }
}

async function measure(app: App, entity: string, user: string): Promise<{ request: string; cost: string }[]> {
  const { body } = await app.anon.post('/api/token/', { body: { username: 'other', password: 'heritage-local' } })
  const who = app.as(body.access)
  const thread = `/data/entities/${entity}/comments/`
  const deep = (await app.anon.get(`${thread}?offset=100`)).body.next
  const said = (parent: number | null) => who.post(thread, { body: { comment: text, parent } })
  const requests: Record<string, () => Promise<Answer>> = {
    'GET a thread (20 comments, 80 replies)': () => app.anon.get(thread),
    'next of a page': () => app.anon.get(deep.slice('http://localhost:8000'.length)),
    'GET one comment with replies': () => app.anon.get(`${thread}6/`),
    'POST a comment, with token': () => said(null),
    'POST an answer, with token': () => said(6),
    'GET /data/comments/?user_id=': () => app.anon.get(`/data/comments/?user_id=${user}`),
    'GET /data/comments/?submission_id=': () => app.anon.get(`/data/comments/?submission_id=${entity}`),
    'GET /data/activities/': () => app.anon.get('/data/activities/'),
    'GET /data/activities/?username=': () => app.anon.get('/data/activities/?username=other'),
    'GET .../unread_count/, with token': () => who.get('/data/notifications/unread_count/'),
  }
  // The record shows its latest five activities: from then on its size stands still.
  const made: Answer[] = []
  for (let i = 0; i < 5; i += 1) made.push(await said(null))
  const takeBack = async () => {
    for (const { body } of made.splice(0)) await who.delete(`${thread}${body.id}/`)
  }
  await takeBack()
  const rows = []
  for (const [request, send] of Object.entries(requests)) {
    const runs = []
    for (let i = 0; i < 7; i += 1) {
      const started = performance.now()
      const answer = await send()
      const { status, cost } = answer
      if (status >= 300) throw new Error(`${request}: ${status}`)
      if (status === 201) made.push(answer)
      runs.push({ ms: performance.now() - started, cost })
    }
    const last = runs.at(-1)
    const ms = runs.map((run) => run.ms).sort((a, b) => a - b)[3] ?? 0
    rows.push({ request, cost: `${last?.cost.calls} / ${last?.cost.units} / ${ms.toFixed(0)}` })
  }
  // So that the next reading finds the thread as it was filled.
  await takeBack()
  return rows
}
