import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type App, type CallerName, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

/** Every endpoint that takes a text to search for, and what it answers to whatever someone types there. */

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  const name = 'Zindabahal Chaitya'
  await publish(app, 'monuments', { name }, app.other)
  await contribute(app.contributor, 'monuments', { name: 'Zindabahal that waits' })
  sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Zindabahal survey' } }))
  const cluster = { type_scope: 'monument', canonical_label: 'Zindabahal cluster' }
  sure(201, await app.staff.post('/cidoc/entity-clusters/', { body: cluster }))
  const project = { slug: 'zinda', title: 'Zindabahal project', abstract: 'What it is.', visibility: 'public' }
  sure(201, await app.contributor.post('/data/projects/', { body: project }))
  const { id } = sure(200, await app.other.get('/api/user/info'))
  sure(200, await app.other.patch(`/data/user/${id}/`, { body: { first_name: 'Zindabahal', last_name: 'Writer' } }))
  await following.settled()
})

/** `words`: all words must be there, however spelt. `as typed`: the text must stand there. */
type Endpoint = {
  ask: (text: string, more?: string) => Promise<Answer>
  /** How much an answer has found. */
  found: (answer: Answer) => number
  how: 'words' | 'as typed'
  /** Names are held against the whole text, so that a long one is like none of them. */
  like?: true
  /** What it says to a text that is blank; without it a blank text asks for the whole list. */
  blank?: object
  /** What it says to a single letter. */
  short?: object
}
const get =
  (who: CallerName, path: string) =>
  (text: string, more: string = '') =>
    app[who].get(`${path}${encodeURIComponent(text.toWellFormed())}${more}`)
const count = (answer: Answer): number => answer.body.count
const q = { q: ['This parameter is required.'] }
const few = { q: ['Give at least 2 characters.'] }
const sum = (counts: object) => Object.values(counts).reduce((all: number, n) => all + Number(n), 0)

const endpoints: Record<string, Endpoint> = {
  search: { ask: get('anon', '/data/search/?facets=true&q='), found: count, how: 'words', blank: q },
  'search, by staff': { ask: get('staff', '/data/search/?facets=true&q='), found: count, how: 'words', blank: q },
  suggest: {
    ask: get('anon', '/data/search/suggest/?q='),
    found: ({ body }) => body.suggestions.length,
    how: 'words',
    like: true,
    blank: q,
  },
  'the first search': {
    ask: get('anon', '/cidoc/search/?q='),
    found: ({ body }) => Object.values(body).flat().length,
    how: 'as typed',
    blank: q,
  },
  discovery: { ask: get('anon', '/cidoc/discovery/?q='), found: ({ body }) => sum(body.counts), how: 'words' },
  'the list of a kind': { ask: get('anon', '/cidoc/monuments/?search='), found: count, how: 'words' },
  'a picker': { ask: get('anon', '/api/v1/cidoc/monuments/?limit=25&search='), found: count, how: 'words' },
  'a list with facets': { ask: get('anon', '/cidoc/monuments/?facets=1&search='), found: count, how: 'words' },
  contributions: { ask: get('anon', '/data/cultural-entities/?search='), found: count, how: 'words' },
  'own contributions': {
    ask: get('contributor', '/data/cultural-entities/my_contributions/?search='),
    found: count,
    how: 'words',
  },
  queue: { ask: get('community', '/data/review-queue/?search='), found: count, how: 'words' },
  'contribution queue': { ask: get('community', '/data/contribution-queue/?search='), found: count, how: 'words' },
  sources: { ask: get('anon', '/cidoc/data_sources/?search='), found: count, how: 'words' },
  clusters: { ask: get('anon', '/cidoc/entity-clusters/?search='), found: count, how: 'words' },
  projects: { ask: get('anon', '/data/projects/?search='), found: count, how: 'words' },
  users: { ask: get('staff', '/data/platform-admin/users/?search='), found: count, how: 'words' },
  leaderboard: { ask: get('anon', '/data/leaderboard/?search='), found: count, how: 'words' },
  contributors: { ask: get('anon', '/data/contributors/?search='), found: count, how: 'words' },
  'the hint of duplicates': {
    ask: get('other', '/cidoc/entity-clusters/suggest-duplicates/?q='),
    found: ({ body }) => body.results.length,
    how: 'words',
    like: true,
    blank: few,
    short: few,
  },
}

