import { type Rank, rankName, ranks } from '../../lib/platform/permissions.ts'

/** The people of the local stage, among them one of each rank. A new one goes last, since ids follow from the places. */
export const personas: readonly { email: string; role?: Rank; is_staff?: boolean }[] = [
  { email: 'dev@heritage.test' },
  { email: 'other@heritage.test' },
  { email: 'reviewer@heritage.test', role: 'community_reviewer' },
  { email: 'expert@heritage.test', role: 'domain_expert' },
  { email: 'curator@heritage.test', role: 'expert_curator' },
  { email: 'staff@heritage.test', is_staff: true },
]

/** The username of a seeded person: the local part of the address. */
export const usernameOf = ({ email }: { email: string }): string => email.slice(0, email.indexOf('@'))

/** The rank of a seeded person in words. */
export const roleOf = ({ role, is_staff }: (typeof personas)[number]): string =>
  is_staff ? 'staff' : role ? rankName(role) : 'contributor'

/** Makes something of a seeded person of each rank, who is named by username. */
export const makeByRank = <T>(make: (username: string) => T): Readonly<Record<Rank, T>> =>
  Object.fromEntries(ranks.map((rank) => [rank, make(usernameOfRank(rank))])) as Record<Rank, T>

function usernameOfRank(rank: Rank): string {
  const person = personas.find(({ role }) => role === rank)
  if (!person) throw new Error(`deploy/stand-ins/people.ts has nobody of the rank ${rank}.`)
  return usernameOf(person)
}
