import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App, Persona } from '../../harness/app.ts'
import { fileOf, form, objects } from '../../harness/asset-world.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { localSteps } from '../../harness/imports.ts'
import { linkIn, type Mailbox, openMailbox } from '../../harness/mail.ts'
import { alertOn, contribute, decide, LINKED, lookAlikes, publish, submit, sure } from '../../harness/make.ts'
import { photographs } from '../../harness/media-files.ts'
import { changeUser } from '../../harness/people.ts'
import { addAsset, at, linkTo, move, newProject, openProjects } from '../../harness/projects.ts'

let app: App
let mail: Mailbox
let following: Following
beforeAll(async () => {
  mail = await openMailbox()
  app = await openProjects({ ...mail.env, CACHE_URL: 'dynamodb:' })
  following = await followTable()
})
afterAll(() => mail.stop())

const PASSWORD = 'Stupa-at-dawn-7'
const ME = '/data/user/me/'
type Person = { id: string; username: string; email: string; who: Persona }

/** Registers a person whose names occur nowhere else. */
async function register(name: string): Promise<Person> {
  const [username, email] = [`${name}-zyx`, `${name}@zyx.example`]
  const names = { first_name: `${name}first`, last_name: `${name}last`, organization: 'Museum of Patan' }
  const { user } = sure(
    201,
    await app.anon.post('/api/register/', { body: { username, email, password: PASSWORD, ...names } }),
  )
  const { access } = sure(200, await app.anon.post('/api/token/', { body: { username, password: PASSWORD } }))
  return { id: user.id, username, email, who: app.as(access) }
}

const work = async () => {
  await following.settled()
  const { files, left } = await sweep()
  await following.settled()
  return { files, left }
}
const sweep = async () => (await import('../../../functions/sweeper.ts')).handler({ chores: 'seldom' })

/** Everything that is stored, as text: by its key in the table, and by its key in the bucket. */
async function everythingStored(): Promise<Map<string, string>> {
  const { scanRaw } = await import('../../../lib/engines/table/scan.ts')
  const { getObject } = await import('../../../lib/engines/bucket/blobs.ts')
  const found = new Map<string, string>()
  for await (const page of scanRaw())
    for (const it of page) found.set(`table ${it.type} ${it.pk} ${it.sk}`, JSON.stringify(it))
  for (const key of await objects('')) {
    const bytes = (await getObject(key))?.bytes ?? Buffer.alloc(0)
    found.set(`bucket ${key}`, unpacked(Buffer.from(bytes)).toString('latin1'))
  }
  return found
}
function unpacked(bytes: Buffer): Buffer {
  if (bytes.readUInt16BE(0) === 0x1f8b) return gunzipSync(bytes)
  return bytes.length > 4 && bytes.readUInt32LE(0) === 0xfd2fb528 ? zstdDecompressSync(bytes) : bytes
}
/** Where a person is still named. */
async function placesOf(name: string): Promise<string[]> {
  const stored = await everythingStored()
  return [...stored].flatMap(([key, text]) => {
    const at = `${key} ${text}`.toLowerCase().indexOf(name)
    return at < 0 ? [] : [`${key}: ${`${key} ${text}`.slice(Math.max(at - 60, 0), at + 20)}`]
  })
}

