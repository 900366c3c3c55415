import type { Letter } from '../world/world.ts'
import { announcedTo } from './announcements.ts'
import type { Plain, View } from './view.ts'

/**
 * Letters go to who wants them and has confirmed the address, tell nothing that their reader might not see when they were
 * sent, and tell of each notice once.
 */
export function* letters(view: View, at: (letter: Letter) => View): Iterable<string> {
  const told = new Map<string, number>()
  for (const letter of view.world.letters) {
    const reader = view.of('user').find(({ email }) => email === letter.to)
    if (!reader) {
      yield `a letter went to ${letter.to}, who is nobody`
      continue
    }
    yield* faultsOf(letter, reader, at)
    told.set(reader.id, (told.get(reader.id) ?? 0) + notices(letter))
  }
  for (const [user, many] of told) {
    const { arrived: own = 0 } = view.at(`INBOX#${user}`) ?? {}
    const arrived = own + announcedTo(view, user).length
    if (many > arrived) yield `letters told ${user} of ${many} notices, and ${arrived} have arrived`
  }
}

/** Each stands on a line of its own; the rest is counted. */
const notices = ({ text }: Letter): number => (text.match(/^- /gm) ?? []).length

const known = new WeakMap<Letter, readonly string[]>()
function faultsOf(letter: Letter, reader: Plain, at: (letter: Letter) => View): readonly string[] {
  const found = known.get(letter) ?? [...wrongWith(letter, reader, at(letter))]
  known.set(letter, found)
  return found
}

function* wrongWith(letter: Letter, reader: Plain, then: View): Iterable<string> {
  const wanted = then.of('letters').find(({ user_id }) => user_id === reader.id)
  // Letters about the account go in any case. Whoever is told of anything wants it, can stop it, and has proven the address.
  const tells = notices(letter) > 0
  if (tells && (!wanted || wanted.mode === 'off')) yield `a letter told ${letter.to}, who wants none`
  const isProven = reader.email_verified === true || wanted?.confirmed === letter.to
  if (tells && !isProven) yield `a letter told ${letter.to}, whose address nobody has confirmed`
  if (tells && !letter.headers['List-Unsubscribe']) yield `a letter to ${letter.to} does not say how to stop it`
  if (/[\r\n]/.test(letter.subject)) yield `the subject of a letter to ${letter.to} has two lines`
  for (const name of hiddenFrom(reader, then))
    if (letter.text.includes(name) || letter.subject.includes(name)) yield `a letter told ${letter.to} of "${name}"`
}

/** Names that somebody could not see: of records that are deleted, and, without a role, of others' that wait. */
function hiddenFrom(reader: Plain, then: View): string[] {
  const was = then.of('user').find(({ id }) => id === reader.id)
  const hasRole = was?.is_staff === true || was?.reviewer_role !== null
  const isSeen = (it: Plain) => !it.deleted_at && (it.public || it.contributor_id === reader.id || hasRole)
  const records = then.of('record')
  const seen = new Set(records.filter(isSeen).map(({ name }) => name))
  return records.flatMap(({ name }) => (seen.has(name) ? [] : [String(name)]))
}
