import { addressOf } from '../../base/ids/address.ts'
import type { Picture } from '../../domain/kinds/index.ts'
import { pictureObjectKey, picturesIn } from '../../domain/pictures/items.ts'
import type { PixelSize } from '../../domain/pictures/view.ts'
import { licenceAddress } from '../../domain/pictures/view.ts'
import { asSubject, asset, project, uprightSize } from '../../domain/projects/items.ts'
import { type RecordItem, recordItem } from '../../domain/records/items.ts'
import { get, getMany, itemIn } from '../../engines/table/index.ts'
import type { Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'

/** One image. Who may see its record or project may see it. */
export type Image = Subject & {
  version: number
  /** The id of its file. */
  file: string
  object_key: string
  size: PixelSize
  /** The address of its licence, if it has one. */
  rights?: string | undefined
}

const named = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The image of an id of the Image API, in one call; undefined if there is none. */
export async function loadImage(id: string): Promise<Image | undefined> {
  const [, owner, file] = named.exec(id) ?? []
  if (owner === undefined || file === undefined) return undefined
  return addressOf(owner) ? ofRecord(owner, file) : ofProject(owner, file)
}

/** Who sees the record sees its published pictures. A waiting picture is only for those who work on the record. */
async function ofRecord(entity_id: string, file: string): Promise<Image | undefined> {
  const it = await get(recordItem, { entity_id })
  const stands = it && picturesIn(it.data).find(({ id }) => id === file)
  const waits = it && picturesIn(it.proposed).find(({ id }) => id === file)
  if (!it || !(stands ?? waits)) return undefined
  return pictureOf(it, stands ?? waits, stands !== undefined)
}

function pictureOf(it: RecordItem, picture: Picture | undefined, stands: boolean): Image | undefined {
  if (!picture) return undefined
  const { contributor_id, access_tier, deleted_at, version } = it
  return {
    contributor_id,
    access_tier,
    deleted_at,
    version,
    public: it.public && stands,
    file: picture.id,
    object_key: pictureObjectKey(picture.id),
    size: { width: picture.width ?? 0, height: picture.height ?? 0 },
    rights: picture.licence === undefined ? undefined : licenceAddress(picture.licence),
  }
}

async function ofProject(project_id: string, id: string): Promise<Image | undefined> {
  const found = await getMany([key.project(project_id), key.asset(project_id, id)], true)
  const about = itemIn(found, project, { id: project_id })
  const one = itemIn(found, asset, { project_id, id })
  const size = one && uprightSize(one)
  if (!about || !one || !size) return undefined
  const { about: _, ...subject } = asSubject(about)
  return { ...subject, file: one.id, object_key: one.object_key, size }
}