/** Has a person do everything that leaves a name behind. */
async function live({ id, username, who }: Person) {
  const time = { created_at: '2025-01-15T10:00:00.000Z', updated_at: '2025-01-15T10:00:00.000Z' }
  const role = { id, role: 'domain_expert' as const, expertise_areas: [], is_active: true, assigned_by: null, ...time }
  const built = await publish(app, 'structures', { name: 'Built on', note: 'n' }, who)
  const alone = await publish(app, 'structures', { name: 'Nobody cares', note: 'n' }, who)
  const waiting = await contribute(who, 'structures', { name: 'It waits' })
  sure(200, await who.patch(`/cidoc/structures/${built.id}/`, { body: { note: 'changed' } }))
  sure(201, await decide(app.community, built, { verdict: 'reject', feedback: 'No.' }))
  const about = { entity_type: 'structure', entity_id: built.id, property: 'note', value: 'x' }
  sure(201, await who.post('/cidoc/assertions/', { body: about }))
  sure(201, await who.post('/cidoc/data_sources/', { body: { name: 'A book' } }))
  sure(201, await who.post('/data/review-flags/', { body: { entity: built.cultural_entity_id, flag_type: 'other' } }))
  const thread = `/data/entities/${built.cultural_entity_id}/comments/`
  const comment = sure(201, await who.post(thread, { body: { comment: 'So it is.' } }))
  const headers = { 'idempotency-key': crypto.randomUUID() }
  sure(201, await app.other.post(thread, { body: { comment: 'Is it?', parent: comment.id }, headers }))
  const old = await submit(username, { status: 'accepted' })
  sure(
    201,
    await who.post('/data/submission-suggestions/', { body: { submission: old.id, title: 'T', description: 'D' } }),
  )
  sure(201, await who.post('/data/reviewer-applications/', { body: { message: `I am ${username}.` } }))
  sure(201, await who.post('/api/user/keys/', { body: { name: `Tablet of ${username}`, scopes: ['read', 'hook'] } }))
  sure(201, await who.post('/api/user/hooks/', { body: { url: `http://127.0.0.1:9/${username}` } }))
  sure(200, await who.put('/data/notifications/letters/', { body: { mode: 'daily' } }))

  // A reviewer: a lease, a decision, a cluster.
  await changeUser(id, () => ({ reviewer_role: role }))
  const judged = await contribute(app.contributor, 'structures', { name: 'Judged' })
  sure(201, await decide(who, judged, { verdict: 'accept' }))
  const held = await contribute(app.contributor, 'structures', { name: 'Held' })
  sure(200, await who.post(`/data/review-queue/${held.cultural_entity_id}/claim/`))
  sure(201, await who.post('/cidoc/entity-clusters/', { body: { canonical_label: 'C', type_scope: 'structure' } }))

  // A project that was merged, and one of somebody else in which the person works.
  const slug = await newProject(who)
  await addAsset(slug)
  const merged = await contribute(who, 'traditions', { name: 'Merged' })
  await linkTo(who, slug, merged)
  sure(200, await move(who, slug, 'in_review'))
  sure(200, await move(app.community, slug, 'approved', 'Good.'))
  sure(200, await move(app.domain, slug, 'merged'))
  const theirs = await newProject(app.other)
  sure(201, await app.other.post(at(theirs, 'memberships/'), { body: { username, role: 'editor' } }))

  // Files: a picture of the profile, one of a record, a table.
  const png = fileOf((await photographs())['image/png'], `${username}.png`)
  sure(200, await who.post('/data/user/profile-image/', { body: form({ profile_image: png }) }))
  await localSteps.checkTable(who, `${username}.csv`, `name\nWell of ${username}\n`)
  // The answers of everyone are kept; the person is found and shown on boards; exports name contributors.
  await following.settled()
  for (const path of ['/data/leaderboard/', '/cidoc/structures/', `/data/search/?q=${username}`, `/data/user/${id}/`])
    sure(200, await app.anon.get(path))
  await (await import('../../../functions/exporter.ts')).handler()
  await following.settled()
  return { built, alone, waiting, judged, comment, slug, merged }
}

