import { now } from '../clock.ts'
import { invalid } from '../errors.ts'
import type { Picture } from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import type { Actor } from '../permissions.ts'
import { amended, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import { type PictureFile, pictureFile } from './items.ts'
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
  const known: Known = { there, files, licences: await licencesAmong(given), actor }
  const faults = [...faultsAmong(given), ...given.flatMap((it, i) => faultsOf(it, `Picture ${i + 1}:`, known))]
  if (faults.length > 0) throw invalid({ [IMAGES]: faults })
  return {
    values: { ...values, [IMAGES]: withFace(given).map((it) => stored(it, known)) },
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

/** What is known of the pictures of a contribution: those that the record has or had, files by their ids, and licences as they are named. */
type Known = {
  there: ReadonlyMap<string, Picture>
  files: ReadonlyMap<string, PictureFile | undefined>
  licences: ReadonlyMap<string | undefined, Licence>
  actor: Actor
}
type Licence = { kept: string } | { fault: string }

/** What becomes of the licences that are named. The list of all there are is read where there is one to look up. */
async function licencesAmong(given: readonly Picture[]): Promise<ReadonlyMap<string | undefined, Licence>> {
  const named = new Set(given.flatMap(({ licence }) => licence ?? []))
  if (named.size === 0) return new Map()
  const { licenceOf, NO_LICENCE } = await import('./licences.ts')
  return new Map(
    [...named].map((it) => {
      const kept = licenceOf(it)
      return [it, kept === undefined ? { fault: NO_LICENCE } : { kept }]
    }),
  )
}

function faultsOf({ id, licence }: Picture, number: string, { there, files, licences, actor }: Known): string[] {
  const told: string[] = []
  const file = files.get(id)
  if (!there.has(id)) {
    if (file?.uploaded_by !== actor.id) told.push(`${number} There is no file of yours with this id.`)
    else if (file.facts === null) told.push(`${number} Its file has not been sent yet.`)
    else if (file.until !== null && file.until <= now()) told.push(`${number} Its file has expired. Send it again.`)
  }
  const meant = licences.get(licence)
  if (meant && 'fault' in meant) told.push(`${number} ${meant.fault}`)
  return told
}

/** The first is the face where none is said to be. */
const withFace = (given: readonly Picture[]): readonly Picture[] =>
  given.some(({ face }) => face) ? given : given.map((it, i) => (i === 0 ? { ...it, face: true } : it))

/** A picture as it is kept: what is said of it, and how large it is. */
function stored(it: Picture, { there, files, licences }: Known): Picture {
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

/** A file that a record names stays for good. */
const keeping = (it: PictureFile | undefined): Write[] =>
  it && it.until !== null ? [put(pictureFile, amended<PictureFile>(it, { until: null }), it)] : []
