import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import { DOCUMENT } from '../../deploy/packages/built-document.ts'
import { canonicalPath, routeMatcher } from '../../lib/platform/http/path.ts'
import { type App, openApp, type Persona } from '../harness/app.ts'
import { contribute, decide, publish, submit, sure } from '../harness/make.ts'
import { changeUser } from '../harness/people.ts'

/** What a person has that is nobody else's business, in words that occur nowhere else. */
const canaries = {
  email: 'canary.address@example.org',
  birth_date: '1907-11-23',
  password: 'canary-password-of-some-length',
  subject: 'canary-subject-at-a-provider',
}
let app: App
let canary: Persona
/** What stands for each parameter of a path: of everything that the person had a hand in, one. */
let params: Readonly<Record<string, readonly string[]>>
let secrets: readonly string[]

beforeAll(async () => {
  app = await openApp()
  const { email, password } = canaries
  sure(201, await app.anon.post('/api/register/', { body: { username: 'canary', email, password } }))
  const pair = sure(200, await app.anon.post('/api/token/', { body: { username: 'canary', password } }))
  canary = app.as(pair.access)
  const { loadUserByUsername } = await import('../../lib/platform/users/users.ts')
  const me = await loadUserByUsername('canary')
  if (!me) throw new Error('nobody registered')
  const stored = await changeUser(me.id, () => ({
    birth_date: canaries.birth_date,
    subjects: { 'https://provider.example.org': canaries.subject },
    biography: 'A person with secrets',
  }))
  secrets = [...Object.values(canaries), stored?.password ?? 'missing', pair.refresh]
  expect(stored?.password).toMatch(/^\$argon2id\$/)

  const it = await publish(app, 'structures', { name: 'Of the canary', note: 'n' }, canary)
  const waiting = await contribute(canary, 'structures', { name: 'Waiting of the canary' })
  sure(200, await canary.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'changed' } }))
  sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No.' }))
  const about = { entity_type: 'structure', entity_id: it.id, property: 'note', value: 'x' }
  const claim = sure(201, await canary.post('/cidoc/assertions/', { body: about }))
  const source = sure(201, await canary.post('/cidoc/data_sources/', { body: { name: 'Of the canary' } }))
  const flag = sure(
    201,
    await canary.post('/data/review-flags/', { body: { entity: it.cultural_entity_id, flag_type: 'other' } }),
  )
  const thread = `/data/entities/${it.cultural_entity_id}/comments/`
  const comment = sure(201, await canary.post(thread, { body: { comment: 'Said' } }))
  sure(201, await app.other.post(thread, { body: { comment: 'Answered', parent: comment.id } }))
  const old = await submit('canary', { status: 'accepted' })
  const suggestion = sure(
    201,
    await canary.post('/data/submission-suggestions/', { body: { submission: old.id, title: 'T', description: 'D' } }),
  )
  sure(200, await app.community.post(`/data/submission-suggestions/${suggestion.id}/approve/`))
  sure(201, await canary.post('/data/reviewer-applications/', { body: { message: 'Please' } }))
  const cluster = sure(
    201,
    await app.community.post('/cidoc/entity-clusters/', { body: { canonical_label: 'C', type_scope: 'structure' } }),
  )
  const { results } = sure(200, await app.staff.get(`/data/activities/?entity=${it.cultural_entity_id}`))
  const revisions = sure(200, await app.staff.get(`/data/revisions/?entity=${it.cultural_entity_id}`)).results
  const entities = [it.cultural_entity_id, waiting.cultural_entity_id]
  params = {
    segment: ['structures'],
    slug: [me.id],
    username: ['canary'],
    entity_id: entities,
    version: ['1', '2'],
    id: [
      ...[it, waiting, comment, suggestion, old, claim, source, flag, cluster].map(({ id }) => String(id)),
      ...[old.submission_id, comment.comment_id, results[0].activity_id, revisions[0].revision_id, me.id],
      ...entities,
    ],
  }
})

