import type { User } from '../../lib/platform/users/users.ts'

type Role = NonNullable<User['reviewer_role']>['role']

/** The people of the local stage. A new one goes last, since ids follow from the places. */
export const personas: readonly { email: string; role?: Role; is_staff?: boolean }[] = [
  { email: 'dev@heritage.test' },
  { email: 'other@heritage.test' },
  { email: 'reviewer@heritage.test', role: 'community_reviewer' },
  { email: 'expert@heritage.test', role: 'domain_expert' },
  { email: 'curator@heritage.test', role: 'expert_curator' },
  { email: 'staff@heritage.test', is_staff: true },
]

/** The username of a seeded person: the local part of the address. */
export const usernameOf = ({ email }: { email: string }): string => email.slice(0, email.indexOf('@'))
