import type { Dice } from '../world/chance.ts'
import type { People, Person } from './people.ts'

/** What people do, how often, and which answers are right. */
type Known = { id: number; entity: string; by: Person }
export type Community = { people: People; waiting: Known[]; open: Known[]; chance: Dice; made: number }
export type Act = {
  name: string
  who: Person | null
  method: string
  path: string
  body?: object
  /** What may be answered: who comes second is told so. */
  right: readonly number[]
  /** What is known afterwards. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies are of many shapes
  learn?: (answer: any) => void
}

const said = { source_type: 'book', source_citation: 'A survey of 1991', confidence: 'likely' }
const NAMES = ['Golden', 'Quiet', 'Upper', 'Lower', 'Old', 'New', 'Eastern', 'Western', 'Great', 'Little'] as const
const SORTS = ['Temple', 'Pavilion', 'Rest House', 'Stupa', 'Monastery', 'Fountain', 'Gate', 'Courtyard'] as const
const PLACES = ['Patan', 'Bhaktapur', 'Kirtipur', 'Panauti', 'Dhulikhel', 'Sankhu', 'Bungamati'] as const

function contribute(it: Community): Act {
  const { chance, people } = it
  const who = chance.pick(people.contributors)
  it.made += 1
  return {
    name: 'contribute',
    who,
    method: 'POST',
    path: '/cidoc/structures/',
    body: {
      name: `${chance.pick(NAMES)} ${chance.pick(SORTS)} of ${chance.pick(PLACES)} ${it.made}`,
      existence_status: 'Extant',
      construction_date: String(1400 + chance.below(500)),
      coordinates: `27.${600 + chance.below(200)}, 85.${300 + chance.below(200)}`,
      condition: 'Good',
      structure_type: 'Temple',
      description: 'As it was seen on the way.',
      note: 'Written down on the spot.',
      assertion: said,
    },
    right: [201],
    learn: ({ id, cultural_entity_id }) => it.waiting.push({ id, entity: cultural_entity_id, by: who }),
  }
}

function amend(it: Community): Act {
  const one = it.chance.pick(it.waiting)
  return {
    name: 'amend',
    who: one.by,
    method: 'PATCH',
    path: `/cidoc/structures/${one.id}/`,
    body: { note: `Seen again, ${it.made}.`, assertion: said },
    right: [200, 409],
  }
}

function decide(it: Community): Act {
  const [one] = it.waiting.splice(it.chance.below(Math.min(20, it.waiting.length)), 1)
  if (!one) return contribute(it)
  const accepted = it.chance.happens(0.75)
  return {
    name: 'decide',
    who: it.chance.pick(it.people.deciders),
    method: 'POST',
    path: `/data/review-workspace/${one.entity}/decide/`,
    body: accepted ? { verdict: 'accept' } : { verdict: 'request_changes', feedback: 'Name a source.' },
    // Somebody else may have claimed it meanwhile.
    right: [201, 409],
    learn: () => {
      if (accepted) it.open.push(one)
    },
  }
}

function claim({ chance, people, waiting }: Community): Act {
  const one = chance.pick(waiting)
  return {
    name: 'claim',
    who: chance.pick(people.reviewers),
    method: 'POST',
    path: `/data/review-queue/${one.entity}/claim/`,
    // Where somebody is deciding on it meanwhile, it may wait no more.
    get right() {
      return waiting.includes(one) ? [200, 409] : [200, 404, 409]
    },
  }
}

const comment = ({ chance, people, open, made }: Community): Act => ({
  name: 'comment',
  who: chance.pick(people.contributors),
  method: 'POST',
  path: `/data/entities/${chance.pick(open).entity}/comments/`,
  body: { comment: `I was there, ${made}.` },
  right: [201],
})

const react = ({ chance, people, open }: Community): Act => ({
  name: 'react',
  who: chance.pick(people.contributors),
  method: 'POST',
  path: '/data/reactions/toggle/',
  body: { reaction_type: chance.pick(['upvote', 'downvote']), entity_id: chance.pick(open).entity },
  right: [200, 201],
})

const markRead = ({ chance, people }: Community): Act => ({
  name: 'mark all as read',
  who: chance.pick(people.contributors),
  method: 'POST',
  path: '/data/notifications/mark_all_read/',
  right: [200],
})

type Of = (it: Community) => Act
const read =
  (name: string, who: (it: Community) => Person | null, path: (it: Community) => string): Of =>
  (it) => ({ name, who: who(it), method: 'GET', path: path(it), right: [200] })
const anyone = ({ chance, people }: Community) => chance.pick(people.readers)
const contributor = ({ chance, people }: Community) => chance.pick(people.contributors)
const reviewer = ({ chance, people }: Community) => chance.pick(people.reviewers)

/** Each with its share. What needs a record that waits or is published is left until there are some. */
const WRITES: readonly (readonly [share: number, of: Of, needs: 'waiting' | 'open' | undefined])[] = [
  [36, contribute, undefined],
  [12, amend, 'waiting'],
  [20, decide, 'waiting'],
  [10, claim, 'waiting'],
  [10, comment, 'open'],
  [8, react, 'open'],
  [4, markRead, undefined],
]
const READS: readonly (readonly [share: number, of: Of, needs: 'waiting' | 'open' | undefined])[] = [
  [25, read('a record', anyone, ({ chance, open }) => `/cidoc/structures/${chance.pick(open).id}/`), 'open'],
  [15, read('a list', anyone, () => '/cidoc/structures/?limit=20'), undefined],
  [15, read('a search', anyone, ({ chance }) => `/data/search/?q=${chance.pick(SORTS)}`), undefined],
  [10, read('comments', anyone, ({ chance, open }) => `/data/entities/${chance.pick(open).entity}/comments/`), 'open'],
  [15, read('unread', contributor, () => '/data/notifications/unread_count/'), undefined],
  [5, read('notifications', contributor, () => '/data/notifications/'), undefined],
  [10, read('the queue', reviewer, () => '/data/review-queue/?limit=20'), undefined],
  [5, read('the board', anyone, () => '/data/leaderboard/'), undefined],
]

function picked(all: typeof WRITES, it: Community): Act {
  const can = all.filter(([, , needs]) => needs === undefined || it[needs].length > 0)
  let at = it.chance.below(can.reduce((sum, [share]) => sum + share, 0))
  for (const [share, of] of can) {
    at -= share
    if (at < 0) return of(it)
  }
  return contribute(it)
}

export const nextWrite: Of = (it) => picked(WRITES, it)
export const nextRead: Of = (it) => picked(READS, it)
