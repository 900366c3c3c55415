import { now } from '../../base/clock.ts'
import { invalid } from '../../base/errors.ts'
import { getMany, itemIn, type Write } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { Picture } from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import { keepFile } from './files.ts'
import { IMAGES, type PictureFile, pictureFile } from './items.ts'

/**
 * Resolves the pictures of a contribution. Returns the values with size and licence of each picture, and the writes that keep
 * the files. A file must be the caller's own, or belong to a picture that the record has or had (`earlier`).
 *
 * Fails with a field error on any other file, on a missing or expired file, and on a file that is named twice. Fails also
 * on an unknown licence, and if two pictures are marked as the face. One call.
 */
export async function resolvePictures(
  values: Values,
  actor: Actor,
  earlier: readonly Picture[] = [],
): Promise<{ values: Values; writes: Write[] }> {
  const inputs: readonly Picture[] | undefined = Array.isArray(values[IMAGES]) ? values[IMAGES] : undefined
  if (inputs === undefined) return { values, writes: [] }
  const earlierById = new Map(earlier.map((picture) => [picture.id, picture]))
  const items = await getMany(
    inputs.filter(({ id }) => !earlierById.has(id)).map(({ id }) => key.picture(id)),
    true,
  )
  const files = new Map(inputs.map(({ id }) => [id, itemIn(items, pictureFile, { id })]))
  const referents: Referents = { earlierById, files, licences: await lookUpLicences(inputs), actor }
  const faults = [
    ...faultsAmong(inputs),
    ...inputs.flatMap((input, i) => faultsOf(input, `Picture ${i + 1}:`, referents)),
  ]
  if (faults.length > 0) throw invalid({ [IMAGES]: faults })
  return {
    values: { ...values, [IMAGES]: withFace(inputs).map((input) => storedPicture(input, referents)) },
    writes: [...files.values()].flatMap((file) => (file && file.until !== null ? [keepFile(file)] : [])),
  }
}

/** Faults of the pictures together. */
function faultsAmong(inputs: readonly Picture[]): string[] {
  const faces = inputs.filter(({ face }) => face).length
  const files = new Set(inputs.map(({ id }) => id))
  return [
    ...(faces > 1 ? ['Only one picture can be the face of the record.'] : []),
    ...(files.size < inputs.length ? ['A file can be one picture of the record only.'] : []),
  ]
}

/** What the pictures of a contribution name: earlier pictures and files by id, and licences by the spelling that was sent. */
type Referents = {
  earlierById: ReadonlyMap<string, Picture>
  files: ReadonlyMap<string, PictureFile | undefined>
  licences: ReadonlyMap<string | undefined, LicenceReading>
  actor: Actor
}
type LicenceReading = { spelling: string } | { fault: string }

/** Looks up the licences of the pictures. The long list of licences is imported only if a picture names one. */
async function lookUpLicences(inputs: readonly Picture[]): Promise<ReadonlyMap<string | undefined, LicenceReading>> {
  const texts = new Set(inputs.flatMap(({ licence }) => licence ?? []))
  if (texts.size === 0) return new Map()
  const { licenceOf, NO_LICENCE } = await import('./licences.ts')
  return new Map(
    [...texts].map((text) => {
      const spelling = licenceOf(text)
      return [text, spelling === undefined ? { fault: NO_LICENCE } : { spelling }]
    }),
  )
}

/** Faults of one picture. `number` begins each message. */
function faultsOf(
  { id, licence }: Picture,
  number: string,
  { earlierById, files, licences, actor }: Referents,
): string[] {
  const faults: string[] = []
  const file = files.get(id)
  if (!earlierById.has(id)) {
    if (file?.uploaded_by !== actor.id) faults.push(`${number} There is no file of yours with this id.`)
    else if (file.facts === null) faults.push(`${number} Its file has not been sent yet.`)
    else if (file.until !== null && file.until <= now()) faults.push(`${number} Its file has expired. Send it again.`)
  }
  const reading = licences.get(licence)
  if (reading && 'fault' in reading) faults.push(`${number} ${reading.fault}`)
  return faults
}

/** The first picture is the face if no picture is marked as the face. */
const withFace = (inputs: readonly Picture[]): readonly Picture[] =>
  inputs.some(({ face }) => face) ? inputs : inputs.map((input, i) => (i === 0 ? { ...input, face: true } : input))

/** Builds the stored picture: its texts, and the size and type of its file. */
function storedPicture(input: Picture, { earlierById, files, licences }: Referents): Picture {
  const earlier = earlierById.get(input.id)
  const facts = files.get(input.id)?.facts
  const licence = licences.get(input.licence)
  return {
    ...input,
    ...(licence && 'spelling' in licence && { licence: licence.spelling }),
    width: facts?.width ?? earlier?.width ?? 0,
    height: facts?.height ?? earlier?.height ?? 0,
    media_type: facts?.content_type ?? earlier?.media_type ?? '',
  }
}