const queries = [
  '',
  '?limit=100',
  '?username=canary',
  '?search=canary',
  '?all=1',
  '?q=canary',
  '?identifier=canary',
  '?ordering=created_at',
]
const special = () => {
  const [me, entity] = [params.slug?.[0], params.entity_id?.[0]]
  return [
    `?user_id=${me}`,
    `?reviewer=${me}`,
    `?contributor=${me}`,
    `?entity=${entity}`,
    `?submission_id=${entity}`,
    '?from=1&to=2',
    `?domain=structure&id=${params.id?.[0]}`,
    `?entity_type=structure&entity_id=${params.id?.[0]}`,
  ]
}

const namesIn = (query: string) => [...new URLSearchParams(query).keys()]

/** The members of a query that the document has of GET; all others have no effect, and are warned of: tests/platform/http/warnings.test.ts. */
const membersRead = (path: string): ReadonlySet<string> => {
  const hit = find('GET', canonicalPath(path))
  return new Set('found' in hit ? hit.found : [])
}
type Operation = { parameters: { name: string }[] }
const document: { paths: Record<string, { get?: Operation }> } = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
const find = routeMatcher(
  Object.fromEntries(
    Object.entries(document.paths).flatMap(([path, { get }]) =>
      get ? [[`GET ${canonicalPath(path)}`, get.parameters.map(({ name }) => name)]] : [],
    ),
  ),
)

test('what a person has for themselves is in no answer to anybody but them and staff', async () => {
  const groups = functionNames()
  const paths: { path: string; queries: readonly string[] }[] = []
  for (const name of groups) {
    const { routes = {} }: { routes?: object } = await import(`../../functions/${name}.ts`)
    for (const route of Object.keys(routes).filter((it) => it.startsWith('GET '))) {
      for (const path of filled(route.slice(4))) {
        const read = membersRead(path)
        const asked = [...queries, ...special()].filter((it) => it === '' || namesIn(it).some((one) => read.has(one)))
        paths.push({ path, queries: asked })
      }
    }
  }
  // Where staff finds nothing, nobody does: most ids are of something else than the path is about.
  const found = []
  for (const it of paths.filter(({ path }) => !path.includes('{')))
    if ((await app.staff.get(it.path)).status !== 404) found.push(it)
  const leaks: string[] = []
  let answered = 0
  for (const who of ['anon', 'other', 'community', 'curator'] as const) {
    for (const { path, queries: asked } of found) {
      for (const query of asked) {
        const reply = await app[who].get(`${path}${query}`)
        if (reply.status === 200) answered += 1
        expect(reply.status, `${who} ${path}${query}`).toBeLessThan(500)
        const text = `${reply.text} ${reply.bytes.toString('latin1')} ${JSON.stringify(reply.headers)}`
        for (const secret of secrets) if (text.includes(secret)) leaks.push(`${who} ${path}${query}: ${secret}`)
        // One query is enough for what takes none.
        if (reply.status === 404 || reply.status === 401 || reply.status === 403) break
      }
    }
  }
  // Expert curators look after people: they and staff are told addresses on the pages made for that.
  expect(leaks.filter((it) => !it.startsWith('curator /data/platform-admin/'))).toEqual([])
  expect(answered).toBeGreaterThan(300)
}, 300_000)

test('the person is told their own address, and neither password nor subjects', async () => {
  const own = await canary.get('/data/user/me/')
  expect(own.body.email).toBe(canaries.email)
  const account = await canary.get('/api/user/info')
  for (const { text } of [own, account])
    for (const secret of [canaries.password, canaries.subject, canaries.birth_date]) expect(text).not.toContain(secret)
})

/** A path with each value that may stand for its parameters. */
function filled(path: string): string[] {
  const name = /\{(\w+)\}/.exec(path)?.[1]
  if (!name) return [path]
  return (params[name] ?? [`{${name}}`]).flatMap((value) => {
    const next = path.replace(`{${name}}`, encodeURIComponent(value))
    return next === path ? [next] : filled(next)
  })
}
