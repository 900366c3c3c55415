import { now } from '../../lib/clock.ts'
import { hash } from '../../lib/users/password.ts'
import { groupsWith } from '../../lib/users/roles.ts'
import { create, loadByEmail, type User } from '../../lib/users/users.ts'

/** The people of the local stage. The username is the local part of the address. */
export const personas: readonly { email: string; role?: Role; is_staff?: boolean }[] = [
  { email: 'dev@heritage.test' },
  { email: 'other@heritage.test' },
  { email: 'reviewer@heritage.test', role: 'community_reviewer' },
  { email: 'expert@heritage.test', role: 'domain_expert' },
  { email: 'curator@heritage.test', role: 'expert_curator' },
  { email: 'staff@heritage.test', is_staff: true },
]

/** Makes the users that are missing; those that are there stay as they are. Their ids are the same on every machine. */
export async function seedUsers(): Promise<void> {
  await Promise.all(personas.map(seed))
}

type Role = NonNullable<User['reviewer_role']>['role']

async function seed({ email, role, is_staff = false }: (typeof personas)[number], position: number): Promise<void> {
  if (await loadByEmail(email)) return
  const username = email.slice(0, email.indexOf('@'))
  const at = now()
  const id = seededId(position)
  await create({
    id,
    email,
    username,
    first_name: username.charAt(0).toUpperCase() + username.slice(1),
    last_name: 'Heritage',
    is_staff,
    groups: groupsWith(['Contributors'], role ? { role, is_active: true } : null),
    reviewer_role: role
      ? {
          id,
          role,
          expertise_areas: [],
          is_active: true,
          assigned_by: null,
          created_at: at,
          updated_at: at,
        }
      : null,
    password: await password(),
    seeded: true,
  })
}

/** One hash for all of them: it is made to take long. */
let hashed: Promise<string> | undefined
const password = () => {
  hashed ??= hash('heritage-local')
  return hashed
}

const seededId = (position: number) => `00000000-0000-4000-8000-${String(1001 + position).padStart(12, '0')}`
