import { now } from '../../lib/base/clock.ts'
import { inUnit } from '../../lib/platform/unit-of-work.ts'
import { hashPassword } from '../../lib/platform/users/password.ts'
import { groupsWith } from '../../lib/platform/users/roles.ts'
import { createUser, loadUserByEmail } from '../../lib/platform/users/users.ts'
import { personas, usernameOf } from './people.ts'

/** Creates the seeded people that are missing. Their ids are the same on every machine. */
export async function seedUsers(): Promise<void> {
  await Promise.all(personas.map(seed))
}

async function seed({ email, role, is_staff = false }: (typeof personas)[number], position: number): Promise<void> {
  if (await loadUserByEmail(email)) return
  const username = usernameOf({ email })
  const at = now()
  const id = seededId(position)
  const person = {
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
    email_verified: true,
    seeded: true,
  }
  await inUnit((unit) => createUser(unit, person))
}

/** One hash for all of them: hashing is slow on purpose. */
let hashed: Promise<string> | undefined
const password = () => {
  hashed ??= hashPassword('heritage-local')
  return hashed
}

const seededId = (position: number) => `00000000-0000-4000-8000-${String(1001 + position).padStart(12, '0')}`
