import * as v from 'valibot'
import { commitPlan } from '../../commit.ts'
import { defineItem, parse, put } from '../../table/item.ts'
import { key } from '../../table/keys.ts'
import { getMany, itemIn, queryAll } from '../../table/read.ts'
import { scan } from '../../table/scan.ts'
import type { Images } from '../../table/stream.ts'
import { type Asset, asset, type Project, project } from '../items.ts'

/**
 * What search learns of the text in an asset, together with what its project says about who may find it. The projector keeps
 * it beside the asset, so that merge, rollback and readers of text know nothing of it. One whose text is gone stays,
 * empty, and tells by its version that whatever comes late is older.
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
  /** The project's with the asset's: what belongs to a project comes and goes only with a change of the project. */
  version: v.number(),
})
export type AssetText = v.InferOutput<typeof AssetText>
export const assetText = defineItem({
  type: 'project_asset_text',
  schema: AssetText,
  key: (it: { project_id: string; id: string }) => key.assetText(it.project_id, it.id),
})

/** What follows for search from a change of an asset: nothing, unless it has or had a text. Safe to repeat. */
export async function followAssetText({ before, after }: Images): Promise<void> {
  const [old, next] = [before, after].map((it) => it && parse(asset, it))
  const one = next ?? old
  if (!one || (!old?.ocr_text && !next?.ocr_text)) return
  if (old && next && shown.every((name) => old[name] === next[name])) return
  await keep(one.project_id, one.id)
}

const shown = ['ocr_text', 'caption', 'file_name'] as const satisfies readonly (keyof Asset)[]

/** What follows for the texts of a project's assets from a change of the project: nothing, unless others may find them now. */
export async function followTexts(old: Project | undefined, next: Project | undefined): Promise<void> {
  if (old && next && watched.every((name) => old[name] === next[name])) return
  const it = next ?? old
  if (!it || (old?.asset_count ?? 0) + (next?.asset_count ?? 0) === 0) return
  const { pk, sk } = key.assetText(it.id, '')
  const texts = (await queryAll(pk, sk)).map((stored) => parse(assetText, stored))
  for (let start = 0; start < texts.length; start += AT_ONCE)
    await Promise.all(texts.slice(start, start + AT_ONCE).map(({ id }) => keep(it.id, id)))
}

const watched = ['visibility', 'owner_id', 'slug', 'deleted_at'] as const satisfies readonly (keyof Project)[]
const AT_ONCE = 8

/** Keeps the texts of all assets that were read before texts had items of their own, or that the projector has missed; answers how many assets have one. It reads the whole table: for a command. */
export async function renewTexts(): Promise<number> {
  let texts = 0
  for await (const page of scan([asset.type])) {
    const read = page.map((stored) => parse(asset, stored)).filter((it) => it.ocr_text)
    for (const { project_id, id } of read) await keep(project_id, id)
    texts += read.length
  }
  return texts
}

/** Makes the text of an asset what project and asset say now, whichever change has told of it. */
const keep = (project_id: string, id: string): Promise<void> =>
  commitPlan(async () => {
    const ids = { project_id, id }
    const found = await getMany([key.project(project_id), asset.key(ids), assetText.key(ids)], true)
    const [about, old] = [itemIn(found, project, { id: project_id }), itemIn(found, assetText, ids)]
    const next = about && textOf(about, itemIn(found, asset, ids), ids)
    const isNews = next && (old ? isOther(old, next) && next.version > old.version : next.text !== '')
    return { result: undefined, writes: isNews ? [put(assetText, next, old)] : [] }
  })

function textOf(about: Project, it: Asset | undefined, ids: { project_id: string; id: string }): AssetText {
  const version = about.version * MOST_CHANGES + (it?.version ?? 0)
  const [created_at, updated_at] = [it?.created_at ?? about.created_at, it?.updated_at ?? about.updated_at]
  const common = { ...ids, owner_id: about.owner_id, slug: about.slug, created_at, updated_at, version }
  if (!it?.ocr_text || about.deleted_at !== null) return { ...common, title: '', text: '', public: false }
  const title = it.caption || it.file_name || about.slug
  return { ...common, title, text: it.ocr_text, public: about.visibility === 'public' }
}

/** Of one asset while its project stays the same. */
const MOST_CHANGES = 1_000_000

const compared = ['title', 'text', 'public', 'owner_id', 'slug'] as const satisfies readonly (keyof AssetText)[]
const isOther = (old: AssetText, next: AssetText) => compared.some((name) => old[name] !== next[name])
