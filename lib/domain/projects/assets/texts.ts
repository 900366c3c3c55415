import * as v from 'valibot'
import { mapAtOnce } from '../../../base/concurrency.ts'
import { withholdHidden } from '../../../engines/search/index.ts'
import type { Images } from '../../../engines/table/index.ts'
import { defineItem, getMany, itemIn, parse, put, queryAll, scan } from '../../../engines/table/index.ts'
import { key } from '../../../platform/table/keys.ts'
import { inUnit } from '../../../platform/unit-of-work.ts'
import { type Asset, asset, type Project, project } from '../items.ts'

/**
 * The text of an asset for search, with the members of its project that decide who may find it. The projector writes it next to
 * the asset, so OCR, merge and rollback do not write it. If a text is removed, the item stays with an empty text, since its
 * version shows that a late update is older.
 */
const AssetText = v.object({
  id: v.string(),
  project_id: v.string(),
  slug: v.string(),
  title: v.string(),
  text: v.string(),
  public: v.boolean(),
  owner_id: v.string(),
  created_at: v.string(),
  updated_at: v.string(),
  /** The project's version times `MOST_CHANGES`, plus the asset's version. Adding or removing an asset raises the project's version. */
  version: v.number(),
})
export type AssetText = v.InferOutput<typeof AssetText>
export const assetText = defineItem({
  type: 'project_asset_text',
  schema: AssetText,
  key: (it: { project_id: string; id: string }) => key.assetText(it.project_id, it.id),
})

/** Updates the text of a changed asset. Does nothing if the asset never had a text. Safe to repeat. */
export async function followAssetText({ before, after }: Images): Promise<void> {
  const [old, next] = [before, after].map((it) => it && parse(asset, it))
  const current = next ?? old
  if (!current || (!old?.ocr_text && !next?.ocr_text)) return
  if (old && next && assetMembers.every((name) => old[name] === next[name])) return
  await writeText(current.project_id, current.id)
}

const assetMembers = ['ocr_text', 'caption', 'file_name'] as const satisfies readonly (keyof Asset)[]

/** Updates the texts of a changed project's assets if its visibility, owner, slug or deletion has changed. */
export async function followTexts(old: Project | undefined, next: Project | undefined): Promise<void> {
  if (old && next && projectMembers.every((name) => old[name] === next[name])) return
  const it = next ?? old
  if (!it || (old?.asset_count ?? 0) + (next?.asset_count ?? 0) === 0) return
  const { pk, sk } = key.assetText(it.id, '')
  const texts = (await queryAll(pk, sk)).map((stored) => parse(assetText, stored))
  await mapAtOnce(texts, TEXTS_AT_ONCE, ({ id }) => writeText(it.id, id))
}

const projectMembers = ['visibility', 'owner_id', 'slug', 'deleted_at'] as const satisfies readonly (keyof Project)[]
const TEXTS_AT_ONCE = 8

/**
 * Writes the texts of all assets again, also those that the projector missed. Returns the number of assets with a text. It scans
 * the whole table, so it is for a command.
 */
export async function renewTexts(): Promise<number> {
  let texts = 0
  for await (const page of scan([asset.type])) {
    const read = page.map((stored) => parse(asset, stored)).filter((it) => it.ocr_text)
    for (const { project_id, id } of read) await writeText(project_id, id)
    texts += read.length
  }
  return texts
}

/** Writes the text of an asset, as the asset and its project are now. Writes nothing if the text stays the same. */
const writeText = (project_id: string, id: string): Promise<void> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const ids = { project_id, id }
    const items = await getMany([key.project(project_id), asset.key(ids), assetText.key(ids)], true)
    const [about, old] = [itemIn(items, project, { id: project_id }), itemIn(items, assetText, ids)]
    const next = about && textOf(about, itemIn(items, asset, ids), ids)
    const isNew = next && (old ? isDifferent(old, next) && next.version > old.version : next.text !== '')
    if (isNew) unit.add([put(assetText, next, old)])
  })

/**
 * Hides the texts of a project's assets in search at once: of all assets if the project is hidden, else of one deleted asset. The
 * projector, which writes the texts, would be a second or two late. Call this after the commit. One query, and two calls for the log.
 */
export async function withholdTexts(about: Project, deleted = ''): Promise<void> {
  const { pk, sk } = key.assetText(about.id, deleted)
  const texts = (await queryAll(pk, sk)).map((stored) => parse(assetText, stored))
  const isGone = deleted !== '' || about.deleted_at !== null
  await withholdHidden(
    texts.map((old) => {
      // Higher than every version written so far, and not higher than the one that the projector will write.
      const version = about.version * MOST_CHANGES
      const next = { ...old, ...(isGone && { title: '', text: '' }), public: false, version }
      return put(assetText, next, old)
    }),
  )
}

function textOf(about: Project, it: Asset | undefined, ids: { project_id: string; id: string }): AssetText {
  const version = about.version * MOST_CHANGES + (it?.version ?? 0)
  const [created_at, updated_at] = [it?.created_at ?? about.created_at, it?.updated_at ?? about.updated_at]
  const common = { ...ids, owner_id: about.owner_id, slug: about.slug, created_at, updated_at, version }
  if (!it?.ocr_text || about.deleted_at !== null) return { ...common, title: '', text: '', public: false }
  const title = it.caption || it.file_name || about.slug
  return { ...common, title, text: it.ocr_text, public: about.visibility === 'public' }
}

/** The versions that a text can have under one version of its project. */
const MOST_CHANGES = 1_000_000

const textMembers = ['title', 'text', 'public', 'owner_id', 'slug'] as const satisfies readonly (keyof AssetText)[]
const isDifferent = (old: AssetText, next: AssetText) => textMembers.some((name) => old[name] !== next[name])
