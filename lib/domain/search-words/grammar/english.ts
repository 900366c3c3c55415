import type { LanguageGrammar } from './language.ts'

export const english: LanguageGrammar = {
  not: {
    leads: `not in, not at, not from, not of, not on, not near, not by, not for, that are not, which are not, are not, is not, not, without, except for,
      except, excluding, leaving out, aren't in, isn't in, aren't, isn't, don't have, doesn't have, outside of, outside, other than, but not, but no, and not, no, non, neither, nor, apart from, besides`,
  },
  near: {
    leads: `near to, near by, nearby to, nearby, near, close to, closest to, nearest to, next to, beside, around, surrounding, not far from,
      in the vicinity of, in the neighbourhood of, close, opposite, adjacent to, in front of, a short walk from, walking distance of, walking distance from`,
  },
  nearest: { leads: 'nearest, closest' },
  age: { leads: 'years, year', alone: 'years old, year old' },
  within: { leads: 'within, less than, up to, about' },
  before: { leads: 'older than, earlier than, prior to, before, until' },
  after: { leads: 'newer than, younger than, later than, after' },
  bce: { alone: 'before christ, before common era, bce, bc' },
  since: { leads: 'since, from the year' },
  between: { leads: 'in between, between, from' },
  and: { leads: 'and, to, until, till, through, or' },
  in: {
    leads:
      'located in, situated in, in the month of, in the time of, in the days of, in, inside, at, of the year, during, within, from',
  },
  oldest: { alone: 'oldest, earliest, most ancient, very old, ancient' },
  newest: { alone: 'newest, most recent, latest, youngest' },
  extreme: {
    alone:
      'biggest, largest, greatest, tallest, highest, longest, smallest, deepest, widest, heaviest, big, large, tall, huge, giant',
  },
  thing: { alone: 'building, buildings, structure, structures, monument, monuments' },
  lived: { alone: 'born, died, lived, living, reigned, ruled' },
  made: { alone: 'built, constructed, erected, made, founded, established, carved, completed' },
  noise: {
    alone: `the, a, an, some, any, all, show me, find me, find, tell me about, list of, beautiful, famous, best, nice, amazing, popular, important,
      interesting, heritage, heritage site, heritage sites, sites, things, things to see, attractions, near me, nearby me, around me, close by, compare, comparison, difference between, versus, vs, older, bigger, larger, taller, must see, must visit, lovely, great, good, top, well known, dedicated to, devoted to, places, place, can i see, can you see, can i visit, to visit, to see, worth a visit, visit, wonderful, stunning, please, where is, where are, what is, what are,
      which is, which are, dated, is there, are there, there is, there are, that is, that are`,
  },
}
