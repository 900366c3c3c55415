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

/** One image, as the subject of permissions. A caller who may see its record or project may see it, unless the picture waits. */
export type Image = Subject & {
  version: number
  /** The id of its file. */
  file: string
  object_key: string
  size: PixelSize
  /** The address of its licence, if it has one. */
  rights?: string | undefined
}

const IMAGE_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Loads an image by its id in the Image API, with one DynamoDB call. Undefined if absent. */
export async function loadImage(id: string): Promise<Image | undefined> {
  const [, owner, file] = IMAGE_ID.exec(id) ?? []
  if (owner === undefined || file === undefined) return undefined
  return addressOf(owner) ? loadPicture(owner, file) : loadProjectImage(owner, file)
}

/** Published pictures are for all readers of the record. Waiting pictures are only for people who work on the record. */
async function loadPicture(entity_id: string, file: string): Promise<Image | undefined> {
  const it = await get(recordItem, { entity_id })
  const published = it && picturesIn(it.data).find(({ id }) => id === file)
  const waiting = it && picturesIn(it.proposed).find(({ id }) => id === file)
  if (!it || !(published ?? waiting)) return undefined
  return pictureOf(it, published ?? waiting, published !== undefined)
}

function pictureOf(it: RecordItem, picture: Picture | undefined, isPublished: boolean): Image | undefined {
  if (!picture) return undefined
  const { contributor_id, access_tier, deleted_at, version } = it
  return {
    contributor_id,
    access_tier,
    deleted_at,
    version,
    public: it.public && isPublished,
    file: picture.id,
    object_key: pictureObjectKey(picture.id),
    size: { width: picture.width ?? 0, height: picture.height ?? 0 },
    rights: picture.licence === undefined ? undefined : licenceAddress(picture.licence),
  }
}

async function loadProjectImage(project_id: string, id: string): Promise<Image | undefined> {
  const items = await getMany([key.project(project_id), key.asset(project_id, id)], true)
  const about = itemIn(items, project, { id: project_id })
  const file = itemIn(items, asset, { project_id, id })
  const size = file && uprightSize(file)
  if (!about || !file || !size) return undefined
  const { about: _, ...subject } = asSubject(about)
  return { ...subject, file: file.id, object_key: file.object_key, size }
}
