import { beforeAll, expect, test } from 'vitest'
import type { App } from '../harness/app.ts'
import { type Following, followTable } from '../harness/following.ts'
import { decide, publish, sure } from '../harness/make.ts'
import { addAsset, at, newProject, openProjects, projectIn, waitingRecords } from '../harness/projects.ts'

/**
 * From the moment of the answer to a deletion, a restriction or the like, nobody else reads what is hidden. The projector, which keeps
 * search up to date, does not run between the change and the reads.
 */

let app: App
let following: Following
beforeAll(async () => {
  app = await openProjects()
  following = await followTable()
})

type Made = { id: number; cultural_entity_id: string }
type Who = 'anon' | 'other' | 'community' | 'contributor' | 'staff'
/** `hidden`: by whom it is not seen afterwards. `shown`: by whom it still is. */
type Case = {
  hide: () => Promise<unknown>
  hidden: readonly Who[]
  shown: readonly Who[]
}

const edit = async (segment: string, it: Made, body: object) => {
  sure(200, await app.contributor.patch(`/cidoc/${segment}/${it.id}/`, { body }))
  sure(201, await decide(app.curator, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
}

/** Each makes something of this name that everyone finds. */
const cases: Record<string, (name: string) => Promise<Case>> = {
  'a record that is deleted': async (name) => {
    const it = await publish(app, 'deities', { name, coordinates: '27.67, 85.42' })
    return {
      hide: async () => sure(204, await app.staff.delete(`/cidoc/deities/${it.id}/`)),
      hidden: ['anon', 'other', 'community', 'contributor'],
      shown: [],
    }
  },
  'a record that is restricted': async (name) => {
    const it = await publish(app, 'deities', { name, coordinates: '27.67, 85.42' })
    return {
      hide: () => edit('deities', it, { access_tier: 'restricted' }),
      hidden: ['anon'],
      shown: ['other', 'community', 'contributor', 'staff'],
    }
  },
  'an entity that is deleted': async (name) => {
    const body = { name, category: 'festival', description: 'Once a year.', form_data: { name } }
    const it = sure(201, await app.contributor.post('/data/cultural-entities/', { body }))
    sure(201, await decide(app.curator, { cultural_entity_id: it.entity_id }, { verdict: 'accept' }))
    return {
      hide: async () => sure(204, await app.staff.delete(`/data/cultural-entities/${it.entity_id}/`)),
      hidden: ['anon', 'other', 'community', 'contributor'],
      shown: [],
    }
  },
  'a source that is for members only': async (name) => {
    const it = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name } }))
    const body = { access_tier: 'org_only' }
    return {
      hide: async () => sure(200, await app.contributor.patch(`/cidoc/data_sources/${it.id}/`, { body })),
      hidden: ['anon'],
      shown: ['other', 'community', 'contributor', 'staff'],
    }
  },
  'a source that is deleted': async (name) => {
    const it = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name } }))
    return {
      hide: async () => sure(204, await app.contributor.delete(`/cidoc/data_sources/${it.id}/`)),
      hidden: ['anon', 'other', 'community', 'contributor'],
      shown: [],
    }
  },
  'a project that becomes private': async (title) => {
    const slug = await newProject(app.contributor, { title, visibility: 'public' })
    return {
      hide: async () => sure(200, await app.contributor.patch(at(slug), { body: { visibility: 'private' } })),
      hidden: ['anon', 'other', 'community'],
      shown: ['contributor', 'staff'],
    }
  },
  'a project that is deleted': async (title) => {
    const slug = await newProject(app.contributor, { title, visibility: 'public' })
    return {
      hide: async () => sure(204, await app.contributor.delete(at(slug))),
      hidden: ['anon', 'other', 'community', 'contributor'],
      shown: [],
    }
  },
  'the text of a project that becomes private': async (name) => {
    const { slug } = await projectWithText(name)
    return {
      hide: async () => sure(200, await app.contributor.patch(at(slug), { body: { visibility: 'private' } })),
      hidden: ['anon', 'other', 'community'],
      shown: ['contributor', 'staff'],
    }
  },
  'the text of a project that is deleted': async (name) => {
    const { slug } = await projectWithText(name)
    return {
      hide: async () => sure(204, await app.contributor.delete(at(slug))),
      hidden: ['anon', 'other', 'community', 'contributor'],
      shown: [],
    }
  },
  'the text of an asset that is deleted': async (name) => {
    const { slug, id } = await projectWithText(name)
    return {
      hide: async () => sure(204, await app.contributor.delete(at(slug, `assets/${id}/`))),
      hidden: ['anon', 'other', 'community', 'contributor', 'staff'],
      shown: [],
    }
  },
  'a record whose merge is rolled back': async (name) => {
    const [it] = await waitingRecords(app, 1, { name })
    const slug = await projectIn(app, 'merged', it ? [it] : [])
    return {
      hide: async () => sure(200, await app.domain.post(at(slug, 'rollback-merge/'))),
      hidden: ['anon', 'other', 'community'],
      shown: ['contributor', 'staff'],
    }
  },
}

