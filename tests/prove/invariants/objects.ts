import { gunzipSync } from 'node:zlib'
import type { World } from '../world/world.ts'
import type { Plain, View } from './view.ts'

/** The bucket and the table agree: what an item names is there, and what is there is named. */

/** What a rule of the bucket clears away (serverless.yml), and nothing else is to: what clients send, and what is made for readers. */
const PASSES = /^(uploads|parts|tables|derivatives)\//

/** Objects that items of a type name, whatever else they may come to name: each must be there. */
const NAMED: Readonly<Record<string, (it: Plain) => readonly (string | null | undefined)[]>> = {
  project_asset: (it) => [it.object_key, it.thumbnail_key],
  project_snapshot: (it) => [it.object_key],
  // Until a record keeps it, it may be on its way.
  picture_file: (it) => [it.until === null ? `pictures/${it.id}` : null],
  source: (it) => [it.upload?.key],
  user: (it) => [it.profile_image ? `profile-images/${it.id}/${it.profile_image}` : null],
  import: (it) => [it.object_key],
  graph: (it) => [it.object],
  scan: (it) => [it.object_key],
}

/** Objects that may be there for an item and need not be, or not yet. */
const POSSIBLE: Readonly<Record<string, (it: Plain) => readonly (string | null | undefined)[]>> = {
  project_upload: (it) => it.object_keys,
  scan: (it) => [`scans/${it.id}/reading.json.gz`],
  picture_file: (it) => [`pictures/${it.id}`],
  'search-snapshot': (it) => [it.current.key, it.previous?.key],
  // What is on its way, or on its way out.
  loose_file: (it) => [it.object_key],
}

const keysOf = (view: View, of: typeof NAMED): string[] =>
  Object.entries(of).flatMap(([type, keys]) => view.of(type).flatMap((it) => keys(it).filter((key) => key != null)))

/** Folders of which the table names the beginning: those of an import that has files, and of a merge that may be at work. */
const FOLDERS: Readonly<Record<string, (id: string, view: View) => boolean>> = {
  // What was read for an import that never came to be goes by the rule of the bucket, after 100 days.
  imports: (id, view) => {
    const it = view.at(`IMPORT#${id}`)
    return it === undefined || (it.files_until ?? null) !== null
  },
  snapshots: (id, view) => view.at(`MERGE#${id}`) !== undefined,
}
const isInFolder = (key: string, view: View): boolean => {
  const [folder = '', id = ''] = key.split('/')
  return FOLDERS[folder]?.(id, view) ?? false
}

/** What the states of projects before their merges are made up of: the parts with their records, as the first object lists them. */
function partsOf(view: View): string[] {
  return view.of('project_snapshot').flatMap((it) => {
    const stored = view.world.bucket.objects.get(it.object_key)
    if (!stored) return []
    const { parts }: { parts: { object_key: string }[] } = JSON.parse(gunzipSync(stored.bytes).toString())
    return parts.map((part) => part.object_key)
  })
}

export function* objects(view: View): Iterable<string> {
  const { world, settled } = view
  const { objects: there } = world.bucket
  const named = [...keysOf(view, NAMED), ...partsOf(view)]
  for (const key of named) if (!there.has(key)) yield `${key} is named, and is not there`
  if (!settled) return
  for (const it of view.of('project_asset'))
    if (it.media_type === 'image' && it.thumbnail_key === null) yield `the image ${it.object_key} has no thumbnail`
  const owned = new Set([...named, ...keysOf(view, POSSIBLE), ...inExports(world)])
  for (const key of there.keys())
    if (!owned.has(key) && !PASSES.test(key) && !isInFolder(key, view)) yield `${key} belongs to nothing`
}

/** The listing of the exports, the files that it names, and those before them. */
function inExports(world: World): string[] {
  const key = 'exports/current.json'
  const listing = world.bucket.objects.get(key)
  if (!listing) return []
  type Named = { key: string }
  type Listing = { files: Named[]; bag?: Named; sitemap: Named[]; fragments: string[]; previous: string[] }
  const { files, bag, sitemap, fragments, previous }: Listing = JSON.parse(listing.bytes.toString())
  const named = [...files, ...(bag ? [bag] : []), ...sitemap].map((it) => it.key)
  return [key, 'exports/disagreements.json', ...named, ...fragments, ...previous]
}
