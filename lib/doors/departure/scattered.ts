import { marks } from '../../domain/comments/reactions.ts'
import { note, noteText } from '../../domain/notes/items.ts'
import { pictureFile } from '../../domain/pictures/items.ts'
import { project } from '../../domain/projects/items.ts'
import { claimsIn } from '../../domain/records/claim-packs.ts'
import { flag, SAME_REFERENT } from '../../domain/records/items.ts'
import { dataSource } from '../../domain/sources/sources.ts'
import { get, parse, type Stored, scan } from '../../engines/table/index.ts'
import { application } from '../../platform/users/applications.ts'

/** What people have made and no list holds by person, as members of the file. `memberships` are those in projects of other people. */
const noneYet = () => ({
  claims: [] as object[],
  sources: [] as object[],
  flags: [] as object[],
  votes: [] as object[],
  notes: [] as object[],
  pictures: [] as object[],
  memberships: [] as object[],
  applications: [] as object[],
})
export type Scattered = ReturnType<typeof noneYet>
type Member = keyof Scattered
/** Something that a person has made. `user` is null where nobody was signed in, or the service made it. */
type Made = { member: Member; user: string | null; row: object }

/** Finds what people have made in an item, by the type of the item. */
const finders: Readonly<Record<string, (item: Stored) => Made[]>> = {
  // The claims of a contribution are its values, which the file has already.
  claims: (item) =>
    claimsIn(item)
      .filter((it) => it.revision_number === null && it.asserted_property !== SAME_REFERENT)
      .map(({ contributor_id: user, id, entity_id, asserted_property, asserted_value, created_at }) => ({
        ...{ member: 'claims', user, row: { id, entity_id, asserted_property, asserted_value, created_at } },
      })),
  [dataSource.type]: (item) => {
    const { contributor_id: user, id, name, source_type, created_at } = parse(dataSource, item)
    return [{ member: 'sources', user, row: { id, name, source_type, created_at } }]
  },
  [flag.type]: (item) => {
    const { flagged_by: user, id, entity_id, flag_type, reason, created_at } = parse(flag, item)
    return [{ member: 'flags', user, row: { id, entity_id, flag_type, reason, created_at } }]
  },
  [marks.type]: (item) => {
    const { user_id: user, thread, on } = parse(marks, item)
    return [{ member: 'votes', user, row: { thread, on } }]
  },
  [note.type]: (item) => {
    const { sender_id: user, id, entity_id, name, email, phone, created_at } = parse(note, item)
    return [{ member: 'notes', user, row: { id, entity_id, name, email, phone, created_at } }]
  },
  [pictureFile.type]: (item) => {
    const { uploaded_by: user, id, file_name, created_at } = parse(pictureFile, item)
    return [{ member: 'pictures', user, row: { id, file_name, created_at } }]
  },
  [project.type]: (item) => {
    const { slug, title, owner_id, memberships } = parse(project, item)
    return memberships
      .filter(({ user_id }) => user_id !== owner_id)
      .map(({ user_id: user, role }) => ({ member: 'memberships', user, row: { slug, title, role } }))
  },
  [application.type]: (item) => {
    const { user_id: user, id, status, message, created_at } = parse(application, item)
    return [{ member: 'applications', user, row: { id, status, message, created_at } }]
  },
}

/** Gathers what these people have made and no list holds by person. Makes one pass over the table for all of them. */
export async function gatherScattered(users: readonly string[]): Promise<Map<string, Scattered>> {
  const found = new Map(users.map((user) => [user, noneYet()]))
  for await (const page of scan(Object.keys(finders)))
    for (const item of page)
      for (const { user, member, row } of finders[String(item.type)]?.(item) ?? [])
        found.get(user ?? '')?.[member].push(row)
  for (const { notes } of found.values())
    for (const it of notes) Object.assign(it, { content: (await get(noteText, idOf(it)))?.content })
  return found
}

const idOf = (it: object): { id: string } => ({ id: String(Object(it).id) })
