import { once } from '../../base/once.ts'
import { fold } from './fold.ts'

/** Words for one sort of thing in English, Nepali and Newar. A search for a temple also finds a mandir. */
export const sortGroups: readonly string[] = [
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

/** Sorts with one word each. */
const singleWordSorts =
  'museum gate shrine square ghat bridge pillar bell library math ashram puja mela guthi trust tower'

/** Groups of words that honour a deity. They do not name a sort of building or place. */
const honours = new Set(['goddess devi', 'god deity deva dyah dyo'])

const groups = [...sortGroups.filter((group) => !honours.has(group)), ...singleWordSorts.split(' ')]

/**
 * For each folded word for a sort of thing, the word that represents its group. Honours of deities are left out.
 */
export const sortOf = once(
  (): ReadonlyMap<string, string> =>
    new Map(
      groups.flatMap((group) => {
        const words = fold(group).split(' ')
        return words.map((word) => [word, words[0] ?? word] as const)
      }),
    ),
)

/** Sorts that are also called "temple", above all in English. */
const holy = once((): ReadonlySet<string> => new Set(fold('stupa monastery').split(' ')))
/** Sorts that may be the same place as a temple at most 150 m away. */
const holyNearby = once((): ReadonlySet<string> => new Set([...holy(), ...fold('math ashram shrine').split(' ')]))

/**
 * Whether two names can mean one thing by their sorts. A name without a sort agrees with every sort. `near`: the two
 * are in one place, so more sorts agree.
 */
export function sortsAgree(a: ReadonlySet<string>, b: ReadonlySet<string>, near = false): boolean {
  const within = (few: ReadonlySet<string>, many: ReadonlySet<string>) => [...few].every((sort) => many.has(sort))
  const temples = (x: ReadonlySet<string>, y: ReadonlySet<string>) =>
    x.has('temple') && within(y, near ? holyNearby() : holy())
  return within(a, b) || within(b, a) || temples(a, b) || temples(b, a)
}