/** The names that somebody can see a person by in what is made beside records. */
async function liveBeside({ id, username, email, who }: Person) {
  const key = async (name: string, ...scopes: string[]) =>
    app.as(sure(201, await who.post('/api/user/keys/', { body: { name, scopes } })).token)
  const tablet = await key(`Survey of ${username}`, 'read', 'propose')
  const place = await publish(app, 'locations', { name: 'Where it stands' })
  const linked = { name: 'Linked', note: 'n', has_current_location: String(place.id), same_as: [LINKED] }
  const linking = await publish(app, 'structures', linked, tablet)
  const theirs = await publish(app, 'structures', { name: 'Of another', note: 'Of brick' })
  const king = await publish(app, 'persons', { name: 'A king' })

  // A fork that is merged, and labels.
  const forked = { entity_id: theirs.cultural_entity_id, changes: { note: 'Of stone' }, fork_reason_tag: 'correction' }
  const fork = sure(201, await tablet.post('/data/forks/', { body: forked }))
  sure(200, await app.domain.post(`/data/forks/${fork.id}/merge/`))
  const labels = { labels: [{ code: 'tk_a' }] }
  sure(200, await who.put(`/data/entities/${linking.cultural_entity_id}/labels/`, { body: labels }))

  // Proposals by a machine: of one thing, and of a relationship. Both are approved, so they make a cluster and a claim.
  const source = sure(201, await who.post('/cidoc/data_sources/', { body: { name: 'Survey of 1975' } }))
  const approve = async (path: string, body: object) => {
    const made = sure(201, await tablet.post(path, { body }))
    sure(200, await who.post(`${path}${made.id}/submit/`))
    sure(200, await app.domain.post(`${path}${made.id}/approve/`, { body: { comment: '' } }))
  }
  const anchors = [linking, theirs].map((it) => ({ entity_type: 'structure', entity_id: it.id }))
  const named = { canonical_label: 'One house', type_scope: 'structure', supporting_source_ids: [source.id] }
  await approve('/data/entity-proposals/', { ...named, anchor_records: anchors })
  const ends = { subject_entity_type: 'structure', subject_entity_id: linking.id, object_entity_id: king.id }
  const relation = { predicate: 'commissioned_by', ...ends, object_entity_type: 'person', primary_source: source.id }
  await approve('/data/relationship-proposals/', relation)
  const schema = { title: 'Sattal', proposed_yaml: 'classes:\n  Sattal: {}\n' }
  sure(201, await who.post('/data/schema-extension-proposals/', { body: schema }))

  // A note of a visitor who is signed in, which a review makes a claim.
  const contacts = {
    contributor_name: `${username} himself`,
    contributor_email: email,
    contributor_phone: `+977 ${username}`,
  }
  const note = { entity_id: theirs.cultural_entity_id, entity_name: 'Of another', content: 'Five brothers built it.' }
  const left = sure(201, await who.post('/data/public-contributions/', { body: { ...note, ...contacts } }))
  const incorporated = { status: 'incorporated', review_notes: 'Good.' }
  sure(200, await app.community.post(`/data/public-contributions/${left.id}/review/`, { body: incorporated }))

  // An organization, a document, a citation, watches.
  sure(201, await who.post('/data/organizations/', { body: { name: `Guthi ${crypto.randomUUID()}` } }))
  const page = fileOf((await photographs())['image/png'], 'page.png')
  sure(201, await who.post('/data/ocr-documents/upload/', { body: form({ file: page, standalone_ingestion: 'true' }) }))
  sure(201, await who.post('/data/citations/', { body: { of: '/cidoc/structures/?search=Linked' } }))
  for (const [what, about] of [
    ['record', linking.cultural_entity_id],
    ['place', place.cultural_entity_id],
    ['source', source.id],
    ['kind', 'deity'],
    ['search', 'wells'],
  ])
    sure(201, await who.post('/data/watches/', { body: { what, about } }))
  sure(201, await app.other.post('/data/watches/', { body: { what: 'place', about: place.cultural_entity_id } }))

  // What an expert decides: a source in question, an alert, whether records are one.
  const book = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: `Book ${id}` } }))
  const cited = { source_type: 'book', source_citation: `Book ${id}` }
  const resting = await publish(app, 'structures', { name: 'Rests on it', condition: 'Good', assertion: cited })
  await following.settled()
  const question = `/cidoc/data_sources/${book.id}/question/`
  sure(200, await who.post(question, { body: { standing: 'withdrawn', reason: 'Taken back.' } }))
  const ruled = { entity_ids: [resting.cultural_entity_id], verdict: 'accept' }
  sure(200, await who.post(`${question}decide/`, { body: ruled }))
  const { alert } = await alertOn(linking)
  sure(200, await who.post(`/api/curator-alerts/${alert}/resolve/`))
  const pair = await lookAlikes(app)
  sure(200, await who.post(`/cidoc/identity-candidates/${pair.id}/resolve/`, { body: { resolution: 'reject' } }))

  // Letters, guesses, and tools of machines.
  sure(202, await app.anon.post('/api/password/reset/', { body: { email } }))
  await mail.fetch()
  sure(401, await app.anon.post('/api/token/', { body: { username, password: 'wrong' } }))
  const rival = {
    id: theirs.cultural_entity_id,
    property: 'condition',
    value: 'Fair',
    source_type: 'book',
    source_citation: 'B',
  }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'propose_value', arguments: rival } }
  sure(200, await tablet.post('/mcp', { body: call }))
  await following.settled()
  // What readers see, in whatever form, is kept for a while.
  for (const path of [`/resource/structure/${linking.id}/`, '/cidoc/kg/graph/', '/data/changes/', '/data/forks/'])
    sure(
      200,
      await app.anon.get(path, { query: path === '/data/forks/' ? { entity_id: theirs.cultural_entity_id } : {} }),
    )
  return { linking, theirs, place, source }
}

