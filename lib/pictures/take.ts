import { now } from '../clock.ts'
import { invalid } from '../errors.ts'
import type { Picture } from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import type { Actor } from '../permissions.ts'
import { amended, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import { type PictureFile, pictureFile } from './items.ts'
import { licenceOf, NO_LICENCE } from './licences.ts'
import { IMAGES } from './values.ts'

/**
 * The values of a contribution with what is known of the files of its pictures, and the writes that keep these files. A
 * file is the caller's own, or one of a picture that the record has or had (`standing`). Fails with a field error on a
 * file that is neither, on one that is not there yet, on a licence that is none, and on two faces. One call.
 */
export async function withPictures(
  values: Values,
  actor: Actor,
  standing: readonly Picture[] = [],
): Promise<{ values: Values; writes: Write[] }> {
  const given: readonly Picture[] | undefined = Array.isArray(values[IMAGES]) ? values[IMAGES] : undefined
  if (given === undefined) return { values, writes: [] }
  const there = new Map(standing.map((it) => [it.id, it]))
  const found = await getMany(
    given.filter(({ id }) => !there.has(id)).map(({ id }) => key.picture(id)),
    true,
  )
  const files = new Map(given.map(({ id }) => [id, itemIn(found, pictureFile, { id })]))
  const faults = [...faultsAmong(given), ...given.flatMap((it, i) => faultOf(it, i, there, files, actor))]
  if (faults.length > 0) throw invalid({ [IMAGES]: faults })
  return {
    values: { ...values, [IMAGES]: withFace(given).map((it) => stored(it, there.get(it.id), files.get(it.id))) },
    writes: [...files.values()].flatMap(keeping),
  }
}

function faultsAmong(given: readonly Picture[]): string[] {
  const faces = given.filter(({ face }) => face).length
  return [
    ...(faces > 1 ? ['Only one picture can be the face of the record.'] : []),
    ...(new Set(given.map(({ id }) => id)).size < given.length
      ? ['A file can be one picture of the record only.']
      : []),
  ]
}

function faultOf(
  { id, licence }: Picture,
  i: number,
  there: ReadonlyMap<string, Picture>,
  files: ReadonlyMap<string, PictureFile | undefined>,
  actor: Actor,
): string[] {
  const number = `Picture ${i + 1}:`
  const told: string[] = []
  const file = files.get(id)
  if (!there.has(id)) {
    if (file?.uploaded_by !== actor.id) told.push(`${number} There is no file of yours with this id.`)
    else if (file.facts === null) told.push(`${number} Its file has not been sent yet.`)
    else if (file.until !== null && file.until <= now()) told.push(`${number} Its file has expired. Send it again.`)
  }
  if (licence !== undefined && licenceOf(licence) === undefined) told.push(`${number} ${NO_LICENCE}`)
  return told
}

/** The first is the face where none is said to be. */
const withFace = (given: readonly Picture[]): readonly Picture[] =>
  given.some(({ face }) => face) ? given : given.map((it, i) => (i === 0 ? { ...it, face: true } : it))

/** A picture as it is kept: what is said of it, and how large it is. */
function stored(it: Picture, before: Picture | undefined, file: PictureFile | undefined): Picture {
  const { width, height, media_type } = before ?? {}
  const facts = file?.facts
  return {
    ...it,
    ...(it.licence !== undefined && { licence: licenceOf(it.licence) ?? it.licence }),
    ...(facts
      ? { width: facts.width, height: facts.height, media_type: facts.content_type }
      : { width: width ?? 0, height: height ?? 0, media_type: media_type ?? '' }),
  }
}

/** A file that a record names stays for good. */
const keeping = (it: PictureFile | undefined): Write[] =>
  it && it.until !== null ? [put(pictureFile, amended<PictureFile>(it, { until: null }), it)] : []
