import { now } from '../../base/clock.ts'
import { invalid } from '../../base/errors.ts'
import { getMany, itemIn, put, type Write, withNextVersion } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { Picture } from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import { type PictureFile, pictureFile } from './items.ts'
import { IMAGES } from './values.ts'

/**
 * Resolves the pictures of a contribution. Returns the values with size and licence of each picture, and the writes that keep
 * the files. A file must be the caller's own, or belong to a picture that the record has or had (`standing`). Fails with a field
 * error on any other file, a missing or expired one, a file named twice, an unknown licence, and two faces. One call.
 */
export async function resolvePictures(
  values: Values,
  actor: Actor,
  standing: readonly Picture[] = [],
): Promise<{ values: Values; writes: Write[] }> {
  const sent: readonly Picture[] | undefined = Array.isArray(values[IMAGES]) ? values[IMAGES] : undefined
  if (sent === undefined) return { values, writes: [] }
  const there = new Map(standing.map((it) => [it.id, it]))
  const found = await getMany(
    sent.filter(({ id }) => !there.has(id)).map(({ id }) => key.picture(id)),
    true,
  )
  const files = new Map(sent.map(({ id }) => [id, itemIn(found, pictureFile, { id })]))
  const known: Lookup = { there, files, licences: await lookUpLicences(sent), actor }
  const faults = [...faultsAmong(sent), ...sent.flatMap((it, i) => faultsOf(it, `Picture ${i + 1}:`, known))]
  if (faults.length > 0) throw invalid({ [IMAGES]: faults })
  return {
    values: { ...values, [IMAGES]: withFace(sent).map((it) => storedPicture(it, known)) },
    writes: [...files.values()].flatMap(keepWrites),
  }
}

function faultsAmong(sent: readonly Picture[]): string[] {
  const faces = sent.filter(({ face }) => face).length
  return [
    ...(faces > 1 ? ['Only one picture can be the face of the record.'] : []),
    ...(new Set(sent.map(({ id }) => id)).size < sent.length ? ['A file can be one picture of the record only.'] : []),
  ]
}

/**
 * What the pictures of a contribution refer to. `there`: earlier pictures of the record by id. `licences`: by the
 * spelling sent.
 */
type Lookup = {
  there: ReadonlyMap<string, Picture>
  files: ReadonlyMap<string, PictureFile | undefined>
  licences: ReadonlyMap<string | undefined, Licence>
  actor: Actor
}
type Licence = { kept: string } | { fault: string }

/** Looks up the licences of the pictures. The long list of licences is imported only when a picture names one. */
async function lookUpLicences(sent: readonly Picture[]): Promise<ReadonlyMap<string | undefined, Licence>> {
  const named = new Set(sent.flatMap(({ licence }) => licence ?? []))
  if (named.size === 0) return new Map()
  const { licenceOf, NO_LICENCE } = await import('./licences.ts')
  return new Map(
    [...named].map((it) => {
      const kept = licenceOf(it)
      return [it, kept === undefined ? { fault: NO_LICENCE } : { kept }]
    }),
  )
}

function faultsOf({ id, licence }: Picture, number: string, { there, files, licences, actor }: Lookup): string[] {
  const faults: string[] = []
  const file = files.get(id)
  if (!there.has(id)) {
    if (file?.uploaded_by !== actor.id) faults.push(`${number} There is no file of yours with this id.`)
    else if (file.facts === null) faults.push(`${number} Its file has not been sent yet.`)
    else if (file.until !== null && file.until <= now()) faults.push(`${number} Its file has expired. Send it again.`)
  }
  const found = licences.get(licence)
  if (found && 'fault' in found) faults.push(`${number} ${found.fault}`)
  return faults
}

/** The first picture is the face where none is marked. */
const withFace = (sent: readonly Picture[]): readonly Picture[] =>
  sent.some(({ face }) => face) ? sent : sent.map((it, i) => (i === 0 ? { ...it, face: true } : it))

/** A picture as it is stored: its texts, and the size and type of its file. */
function storedPicture(it: Picture, { there, files, licences }: Lookup): Picture {
  const { width, height, media_type } = there.get(it.id) ?? {}
  const facts = files.get(it.id)?.facts
  const licence = licences.get(it.licence)
  return {
    ...it,
    ...(licence && 'kept' in licence && { licence: licence.kept }),
    ...(facts
      ? { width: facts.width, height: facts.height, media_type: facts.content_type }
      : { width: width ?? 0, height: height ?? 0, media_type: media_type ?? '' }),
  }
}

const keepWrites = (it: PictureFile | undefined): Write[] =>
  it && it.until !== null ? [put(pictureFile, withNextVersion<PictureFile>(it, { until: null }), it)] : []