/** How many people watch something. */
async function watchersOf(subject: string): Promise<number> {
  const { watchCount } = await import('../../../lib/domain/watches/items.ts')
  const { get } = await import('../../../lib/engines/table/index.ts')
  return (await get(watchCount, { subject }))?.watchers ?? 0
}

describe('leaving', () => {
  test('takes the name out of everything; contributions and decisions stay under another', async () => {
    const person = await register('ababa')
    const done = await live(person)
    const beside = await liveBeside(person)
    await (await import('../../../functions/exporter.ts')).handler()
    await following.settled()
    const before = await placesOf('ababa')
    const counts = async () =>
      Promise.all(
        [`place#${beside.place.cultural_entity_id}`, `source#${beside.source.id}`, 'kind#deity'].map(watchersOf),
      )
    expect(await counts()).toEqual([2, 1, 1])
    // The names stand in the table and in the bucket, so the test would see them.
    for (const place of [
      'table record',
      'table claims',
      'table user',
      'table lease',
      'table proposal',
      'table note',
      'table cluster',
      'table source',
      'bucket exports/',
      'bucket snapshots/',
      'bucket graph/',
    ])
      expect(
        before.some((it) => it.startsWith(place)),
        place,
      ).toBe(true)

    for (const file of ['fragments.spo', 'heritage.zip', 'structure.nq', 'report.csv'])
      expect(
        before.some((it) => it.includes(`/${file}: `)),
        file,
      ).toBe(true)

    sure(401, await app.anon.delete(ME, { body: { password: PASSWORD } }))
    expect(sure(400, await person.who.delete(ME, { body: { password: 'wrong' } }))).toEqual({
      password: ['This is not your password.'],
    })
    expect(sure(400, await person.who.delete(ME, { body: { password: PASSWORD, contributions: 'sell' } }))).toEqual({
      contributions: ['Not a valid choice. Choose one of: keep, remove.'],
    })
    expect(sure(202, await person.who.delete(ME, { body: { password: PASSWORD } }))).toEqual({
      detail: 'You have left. Your name is gone from everything within a day.',
    })

    // At once: nobody acts by it, and no answer names them.
    sure(401, await person.who.get('/api/user/info/'))
    sure(401, await app.anon.post('/api/token/', { body: { username: person.username, password: PASSWORD } }))
    sure(404, await app.anon.get(`/data/user/${person.id}/`))
    sure(404, await app.anon.get(`/data/user/by-username/${person.username}/`))
    const record = await app.anon.get(`/cidoc/structures/${done.built.id}/`)
    expect(sure(200, record).contributor).toMatch(/^former-contributor-[0-9a-f]{8}$/)
    expect(record.text).not.toContain('ababa')

    app.tick(1)
    expect(await work()).toEqual({ files: 0, left: 1 })
    app.tick(1)
    await sweep()
    await following.settled()
    expect(await placesOf('ababa')).toEqual([])
    // Who has left is counted as a watcher no more; others are.
    expect(await counts()).toEqual([1, 0, 0])
    // No form of a record names them.
    for (const accept of ['text/html', 'application/ld+json', 'application/n-quads'])
      expect(
        (await app.anon.get(`/cidoc/structures/${beside.linking.id}/`, { headers: { accept } })).text,
      ).not.toContain('ababa')
    const { assertions } = sure(200, await app.anon.get(`/cidoc/structures/${beside.linking.id}/`))
    const accept = { headers: { accept: 'application/trig' } }
    const nanopublication = await app.anon.get(`/cidoc/assertions/${assertions[0].id}/`, accept)
    expect(sure(200, nanopublication) ?? nanopublication.text).toMatch(/former-contributor-[0-9a-f]{8}/)
    expect(nanopublication.text).not.toContain('ababa')
    // It stays known that a machine wrote it, though no longer by which name.
    expect(assertions[0].software).toMatch(/^former-contributor-[0-9a-f]{8}$/)

    // All of them stay, told apart by a digest.
    const former = sure(200, await app.anon.get(`/cidoc/structures/${done.built.id}/`)).contributor
    sure(200, await app.anon.get(`/cidoc/structures/${done.alone.id}/`))
    sure(200, await app.contributor.get(`/cidoc/structures/${done.judged.id}/`))
    const history = await app.anon.get(`/data/entities/${done.judged.cultural_entity_id}/history/`)
    expect(
      sure(200, history).results.some(
        (it: { decided_by?: { username: string } }) => it.decided_by?.username === former,
      ),
    ).toBe(true)
    const { results } = sure(200, await app.anon.get(`/data/entities/${done.built.cultural_entity_id}/comments/`))
    expect(results[0]).toMatchObject({ comment: 'So it is.', user: { username: former } })
    // The merge can still be taken back.
    sure(200, await app.domain.post(at(done.slug, 'rollback-merge/')))
    sure(404, await app.anon.get(`/cidoc/traditions/${done.merged.id}/`))
    // The name and the address are free.
    sure(
      201,
      await app.anon.post('/api/register/', {
        body: { username: person.username, email: person.email, password: PASSWORD },
      }),
    )
    expect(await work()).toEqual({ files: 0, left: 0 })
  }, 120_000)

  test('takes contributions along where asked, but for those on which others have built', async () => {
    const { who } = await register('cecec')
    const [alone, built, linked] = await Promise.all(
      ['Alone', 'Commented', 'Linked'].map((name) =>
        publish(app, 'locations', { name: `${name} of one who goes` }, who),
      ),
    )
    const waiting = await contribute(who, 'locations', { name: 'Waiting of one who goes' })
    const thread = `/data/entities/${built?.cultural_entity_id}/comments/`
    sure(201, await app.other.post(thread, { body: { comment: 'I know it.' } }))
    await publish(app, 'structures', { name: 'Leans on it', has_current_location: String(linked?.id) }, app.other)
    await following.settled()
    sure(202, await who.delete(ME, { body: { password: PASSWORD, contributions: 'remove' } }))
    expect(await work()).toMatchObject({ left: 1 })
    const status = async (it?: { id: number }) => (await app.anon.get(`/cidoc/locations/${it?.id}/`)).status
    expect([await status(alone), await status(built), await status(linked)]).toEqual([404, 200, 200])
    const kept = sure(200, await app.staff.get(`/cidoc/locations/${waiting.id}/`))
    expect(kept.is_deleted).toBe(true)
    expect(await placesOf('cecec')).toEqual([])
  }, 120_000)

  test('restores a contribution to which somebody has linked in the moment in which it went', async () => {
    const { who } = await register('gegeg')
    const [linked, alone] = await Promise.all(
      ['Linked', 'Left alone'].map((name) => publish(app, 'locations', { name: `${name} late` }, who)),
    )
    await following.settled()
    sure(202, await who.delete(ME, { body: { password: PASSWORD, contributions: 'remove' } }))
    // The projector has not followed this link when the records go.
    const body = { name: 'Leans on it late', has_current_location: String(linked?.id) }
    const linking = await publish(app, 'structures', body, app.other)
    const visit = async () => {
      const { left } = await sweep()
      await following.settled()
      const answers = await Promise.all([linked, alone].map((it) => app.anon.get(`/cidoc/locations/${it?.id}/`)))
      return { left, statuses: answers.map(({ status }) => status) }
    }
    expect(await visit()).toEqual({ left: 1, statuses: [404, 404] })
    // A request that had read the record before could still be at work.
    expect(await visit()).toEqual({ left: 0, statuses: [404, 404] })
    app.tick(61)
    expect(await visit()).toEqual({ left: 0, statuses: [200, 404] })
    const { has_current_location } = sure(200, await app.anon.get(`/cidoc/structures/${linking.id}/`))
    expect(has_current_location).toMatchObject({ id: linked?.id })
    expect(await placesOf('gegeg')).toEqual([])
    const { listSecondLooks } = await import('../../../lib/doors/departure/items.ts')
    expect(await listSecondLooks(50)).toEqual([])
  }, 120_000)

  test('is done by staff for others, and by no one else; the demonstration stays', async () => {
    const { id } = await register('dedad')
    const place = `/data/platform-admin/users/${id}/`
    sure(401, await app.anon.delete(place, { body: {} }))
    for (const who of [app.contributor, app.community, app.domain, app.curator])
      sure(403, await who.delete(place, { body: {} }))
    expect(sure(202, await app.staff.delete(place, { body: {} }))).toEqual({
      detail: 'The account is gone. Its name is gone from everything within a day.',
    })
    expect(await work()).toMatchObject({ left: 1 })
    expect(await placesOf('dedad')).toEqual([])
    // A right password is no guess, however often it is given.
    for (let right = 0; right < 25; right += 1) {
      const seeded = await app.other.delete(ME, { body: { password: 'heritage-local' } })
      expect(sure(400, seeded)).toEqual({ detail: 'An account of the demonstration stays.' })
    }
  })

  test('leaves no former snapshot of a merge, wherever a worker died', async () => {
    const { id, who } = await register('kekek')
    const slug = await newProject(who)
    await addAsset(slug)
    await linkTo(who, slug, await contribute(who, 'traditions', { name: 'Merged by one who goes' }))
    const before = await objects('snapshots/')
    sure(200, await move(who, slug, 'in_review'))
    sure(200, await move(app.community, slug, 'approved', 'Good.'))
    sure(200, await move(app.domain, slug, 'merged'))
    const [made = ''] = (await objects('snapshots/')).filter((it) => !before.includes(it))
    const folder = made.slice(0, made.lastIndexOf('/') + 1)
    const { scan } = await import('../../../lib/engines/table/scan.ts')
    const { parse } = await import('../../../lib/engines/table/index.ts')
    const { projectSnapshot } = await import('../../../lib/domain/projects/items.ts')
    const { readRecords, readSnapshot } = await import('../../../lib/domain/projects/snapshots.ts')
    const { scrubSnapshot } = await import('../../../lib/doors/departure/copies.ts')
    const { sweepLooseFiles } = await import('../../../lib/engines/bucket/index.ts')
    const { withFault } = await import('../../harness/faults.ts')
    const stored = async () => {
      for await (const page of scan([projectSnapshot.type]))
        for (const it of page) if (String(it.object_key).startsWith(folder)) return it
      throw new Error('no snapshot')
    }
    /** What the snapshot names. Fails if one of these objects is absent. */
    const named = async () => {
      const item = parse(projectSnapshot, await stored())
      const parts = (await readSnapshot(item))?.parts ?? []
      for (const part of parts) expect(await readRecords(part)).not.toEqual([])
      return [item.object_key, ...parts.map((it) => it.object_key)]
    }
    let replaced = 0
    for (let call = 0, died = true; died; call += 1) {
      const [old, item] = [await named(), await stored()]
      const former = new Map([[id, `former-contributor-0000000${call}`]])
      died = await withFault(call, 'killed after', () => scrubSnapshot(item, former), 'every write')
      app.tick(1)
      await sweepLooseFiles()
      const kept = await named()
      if (kept[0] === old[0]) continue
      replaced += 1
      const left = await objects(folder)
      expect(
        old.filter((it) => left.includes(it) && !kept.includes(it)),
        `death after write ${call}`,
      ).toEqual([])
    }
    expect(replaced).toBeGreaterThan(2)
  }, 120_000)

  test('ends although answers are cached all the while', async () => {
    const { who } = await register('ihihi')
    sure(202, await who.delete(ME, { body: { password: PASSWORD } }))
    await following.settled()
    const { db } = await import('../../../lib/engines/table/client.ts')
    const { tableStore } = await import('../../../lib/platform/cache/table.ts')
    const { keep, read } = tableStore()
    let passes = 0
    const cacheOne = (next: (args: object) => Promise<unknown>, { commandName }: { commandName?: string }) => {
      return async (args: object) => {
        if (commandName === 'ScanCommand') await keep(`leaderboard:${++passes}`, 'An answer', 120)
        return next(args)
      }
    }
    db.middlewareStack.add(cacheOne as never, { step: 'initialize', name: 'caching', priority: 'high' })
    try {
      expect(await work()).toMatchObject({ left: 1 })
    } finally {
      db.middlewareStack.remove('caching')
    }
    // What was cached before the last pass is gone.
    expect([passes > 1, await read('leaderboard:1')]).toEqual([true, undefined])
  }, 120_000)

  test('goes on where a worker died', async () => {
    const { who, username } = await register('fefaf')
    await publish(app, 'structures', { name: 'Of one whose worker dies' }, who)
    await following.settled()
    sure(202, await who.delete(ME, { body: { password: PASSWORD } }))
    await following.settled()
    const { withFault } = await import('../../harness/faults.ts')
    const { workOnDepartures } = await import('../../../lib/doors/departure/work.ts')
    for (let call = 2; call < 8; call += 2) {
      await withFault(call, 'killed after', workOnDepartures, 'every write')
      app.tick(901)
    }
    let left = 0
    for (let visit = 0; left === 0 && visit < 3; visit += 1) left = (await work()).left ?? 0
    expect(await placesOf(username)).toEqual([])
  }, 120_000)
})