async function projectWithText(title: string) {
  const slug = await newProject(app.contributor, { visibility: 'public' })
  const text = { ocr_text: 'What was read.', ocr_status: 'completed', caption: title }
  return { slug, id: await addAsset(slug, text) }
}

/** The doors that show what search has found. */
const doors: Record<string, (who: Who, q: string) => Promise<string>> = {
  search: async (who, q) => (await app[who].get('/data/search/', { query: { q, facets: 'true' } })).text,
  'search without a text': async (who) =>
    (await app[who].get('/data/search/', { query: { sort: 'newest', page_size: 50 } })).text,
  map: async (who, q) =>
    (await app[who].get('/data/search/', { query: { q }, headers: { accept: 'application/geo+json' } })).text,
  suggest: async (who, q) => (await app[who].get('/data/search/suggest/', { query: { q } })).text,
  reconcile: async (who, query) =>
    (await app[who].post('/data/reconcile/', { body: { queries: { q0: { query } } } })).text,
  'reconcile with properties': async (who, query) => {
    const properties = [{ pid: 'note', v: 'A note' }]
    return (await app[who].post('/data/reconcile/', { body: { queries: { q0: { query, properties } } } })).text
  },
  'reconcile, suggest': async (who, prefix) =>
    (await app[who].get('/data/reconcile/suggest/entity/', { query: { prefix } })).text,
  'search by kind': async (who, q) => (await app[who].get('/cidoc/search/', { query: { q } })).text,
  discovery: async (who, q) => (await app[who].get('/cidoc/discovery/', { query: { q, type: 'deities' } })).text,
  records: async (who, search) => (await app[who].get('/cidoc/deities/', { query: { search } })).text,
  traditions: async (who, search) => (await app[who].get('/cidoc/traditions/', { query: { search } })).text,
  entities: async (who, search) => (await app[who].get('/data/cultural-entities/', { query: { search } })).text,
  sources: async (who, search) => (await app[who].get('/cidoc/data_sources/', { query: { search } })).text,
  projects: async (who, search) => (await app[who].get('/data/projects/', { query: { search } })).text,
  assistant: async (who, content) =>
    JSON.stringify(
      sure(200, await app[who].post('/assistant/chat/', { body: { messages: [{ role: 'user', content }] } })).sources,
    ),
}

/** The doors behind which the readers find a word, or a count of it. All are asked at once. */
async function findings(who: readonly Who[], q: string): Promise<string[]> {
  const found = await Promise.all(
    who.flatMap((one) =>
      Object.entries(doors).map(async ([door, ask]) => {
        const text = await ask(one, q)
        // The question itself stands in some answers.
        const shows = text.replace(`"q":${JSON.stringify(q)}`, '').includes(q)
        return shows || /"count":[1-9]/.test(door === 'search without a text' ? '' : text) ? [`${one}: ${door}`] : []
      }),
    ),
  )
  return found.flat()
}

