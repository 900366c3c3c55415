import { commitWrites } from '../../engines/table/immediate.ts'
import type { Images } from '../../engines/table/index.ts'
import { getMany, itemIn, parse, replaceDerived, type Stored } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { followTexts } from './assets/texts.ts'
import { type Project, project } from './items.ts'
import { memberPlace, memberPlaceOf } from './lists.ts'
import { followWords } from './search.ts'

/** Updates what follows from a project: its search words, the texts of its assets, and its members' lists. Safe to repeat. */
export async function followProject({ before, after }: Images): Promise<void> {
  const [old, next] = [projectIn(before), projectIn(after)]
  await followWords(old, next)
  await followTexts(old, next)
  const users = [old, next].flatMap((it) => it?.memberships.map((one) => one.user_id) ?? [])
  const id = (next ?? old)?.id
  if (id !== undefined) for (const user of new Set(users)) await placeFor(id, user)
}

const projectIn = (stored: Stored | undefined): Project | undefined => stored && parse(project, stored)

/** Puts a project where it belongs now in a member's lists. A late call does no harm, since it reads the project as it is. */
async function placeFor(id: string, user_id: string): Promise<void> {
  const found = await getMany([key.project(id), key.projectMember(id, user_id)], true)
  const old = itemIn(found, memberPlace, { id, user_id })
  const next = memberPlaceOf(itemIn(found, project, { id }), user_id)
  if (old === undefined && next === undefined) return
  if (old && next && old.version >= next.version) return
  await commitWrites(replaceDerived(memberPlace, old, next))
}
