import { nameOf, visit, type World } from './aws/background.ts'
import { inTable, type Scene, sweep } from './gaps.ts'
import { picture } from './pictures.ts'
import { ask, formOf, good, type Speaker, signedIn } from './speaker.ts'

const password = 'Stupa-at-dusk-2'

/**
 * Somebody takes a file with all that is kept of them, and leaves for good: after their project was merged, with a hook of their own.
 * Then their name stands nowhere in the table.
 */
export async function somebodyLeaves(scene: Scene): Promise<void> {
  const { world, origin, bucket } = scene
  const name = `leaver${Date.now()}`
  const leaver = await arrive(origin, name)
  good(await leaver('POST', '/data/user/profile-image/', formOf({ profile_image: await picture() })))
  const { user_id: id } = good(await leaver('GET', '/data/user/me/')).body
  await mergeProjectOf(leaver, origin)
  await makeHook(String(id))
  await visitWebhooks(world)

  good(await leaver('POST', '/data/user/me/export/'))
  await sweep(world)
  const { url } = good(await leaver('GET', '/data/user/me/export/')).body
  const file = await fetch(String(url).replace(/^https:\/\/[^/]+/, `${bucket.endpoint}/${bucket.name}`))
  if (!file.ok || !(await file.text()).includes(name))
    throw new Error(`the file of one's own is answered ${file.status}`)

  good(await leaver('DELETE', '/data/user/me/', { password, contributions: 'keep' }))
  // The hook is void by now.
  await visitWebhooks(world)
  for (let turn = 0; turn < 3; turn += 1) await sweep(world)
  const left = await inTable((it) => JSON.stringify(it).includes(name))
  if (left.length > 0) throw new Error(`the name still stands in ${left.map((it) => it.type)}`)
}

async function arrive(origin: string, username: string): Promise<Speaker> {
  const body = { username, email: `${username}@example.org`, password, first_name: 'Leaver' }
  good(await ask(origin, 'POST', '/api/register/', { body }))
  const { access } = good(await ask(origin, 'POST', '/api/token/', { body: { username, password } })).body
  const headers = { authorization: `Bearer ${access}` }
  return (method, path, sent) => ask(origin, method, path, { headers, ...(sent !== undefined && { body: sent }) })
}

/**
 * A project with a picture is sent in by a merge request, and its approval merges it: the function of reviews does what that of projects
 * else does.
 */
async function mergeProjectOf(leaver: Speaker, origin: string): Promise<void> {
  const slug = `left-${Date.now()}`
  const at = `/data/projects/${slug}/`
  const opening = { slug, title: 'Left', abstract: 'By one who leaves.', visibility: 'public', license: 'CC-BY-4.0' }
  const { id: project } = good(await leaver('POST', '/data/projects/', opening)).body
  const { body: record } = good(await leaver('POST', '/cidoc/structures/', { name: `Rest house of ${slug}` }))
  good(await leaver('POST', `${at}entities/`, { entity: record.cultural_entity_id, role_in_project: '' }))
  const depicts = String(record.cultural_entity_id)
  good(await leaver('POST', `${at}assets/upload/`, formOf({ file: await picture(), run_ocr: 'false', depicts })))
  good(await leaver('POST', '/merge-requests/', { project, summary: 'Ready.', justification: 'It is whole.' }))
  const expert = await signedIn(origin, 'expert')
  good(await expert('POST', `/merge-requests/${project}/approve/`, { reviewer_note: 'Good.' }))
  const { body } = good(await expert('GET', at))
  if (body.state !== 'merged') throw new Error(`an approved project is ${body.state}`)
}

/** Makes a hook at an address that there is not, with the rights of the account's owner: the rehearsal calls nobody outside. */
async function makeHook(user_id: string): Promise<void> {
  const [{ createHook, hookKinds }, { inUnit }, { changeSorts }, { loadUser }, { actorOf }] = await Promise.all([
    import('../../lib/domain/hooks/hooks.ts'),
    import('../../lib/platform/unit-of-work.ts'),
    import('../../lib/domain/feed/items.ts'),
    import('../../lib/platform/users/users.ts'),
    import('../../lib/platform/users/actor.ts'),
  ])
  const user = await loadUser(user_id)
  if (!user) throw new Error('nobody is there')
  const wish = { url: 'https://hooks.invalid/', changes: [...changeSorts], kinds: [...hookKinds] }
  await inUnit((unit) => createHook(unit, actorOf(user), wish, 'https://localhost'))
}

async function visitWebhooks(world: World): Promise<void> {
  for (const schedule of world.stack.schedules().filter(({ target }) => nameOf(target) === 'webhooks'))
    await visit(world, schedule)
}
