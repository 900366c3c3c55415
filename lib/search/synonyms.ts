import { plainWords, respell } from '../matching/fold.ts'
import { termOf } from './index/words.ts'

/** Words for one sort of thing in English, Nepali and Newar: whoever looks for a temple may mean a mandir. */
const groups = [
  'temple mandir degah deval',
  'stupa chaitya chibhaa',
  'monastery vihara bahal baha bahi mahavihar gumba gompa',
  'pond pokhari pukhu kunda',
  'spout fountain hiti dhara',
  'palace durbar layku',
  'resthouse pati sattal dharmashala falcha',
  'festival jatra parva yatra',
  'dance nach pyakhan',
  'image statue murti pratima',
  'goddess devi',
  'god deity deva dyah dyo',
  'cave gufa',
  'hill danda',
  'river khola nadi',
  'well kuwa inar',
]

const meanings = new Map<string, ReadonlySet<string>>(
  groups.flatMap((group) => {
    const terms = group.split(' ').map(termOf)
    return terms.map((term) => [term, new Set(terms.filter((other) => other !== term))] as const)
  }),
)

/** The terms that mean the same sort of thing as a term. */
export const synonymsOf = (term: string): ReadonlySet<string> => meanings.get(term) ?? none
const none: ReadonlySet<string> = new Set()

/** A name in one spelling, without spaces, each word for a sort of thing replaced by one that stands for all: equal for names that mean the same. */
export const meaningOf = (name: string): string => respell(plainWords(name).map(standIn).join(''))

function standIn(word: string): string {
  const term = termOf(word)
  const others = synonymsOf(term)
  return others.size > 0 ? ([term, ...others].sort()[0] ?? word) : word
}