/** Words that are like no other. */
const words = [
  ...['Zqvajra', 'Zqtorana', 'Zqchaitya', 'Zqdhunge', 'Zqbahal', 'Zqagamche', 'Zqkalasha', 'Zqmandala', 'Zqpatiya'],
  ...['Zqdabali', 'Zqhiti'],
]

test.each(Object.entries(cases))('%s', async (sort, make) => {
  const word = words.shift() ?? ''
  const { hide, hidden, shown } = await make(word)
  await following.settled()
  const before = await findings([...hidden, ...shown], word)
  for (const who of [...hidden, ...shown]) {
    // The text of an asset is for whoever is signed in.
    if (who !== 'anon' || !sort.startsWith('the text')) expect(before).toContain(`${who}: search`)
  }
  await hide()
  expect(await findings(hidden, word)).toEqual([])
  const after = await findings(shown, word)
  for (const who of shown) expect(after).toContain(`${who}: search`)
  // The projector changes nothing of that.
  await following.settled()
  expect(await findings(hidden, word)).toEqual([])
  expect(await findings(shown, word)).toEqual(after)
})

type Next = (args: { input: object }) => Promise<unknown>
/** Changes how the table answers while some work is done. */
async function meddling<T>(meddle: (next: Next, context: { commandName?: string }) => Next, work: () => Promise<T>) {
  const { db } = await import('../../lib/engines/table/client.ts')
  db.middlewareStack.add(meddle as never, { step: 'initialize', name: 'meddling', priority: 'high' })
  return work().finally(() => db.middlewareStack.remove('meddling'))
}
const isOfLog = (input: object) => JSON.stringify(input).includes('SEARCH')

test('a search that begins while another one reads the log sees what was hidden in between', async () => {
  const it = await publish(app, 'deities', { name: 'Zqsindhu' })
  await following.settled()
  expect(await findings(['anon'], 'Zqsindhu')).toContain('anon: search')
  const [read, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let first = true
  await meddling(
    (next, { commandName }) =>
      async (args) => {
        const answer = await next(args)
        if (commandName !== 'QueryCommand' || !isOfLog(args.input) || !first) return answer
        first = false
        read.resolve()
        await held.promise
        return answer
      },
    async () => {
      const early = app.anon.get('/data/search/', { query: { q: 'Zqsindhu' } })
      await read.promise
      sure(204, await app.staff.delete(`/cidoc/deities/${it.id}/`))
      const late = app.anon.get('/data/search/', { query: { q: 'Zqsindhu' } })
      held.resolve()
      expect(sure(200, await early).count).toBe(1)
      expect(sure(200, await late).count).toBe(0)
    },
  )
})

test('what is hidden at the same moment is one change of the log, and a log that fails undoes nothing', async () => {
  const made = []
  for (const name of ['Zqone', 'Zqtwo', 'Zqthree']) made.push(await publish(app, 'deities', { name }))
  await following.settled()
  const { loadLogEnd } = await import('../../lib/engines/search/log.ts')
  const before = await loadLogEnd()
  const [last, ...others] = made
  for (const { status } of await Promise.all(others.map((it) => app.staff.delete(`/cidoc/deities/${it.id}/`))))
    expect(status).toBe(204)
  const after = await loadLogEnd()
  expect(after.changes - before.changes).toBe(2)
  expect(after.number - before.number).toBeLessThanOrEqual(2)
  // A change that hides nothing leaves the log to the projector.
  sure(200, await app.contributor.patch(`/cidoc/deities/${last?.id}/`, { body: { note: 'A note.' } }))
  expect(await loadLogEnd()).toEqual(after)
  const failing = Object.assign(new Error('The table is away.'), { name: 'ProvisionedThroughputExceededException' })
  const answer = await meddling(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'TransactWriteCommand' && isOfLog(args.input)) throw failing
        return next(args)
      },
    () => app.staff.delete(`/cidoc/deities/${last?.id}/`),
  )
  expect(answer.status).toBe(204)
  await following.settled()
  expect(await findings(['anon', 'other'], 'Zqone')).toEqual([])
})
