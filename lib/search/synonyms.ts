import { fold } from '../domain/fold.ts'

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
    const terms = fold(group).split(' ')
    return terms.map((term) => [term, new Set(terms.filter((other) => other !== term))] as const)
  }),
)

/** The terms that mean the same sort of thing as a term. */
export const synonymsOf = (term: string): ReadonlySet<string> => meanings.get(term) ?? none
const none: ReadonlySet<string> = new Set()
