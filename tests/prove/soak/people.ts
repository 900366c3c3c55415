import { ranks } from '../../../lib/platform/permissions.ts'

/** Those who use the service while it is watched, each signed in as people are. */
export type Person = { id: string; name: string; token: string }
export type People = {
  readers: readonly (Person | null)[]
  contributors: readonly Person[]
  reviewers: readonly Person[]
  /** Of the reviewers those who may give any verdict. */
  deciders: readonly Person[]
  /** Nobody else writes to the first: what reaches that person is an answer to the second. */
  probed: readonly Person[]
}
const PASSWORD = 'a-long-password-1'

async function sent(origin: string, path: string, body: object, token?: string) {
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST ${path} gave ${response.status}: ${text}`)
  return JSON.parse(text)
}

const signIn = async (origin: string, username: string, password: string): Promise<string> =>
  (await sent(origin, '/api/token/', { username, password })).access

async function joined(origin: string, name: string): Promise<Person> {
  await sent(origin, '/api/register/', { email: `${name}@example.org`, username: name, password: PASSWORD })
  const token = await signIn(origin, name, PASSWORD)
  const info = await fetch(`${origin}/api/user/info/`, { headers: { authorization: `Bearer ${token}` } })
  const { id }: { id: string } = JSON.parse(await info.text())
  return { id, name, token }
}

/** One after the other: each sign-in is made to take long. */
async function several(origin: string, name: string, many: number): Promise<Person[]> {
  const all: Person[] = []
  for (let i = 0; i < many; i += 1) all.push(await joined(origin, `${name}-${i}`))
  return all
}

/** Registers everybody, and has the reviewers appointed. */
export async function gather(origin: string, reviewers: number): Promise<People> {
  const staff = await signIn(origin, 'staff', 'heritage-local')
  const contributors = await several(origin, 'contributor', 20)
  const appointed = await several(origin, 'reviewer', reviewers)
  const roles = ranks.toReversed()
  for (const [i, { id }] of appointed.entries())
    await sent(origin, '/data/reviewer-roles/', { user_id: id, role: roles[i % roles.length] }, staff)
  return {
    contributors,
    reviewers: appointed,
    deciders: appointed.filter((_, i) => i % roles.length === 0),
    readers: [null, null, ...contributors],
    probed: await several(origin, 'probed', 2),
  }
}