describe("the file with one's own data", () => {
  const place = '/data/user/me/export/'

  test('is made by a worker, holds what is theirs and no secret, and goes after a week', async () => {
    const { who, username, email } = await register('gagag')
    sure(401, await app.anon.get(place))
    expect(sure(200, await who.get(place))).toMatchObject({ state: 'none', url: null })
    const made = await publish(app, 'structures', { name: 'Exported', note: 'mine' }, who)
    const thread = `/data/entities/${made.cultural_entity_id}/comments/`
    sure(201, await who.post(thread, { body: { comment: 'I said so.' } }))
    const ofOther = await publish(app, 'structures', { name: 'Of another', condition: 'Good' })
    const about = { cultural_entity_id: ofOther.cultural_entity_id }
    const claim = { ...about, asserted_property: 'note', asserted_value: 'Seen by me.', source_type: 'field_survey' }
    sure(201, await who.post('/cidoc/assertions/', { body: claim }))
    sure(201, await who.post('/cidoc/data_sources/', { body: { name: 'My survey', source_type: 'field_survey' } }))
    const flag = { entity: ofOther.cultural_entity_id, flag_type: 'other', reason: 'Look again.' }
    sure(201, await who.post('/data/review-flags/', { body: flag }))
    const left = { contributor_name: 'Gagag', contributor_email: email, content: 'My aunt told me.' }
    sure(201, await who.post('/data/public-contributions/', { body: { ...left, entity_name: 'Of another' } }))
    sure(201, await who.post('/data/reviewer-applications/', { body: { message: 'Let me help.' } }))
    const vote = { reaction_type: 'upvote', entity_id: ofOther.cultural_entity_id }
    sure(201, await who.post('/data/reactions/toggle/', { body: vote }))
    const key = sure(201, await who.post('/api/user/keys/', { body: { name: 'Tablet', scopes: ['read'] } }))
    // A key does not get it.
    sure(403, await app.as(key.token).get(place))
    sure(403, await app.as(key.token).post(place))
    await following.settled()
    expect(sure(202, await who.post(place))).toMatchObject({ state: 'waiting', url: null })
    expect(sure(202, await who.post(place)).state).toBe('waiting')
    expect(await work()).toEqual({ files: 1, left: 0 })
    const { url, state, bytes } = sure(200, await who.get(place))
    expect(state).toBe('ready')
    const text = await (await fetch(url)).text()
    expect(text).toHaveLength(bytes)
    const data = JSON.parse(text)
    expect(data).toMatchObject({
      account: { username, email, first_name: 'gagagfirst' },
      contributions: [{ kind: 'structure', name: 'Exported', public: true }],
      comments: [{ comment: 'I said so.' }],
      decisions: [],
      keys: [{ name: 'Tablet' }],
      letters: { mode: 'off' },
      claims: [{ entity_id: ofOther.cultural_entity_id, asserted_value: 'Seen by me.' }],
      sources: [{ name: 'My survey' }],
      flags: [{ flag_type: 'other', reason: 'Look again.' }],
      votes: [{ on: expect.any(Object) }],
      notes: [{ name: 'Gagag', email, content: 'My aunt told me.' }],
      applications: [{ status: 'pending', message: 'Let me help.' }],
      ...{ pictures: [], memberships: [], mappings: [] },
    })
    expect(data.sessions).toHaveLength(1)
    expect(text).not.toMatch(/argon2|token_generation|hgk_/)
    expect(text).not.toContain(key.token.slice(-20))
    // Nobody else is given it.
    expect(sure(200, await app.other.get(place)).state).toBe('none')
    app.tick(7 * 86_400 + 1)
    await sweep()
    expect(await objects('account-exports/')).toEqual([])
  })

  test('holds all projects, however many pages they are', async () => {
    const { who } = await register('many')
    for (let made = 0; made < 101; made += 1) await newProject(who)
    sure(202, await who.post(place))
    expect(await work()).toEqual({ files: 1, left: 0 })
    const { url } = sure(200, await who.get(place))
    expect(JSON.parse(await (await fetch(url)).text()).projects).toHaveLength(101)
  })

  test('goes after a week, too, if its maker dies', async () => {
    const { username } = await register('jajaj')
    const { withFault } = await import('../../harness/faults.ts')
    const { makeOwnExports } = await import('../../../lib/doors/departure/make-export.ts')
    const { sweepLooseFiles } = await import('../../../lib/engines/bucket/index.ts')
    let files = 0
    for (let call = 0, died = true; died; call += 1) {
      const { access } = sure(200, await app.anon.post('/api/token/', { body: { username, password: PASSWORD } }))
      sure(202, await app.as(access).post(place))
      died = await withFault(call, 'killed after', makeOwnExports, 'every write')
      files += (await objects('account-exports/')).length
      app.tick(7 * 86_400 + 1)
      await sweepLooseFiles()
      expect(await objects('account-exports/'), `death after write ${call}`).toEqual([])
    }
    expect(files).toBeGreaterThan(1)
  })
})

