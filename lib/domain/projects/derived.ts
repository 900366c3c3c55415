import { commitWrites } from '../../engines/table/immediate.ts'
import type { Images } from '../../engines/table/index.ts'
import { getMany, itemIn, parse, replaceDerived, type Stored } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { followTexts } from './assets/texts.ts'
import { type Project, project } from './items.ts'
import { memberPlace, memberPlaceOf } from './lists.ts'
import { followWords } from './search.ts'

/** Updates all that is derived from a project: its search words, the texts of its assets, its places in members' lists. Safe to repeat. */
export async function followProject({ before, after }: Images): Promise<void> {
  const [old, next] = [projectIn(before), projectIn(after)]
  await followWords(old, next)
  await followTexts(old, next)
  const users = [old, next].flatMap((it) => it?.memberships.map(({ user_id }) => user_id) ?? [])
  const id = (next ?? old)?.id
  if (id !== undefined) for (const user of new Set(users)) await updateMemberPlace(id, user)
}

const projectIn = (stored: Stored | undefined): Project | undefined => stored && parse(project, stored)

/** Stores a project's present place in a member's lists. A late call is harmless, since it reads the present project. */
async function updateMemberPlace(id: string, user_id: string): Promise<void> {
  const items = await getMany([key.project(id), key.projectMember(id, user_id)], true)
  const old = itemIn(items, memberPlace, { id, user_id })
  const next = memberPlaceOf(itemIn(items, project, { id }), user_id)
  if (old === undefined && next === undefined) return
  if (old && next && old.version >= next.version) return
  await commitWrites(replaceDerived(memberPlace, old, next))
}