const finds = ['zindabahal', 'ZINDABAHAL', ' \t zindabahal  ', 'Zindabahal', 'zindabah']
/** Words between what a query language would take for its own; nothing has the text as it is typed. */
const wrapped = [
  ...['"zindabahal"', '"zindabahal', 'zindabahal*', '^zindabahal', '(zindabahal', '-zindabahal', '{zindabahal}'],
  ...[
    "zindabahal';--",
    'zindabahal%',
    '\\zindabahal',
    '«zindabahal»',
    '🛕 zindabahal',

    '|zindabahal|',
  ],
]
const senseless = {
  'a question mark': '?',
  'punctuation alone': '...!!!',
  'a wildcard': '%%',
  'a star': '**',
  'an underscore': '__',
  quotes: '"\'"',
  'a backslash': '\\\\',
  'a comment': '--',
  'a semicolon': ';;',
  parentheses: '('.repeat(500),
  'a picture': '🛕🛕',
  'a family': '👩‍👩‍👧‍👦',
  'marks without a width': '\u200b\u200d\u200b',
  'a change of direction': '\u202e\u202e',
  'a word that is nowhere': 'xqzwvkjj',
  'a command of SQL': "'; DROP TABLE document; --",
  'a condition of SQL': "' OR xqz=xqz --",
  'an operator': 'NEAR(xqzw, 2)',
  '10,000 letters': 'x'.repeat(10_000),
  'a very long word': 'qxwvjk'.repeat(1500),
}
/** No answer may let out what is behind it. */
const leaks = /sqlite|syntax error|no such (column|table)|fts5|SELECT |stack|node:internal|\.ts:\d/i
const asked = Object.keys(endpoints)
const said = ({ status, body }: Answer) => [status, status === 200 ? 'found' : body]

describe.each(asked)('%s', (name) => {
  const it = endpoints[name] as Endpoint

  test.each(finds)('finds %j', async (text) => {
    const answer = await it.ask(text)
    expect([answer.status, it.found(answer) > 0], answer.text).toEqual([200, true])
  })

  test.each(wrapped)('takes %j for the word in it, or as it is typed', async (text) => {
    const answer = await it.ask(text)
    expect([answer.status, it.found(answer) > 0], answer.text).toEqual([200, it.how === 'words'])
  })

  test.each(Object.entries(senseless))('finds nothing for %s', async (_, text) => {
    const answer = await it.ask(text)
    const isShort = it.short && text.length < 2
    if (isShort) expect(said(answer)).toEqual([400, it.short])
    else expect([answer.status, it.found(answer)], answer.text).toEqual([200, 0])
    expect(answer.text.replaceAll(JSON.stringify(text), '')).not.toMatch(leaks)
  })

  test('takes a text that is blank for none', async () => {
    const whole = it.blank ? undefined : it.found(await it.ask(''))
    for (const text of ['', ' ', '\t\n', '\u3000']) {
      const answer = await it.ask(text)
      if (it.blank) expect([text, ...said(answer)]).toEqual([text, 400, it.blank])
      else expect([text, answer.status, it.found(answer)]).toEqual([text, 200, whole])
    }
    if (whole !== undefined) expect(whole).toBeGreaterThan(0)
  })

  test('takes one letter for a beginning, or says that it is too short', async () => {
    const answer = await it.ask('z')
    if (it.short) expect(said(answer)).toEqual([400, it.short])
    else expect([answer.status, it.found(answer) > 0]).toEqual([200, true])
  })

  test('answers to control characters and halves of characters', async () => {
    for (const text of ['\u0000', '\u0007\u001b', '\ud800', 'a\u0000b', '\u0085', '\uffff', '\u{10ffff}']) {
      const answer = await it.ask(text)
      const known = it.blank ? [200, 400] : [200]
      expect([JSON.stringify(text), known.includes(answer.status)], answer.text).toEqual([JSON.stringify(text), true])
      if (answer.status === 400) expect([it.blank, it.short]).toContainEqual(answer.body)
      expect(answer.text).not.toMatch(leaks)
    }
  })

  test('cuts a very long text instead of refusing it', async () => {
    const answer = await it.ask('zindabahal '.repeat(1000))
    expect([answer.status, it.found(answer) > 0]).toEqual([200, it.how === 'words' && !it.like])
  })
})