test('the walk of a person: register, verify, watch, propose by a key, see it accepted, export everything, leave', async () => {
  const username = 'hahah-zyx'
  const email = 'hahah@zyx.example'
  const names = { first_name: 'Hahahfirst', last_name: 'Hahahlast' }
  sure(201, await app.anon.post('/api/register/', { body: { username, email, password: PASSWORD, ...names } }))
  const letter = (await mail.fetch()).find(({ to }) => to === email)
  sure(200, await app.anon.post(linkIn(letter), { body: {} }))
  const signIn = async () =>
    app.as(sure(200, await app.anon.post('/api/token/', { body: { email, password: PASSWORD } })).access)
  let who = await signIn()
  expect(sure(200, await who.get('/api/user/info/')).email_verified).toBe(true)
  sure(200, await who.put('/data/notifications/letters/', { body: { mode: 'at_once' } }))

  sure(201, await who.post('/data/watches/', { body: { what: 'kind', about: 'structure' } }))
  const { handler: sweepOften } = await import('../../../functions/sweeper.ts')
  await sweepOften({ chores: 'often' })
  const key = sure(
    201,
    await who.post('/api/user/keys/', { body: { name: "Survey of Hahah's house", scopes: ['read', 'propose'] } }),
  )
  const made = await contribute(app.as(key.token), 'structures', { name: 'Proposed by a key', note: 'measured' })
  sure(201, await decide(app.curator, made, { verdict: 'accept' }))
  await following.settled()
  const { results } = sure(200, await who.get('/data/notifications/'))
  expect(results.map((it: { notification_type: string }) => it.notification_type)).toContain('submission_update')
  app.tick(600)
  expect((await mail.fetch()).map(({ to }) => to)).toContain(email)

  // The bulletin of what they watch comes as a letter.
  await sweepOften({ chores: 'often' })
  app.tick(86_400 + 60)
  await sweepOften({ chores: 'often' })
  app.tick(600)
  const bulletin = (await mail.fetch()).find(({ to, text }) => to === email && text.includes('To stop watching'))
  expect(bulletin?.text).toContain('Something that you watch has changed: Proposed by a key')
  who = await signIn()

  sure(202, await who.post('/data/user/me/export/'))
  await work()
  const { url } = sure(200, await who.get('/data/user/me/export/'))
  const data = JSON.parse(await (await fetch(url)).text())
  expect(data).toMatchObject({
    account: { username, email },
    contributions: [{ name: 'Proposed by a key' }],
    watches: [{ what: 'kind', about: 'structure' }],
    keys: [{ name: "Survey of Hahah's house" }],
    letters: { mode: 'at_once' },
  })
  expect(data.notifications.length).toBeGreaterThan(0)
  for (const stranger of [app.anon, app.other, app.staff]) {
    const answer = await stranger.get('/data/user/me/export/')
    expect(answer.text).not.toContain(email)
  }

  // One click in the letter stops it, in a form as mail programs send it.
  const click = new FormData()
  click.set('List-Unsubscribe', 'One-Click')
  const stop = new URL(/To stop watching\D*?(https?:\S+)/.exec(bulletin?.text ?? '')?.[1] ?? '')
  expect(sure(200, await app.anon.post(stop.pathname + stop.search, { body: click }))).toEqual({ stopped: true })
  expect(sure(200, await who.get('/data/watches/')).results).toEqual([])
  sure(201, await who.post('/data/watches/', { body: { what: 'kind', about: 'structure' } }))

  sure(202, await who.delete(ME, { body: { password: PASSWORD } }))
  sure(401, await app.as(key.token).get('/api/user/info/'))
  expect(await work()).toMatchObject({ left: 1 })
  app.tick(86_400)
  await sweep()
  await following.settled()
  expect(await placesOf('hahah')).toEqual([])
  const { contributor, assertions } = sure(200, await app.anon.get(`/cidoc/structures/${made.id}/`))
  for (const name of [contributor, ...assertions.map((it: { contributed_by: string }) => it.contributed_by)])
    expect(name).toMatch(/^former-contributor-[0-9a-f]{8}$/)
}, 120_000)