const paged = asked.filter(
  (name) => !['suggest', 'the first search', 'discovery', 'the hint of duplicates'].includes(name),
)
const boards = ['leaderboard', 'contributors']
const strict = ['search', 'search, by staff']

describe.each(paged)('the pages of %s', (name) => {
  const it = endpoints[name] as Endpoint

  test('end where they end, and the count stays', async () => {
    const { body } = await it.ask('zindabahal')
    const beyond = await it.ask('zindabahal', '&page=900')
    // A board that ends before the page that is asked for shows its last one.
    const shown = boards.includes(name) ? body.results : []
    expect([beyond.status, beyond.body.count, beyond.body.results]).toEqual([200, body.count, shown])
  })

  test.each(['page=0', 'page=-1', 'page=two', 'page=1e9', 'page=99999999999', 'page_size=0', 'page_size=ten'])(
    'with %s are the first, or the member is named',
    async (more) => {
      const first = await it.ask('zindabahal')
      const answer = await it.ask('zindabahal', `&${more}`)
      const [member = ''] = more.split('=')
      if (strict.includes(name)) expect(said(answer)).toEqual([400, { [member]: ['A whole number from 1 is wanted.'] }])
      else expect([answer.status, answer.body.results]).toEqual([200, first.body.results])
    },
  )

  test('are no larger than they may be', async () => {
    for (const size of [51, 1000, 999_999_999]) {
      const { status, body } = await it.ask('zindabahal', `&page_size=${size}`)
      expect([status, body.results.length <= 100]).toEqual([200, true])
      if (strict.includes(name)) expect(body.page_size).toBe(50)
    }
  })
})

describe('an order that nobody knows', () => {
  const orders = (options: string) => ({ ordering: [`Not a valid choice. Choose one of: ${options}.`] })
  test.each([
    ['queue', orders('-triage_priority, created_at, -created_at, updated_at, -updated_at, name, -name, doubt')],
    ['contribution queue', orders('-created_at, created_at, name, -name, updated_at, -updated_at, -triage_priority')],
  ])('is refused by the %s', async (name, told) => {
    const answer = await endpoints[name]?.ask('zindabahal', '&ordering=%27--')
    expect([answer?.status, answer?.body]).toEqual([400, told])
  })

  test.each(['the list of a kind', 'contributions', 'own contributions', 'sources', 'clusters', 'projects', 'users'])(
    'is none to %s',
    async (name) => {
      const plain = await endpoints[name]?.ask('zindabahal')
      const answer = await endpoints[name]?.ask('zindabahal', '&ordering=%27--')
      expect([answer?.status, answer?.body.results]).toEqual([200, plain?.body.results])
    },
  )
})

describe('the assistant', () => {
  const say = (content: string) =>
    app.anon.post('/assistant/chat/', { body: { messages: [{ role: 'user', content }] } })

  test.each([...finds, ...wrapped])('knows %j', async (text) => {
    const { status, text: answered } = await say(text)
    expect([status, answered.includes('Zindabahal Chaitya')], answered).toEqual([200, true])
  })

  test.each(Object.entries(senseless))('knows nothing of %s', async (_, text) => {
    const { status, text: answered } = await say(text)
    expect([status, answered.includes('Zindabahal Chaitya')]).toEqual([200, false])
    expect(answered).not.toMatch(leaks)
  })

  test.each(['', ' ', '\t'])('wants something to be said (%j)', async (text) => {
    expect((await say(text)).status).toBe(400)
  })
})
